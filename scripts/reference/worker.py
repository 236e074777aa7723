#!/usr/bin/env python3
"""A reference tokenizer engine behind frames on stdin and stdout (see frames.py).

hello   request JSON {"engine": auto|hf|tiktoken|spm, "model": PATH, "side": PATH?, "threads": N}
        reply   JSON {engine, version, answers, unicode, model, kind, sha256, side_sha256, end_id,
                      capabilities, python}; answers is frames.ANSWERS
encode  request u32 n, u32 flags, u32 special mode, u32 length[n], bytes
        reply   u32 n, u32 microseconds in the engine, u32 status[n], u32 id count[n],
                u32 piece count[n], then
                with DIGEST: u64 ids[n], u64 spans[n], u64 pieces[n] (0 where not wanted)
                without:     u32 ids[], u32 spans[][2], u32 pieces[][2] (what was wanted)
                then u32 error count, each: u32 index, u32 length, text
decode  request u32 n, u32 flags, u32 id count[n], u32 ids[]
        reply   u32 n, u32 status[n], u32 length[n], u64 digest[n] or bytes, errors as above
bye     reply empty; the worker ends

Digests are XXH3-64, seed 0, of the little-endian u32 arrays (spans: begin, end pairs in bytes) and
of the decoded bytes. An error of one document never costs the others.
"""

import json
import os
import signal
import struct
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import frames  # noqa: E402
from model_file import ModelError, ModelFile  # noqa: E402

ENGINE_OF_KIND = {
    "tokenizer_json": "hf", "wordpiece_vocab": "hf", "ranks": "tiktoken",
    "packed_ranks": "tiktoken", "tekken": "tiktoken", "sentencepiece": "spm",
}


class RequestError(Exception):
    """The request itself is wrong; answered with an error frame, the worker lives on."""


def claim_stdout():
    """Keeps the frame stream to ourselves: whatever a library prints goes to stderr."""
    stream = os.fdopen(os.dup(1), "wb", buffering=1 << 20)
    os.dup2(2, 1)
    return stream


def make_engine(request):
    threads = max(1, int(request.get("threads", 1)))
    # Read by the engine when it starts its pool, so before the import.
    os.environ["RAYON_NUM_THREADS"] = str(threads)
    os.environ["TOKENIZERS_PARALLELISM"] = "true" if threads > 1 else "false"
    model = ModelFile(request["model"], request.get("side"))
    wanted = request.get("engine", "auto")
    name = ENGINE_OF_KIND[model.kind] if wanted == "auto" else wanted
    if name == "hf":
        from engine_hf import Engine
        engine = Engine(model)
    elif name == "tiktoken":
        from engine_tiktoken import Engine
        engine = Engine(model, threads)
    elif name == "spm":
        from engine_spm import Engine
        engine = Engine(model, threads)
    else:
        raise RequestError(f"engine: unknown name {name!r}; known: hf, tiktoken, spm, auto")
    return engine, {
        "engine": engine.name, "version": engine.version, "answers": frames.ANSWERS,
        "unicode": engine.unicode(),
        "model": model.path, "kind": model.kind, "sha256": model.sha256,
        "side_sha256": model.side_sha256, "end_id": engine.end_id,
        "capabilities": list(engine.capabilities), "python": sys.version.split()[0],
    }


def take(payload, offset, count, dtype):
    import numpy as np

    size = count * np.dtype(dtype).itemsize
    if offset + size > len(payload):
        raise RequestError(f"payload of {len(payload)} bytes ends inside an array of {size}")
    return np.frombuffer(payload, dtype=dtype, count=count, offset=offset), offset + size


def pack_errors(errors):
    parts = [struct.pack("<I", len(errors))]
    for index, error in errors:
        text = (str(error) or type(error).__name__).encode("utf-8", "replace")[:2000]
        parts.append(struct.pack("<II", index, len(text)))
        parts.append(text)
    return b"".join(parts)


