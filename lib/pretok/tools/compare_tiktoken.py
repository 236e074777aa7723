#!/usr/bin/env python3
"""Compares pretok_probe with the splitting of tiktoken, which shows it only through ids.

For each text an encoding is made whose tokens are the 256 bytes, our pieces, and each two neighbours joined: tiktoken
looks a piece up whole first, so it answers with exactly our pieces when it cuts there. A missing cut shows as a
joined token, another cut as tokens that are not the pieces (single bytes, unless byte pairs happen to merge back).

  compare_tiktoken.py PROBE SHARED [--texts N]
Exit: 0 when there are no differences.
"""

import argparse
import random
import struct
import subprocess
import sys

import tiktoken
from tiktoken_ext import openai_public

import chains
from compare_chains import NASTY


def ask(process, text):
    process.stdin.write(struct.pack("<I", len(text)) + text)
    process.stdin.flush()
    count, = struct.unpack("<I", process.stdout.read(4))
    rows = [struct.unpack("<4I", process.stdout.read(16)) for _ in range(count)]
    size, = struct.unpack("<I", process.stdout.read(4))
    final = process.stdout.read(size)
    return [final[b:e] for b, e, _, _ in rows]


def texts(args):
    rng = random.Random(7)
    for _ in range(args.texts):
        yield "".join(rng.choice(NASTY) for _ in range(rng.randrange(20, 400)))
    for n, text in enumerate(chains.corpus(args.shared, 10_000_000)):
        if n >= args.texts:
            break
        yield text[:3000]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("probe")
    parser.add_argument("shared")
    parser.add_argument("--texts", type=int, default=60)
    args = parser.parse_args()
    samples = list(texts(args))
    _, rank = chains.shared_chains(args.shared)
    rows = [(names[0], pattern) for names, _, pattern in rank]
    rows.append(("r50k possessive", openai_public.r50k_pat_str))
    rows.append(("cl100k possessive", r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
                 r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"))
    total = 0
    for name, pattern in rows:
        line = "Split regex isolated 0 " + chains.percent(pattern)
        process = subprocess.Popen([args.probe, "tiktoken", line], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        about = process.stdout.read(struct.unpack("<I", process.stdout.read(4))[0]).decode()
        differ = pieces_seen = 0
        for text in samples:
            pieces = ask(process, text.encode())
            pieces_seen += len(pieces)
            ranks = {bytes([b]): b for b in range(256)}
            for piece in pieces + [a + b for a, b in zip(pieces, pieces[1:])]:
                ranks.setdefault(piece, len(ranks))
            engine = tiktoken.Encoding(name="probe", pat_str=pattern, mergeable_ranks=ranks,
                                       special_tokens={})
            theirs = [engine.decode_single_token_bytes(i) for i in engine.encode_ordinary(text)]
            if theirs != pieces:
                differ += 1
                at = next((i for i, (a, b) in enumerate(zip(pieces, theirs)) if a != b), 0)
                if differ <= 2:
                    print(f"  {name}: ours {pieces[at:at + 3]} theirs {theirs[at:at + 3]}")
        process.stdin.close()
        process.wait()
        total += differ
        print(f"{'ok ' if not differ else 'BAD'} {name}: {len(samples)} texts, {pieces_seen} pieces, "
              f"{differ} differences [{about}]", flush=True)
    print(f"{len(rows)} patterns: {total} differences")
    return 0 if total == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
