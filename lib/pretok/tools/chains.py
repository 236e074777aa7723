"""Chains of pre-tokenizers: from tokenizer files to the one-line form of chain_text.hpp and back to JSON."""

import csv
import json
import pathlib

import zstandard


def percent(text):
    return "".join(
        chr(b) if 0x20 < b < 0x7F and b != 0x25 else f"%{b:02X}" for b in text.encode())


BEHAVIORS = {"Removed": "removed", "Isolated": "isolated", "Contiguous": "contiguous",
             "MergedWithPrevious": "merged_with_previous", "MergedWithNext": "merged_with_next"}


def steps(pre):
    """The steps of a pre_tokenizer object, Sequences flattened."""
    if pre is None:
        return []
    kind = pre["type"]
    if kind == "Sequence":
        return [s for p in pre["pretokenizers"] for s in steps(p)]
    if kind == "Split":
        (form, pattern), = pre["pattern"].items()
        return [f"Split {'regex' if form == 'Regex' else 'string'} {BEHAVIORS[pre['behavior']]} "
                f"{int(pre['invert'])} {percent(pattern)}"]
    if kind == "ByteLevel":
        return [f"ByteLevel {int(pre['add_prefix_space'])} {int(pre.get('use_regex', True))}"]
    if kind == "Digits":
        return [f"Digits {int(pre['individual_digits'])}"]
    if kind == "Punctuation":
        return [f"Punctuation {BEHAVIORS[pre.get('behavior', 'Isolated')]}"]
    if kind == "Metaspace":
        scheme = pre.get("prepend_scheme", "always")
        if pre.get("add_prefix_space") is False:
            scheme = "never"
        return [f"Metaspace {percent(pre['replacement'])} {scheme} {int(pre.get('split', True))}"]
    if kind == "CharDelimiterSplit":
        return [f"CharDelimiterSplit {ord(pre['delimiter']):X}"]
    if kind == "FixedLength":
        return [f"FixedLength {pre['length']}"]
    return [{"BertPreTokenizer": "Bert"}.get(kind, kind)]


def line(pre):
    return "\t".join(steps(pre))


def shared_chains(shared):
    """(names, line, pre_tokenizer object) of every distinct chain in the shared tokenizer.json files, and
    (names, line, pattern) of the rank files, whose engine is tiktoken."""
    root = pathlib.Path(shared) / "tokenizers"
    hf, rank = {}, {}
    csv.field_size_limit(1 << 30)
    with open(root / "MANIFEST.tsv", newline="", encoding="utf-8") as f:
        for row in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE):
            pre = row["pre_tokenizer"]
            if row["file"].endswith("tokenizer.json.zst"):
                data = zstandard.ZstdDecompressor().stream_reader(open(root / row["file"], "rb"))
                pre = json.loads(data.read())["pre_tokenizer"]
                hf.setdefault(line(pre), ([], pre))[0].append(row["family"])
            elif row["model_type"].startswith(("tiktoken", "tekken")):
                text = "Split regex isolated 0 " + percent(pre)
                rank.setdefault(text, ([], pre))[0].append(row["family"])
    return ([(names, text, pre) for text, (names, pre) in hf.items()],
            [(names, text, pattern) for text, (names, pattern) in rank.items()])


def corpus(shared, limit_bytes):
    """Texts of the shared corpora, until `limit_bytes`."""
    total = 0
    for path in sorted((pathlib.Path(shared) / "corpora").glob("corpus-*.jsonl.zst")):
        reader = zstandard.ZstdDecompressor().stream_reader(open(path, "rb"),
                                                            read_across_frames=True)
        for row in reader.read().split(b"\n"):
            if not row:
                continue
            text = json.loads(row)["text"]
            if len(text) > 200000:
                continue
            total += len(text.encode())
            if total > limit_bytes:
                return
            yield text
