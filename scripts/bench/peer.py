#!/usr/bin/env python3
"""A peer of toktier-bench in a process of its own: frames (scripts/reference/frames.py) on stdin and stdout.

load   request JSON {"engine", "model"}
       reply   JSON {engine, version, call, runtime, kind, load_wall, load_cpu}, seconds
texts  request u32 n, u32 length[n], bytes; the texts of all passes
       reply   empty
pass   request u32 flags (1: with the digest of each document)
       reply   f64 wall, f64 cpu (seconds), u64 ids, 32 bytes digest, then 32 bytes a document if asked for
ids    request u32 document
       reply   u32 ids of this document, from the last pass
bye    reply empty; the process ends

A document's digest is the SHA-256 of its ids as little-endian u32; that of a pass the SHA-256 of its documents'.
Wall time is perf_counter, cpu the processor time of the whole process. Any error is an error frame.

`peer.py --count ENGINE KIND MODEL FILE` loads, encodes one file, prints the number of ids: the first call of a program.
KIND is what `load` said of the model file, so that finding it out costs nothing here.
"""

import hashlib
import json
import os
import platform
import signal
import struct
import sys
import time
from types import SimpleNamespace

# Read by the engines' thread pools when they start.
os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "reference"))

import frames  # noqa: E402
from model_file import ModelError, ModelFile  # noqa: E402

LOAD, TEXTS, PASS, IDS = 0x11, 0x12, 0x13, 0x14
EACH_DOCUMENT = 1


class Peer:
    def __init__(self, engine):
        self.engine = engine
        self.texts = []
        self.last = []

    def load(self, request):
        from importlib.metadata import version

        model = ModelFile(request["model"])
        wall, cpu = time.perf_counter(), time.process_time()
        self.engine.load(model)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        self.engine.warm()
        package = self.engine.package
        return json.dumps({
            "engine": package, "version": getattr(self.engine, "version", None) or version(package),
            "call": self.engine.call, "runtime": f"{platform.python_implementation()} {platform.python_version()}",
            "kind": model.kind, "load_wall": wall, "load_cpu": cpu}).encode()

    def take_texts(self, payload):
        (count,) = struct.unpack_from("<I", payload)
        lengths = struct.unpack_from(f"<{count}I", payload, 4)
        at = 4 + 4 * count
        if at + sum(lengths) != len(payload):
            raise ValueError("texts: lengths do not add up to the payload")
        self.texts = []
        for length in lengths:
            text = payload[at:at + length]
            self.texts.append(text.decode("utf-8") if self.engine.takes_text else text)
            at += length

    def run_pass(self, payload):
        (flags,) = struct.unpack("<I", payload)
        wall, cpu = time.perf_counter(), time.process_time()
        result = self.engine.run(self.texts)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        self.last = self.engine.ids(result)
        if len(self.last) != len(self.texts):
            raise ValueError(f"{len(self.last)} answers to {len(self.texts)} documents")
        digests = b"".join(hashlib.sha256(ids).digest() for ids in self.last)
        total = sum(map(len, self.last)) // 4
        return (struct.pack("<ddQ", wall, cpu, total) + hashlib.sha256(digests).digest()
                + (digests if flags & EACH_DOCUMENT else b""))

    def answer(self, kind, payload):
        if kind == LOAD:
            return self.load(json.loads(payload))
        if kind == TEXTS:
            self.take_texts(payload)
            return b""
        if kind == PASS:
            return self.run_pass(payload)
        if kind == IDS:
            return self.last[struct.unpack("<I", payload)[0]]
        if kind == frames.BYE:
            return b""
        raise ValueError(f"unknown request type {kind}")


def make_peer(name):
    from engines import ENGINES

    if name not in ENGINES:
        raise ModelError(f"unknown peer {name!r}; known: {', '.join(ENGINES)}")
    return Peer(ENGINES[name]())


def serve(source, sink, make=make_peer):
    peer = None
    while True:
        frame = frames.read_frame(source)
        if frame is None:
            return 0
        kind, payload = frame
        try:
            if kind == LOAD:
                peer = make(json.loads(payload)["engine"])
            elif peer is None:
                raise ValueError("load must come first")
            frames.write_frame(sink, kind | frames.REPLY, peer.answer(kind, payload))
            if kind == frames.BYE:
                return 0
        except BrokenPipeError:
            return 0
        except (KeyboardInterrupt, SystemExit, MemoryError):
            raise
        except BaseException as error:  # a binding's panics are not Exceptions
            code = "unavailable" if isinstance(error, ImportError) else "unsupported"
            text = f"{error}" or type(error).__name__
            frames.write_frame(sink, frames.ERROR, json.dumps({"code": code, "error": text}).encode())


def main():
    if sys.argv[1:2] == ["--count"]:
        name, kind, model, path = sys.argv[2:]
        peer = make_peer(name)
        by_path = kind in ("tokenizer_json", "sentencepiece")
        peer.engine.load(SimpleNamespace(path=model, kind=kind) if by_path else ModelFile(model))
        with open(path, "rb") as file:
            text = file.read()
        result = peer.engine.run([text.decode("utf-8") if peer.engine.takes_text else text])
        print(sum(map(len, peer.engine.ids(result))) // 4)
        return 0
    # Signals to the whole group are for the bench to handle; this process ends with its input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sink = os.fdopen(os.dup(1), "wb", buffering=1 << 20)
    os.dup2(2, 1)  # whatever a library prints must not break the frames
    return serve(sys.stdin.buffer, sink)


if __name__ == "__main__":
    sys.exit(main())
