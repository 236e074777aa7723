#!/usr/bin/env python3
"""Compares pretok_probe with the pre-tokenizers of the Hugging Face engine: pieces and offsets.

  compare_chains.py PROBE SHARED [--corpus-mb N] [--random N] [--every-code-point] [--only TEXT]

Chains: every pre_tokenizer of the shared tokenizer.json files and the list EXTRA. Prints one line a chain with the
number of texts and of differences, and the first differences. Exit: 0 when there are none, 1 otherwise.
"""

import argparse
import json
import random
import struct
import subprocess
import sys

import tokenizers

import chains

SEQ = "Sequence"


def split(pattern, behavior, invert=False, form="Regex"):
    return {"type": "Split", "pattern": {form: pattern}, "behavior": behavior, "invert": invert}


def byte_level(prefix, regex=True):
    return {"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": True,
            "use_regex": regex}


def sequence(*pres):
    return {"type": SEQ, "pretokenizers": list(pres)}


def metaspace(scheme, cut=True):
    return {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": scheme, "split": cut}


O200K_LIKE = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}]*[\p{Ll}\p{Lm}]+(?i:'s|'t)?|\p{N}{1,3}|\s+(?!\S)|\s+"
EXTRA = (
    [split(p, b, i) for p in (r"\p{N}{1,3}", " ", r"\s+", r"ab|a", "[a-c]+?b")
     for b in chains.BEHAVIORS for i in (False, True)]
    + [split(p, b, False, "String") for p in (" ", "ab", "", "a.b", "\n")
       for b in chains.BEHAVIORS]
    + [{"type": "Punctuation", "behavior": b} for b in chains.BEHAVIORS]
    + [{"type": "Digits", "individual_digits": d} for d in (False, True)]
    + [{"type": t} for t in ("Whitespace", "WhitespaceSplit", "BertPreTokenizer",
                             "UnicodeScripts")]
    + [{"type": "CharDelimiterSplit", "delimiter": d} for d in "|a\u00e9"]
    + [{"type": "FixedLength", "length": n} for n in (1, 3, 5)]
    + [metaspace(s, c) for s in ("first", "always", "never") for c in (False, True)]
    + [byte_level(p, r) for p in (False, True) for r in (False, True)]
    + [sequence({"type": "Digits", "individual_digits": True}, metaspace("first")),
       sequence({"type": "Punctuation", "behavior": "Isolated"}, byte_level(True)),
       sequence({"type": "WhitespaceSplit"}, metaspace("first")),
       sequence({"type": "Whitespace"}, byte_level(True), {"type": "Digits",
                                                           "individual_digits": True}),
       sequence(byte_level(True, False), {"type": "UnicodeScripts"}),
       sequence(split(r"\p{N}{1,3}", "Isolated"), split(O200K_LIKE, "Isolated")),
       split(O200K_LIKE, "Isolated"),
       split(r"(?<=a)b|\s(?=ab)|a(?>b|bc)c", "Isolated"),
       split(r"(?<!a)b+|^x|y$|\Az", "Isolated"),
       split(r"x*", "Isolated"), split(r"x*|ab", "Removed"), split(r"(?=ab)", "MergedWithNext"),
       split(r"a{2}?b|c{1,2}+d|e{,2}f", "Isolated"), split(r"a(?i)b|c", "Isolated"),
       split(r"[[:alpha:]]+|[[:digit:]]|[[:punct:]]", "Isolated"), split(r"\h+", "Isolated"),
       split(r"[\w&&[^\d_]]+", "Isolated"), split(r"(?m:a.b)|c.d", "Isolated"),
       split(r"(?i)k\u017f|\x{41}B", "Isolated"), split(r"\p{^L}{2,}|\P{^Lu}", "Contiguous")]
)


