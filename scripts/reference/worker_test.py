#!/usr/bin/env python3
"""Tests of the reference worker: the protocol, and the conversion of the engine's offsets to bytes.

Usage: worker_test.py MODEL_FOLDER   (a folder with tokenizer files; tests without their file are skipped, counted)
"""

import json
import os
import random
import struct
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import frames  # noqa: E402
from xxhash import xxh3_64_intdigest as digest  # noqa: E402

MODELS = "."
TEXTS = ["", "a", "hello world", "caf\u00e9 na\u00efve", "\U0001f600 \u4e2d\u6587 x\u0301", "\u05e9\u05dc\u05d5\u05dd 12",
         "  lead", "tail \n\n", "\ufeffbom\u200b", "e\u0301\u0327" * 20, "\U0001f469\u200d\U0001f4bb" * 5]


class Worker:
    def __init__(self):
        self.process = subprocess.Popen([sys.executable, os.path.join(HERE, "worker.py")],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def call(self, kind, payload):
        frames.write_frame(self.process.stdin, kind, payload)
        return frames.read_frame(self.process.stdout)

    def hello(self, path, engine="auto"):
        kind, payload = self.call(frames.HELLO, json.dumps({"engine": engine, "model": path}).encode())
        return kind, json.loads(payload)

    def encode(self, texts, flags, special=0):
        lengths = struct.pack(f"<{len(texts)}I", *map(len, texts))
        header = struct.pack("<III", len(texts), flags, special)
        kind, payload = self.call(frames.ENCODE, header + lengths + b"".join(texts))
        if kind == frames.ERROR:
            raise RuntimeError(json.loads(payload)["error"])
        return Reply(payload, flags)


class Reply:
    def __init__(self, payload, flags):
        self.payload, self.at = payload, 0
        count, self.micros = self.take("I", 2)
        self.status, self.counts, self.pieces_counts = (self.take("I", count) for _ in range(3))
        if flags & frames.DIGEST:
            self.digests = [self.take("Q", count) for _ in range(3)]
        else:
            self.ids = [self.take("I", n) for n in self.counts] if flags & frames.WANT_IDS else None
            self.spans = [self.take("I", 2 * n) for n in self.counts] if flags & frames.WANT_SPANS else None
            self.pieces = ([self.take("I", 2 * n) for n in self.pieces_counts]
                           if flags & frames.WANT_PIECES else None)
        self.errors = {}
        for _ in range(*self.take("I", 1)):
            index, size = self.take("I", 2)
            self.errors[index] = payload[self.at:self.at + size].decode()
            self.at += size
        assert self.at == len(payload), "bytes left over"

    def take(self, kind, count):
        values = struct.unpack_from(f"<{count}{kind}", self.payload, self.at)
        self.at += struct.calcsize(f"<{count}{kind}")
        return values


def model(test, name):
    for path in (os.path.join(MODELS, name), os.path.join(MODELS, name + ".zst")):
        if os.path.exists(path):
            return path
    test.skipTest(f"no {name} in {MODELS}")


class Conversion(unittest.TestCase):
    """Against the slow, obvious way: characters one by one."""

    def check_hf(self, name):
        import tokenizers

        from model_file import read_bytes
        path = model(self, name)
        reference = tokenizers.Tokenizer.from_str(read_bytes(path).decode())
        reference.no_truncation()
        reference.no_padding()
        want = frames.WANT_IDS | frames.WANT_SPANS | frames.WANT_PIECES
        data = [text.encode() for text in TEXTS]
        with Worker() as worker:
            worker.hello(path)
            reply = worker.encode(data, want)
            short = worker.encode(data, want | frames.DIGEST)
            ids_only = worker.encode(data, frames.WANT_IDS)
        for index, text in enumerate(TEXTS):
            encoding = reference.encode(text, add_special_tokens=False)
            self.assertEqual(list(reply.ids[index]), encoding.ids)
            self.assertEqual(list(ids_only.ids[index]), encoding.ids)
            spans = []
            for begin, end in encoding.offsets:
                spans += [len(text[:begin].encode()), len(text[:end].encode())]
            self.assertEqual(list(reply.spans[index]), spans, text)
            pieces = reply.pieces[index]
            self.assertTrue(all(pieces[i] <= pieces[i + 1] for i in range(0, len(pieces), 2)))
            for part, values in enumerate((reply.ids[index], spans, pieces)):
                packed = struct.pack(f"<{len(values)}I", *values)
                self.assertEqual(short.digests[part][index], digest(packed))

    def test_byte_level(self):
        self.check_hf("gpt2/tokenizer.json")

    def test_metaspace(self):
        self.check_hf("t5-small/tokenizer.json")

    def test_wordpiece(self):
        self.check_hf("bert-base-cased/tokenizer.json")

    def test_sentencepiece(self):
        import sentencepiece

        from model_file import read_bytes
        path = model(self, "llama2/tokenizer.model")
        processor = sentencepiece.SentencePieceProcessor(model_proto=read_bytes(path))
        with Worker() as worker:
            worker.hello(path)
            reply = worker.encode([text.encode() for text in TEXTS], frames.WANT_IDS | frames.WANT_SPANS)
            plain = worker.encode([text.encode() for text in TEXTS], frames.WANT_IDS)
        for index, text in enumerate(TEXTS):
            found = processor.encode(text, return_type="offset_mapping")
            self.assertEqual(list(reply.ids[index]), found["ids"])
            self.assertEqual(plain.ids[index], reply.ids[index])
            spans = []
            for begin, end in found["offsets"]:
                spans += [len(text[:begin].encode()), len(text[:end].encode())]
            self.assertEqual(list(reply.spans[index]), spans, text)

    def test_tiktoken(self):
        path = model(self, "tiktoken-r50k_base/r50k_base.tiktoken")
        with Worker() as worker:
            worker.hello(path)
            reply = worker.encode([text.encode() for text in TEXTS], frames.WANT_IDS | frames.WANT_SPANS)
            special = worker.encode([b"<|endoftext|>"], frames.WANT_IDS, frames.SPECIAL_ALL)
            plain = worker.encode([b"<|endoftext|>"], frames.WANT_IDS)
        import tiktoken

        from model_file import ModelFile
        pattern, ranks, special_tokens, _ = ModelFile(path).ranks()
        encoding = tiktoken.Encoding("t", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special_tokens)
        for text, ids, spans in zip(TEXTS, reply.ids, reply.spans):
            self.assertEqual(encoding.encode_ordinary(text), list(ids))
            _, begins = encoding.decode_with_offsets(list(ids))
            self.assertEqual(list(spans[0::2]), [len(text[:begin].encode()) for begin in begins])
            self.assertEqual(spans[-1] if spans else 0, len(text.encode()))
            for begin, end in zip(spans[0::2], spans[1::2]):
                text.encode()[begin:end].decode()  # whole characters
        self.assertEqual(special.ids, [(50256,)])
        self.assertEqual(len(plain.ids[0]), 7)


class Protocol(unittest.TestCase):
    def setUp(self):
        self.path = model(self, "tiktoken-r50k_base/r50k_base.tiktoken")

    def test_one_bad_document_costs_only_itself(self):
        with Worker() as worker:
            worker.hello(self.path)
            reply = worker.encode([b"good", b"\xff", b"fine"], frames.WANT_IDS)
        self.assertEqual(reply.status, (0, frames.STATUS_INVALID, 0))
        self.assertIn("byte 0", reply.errors[1])

    def test_hello_says_what_the_answers_mean(self):
        with Worker() as worker:
            self.assertEqual(worker.hello(self.path)[1]["answers"], frames.ANSWERS)

    def test_wrong_requests_are_answered_and_survived(self):
        with Worker() as worker:
            for kind, payload in ((frames.ENCODE, b""), (frames.HELLO, b"{"), (99, b"")):
                self.assertEqual(worker.call(kind, payload)[0], frames.ERROR)
            self.assertEqual(worker.hello("/no/such/file")[0], frames.ERROR)
            self.assertEqual(worker.hello(self.path, "other")[0], frames.ERROR)
            self.assertEqual(worker.hello(self.path, "spm")[0], frames.ERROR)
            worker.hello(self.path)
            random.seed(5)
            good = struct.pack("<IIIII", 2, 1, 0, 1, 1) + b"ab"
            for _ in range(300):
                bad = bytearray(good)
                for _ in range(random.randint(1, 3)):
                    bad[random.randrange(len(bad))] = random.randrange(256)
                bad = bytes(bad[:random.randrange(len(bad) + 1)])
                kind = random.choice((frames.ENCODE, frames.DECODE))
                answer, _ = worker.call(kind, bad)
                self.assertIn(answer, (frames.ERROR, kind | frames.REPLY))
            with self.assertRaisesRegex(RuntimeError, "pieces"):
                worker.encode([b"a"], frames.WANT_PIECES)
            with self.assertRaisesRegex(RuntimeError, "special mode 7"):
                worker.encode([b"a"], frames.WANT_IDS, 7)
            self.assertEqual(worker.encode([b"hello world"], frames.WANT_IDS).ids, [(31373, 995)])
            self.assertEqual(worker.call(frames.BYE, b""), (frames.BYE | frames.REPLY, b""))

    def test_a_broken_stream_ends_the_worker(self):
        giant = frames.HEADER.pack(frames.MAGIC, 1, 0xFFFFFFFF)
        for data in (b"garbage garbage garbage", giant, frames.HEADER.pack(frames.MAGIC, 1, 10) + b"x", b"TK"):
            with Worker() as worker:
                out, err = worker.process.communicate(data, timeout=None)
                self.assertEqual(worker.process.returncode, 2)
                self.assertEqual(out, b"")
                self.assertIn(b"worker:", err)

    def test_the_end_of_input_is_a_clean_end(self):
        with Worker() as worker:
            worker.process.communicate(b"")
            self.assertEqual(worker.process.returncode, 0)


if __name__ == "__main__":
    MODELS = sys.argv.pop(1) if len(sys.argv) > 1 else MODELS
    unittest.main()
