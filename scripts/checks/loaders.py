#!/usr/bin/env python3
"""Compares what the loaders make of tokenizer files with what the reference engines make of them.

    loaders.py SPEC_DUMP TOKENIZERS_FOLDER

For each file: does the engine load it and do we; then every token, merge (with its result), score, piece type and added
token with its flags. Needs the Python packages tokenizers, tiktoken, sentencepiece and zstandard. Exit 1 on any difference
that is not in EXPECTED_DIFFERENCES, or when nothing was compared.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import sentencepiece
import tokenizers
import zstandard
from tiktoken_ext import openai_public

# We refuse by name what the engine loads; each with its reason.
EXPECTED_DIFFERENCES = {
    "nmt-marian/vocab.joint.spm.zst": "denormalizer_spec.precompiled_charsmap is not implemented",
}


def unpack(path):
    with open(path, "rb") as file:
        return zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True).read()


def dump(tool, path):
    run = subprocess.run([tool, "--full", str(path)], capture_output=True, check=True)
    out = {"tokens": {}, "merges": [], "scores": {}, "ranks": {}, "types": {}, "added": [], "pattern": []}
    lines = run.stdout.decode("utf-8", "surrogateescape").split("\n")
    out["head"] = json.loads(lines[0])
    for line in lines[1:]:
        if not line:
            continue
        row = json.loads(line)
        if "id" in row:
            out["tokens"][row["id"]] = bytes.fromhex(row["hex"])
        elif "merge" in row:
            out["merges"].append(tuple(row["merge"]))
        elif "added" in row:
            out["added"].append((row["added"], bytes.fromhex(row["hex"]), tuple(map(bool, row["flags"]))))
        elif "pattern" in row:
            out["pattern"].append(bytes.fromhex(row["pattern"]).decode())
        else:
            for name in ("score", "rank", "type"):
                if name in row:
                    out[name + "s"][row[name][0]] = row[name][1]
    return out


def differ(name, ours, theirs, found):
    if ours != theirs:
        only = [(k, ours.get(k), theirs.get(k)) for k in sorted(set(ours) | set(theirs), key=str)
                if ours.get(k) != theirs.get(k)] if isinstance(ours, dict) else []
        found.append(f"{name}: {len(only) or 'different'} {only[:3]}")


def merge_parts(entry):
    return entry.split(" ") if isinstance(entry, str) else entry


def check_tokenizer_json(data, ours):
    engine = json.loads(tokenizers.Tokenizer.from_str(data.decode()).to_str())
    model = engine["model"]
    found = []
    if isinstance(model["vocab"], dict):
        vocab = model["vocab"]
        differ("tokens", ours["tokens"], {i: t.encode() for t, i in vocab.items()}, found)
    else:
        vocab = {t: i for i, (t, _) in enumerate(model["vocab"])}
        differ("tokens", ours["tokens"], {i: t.encode() for i, (t, _) in enumerate(model["vocab"])}, found)
        differ("scores", ours["scores"], {i: s for i, (_, s) in enumerate(model["vocab"])}, found)
    if "merges" in model:
        prefix = len(model["continuing_subword_prefix"] or "")
        theirs = [(vocab[a], vocab[b], vocab[a + b[prefix:]]) for a, b in map(merge_parts, model["merges"])]
        # The engine writes each pair once, at its last place.
        last = {}
        for rank, merge in enumerate(ours["merges"]):
            last[merge[:2]] = (rank, merge)
        if [m for _, m in sorted(last.values())] != theirs:
            found.append("merges differ")
    flags = ("special", "lstrip", "rstrip", "single_word", "normalized")
    theirs = sorted((t["id"], t["content"].encode(), tuple(t[f] for f in flags)) for t in engine["added_tokens"])
    if sorted(ours["added"]) != theirs:
        found.append(f"added tokens: {set(ours['added']) ^ set(theirs)}")
    return found


def check_sentencepiece(data, ours):
    engine = sentencepiece.SentencePieceProcessor()
    engine.LoadFromSerializedProto(data)
    size = engine.GetPieceSize()
    found = []
    differ("tokens", ours["tokens"], {i: engine.IdToPiece(i).encode() for i in range(size)}, found)
    # Scores are 32-bit numbers written in full by both sides.
    differ("scores", ours["scores"], {i: engine.GetScore(i) for i in range(size)} if not scores_close(ours, engine)
           else ours["scores"], found)
    kinds = {}
    for i in range(size):
        kinds[i] = (engine.IsUnknown(i), engine.IsControl(i), engine.IsUnused(i), engine.IsByte(i))
    mine = {i: (t == 2, t == 3, t == 5, t == 6) for i, t in ours["types"].items()}
    differ("types", mine, kinds, found)
    return found


def scores_close(ours, engine):
    return all(abs(s - engine.GetScore(i)) <= 1e-6 * max(1.0, abs(s)) for i, s in ours["scores"].items())


def check_word_pieces(data, ours):
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        file.write(data)
        file.flush()
        engine = tokenizers.BertWordPieceTokenizer(file.name)
    found = []
    differ("tokens", ours["tokens"], {i: t.encode() for t, i in engine.get_vocab(False).items()}, found)
    theirs = {(i, t.content.encode()) for i, t in engine._tokenizer.get_added_tokens_decoder().items()}
    if {a[:2] for a in ours["added"]} != theirs:
        found.append("added tokens differ")
    return found


def read_ranks(data):
    from base64 import b64decode
    return {int(rank): b64decode(token) for token, rank in (l.split() for l in data.splitlines() if l)}


def check_ranks(data, ours, path):
    found = []
    ranks = read_ranks(data)
    differ("tokens", ours["tokens"], ranks, found)
    note = " ".join(ours["head"]["notes"])
    published = re.search(r"published encoding (\w+)", note)
    side = path.parent / "encoding.json.zst"
    if published:
        real = openai_public.load_tiktoken_bpe
        openai_public.load_tiktoken_bpe = lambda *a, **k: {}  # the definition alone, no download
        try:
            definition = openai_public.ENCODING_CONSTRUCTORS[published.group(1)]()
        finally:
            openai_public.load_tiktoken_bpe = real
    else:
        definition = json.loads(unpack(side))
    if ours["pattern"] != [definition["pat_str"]]:
        found.append("pattern differs")
    differ("special tokens", {n: i for i, n, _ in ours["added"]},
           {n.encode(): i for n, i in definition["special_tokens"].items()}, found)
    return found


def check_packed(data, ours):
    from base64 import b64decode
    document = json.loads(data)
    _, start, *words = document["bpe_ranks"].split(" ")
    found = []
    differ("tokens", ours["tokens"], {int(start) + i: b64decode(w) for i, w in enumerate(words)}, found)
    if ours["pattern"] != [document["pat_str"]]:
        found.append("pattern differs")
    return found


def check_tekken(data, ours):
    from base64 import b64decode
    document = json.loads(data)
    config = document["config"]
    specials = config["default_num_special_tokens"]
    wanted = config["default_vocab_size"] - specials
    found = []
    differ("tokens", ours["tokens"],
           {v["rank"] + specials: b64decode(v["token_bytes"]) for v in document["vocab"] if v["rank"] < wanted}, found)
    if [a[0] for a in ours["added"]] != list(range(specials)):
        found.append("special ids differ")
    return found


def engine_verdict(path, data, ours):
    """(what the engine says, list of differences or None when there is nothing to compare)"""
    name = path.name.removesuffix(".zst")
    kind = ours["head"].get("kind")
    try:
        if name == "tokenizer.json":
            tokenizers.Tokenizer.from_str(data.decode())
            return "loaded", check_tokenizer_json(data, ours) if kind else None
        if name == "vocab.txt":
            found = check_word_pieces(data, ours)
            return "loaded", found
        if data[:1] == b"\x0a" and name.rsplit(".", 1)[-1] in ("model", "spm", "sp"):
            engine = sentencepiece.SentencePieceProcessor()
            engine.LoadFromSerializedProto(data)
            return "loaded", check_sentencepiece(data, ours) if kind else None
    except BaseException as error:  # the Rust engine panics through BaseException
        return "refused: " + str(error)[:90], None
    if kind == "tiktoken" and data[:1] == b"{":
        return "no loader", check_packed(data, ours)
    if kind == "tiktoken":
        return "no loader", check_ranks(data, ours, path)
    if kind == "tekken":
        return "no loader", check_tekken(data, ours)
    return "no loader", None


def main():
    tool, folder = sys.argv[1], Path(sys.argv[2])
    files = [p for p in sorted(folder.glob("*/*.zst")) if not p.name.startswith("encoding.json")]
    compared = loads = wrong = 0
    for path in files:
        name = str(path.relative_to(folder))
        ours = dump(tool, path)
        verdict, found = engine_verdict(path, unpack(path), ours)
        loads += verdict == "loaded"
        compared += found is not None
        mine = ours["head"]["verdict"]
        problems = list(found or [])
        if (verdict == "loaded" and mine != "loaded") or (verdict.startswith("refused") and mine == "loaded"):
            if name not in EXPECTED_DIFFERENCES:
                problems.append("verdicts differ")
        wrong += bool(problems)
        error = ours["head"].get("error", "")[:200].replace(str(path) + ": ", "")
        print(f"{'DIFF' if problems else 'ok':4} {name:48} engine: {verdict[:60]:12} ours: {mine} {error[:100]}"
              f" {'; '.join(problems)}")
    print(f"{len(files)} files, the engines load {loads}, contents compared of {compared}, different {wrong}")
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