def answer_encode(engine, payload):
    import numpy as np
    from xxhash import xxh3_64_intdigest as digest

    if len(payload) < 12:
        raise RequestError("encode request shorter than its header")
    count, flags, special = struct.unpack_from("<III", payload)
    lengths, offset = take(payload, 12, count, "<u4")
    if offset + int(lengths.sum(dtype=np.uint64)) != len(payload):
        raise RequestError("encode request: lengths do not add up to the payload")
    want = flags & (frames.WANT_IDS | frames.WANT_SPANS | frames.WANT_PIECES)
    refuse_unknown(engine, flags, special)

    status = np.zeros(count, dtype=np.uint32)
    errors = []
    texts, places = [], []
    for index, length in enumerate(lengths.tolist()):
        data = payload[offset:offset + length]
        offset += length
        if engine.takes_text:
            try:
                data = data.decode("utf-8")
            except UnicodeDecodeError as error:
                status[index] = frames.STATUS_INVALID
                errors.append((index, f"not UTF-8 at byte {error.start}"))
                continue
        texts.append(data)
        places.append(index)
    start = time.perf_counter()
    results = engine.encode(texts, want, bool(flags & frames.ADD_SPECIAL),
                            bool(flags & frames.TRUNCATE), special) if texts else []
    micros = min(int((time.perf_counter() - start) * 1e6), 0xFFFFFFFF)

    id_counts = np.zeros(count, dtype=np.uint32)
    piece_counts = np.zeros(count, dtype=np.uint32)
    digests = np.zeros((3, count), dtype=np.uint64)
    arrays = ([], [], [])
    for index, result in zip(places, results):
        if isinstance(result, BaseException):
            status[index] = frames.STATUS_REFUSED
            errors.append((index, result))
            continue
        id_counts[index] = len(result[0])
        if result[2] is not None:
            piece_counts[index] = len(result[2]) // 2
        for part in range(3):
            if result[part] is None or not want & (1 << part):
                continue
            if flags & frames.DIGEST:
                digests[part, index] = digest(result[part].tobytes())
            else:
                arrays[part].append(result[part].tobytes())
    parts = [struct.pack("<II", count, micros), status.tobytes(), id_counts.tobytes(),
             piece_counts.tobytes()]
    if flags & frames.DIGEST:
        parts.append(digests.tobytes())
    else:
        parts.extend(b"".join(array) for array in arrays)
    parts.append(pack_errors(errors))
    return parts


def refuse_unknown(engine, flags, special):
    """An option the engine cannot honour is an error, never silently another question."""
    needed = [(flags & frames.WANT_SPANS, "spans"), (flags & frames.WANT_PIECES, "pieces"),
              (flags & frames.ADD_SPECIAL, "add_special")]
    missing = [name for bit, name in needed if bit and name not in engine.capabilities]
    names = {frames.SPECIAL_DEFAULT: "special:default", frames.SPECIAL_NONE: "special:none",
             frames.SPECIAL_ALL: "special:all"}
    name = names.get(special)
    if name not in engine.capabilities:
        missing.append(name or f"special mode {special}")
    if missing:
        raise RequestError(f"{engine.name} cannot answer: {', '.join(missing)}")


def answer_decode(engine, payload):
    import numpy as np
    from xxhash import xxh3_64_intdigest as digest

    if len(payload) < 8:
        raise RequestError("decode request shorter than its header")
    count, flags = struct.unpack_from("<II", payload)
    counts, offset = take(payload, 8, count, "<u4")
    total = int(counts.sum(dtype=np.uint64))
    ids, end = take(payload, offset, total, "<u4")
    if end != len(payload):
        raise RequestError("decode request: counts do not add up to the payload")
    flat = ids.tolist()
    lists, at = [], 0
    for size in counts.tolist():
        lists.append(flat[at:at + size])
        at += size
    results = engine.decode(lists, bool(flags & frames.SKIP_SPECIAL)) if lists else []
    status = np.zeros(count, dtype=np.uint32)
    lengths = np.zeros(count, dtype=np.uint32)
    digests = np.zeros(count, dtype=np.uint64)
    errors, texts = [], []
    for index, result in enumerate(results):
        if isinstance(result, BaseException):
            status[index] = frames.STATUS_REFUSED
            errors.append((index, result))
            continue
        lengths[index] = len(result)
        if flags & frames.DIGEST:
            digests[index] = digest(result)
        else:
            texts.append(result)
    body = digests.tobytes() if flags & frames.DIGEST else b"".join(texts)
    return [struct.pack("<I", count), status.tobytes(), lengths.tobytes(), body,
            pack_errors(errors)]


def serve(source, sink):
    engine = None
    while True:
        frame = frames.read_frame(source)
        if frame is None:
            return 0
        kind, payload = frame
        try:
            if kind == frames.HELLO:
                engine, facts = make_engine(json.loads(payload))
                frames.write_frame(sink, kind | frames.REPLY, json.dumps(facts).encode())
            elif kind == frames.BYE:
                frames.write_frame(sink, kind | frames.REPLY)
                return 0
            elif engine is None:
                raise RequestError("hello must come first")
            elif kind == frames.ENCODE:
                frames.write_frame(sink, kind | frames.REPLY, *answer_encode(engine, payload))
            elif kind == frames.DECODE:
                frames.write_frame(sink, kind | frames.REPLY, *answer_decode(engine, payload))
            else:
                raise RequestError(f"unknown request type {kind}")
        except BrokenPipeError:
            return 0
        except (KeyboardInterrupt, SystemExit, MemoryError):
            raise
        except BaseException as error:
            code = ("unsupported" if isinstance(error, ModelError) else
                    "unavailable" if isinstance(error, ImportError) else
                    "input" if isinstance(error, OSError) else "usage")
            text = json.dumps({"code": code, "error": f"{error}" or type(error).__name__})
            frames.write_frame(sink, frames.ERROR, text.encode())


def main():
    # Signals to the whole group are the harness's to handle: it finishes what is in flight, and this process ends
    # with its input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sink = claim_stdout()
    try:
        return serve(sys.stdin.buffer, sink)
    except frames.FrameError as error:
        print(f"worker: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
