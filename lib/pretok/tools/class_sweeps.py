#!/usr/bin/env python3
"""What the Hugging Face engine makes of every code point, as digests that a C++ test compares without Python.

  class_sweeps.py > lib/pretok/testing/class_sweeps.tsv
  class_sweeps.py --check

A row: digest, number of pieces, chain (the form of chain_text.hpp). The texts are those of
class_sweep_test.cpp: blocks of 256 scalar values, each written between letters, blanks and digits. The digest is the
SHA-256 of the byte ranges of all pieces, as little-endian 32-bit numbers.
"""

import argparse
import hashlib
import json
import pathlib
import struct
import sys

import tokenizers

import chains

OUTPUT = pathlib.Path(__file__).resolve().parent.parent / "testing" / "class_sweeps.tsv"
HEAD = """# Pieces of every scalar value between letters, blanks and digits, as tokenizers {version} cuts them: digest of the
# byte ranges, number of pieces, steps as chain_text.hpp has them. Written by tools/class_sweeps.py.
"""

# Between them the chains ask for every class that the patterns of known tokenizers ask for.
CLASSES = [r"\p{L}", r"\p{Lu}", r"\p{Ll}", r"\p{Lt}", r"\p{Lm}", r"\p{Lo}", r"\p{M}", r"\p{N}", r"\p{Nd}", r"\p{P}",
           r"\p{S}", r"\p{Han}", r"\p{Hiragana}", r"\p{Katakana}", r"\p{Hangul}", r"\s", r"\w", r"\d", r"(?i:s)",
           r"(?i:[kdt])"]
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CL100K = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
          r"|\s+(?!\S)|\s+")
O200K = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def pre_tokenizers():
    for pattern in CLASSES + [GPT2, CL100K, O200K]:
        yield {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    for kind in ("BertPreTokenizer", "Whitespace", "WhitespaceSplit", "UnicodeScripts"):
        yield {"type": kind}
    yield {"type": "Punctuation", "behavior": "Isolated"}
    yield {"type": "Digits", "individual_digits": True}


def blocks():
    scalars = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    for begin in range(0, len(scalars), 256):
        yield "".join(f"a{c}C {c}Cb1{c}\n" for c in map(chr, scalars[begin:begin + 256]))


def row(pre, texts):
    spec = {"version": "1.0", "added_tokens": [], "normalizer": None, "post_processor": None, "decoder": None,
            "pre_tokenizer": pre, "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}
    engine = tokenizers.Tokenizer.from_str(json.dumps(spec)).pre_tokenizer
    digest, count = hashlib.sha256(), 0
    for text, offsets in texts:
        pieces = engine.pre_tokenize_str(text)
        count += len(pieces)
        digest.update(b"".join(struct.pack("<2I", offsets[b], offsets[e]) for _, (b, e) in pieces))
    return f"{digest.hexdigest()}\t{count}\t{chains.line(pre)}\n"


def byte_offsets(text):
    offsets = [0]
    for c in text:
        offsets.append(offsets[-1] + len(c.encode()))
    return offsets


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the file that is there")
    options = parser.parse_args()
    texts = [(text, byte_offsets(text)) for text in blocks()]
    lines = HEAD.format(version=tokenizers.__version__) + "".join(row(pre, texts) for pre in pre_tokenizers())
    if not options.check:
        sys.stdout.write(lines)
        return 0
    same = lines == OUTPUT.read_text(encoding="ascii")
    print(f"class_sweeps: {lines.count(chr(10)) - 2} chains, {'the same' if same else 'DIFFERENT'}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
