#!/usr/bin/env python3
"""Compares the normalizers of lib/normalize with the running reference engines, texts and alignments.

  check_normalizers.py PROBE [--shared DIR] [--random N] [--only NAME] [--sweep all|fast]

PROBE is the built normalize_probe. Per chain of steps: every code point alone, after 'a', before U+0301, between
Hangul jamo; N random strings over hard alphabets (fixed seed); sampled documents of DIR/corpora. The alignment of the
Hugging Face engine is read from the offsets of an encoding by single characters, of the SentencePiece engine from its
own map. Prints counts; exit 1 on any difference, and shows the first ones.
"""

import argparse
import base64
import io
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

import tokenizers
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

SPAN = struct.Struct("<II")


class Probe:
    def __init__(self, path, steps):
        self.command = [path] + steps

    def run(self, texts):
        """[(text, [(begin, end) in bytes per byte])] or None where the run failed."""
        frames = io.BytesIO()
        for text in texts:
            data = text.encode("utf-8")
            frames.write(struct.pack("<I", len(data)) + data)
        done = subprocess.run(self.command, input=frames.getvalue(), capture_output=True)
        if done.returncode != 0:
            raise RuntimeError("%s: exit %d: %s" % (self.command, done.returncode, done.stderr.decode()))
        out, at, results = done.stdout, 0, []
        for _ in texts:
            (length,) = struct.unpack_from("<I", out, at)
            at += 4
            if length == 0xFFFFFFFF:
                results.append(None)
                continue
            text = out[at : at + length]
            at += length
            spans = list(SPAN.iter_unpack(out[at : at + 8 * length]))
            at += 8 * length
            results.append((text, spans))
        assert at == len(out)
        return results


class HfReference:
    """The text from normalize_str; the alignment from a tokenizer that makes one token of every byte."""

    def __init__(self, normalizer):
        self.normalizer = normalizer
        # Every character is unknown to this model, so with byte fallback off it is one token each, never fused.
        self.tokenizer = Tokenizer(models.BPE(vocab={"<unk>": 0}, merges=[], unk_token="<unk>", fuse_unk=False))
        self.tokenizer.normalizer = normalizer

    def run(self, text):
        """(text, [(begin, end) in characters per character]) or None where the engine fails."""
        try:
            normal = self.normalizer.normalize_str(text)
            offsets = self.tokenizer.encode(text, add_special_tokens=False).offsets
        except BaseException as error:  # a panic of the engine is no Exception
            if type(error).__name__ != "PanicException":
                raise
            return None
        return normal, offsets


def expected(text, reference):
    normal, offsets = reference
    starts = [0]
    for c in text:
        starts.append(starts[-1] + len(c.encode("utf-8")))
    spans = []
    if len(offsets) != len(normal):
        return None
    for c, (begin, end) in zip(normal, offsets):
        spans += [(starts[begin], starts[end])] * len(c.encode("utf-8"))
    return normal.encode("utf-8"), spans


HARD = [
    "aeiouAEIOUnN", "\u0300\u0301\u0302\u0303\u0308\u0323\u0327\u0328\u0331\u0345", "\u0334\u0335\u0338\u093c\u3099\u309a",
    "\u00e9\u00c9\u1ea5\u1e69\u212b\u2126\u0344\u0958\u2adc", "\u1100\u1112\u1161\u1175\u11a7\u11a8\u11c2\uac00\uac01\ud7a3",
    "\u304b\u304c\u30ab\u30ac\uff76\uff9e\uff9f\u3046", "\u03a3\u03c3\u03c2\u0130\u0131\u00df\u1e9e\u01c5",
    "\ufb00\ufb01\ufb03\ufb05\u2460\u00bd\u2122\u3300\ufdfa\u3392", "\U0001f468\u200d\U0001f469\U0001f3fb\u2764\ufe0f\u00a9\u231a",
    "\u0085\u00a0\u2028\u2029\u3000\u200b\u200c\ufeff\u1680", "\x00\x01\x08\t\n\x0b\x0c\r\x1f\x7f\x8f\x9f", "  \t\r\n",
    "\u0915\u094d\u0924\u0930\u093f\u0941\u0bc6\u0bd7\u0dd9\u0dcf", "\u0600\u0628\u0651\u064e\u06dd\u05d0\u05b7\u0e33\u0e49\u0eb3",
    "\u4e00\u4e2d\uf900\U00020000\U0002f800", "\U0001f1e6\U0001f1e7", "\ufffd\u2581'`<!dummy-prefix!>",
    "\U00011935\U00011930\U000105d2\u0307\U0001e922\u10a0\u2c2f\ua64a\ua7ba", "0123456789abcxyzABCXYZ",
    "\U000e0100\U000e0020\U0001d15e\U0001d165\U000110ba\U00011099",
]


