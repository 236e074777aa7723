#!/usr/bin/env python3
"""A double of scripts/bench/peer.py for tests: what it does depends on the peer's name, its ids are those of the
program in TOKTIER_ENCODE.

hf         equal ids
gigatoken  one id of the third document, or of the only one, is another
tiktoken   equal ids in the first pass of a process, others later
fastokens  refuses the file
spm        dies in its first pass
"""

import array
import json
import os
import subprocess
import sys

TOP = os.environ["TOKTIER_SOURCE_DIR"]
sys.path.insert(0, os.path.join(TOP, "scripts", "bench"))

import peer  # noqa: E402
from model_file import ModelError  # noqa: E402


def real_ids(model, texts):
    lines = "".join(json.dumps({"text": text.decode("utf-8")}) + "\n" for text in texts)
    done = subprocess.run([os.environ["TOKTIER_ENCODE"], "-m", model, "--input-format", "jsonl", "--format", "jsonl", "-"],
                          input=lines.encode(), stdout=subprocess.PIPE, check=True)
    return [json.loads(line)["ids"] for line in done.stdout.splitlines()]


class Double:
    package, version, call, takes_text = "double", "1", "toktier-encode", False

    def __init__(self, name):
        self.name, self.passes = name, 0

    def load(self, model):
        if self.name == "fastokens":
            raise ModelError("planted refusal")
        self.model = model.path

    def warm(self):
        pass

    def run(self, texts):
        self.passes += 1
        if self.name == "spm":
            os._exit(9)
        ids = real_ids(self.model, texts)
        if self.name == "gigatoken" or (self.name == "tiktoken" and self.passes > 1):
            ids[min(2, len(ids) - 1)][5] += 1
        return ids

    def ids(self, result):
        return [array.array("I", ids).tobytes() for ids in result]


def main():
    if sys.argv[1:2] == ["--count"]:
        _, _, _, model, path = sys.argv[1:]
        with open(path, "rb") as file:
            print(len(real_ids(model, [file.read()])[0]))
        return 0
    sink = os.fdopen(os.dup(1), "wb", buffering=1 << 20)
    os.dup2(2, 1)
    return peer.serve(sys.stdin.buffer, sink, lambda name: peer.Peer(Double(name)))


sys.exit(main())
