#!/usr/bin/env python3
"""Compares the native SentencePiece normalizer of lib/normalize with the running engine, texts and alignments.

  check_sentencepiece.py PROBE --shared DIR [--random N] [--sweep all|fast|none]

One run per distinct normalizer setting (character map, flags, user-defined pieces) of the .model files.
"""

import argparse
import os
import sys
import tempfile

import sentencepiece
import zstandard

from check_normalizers import Probe, Reporter, corpus_texts, hexed, random_texts, sweeps


def fields(data):
    """[(field number, value)] of a protocol buffer message."""
    out, at = [], 0

    def varint():
        nonlocal at
        n = shift = 0
        while True:
            byte = data[at]
            at += 1
            n |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return n

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            out.append((key >> 3, varint()))
        elif kind == 2:
            length = varint()
            out.append((key >> 3, data[at : at + length]))
            at += length
        else:
            width = {1: 8, 5: 4}[kind]
            out.append((key >> 3, data[at : at + width]))
            at += width
    return out


def setting(model):
    """(character map, flags, user-defined pieces)"""
    top = fields(model)
    norm = dict(fields(next((v for k, v in top if k == 3), b"")))
    trainer = dict(fields(next((v for k, v in top if k == 2), b"")))
    literals = []
    for k, v in top:
        if k == 1:
            piece = dict(fields(v))
            if piece.get(3, 1) == 4:
                literals.append(piece[1])
    flags = "%d%d%d%d" % (norm.get(3, 1), norm.get(4, 1), norm.get(5, 1), trainer.get(24, 0))
    return norm.get(2, b""), flags, tuple(sorted(literals))


def distinct_models(shared):
    seen = {}
    root = os.path.join(shared, "tokenizers")
    for folder, _, names in os.walk(root):
        for name in sorted(names):
            if not (".model" in name or ".spm" in name) or not name.endswith(".zst"):
                continue
            with open(os.path.join(folder, name), "rb") as file:
                model = zstandard.ZstdDecompressor().stream_reader(file).read()
            try:
                processor = sentencepiece.SentencePieceProcessor(model_proto=model)
            except Exception as error:
                print("skipped: %s: %s" % (name, error))
                continue
            seen.setdefault(setting(model), (os.path.relpath(os.path.join(folder, name), root), processor))
    return sorted(((name, key, processor) for key, (name, processor) in seen.items()), key=lambda item: item[0])


def compare(texts, probe, processor, report):
    different = 0
    for text, (got, spans) in zip(texts, probe.run(texts)):
        normal, ends = processor.Normalize(text, with_offsets=True)
        starts = [0]
        for c in text:
            starts.append(starts[-1] + len(c.encode("utf-8")))
        want = []
        for i, c in enumerate(normal):
            want += [(starts[ends[i]], starts[ends[i + 1]])] * len(c.encode("utf-8"))
        if (got, spans) != (normal.encode("utf-8"), want):
            different += 1
            report(text, (got, spans), (normal, want))
    return len(texts), different


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("probe")
    parser.add_argument("--shared", required=True)
    parser.add_argument("--random", type=int, default=20000)
    parser.add_argument("--sweep", choices=("all", "fast", "none"), default="fast")
    parser.add_argument("--corpus-step", type=int, default=50)
    args = parser.parse_args()
    print("reference: sentencepiece", sentencepiece.__version__)
    texts = random_texts(args.random, 7)
    documents = list(corpus_texts(args.shared, args.corpus_step))
    total = [0, 0]
    with tempfile.TemporaryDirectory() as scratch:
        for name, (charsmap, flags, literals), processor in distinct_models(args.shared):
            path = "-"
            if charsmap:
                path = os.path.join(scratch, "charsmap")
                with open(path, "wb") as out:
                    out.write(charsmap)
            probe = Probe(args.probe, ["sentencepiece:%s:%s" % (path, flags)] + ["literal:" + x.hex() for x in literals])
            mixed = [t + literals[i % len(literals)].decode() + t for i, t in enumerate(texts[:2000])] if literals else []
            report = Reporter()
            counts = [0, 0]
            batches = [texts, mixed, documents]
            if args.sweep != "none":
                batches += [batch for _, batch in sweeps(args.sweep == "all")]
            for batch in batches:
                counts = [a + b for a, b in zip(counts, compare(batch, probe, processor, report))]
            total = [a + b for a, b in zip(total, counts)]
            print("%s (map %d bytes, flags %s, %d literals): %d texts, %d different"
                  % (name, len(charsmap), flags, len(literals), *counts), flush=True)
    print("total: %d texts, %d different" % tuple(total))
    return 1 if total[1] else 0


if __name__ == "__main__":
    sys.exit(main())