def random_texts(count, seed):
    rng = random.Random(seed)
    texts = []
    for _ in range(count):
        alphabets = rng.sample(HARD, rng.randint(1, 4))
        pool = "".join(alphabets)
        texts.append("".join(rng.choice(pool) for _ in range(rng.randint(1, 14))))
    return texts


def sweeps(full):
    cps = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    if not full:
        cps = [c for c in cps if c < 0x3400 or 0xA000 <= c < 0xAC80 or 0xD700 <= c < 0xE010 or 0xF8F0 <= c < 0x12600
               or 0x16A00 <= c < 0x17000 or 0x1BC00 <= c < 0x20010 or 0x2F7F0 <= c < 0x2FA30 or 0xE0000 <= c < 0xE0200]
    for form in ("%s", "a%s", "%s\u0301", "\u1100%s\u11a8", " %sx%s\u0323 \u0301"):
        yield form, [form.replace("%s", chr(c)) for c in cps]


def corpus_texts(shared, step):
    import zstandard

    folder = os.path.join(shared, "corpora")
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".jsonl.zst"):
            continue
        with open(os.path.join(folder, name), "rb") as file:
            lines = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), encoding="utf-8")
            for number, line in enumerate(lines):
                if number % step == 0:
                    text = json.loads(line).get("text", "")
                    if text:
                        yield text[:20000]


def hexed(text):
    return text.encode("utf-8").hex()


def to_steps(spec, scratch):
    """Command line steps and the engine's normalizer of a tokenizer.json normalizer object."""
    kind = spec["type"]
    if kind == "Sequence":
        steps, parts = [], []
        for part in spec["normalizers"]:
            s, n = to_steps(part, scratch)
            steps += s
            parts.append(n)
        return steps, normalizers.Sequence(parts)
    simple = {"NFC": "nfc", "NFD": "nfd", "NFKC": "nfkc", "NFKD": "nfkd", "Nmt": "nmt", "StripAccents": "strip_accents",
              "Lowercase": "lowercase", "ByteLevel": "byte_level"}
    if kind in simple:
        return [simple[kind]], getattr(normalizers, kind)()
    if kind == "Prepend":
        return ["prepend:" + hexed(spec["prepend"])], normalizers.Prepend(spec["prepend"])
    if kind == "Strip":
        side = {(True, True): "both", (True, False): "left", (False, True): "right"}[spec["strip_left"], spec["strip_right"]]
        return ["strip:" + side], normalizers.Strip(spec["strip_left"], spec["strip_right"])
    if kind == "Replace":
        pattern = spec["pattern"]
        if "String" in pattern:
            return (["replace:%s:%s" % (hexed(pattern["String"]), hexed(spec["content"]))],
                    normalizers.Replace(pattern["String"], spec["content"]))
        white = "9,a,b,c,d,20,85,a0,1680," + ",".join("%x" % c for c in range(0x2000, 0x200B)) + ",2028,2029,202f,205f,3000"
        runs = {"\\s+": "1:" + white, " {2,}": "2:20", " *": "0:20"}[pattern["Regex"]]
        return (["replace_runs:%s:%s" % (runs, hexed(spec["content"]))],
                normalizers.Replace(Regex(pattern["Regex"]), spec["content"]))
    if kind == "Precompiled":
        blob = base64.b64decode(spec["precompiled_charsmap"])
        handle, path = tempfile.mkstemp(dir=scratch)
        os.write(handle, blob)
        os.close(handle)
        return ["precompiled:" + path], normalizers.Precompiled(blob)
    if kind == "BertNormalizer":
        accents = spec["strip_accents"]
        flags = "%d%d%s%d" % (spec["clean_text"], spec["handle_chinese_chars"],
                              "n" if accents is None else int(accents), spec["lowercase"])
        return ["bert:" + flags], normalizers.BertNormalizer(
            spec["clean_text"], spec["handle_chinese_chars"], accents, spec["lowercase"])
    raise ValueError("no step for " + kind)


def bert(*flags):
    names = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
    return {"type": "BertNormalizer", **dict(zip(names, flags))}


