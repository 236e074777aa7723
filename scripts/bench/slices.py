#!/usr/bin/env python3
"""Slices of the shared corpora by kind of text, as JSON lines for toktier-bench: the texts of results/bench/first-pass.

Usage: slices.py CORPORA OUT [BYTES]        (default 4000000 bytes a slice; needs the package zstandard)

Documents of all corpus-*.jsonl.zst are put into one order by a fixed seed; a slice takes those of its kind, each cut to
400,000 bytes at most, until it has BYTES. The same input gives the same bytes.
"""

import glob
import json
import os
import random
import sys

import zstandard

MAX_DOCUMENT = 400_000
# Name of the slice -> whether a record (its lang, its category) belongs to it.
KINDS = {
    "english": lambda lang, category: lang == "en",
    "code": lambda lang, category: category == "code",
    "zh-ja-ko": lambda lang, category: lang in ("zh", "ja", "ko"),
    "ar-hi-th-ru": lambda lang, category: lang in ("ar", "hi", "th", "ru"),
    "json-logs": lambda lang, category: category in ("json", "log"),
}


def documents(folder):
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "corpus-*.jsonl.zst"))):
        with open(path, "rb") as file:
            reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
            lines = reader.read().decode("utf-8").split("\n")
        found += [json.loads(line) for line in lines if line]
    if not found:
        sys.exit(f"slices: no corpus-*.jsonl.zst in {folder}")
    random.Random(1).shuffle(found)
    return found


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        sys.exit(0 if len(sys.argv) == 2 else 2)
    corpora, out = sys.argv[1:3]
    most = int(sys.argv[3]) if len(sys.argv) == 4 else 4_000_000
    os.makedirs(out, exist_ok=True)
    everything = documents(corpora)
    for name, belongs in KINDS.items():
        size = count = 0
        with open(os.path.join(out, name + ".jsonl"), "w", encoding="utf-8") as file:
            for document in everything:
                if size >= most:
                    break
                if not belongs(document["lang"], document["id"].split("-")[1]):
                    continue
                text = document["text"].encode("utf-8")[:MAX_DOCUMENT].decode("utf-8", "ignore")
                file.write(json.dumps({"id": document["id"], "text": text}, ensure_ascii=False) + "\n")
                size += len(text.encode("utf-8"))
                count += 1
        print(f"{name}: {count} documents, {size} bytes")


main()
