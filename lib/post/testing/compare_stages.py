#!/usr/bin/env python3
"""Compares added-token splitting, decoding and post-processing with the running reference engines.

usage: compare_stages.py PROBE added|decode|post COUNT [SEED]
       compare_stages.py PROBE files SHARED_TOKENIZERS COUNT [SEED] [NAME...]

PROBE is the stage_probe program. Needs the Python packages tokenizers 0.23.3, tiktoken 0.14.0, sentencepiece 0.2.3
and zstandard. Prints counts of what was compared, of what was refused or skipped and why, and every difference (the
first 20); exits 1 when there is one.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

import tokenizers


class Report:
    def __init__(self):
        self.counts = {}
        self.differences = 0

    def count(self, name, by=1):
        self.counts[name] = self.counts.get(name, 0) + by

    def differ(self, *what):
        self.differences += 1
        if self.differences <= 20:
            print("DIFFERENT", *what, flush=True)

    def end(self):
        for name, value in sorted(self.counts.items()):
            print(f"{name}: {value}")
        print(f"differences: {self.differences}")
        return 1 if self.differences else 0


def probe(program, lines):
    run = subprocess.run([program], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    answers = run.stdout.split("\n")[:-1]
    assert len(answers) == len(lines), (len(answers), len(lines))
    return answers


def quietly(call):
    """The result of call, or None where the engine fails (it panics through BaseException)."""
    try:
        return call()
    except BaseException as error:  # noqa: BLE001
        if isinstance(error, KeyboardInterrupt):
            raise
        return None


def file_of(added=(), vocabulary=None, model=None, **parts):
    document = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": list(added), "normalizer": None,
                "pre_tokenizer": None, "post_processor": None, "decoder": None,
                "model": model or {"type": "WordLevel", "vocab": vocabulary or {"U": 0}, "unk_token": "U"}}
    document.update(parts)
    return json.dumps(document)


def byte_offsets(text):
    offsets = [0]
    for c in text:
        offsets.append(offsets[-1] + len(c.encode()))
    return offsets


# ---- added tokens ------------------------------------------------------------------------------------------------
def added_round(r):
    alphabet = ["a", "b", "A", "B", "<", ">", " ", "\n", "\t", "\u00e9", "\u4e2d", "\u3000", "\u00a0", "_", "1", "\u0301",
                "\U0001F600", "\u200d", "\u1680"]
    letters = r.sample(alphabet, r.randint(2, 7))
    word = lambda most: "".join(r.choice(letters) for _ in range(r.randint(1, most)))
    flag = lambda chance: r.random() < chance
    loud = r.random() < 0.7
    added = []
    for _ in range(r.choice([1, 2, 3, 4, 6, 25])):
        added.append({"id": r.randint(0, 50), "content": "" if flag(0.02) else word(4), "single_word": loud and flag(0.25),
                      "lstrip": loud and flag(0.25), "rstrip": loud and flag(0.25), "normalized": flag(0.4),
                      "special": flag(0.4)})
    vocabulary = {"U": 0}
    for _ in range(r.randint(0, 3)):
        vocabulary.setdefault(word(3), len(vocabulary) + r.choice([0, 0, 1000]))  # gaps, but none a new id can meet
    values = list(vocabulary.values())
    if len(set(values)) != len(values):
        vocabulary = {"U": 0}
    lower = flag(0.5)
    texts = [word(r.choice([3, 8, 20, 60])) for _ in range(8)]
    return added, vocabulary, lower, texts, flag(0.3)


def without_other_normalized(added, report):
    """Drops a content listed again with another `normalized`: the loader keeps one entry a content."""
    first, out = {}, []
    for token in added:
        if first.setdefault(token["content"], token["normalized"]) == token["normalized"]:
            out.append(token)
        else:
            report.count("skipped: added tokens listed twice with another `normalized`")
    return out


def with_model_id(segment, want):
    """A plain segment is one word of the model here."""
    begin, end, number = segment.split(":")
    if number != "-":
        return segment
    _, _, vocabulary, lower, _, text = want
    word = text.encode()[int(begin):int(end)].decode()
    return f"{begin}:{end}:{vocabulary.get(word.lower() if lower else word, 0)}"


def compare_added(program, count, seed):
    report, r = Report(), random.Random(seed)
    lines, expected = [], []
    for _ in range(count):
        added, vocabulary, lower, texts, skip = added_round(r)
        added = without_other_normalized(added, report)
        document = file_of(added, vocabulary, normalizer={"type": "Lowercase"} if lower else None)
        engine = quietly(lambda: tokenizers.Tokenizer.from_str(document))
        lines.append("normalizer\t" + ("lower" if lower else "none"))
        lines.append("load-bytes\t" + document.encode().hex())
        expected += [None, None]
        if engine is None:
            report.count("files the reference refuses")
            continue
        engine.encode_special_tokens = skip
        for text in texts:
            got = quietly(lambda: engine.encode(text))
            at = byte_offsets(text)
            if got is not None:
                got = [f"{at[b]}:{at[e]}:{i}" for i, (b, e) in zip(got.ids, got.offsets)]
            lines.append(f"split\t{'none' if skip else 'all'}\t{text.encode().hex()}")
            expected.append((got, added, vocabulary, lower, skip, text))
    for answer, want in zip(probe(program, lines), expected):
        if want is None:
            continue
        report.count("texts")
        got = want[0]
        if answer.startswith("error"):
            if "at random" in answer:
                report.count("refused: the reference is random")
            elif got is None:
                report.count("refused: the reference fails too")
            else:
                report.differ(answer, want)
        elif got is None or [with_model_id(s, want) for s in answer.split(" ")[1:]] != got:
            report.differ(answer, want)
        else:
            report.count("literals", sum(1 for s in answer.split(" ")[1:] if not s.endswith("-")))
    return report


# ---- decoding ----------------------------------------------------------------------------------------------------
def decoder_chain(r):
    mark = "\u2581"
    flag = lambda: r.random() < 0.5
    steps = [
        lambda: {"type": "ByteLevel", "add_prefix_space": flag(), "trim_offsets": flag(), "use_regex": flag()},
        lambda: {"type": "ByteFallback"},
        lambda: {"type": "Fuse"},
        lambda: {"type": "Replace", "pattern": {"String": r.choice([mark, "a", "aba", " ", "", "b" + mark])},
                 "content": r.choice([" ", "", "X", "ab"])},
        lambda: {"type": "Strip", "content": r.choice([" ", "a"]), "start": r.randint(0, 2), "stop": r.randint(0, 2)},
        lambda: {"type": "Metaspace", "replacement": r.choice([mark, "a"]),
                 "prepend_scheme": r.choice(["always", "first", "never"]), "split": True},
        lambda: {"type": "WordPiece", "prefix": r.choice(["##", "a", ""]), "cleanup": flag()},
        lambda: {"type": "BPEDecoder", "suffix": r.choice(["</w>", "##", "b", ""])},
        lambda: {"type": "CTC", "pad_token": r.choice(["<pad>", "a", ""]), "word_delimiter_token": r.choice(["|", "b", ""]),
                 "cleanup": flag()},
    ]
    if r.random() < 0.1:
        return None
    if r.random() < 0.5:
        return r.choice(steps)()
    return {"type": "Sequence", "decoders": [r.choice(steps)() for _ in range(r.randint(1, 4))]}


def compare_decode(program, count, seed):
    report, r = Report(), random.Random(seed)
    mark = "\u2581"
    pool = ["a", "b", "ab", "aba", " ", "  ", mark, mark + "a", mark * 2 + "b", "##b", "##", ".", " .", ",", "?", "'", "n't", "'s",
            "do not", " ' ", "<pad>", "|", "b</w>", "</w>", "<0x41>", "<0xC3>", "<0xA9>", "<0xe4>", "<0xBD>", "<0xA0>", "<0xFF>",
            "<0x+4>", "<0xG1>", "<0x4>", "\u00c3", "\u00a9", "\u0120", "\u0120a", "\u0120\u0120", "\u00e9 ", "\u00e4", "\u00bd", "\u0142",
            "", "aa ", " a a ", "A", "\u4e2d"]
    lines, expected = [], []
    for _ in range(count):
        words = r.sample(pool, r.randint(3, len(pool)))
        vocabulary = {w: i for i, w in enumerate(words)}
        lower = r.random() < 0.3
        added = [{"id": 0, "content": r.choice(["<s>", "A", "AB ", "\u00a9x", "a", "<0x41>"]), "single_word": False, "lstrip": False,
                  "rstrip": False, "normalized": r.random() < 0.5, "special": r.random() < 0.6} for _ in range(r.randint(0, 3))]
        vocabulary.setdefault("U", len(vocabulary))
        added = without_other_normalized(added, report)
        document = file_of(added, vocabulary, decoder=decoder_chain(r), normalizer={"type": "Lowercase"} if lower else None)
        engine = quietly(lambda: tokenizers.Tokenizer.from_str(document))
        lines.append("normalizer\t" + ("lower" if lower else "none"))
        lines.append("load-bytes\t" + document.encode().hex())
        expected += [None, ("load", engine is not None, document)]
        if engine is None:
            report.count("files the reference refuses")
            continue
        end = max(engine.get_vocab(with_added_tokens=True).values()) + 2
        for _ in range(10):
            ids = [r.randrange(end) for _ in range(r.randint(0, 9))]
            skip = r.random() < 0.5
            got = quietly(lambda: engine.decode(ids, skip_special_tokens=skip))
            lines.append(f"decode\t{int(skip)}\tdrop\t{','.join(map(str, ids))}")
            expected.append((got, document, ids, skip))
    for answer, want in zip(probe(program, lines), expected):
        if want is None:
            continue
        if want[0] == "load":
            if want[1] and not answer.startswith("ok"):
                report.differ("load", answer, want[2])
            continue
        report.count("id lists")
        if answer.startswith("error"):
            if want[0] is None:
                report.count("refused: the reference fails too")
            else:
                report.differ(answer, want)
        elif want[0] is None or bytes.fromhex(answer[3:]).decode() != want[0]:
            report.differ(answer, want)
    return report


# ---- post-processors, truncation, padding ------------------------------------------------------------------------
def byte_alphabet():
    printable = list(range(0x21, 0x7F)) + list(range(0xA1, 0xAD)) + list(range(0xAE, 0x100))
    rest = [b for b in range(256) if b not in printable]
    table = {b: chr(b) for b in printable}
    table.update({b: chr(0x100 + i) for i, b in enumerate(rest)})
    return [table[b] for b in range(256)]


def post_chain(r):
    flag = lambda: r.random() < 0.5
    def template():
        single = []
        for _ in range(r.randint(0, 2)):
            single.append({"SpecialToken": {"id": r.choice(["C", "S"]), "type_id": 0}})
        single.insert(r.randint(0, len(single)), {"Sequence": {"id": "A", "type_id": 0}})
        if r.random() < 0.1:
            single.append({"Sequence": {"id": "A", "type_id": 0}})
        return {"type": "TemplateProcessing", "single": single,
                "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
                "special_tokens": {"C": {"id": "C", "ids": [901], "tokens": ["C"]},
                                   "S": {"id": "S", "ids": [902, 903], "tokens": ["S", "S"]}}}
    steps = [template,
             lambda: {"type": "BertProcessing", "sep": ["S", 904], "cls": ["C", 905]},
             lambda: {"type": "RobertaProcessing", "sep": ["S", 906], "cls": ["C", 907], "trim_offsets": flag(),
                      "add_prefix_space": flag()},
             lambda: {"type": "ByteLevel", "add_prefix_space": flag(), "trim_offsets": flag(), "use_regex": flag()}]
    if r.random() < 0.15:
        return None
    if r.random() < 0.5:
        return r.choice(steps)()
    return {"type": "Sequence", "processors": [r.choice(steps)() for _ in range(r.randint(1, 3))]}


def compare_post(program, count, seed):
    report, r = Report(), random.Random(seed)
    alphabet = byte_alphabet()
    vocabulary = {c: i for i, c in enumerate(alphabet)}
    merges = []
    g = "\u0120"
    for a, b in [(g, g), (g + g, g), (g, "a"), (g + g, "b"), ("a", g), ("b", "a")]:
        vocabulary[a + b] = len(vocabulary)
        merges.append([a, b])
    for extra in range(900, 910):
        vocabulary["special%d" % extra] = extra
    model = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
             "fuse_unk": False, "byte_fallback": False, "ignore_merges": False, "vocab": vocabulary, "merges": merges}
    lines, expected = [], []
    for _ in range(count):
        flag = lambda: r.random() < 0.5
        truncation = padding = None
        if r.random() < 0.4:
            truncation = {"direction": r.choice(["Left", "Right"]), "max_length": r.randint(0, 8), "stride": r.choice([0, 0, 1, 3]),
                          "strategy": r.choice(["LongestFirst", "OnlyFirst", "OnlySecond"])}
        if r.random() < 0.4:
            padding = {"strategy": r.choice(["BatchLongest", {"Fixed": r.randint(0, 14)}]), "direction": r.choice(["Left", "Right"]),
                       "pad_to_multiple_of": r.choice([None, 0, 1, 3, 8]), "pad_id": 908, "pad_type_id": 0, "pad_token": "P"}
        pre = {"type": "ByteLevel", "add_prefix_space": flag(), "trim_offsets": True, "use_regex": flag()}
        norm = r.choice([None, None, {"type": "NFKC"}])
        document = file_of(model=model, truncation=truncation, padding=padding, post_processor=post_chain(r), pre_tokenizer=pre,
                           normalizer=norm)
        plain = tokenizers.Tokenizer.from_str(file_of(model=model, pre_tokenizer=pre, normalizer=norm))
        engine = quietly(lambda: tokenizers.Tokenizer.from_str(document))
        lines.append("load-bytes\t" + document.encode().hex())
        expected.append(("load", engine is not None, document))
        if engine is None:
            report.count("files the reference refuses")
            continue
        for _ in range(6):
            text = "".join(r.choice(["a", "b", " ", "  ", "\u00e9", "\u3000", "\n", "\u4e2d"]) for _ in range(r.randint(0, 10)))
            special = flag()
            at = byte_offsets(text)
            spans = lambda e: [f"{at[b]}:{at[x]}" for b, x in e.offsets]
            first = plain.encode(text)
            got = quietly(lambda: engine.encode(text, add_special_tokens=special))
            if got is not None:
                got = (got.ids, spans(got))
            lines.append(f"post\t{int(special)}\t1\t{text.encode().hex()}\t{','.join(map(str, first.ids))}\t{','.join(spans(first))}")
            expected.append((got, document[:0] or json.loads(document)["post_processor"], truncation, padding, text, special, first.offsets))
    for answer, want in zip(probe(program, lines), expected):
        if want[0] == "load":
            if want[1] and not answer.startswith("ok"):
                report.differ("load", answer, json.loads(want[2])["post_processor"])
            continue
        report.count("documents")
        if answer.startswith("error"):
            if "template" in answer:
                report.count("refused: pair template")
            elif want[0] is None:
                report.count("refused: the reference fails too")
            else:
                report.differ(answer, want)
            continue
        fields = answer.split(" ")
        ids = [int(i) for i in fields[1].split(",") if i]
        spans = [s for s in fields[2].split(",") if s]
        if want[0] is None or (ids, spans) != want[0]:
            report.differ(answer, want)
    return report


# ---- real files --------------------------------------------------------------------------------------------------
def read_file(path):
    import zstandard
    with open(path, "rb") as f:
        data = f.read()
    return zstandard.ZstdDecompressor().decompressobj().decompress(data) if path.endswith(".zst") else data


def decode_lists(r, ids, count):
    """Every id alone, then random lists: half from a narrow part of the ids, where byte and special tokens meet."""
    lists = [[i] for i in ids]
    for k in range(count):
        n = r.randint(1, 12)
        if k % 2:
            lists.append([r.choice(ids) for _ in range(n)])
        else:
            start = r.choice([0, max(0, len(ids) - 400), r.randrange(len(ids))])
            lists.append([ids[min(len(ids) - 1, start + r.randrange(400))] for _ in range(n)])
    return lists


def tiktoken_engine(path, folder):
    import base64
    import tiktoken
    side = os.path.join(folder, "encoding.json.zst")
    if not os.path.exists(side):
        return None
    side = json.loads(read_file(side))
    ranks = {}
    for line in read_file(path).split(b"\n"):
        if line.strip():
            token, rank = line.split()
            ranks[base64.b64decode(token)] = int(rank)
    specials = side.get("special_tokens", {})
    return tiktoken.Encoding("probe", pat_str=side["pat_str"], mergeable_ranks=ranks, special_tokens=specials)


def compare_files(program, folder, count, seed, names):
    report, r = Report(), random.Random(seed)
    paths = sorted(os.path.join(base, f) for base, _, files in os.walk(folder) for f in files)
    for path in paths:
        name = os.path.relpath(path, folder)
        if names and not any(n in name for n in names):
            continue
        lines = ["load\t" + path]
        loaded = probe(program, lines)[0]
        base = os.path.basename(path)
        if not loaded.startswith("ok"):
            report.count("files not loaded here")
            print("not loaded:", name, loaded[:160])
            continue
        if base.startswith("tokenizer.json"):
            engine = quietly(lambda: tokenizers.Tokenizer.from_str(read_file(path).decode()))
            kind = "tokenizers"
        elif base.endswith(".tiktoken.zst") or base == "tiktoken.model.zst":
            engine = quietly(lambda: tiktoken_engine(path, os.path.dirname(path)))
            kind = "tiktoken"
        else:
            import sentencepiece
            engine = quietly(lambda: sentencepiece.SentencePieceProcessor(model_proto=read_file(path)))
            kind = "sentencepiece"
            if engine is None:  # a rank file under a .model name
                engine = quietly(lambda: tiktoken_engine(path, os.path.dirname(path)))
                kind = "tiktoken"
        if engine is None:
            report.count("files loaded here and not by a reference")
            print("no reference:", name)
            continue
        if kind == "tokenizers":
            ids = sorted(set(engine.get_vocab(with_added_tokens=True).values()))
            decode = lambda x, skip: engine.decode(x, skip_special_tokens=skip).encode()
        elif kind == "tiktoken":
            ids = sorted(set(engine._mergeable_ranks.values()) | set(engine._special_tokens.values()))
            decode = lambda x, skip: engine.decode_bytes([i for i in x if not (skip and engine.is_special_token(i))])
        else:
            ids = list(range(engine.get_piece_size()))
            decode = lambda x, skip: engine.decode(x).encode()
        before = report.differences
        for skip in (False, True):
            lists = decode_lists(r, ids, count // 2)
            lines = ["load\t" + path] + [f"decode\t{int(skip)}\terror\t{','.join(map(str, x))}" for x in lists]
            for answer, x in zip(probe(program, lines)[1:], lists):
                want = quietly(lambda: decode(x, skip))
                report.count("id lists")
                if answer.startswith("error") or want is None:
                    if want is not None or not answer.startswith("error"):
                        report.differ(name, x, answer, want)
                    else:
                        report.count("refused: the reference fails too")
                elif bytes.fromhex(answer[3:]) != want:
                    report.differ(name, x, skip, bytes.fromhex(answer[3:]), want)
        report.count("files")
        print(f"{name}: {kind}, {len(ids)} ids, {report.differences - before} differences", flush=True)
    return report


def main():
    program, what = sys.argv[1:3]
    if what == "files":
        seed = int(sys.argv[5]) if len(sys.argv) > 5 else 1
        return compare_files(program, sys.argv[3], int(sys.argv[4]), seed, sys.argv[6:]).end()
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    # The engine reports its panics on the error stream; they are part of the comparison, not news.
    sys.stdout.flush()
    with tempfile.TemporaryFile() as sink:
        saved = os.dup(2)
        os.dup2(sink.fileno(), 2)
        try:
            report = {"added": compare_added, "decode": compare_decode, "post": compare_post}[what](program, int(sys.argv[3]), seed)
        finally:
            os.dup2(saved, 2)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