def basic_specs():
    one = lambda kind, **fields: {"type": kind, **fields}
    specs = [one(k) for k in ("NFC", "NFD", "NFKC", "NFKD", "Nmt", "StripAccents", "Lowercase", "ByteLevel")]
    specs += [bert(a, b, c, d) for a, b, c, d in ((True, True, None, True), (True, False, None, False),
                                                   (False, True, False, True), (False, False, True, False))]
    specs += [one("Strip", strip_left=l, strip_right=r) for l, r in ((True, True), (True, False), (False, True))]
    specs += [one("Prepend", prepend="\u2581x"), one("Prepend", prepend=""),
              one("Replace", pattern={"String": "a"}, content=""),
              one("Replace", pattern={"String": "\u0301"}, content="[x\u0301]"),
              one("Replace", pattern={"Regex": "\\s+"}, content=" "),
              one("Replace", pattern={"Regex": " *"}, content="_")]
    seq = lambda *parts: {"type": "Sequence", "normalizers": list(parts)}
    specs += [seq(one("Prepend", prepend=""), one("Lowercase")), seq(one("Prepend", prepend=""), one("NFC")),
              seq(one("Nmt"), one("Prepend", prepend=""), one("Nmt")), seq(one("NFKD"), one("StripAccents"), one("NFC")),
              seq(one("Prepend", prepend="\u0301"), one("NFC")), seq(one("NFD"), one("ByteLevel"), one("NFKC"))]
    return [(json.dumps(s, sort_keys=True)[:110], s) for s in specs]


def file_specs(shared):
    """Every distinct normalizer of the tokenizer.json files."""
    import zstandard

    seen = {}
    root = os.path.join(shared, "tokenizers")
    for folder, _, names in os.walk(root):
        for name in sorted(names):
            if not name.endswith("tokenizer.json.zst"):
                continue
            with open(os.path.join(folder, name), "rb") as file:
                spec = json.loads(zstandard.ZstdDecompressor().stream_reader(file).read()).get("normalizer")
            if spec and spec.get("normalizers", True):
                seen.setdefault(json.dumps(spec, sort_keys=True), os.path.relpath(os.path.join(folder, name), root))
    return [(name, json.loads(spec)) for spec, name in sorted(seen.items(), key=lambda item: item[1])]


def compare(texts, probe, reference, report):
    """(texts, differences, texts on which both fail, alignments not visible)"""
    different = both_fail = hidden = 0
    for text, got in zip(texts, probe.run(texts)):
        answer = reference.run(text)
        if answer is None or got is None:
            both_fail += answer is None and got is None
            if (answer is None) != (got is None):
                different += 1
                report(text, got, answer)
            continue
        want = expected(text, answer)
        if want is None:
            hidden += 1
            want = (answer[0].encode("utf-8"), got[1])
        if got != want:
            different += 1
            report(text, got, want)
    return len(texts), different, both_fail, hidden


class Reporter:
    def __init__(self, limit=5):
        self.left = limit

    def __call__(self, text, got, want):
        if self.left > 0:
            self.left -= 1
            print("  DIFFERENT %s\n    got  %s\n    want %s" % (ascii(text), got, want))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("probe")
    parser.add_argument("--shared", default=os.environ.get("TOKTIER_SHARED", ""))
    parser.add_argument("--random", type=int, default=20000)
    parser.add_argument("--sweep", choices=("all", "fast", "none"), default="fast")
    parser.add_argument("--corpus-step", type=int, default=50, help="every so many documents")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    print("reference: tokenizers", tokenizers.__version__)
    specs = basic_specs()
    if args.shared:
        specs += file_specs(args.shared)
    else:
        print("skipped: normalizers of tokenizer files and corpora (no --shared)")
    texts = random_texts(args.random, 20240607)
    documents = list(corpus_texts(args.shared, args.corpus_step)) if args.shared else []
    total = [0, 0, 0, 0]
    with tempfile.TemporaryDirectory() as scratch:
        for name, spec in specs:
            if args.only not in name:
                continue
            steps, normalizer = to_steps(spec, scratch)
            probe, reference, report = Probe(args.probe, steps), HfReference(normalizer), Reporter()
            counts = [0, 0, 0, 0]
            batches = [texts, documents]
            if args.sweep != "none":
                batches += [batch for _, batch in sweeps(args.sweep == "all")]
            for batch in batches:
                counts = [a + b for a, b in zip(counts, compare(batch, probe, reference, report))]
            total = [a + b for a, b in zip(total, counts)]
            print("%s: %d texts, %d different, %d fail on both sides, %d without visible alignment"
                  % (name, *counts), flush=True)
    print("total: %d texts, %d different, %d fail on both sides, %d without visible alignment" % tuple(total))
    return 1 if total[1] else 0


if __name__ == "__main__":
    sys.exit(main())