class Probe:
    def __init__(self, path, line):
        self.process = subprocess.Popen([path, "hf", line], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        head = self.process.stdout.read(4)
        if len(head) < 4:
            raise RuntimeError(self.process.stderr.read().decode().strip())
        self.about = self.process.stdout.read(struct.unpack("<I", head)[0]).decode()

    def word(self):
        return struct.unpack("<I", self.process.stdout.read(4))[0]

    def pieces(self, text):
        data = text.encode()
        self.process.stdin.write(struct.pack("<I", len(data)) + data)
        self.process.stdin.flush()
        count = self.word()
        rows = struct.iter_unpack("<4I", self.process.stdout.read(16 * count))
        rows = list(rows)
        final = self.process.stdout.read(self.word())
        return [(final[b:e], (sb, se)) for b, e, sb, se in rows]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def byte_alphabet():
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    table, extra = {b: chr(b) for b in printable}, 0x100
    for b in range(256):
        if b not in table:
            table[b] = chr(extra)
            extra += 1
    return table


ALPHABET = byte_alphabet()


def char_of_byte(text):
    table = []
    for i, c in enumerate(text):
        table += [i] * len(c.encode())
    return table


def ours(probe, text, mapped):
    table = char_of_byte(text)
    out = []
    for piece, (begin, end) in probe.pieces(text):
        shown = "".join(ALPHABET[b] for b in piece) if mapped else piece.decode()
        if begin < len(table):
            last = table[end] if end < len(table) else table[end - 1] + 1
            out.append((shown, (table[begin], last)))
        else:
            out.append((shown, (begin, end)))
    return out


NASTY = list(" \n\r\t\u00a0\u3000\u2028\u0085'.,!-_/\\\"0123\u0661\u00b2\u2167\u3007aAzZsStTlLdDmMvVeErRkK"
             "\u017f\u212a\u00e9\u0130\u0131\u01c5\u02b0\u0301\u4e00\u3042\u30a2\u30fb\u30fc\u1100\uac00\u0e01"
             "\u0915\u093e\U0001f600\u200d\ufe0f\U000e0041\u00ad\u0000\ufffe\u2581\u0378x|bc") + [
                 "'s", "'ll", " a", "  ", "\r\n", "ab", "abc", "'\u017f"]


def texts(args):
    for text in chains.corpus(args.shared, int(args.corpus_mb * 1e6)):
        yield text
    rng = random.Random(20260101)
    for _ in range(args.random):
        yield "".join(rng.choice(NASTY) for _ in range(rng.randrange(1, 40)))
    if args.every_code_point:
        block = []
        for c in range(0x110000):
            if 0xD800 <= c < 0xE000:
                continue
            c = chr(c)
            block.append(f"a{c}C {c}Cb1{c}\n")
            if len(block) == 256:
                yield "".join(block)
                block = []
        yield "".join(block)


def compare(args, names, line, pre, samples):
    spec = {"version": "1.0", "added_tokens": [], "normalizer": None, "post_processor": None,
            "decoder": None, "pre_tokenizer": pre,
            "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}
    engine = tokenizers.Tokenizer.from_str(json.dumps(spec)).pre_tokenizer
    label = ",".join(names) + " " + line.replace("\t", " ; ")[:70]
    try:
        probe = Probe(args.probe, line)
    except RuntimeError as error:
        print(f"REFUSED {label}: {error}")
        return 1, 0
    mapped = "ByteLevel" in line
    differences = count = 0
    for text in samples:
        count += 1
        mine, theirs = ours(probe, text, mapped), engine.pre_tokenize_str(text)
        if mine == theirs:
            continue
        differences += 1
        if differences <= 3:
            at = next((i for i, (a, b) in enumerate(zip(mine, theirs)) if a != b),
                      min(len(mine), len(theirs)))
            print(f"  differ {label}\n    text {text[:60]!r}\n    ours   {mine[at:at + 4]}\n"
                  f"    theirs {theirs[at:at + 4]}")
    probe.close()
    print(f"{'ok ' if not differences else 'BAD'} {count} texts {differences} differences  {label}"
          f"  [{probe.about}]", flush=True)
    return 0, differences


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("probe")
    parser.add_argument("shared")
    parser.add_argument("--corpus-mb", type=float, default=1)
    parser.add_argument("--random", type=int, default=3000)
    parser.add_argument("--every-code-point", action="store_true")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    samples = list(texts(args))
    hf, _ = chains.shared_chains(args.shared)
    rows = hf + [(["extra"], chains.line(pre), pre) for pre in EXTRA]
    refused = differences = compared = 0
    for names, line, pre in rows:
        if pre is None or args.only not in ",".join(names) + line:
            continue
        compared += 1
        r, d = compare(args, names, line, pre, samples)
        refused += r
        differences += d
    print(f"{compared} chains x {len(samples)} texts: {differences} differences, {refused} refused")
    return 0 if differences == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
