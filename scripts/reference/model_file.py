"""Opens a tokenizer file, whatever its container, and says what it is.

Nothing is guessed from a file's name: the kind follows from the content.
"""

import base64
import binascii
import hashlib
import json
import os

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class ModelError(Exception):
    """The file cannot serve as a model of the engine asked for; the text says why."""


def read_bytes(path):
    """The file's bytes, zstd frames opened in memory."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] == ZSTD_MAGIC:
        import io

        import zstandard

        reader = zstandard.ZstdDecompressor().stream_reader(
            io.BytesIO(data), read_across_frames=True)
        data = reader.read()
    return data


def side_path(path):
    """encoding.json (or .zst) beside a rank file, or None."""
    folder = os.path.dirname(path) or "."
    for name in ("encoding.json", "encoding.json.zst"):
        candidate = os.path.join(folder, name)
        if os.path.exists(candidate):
            return candidate
    return None


class ModelFile:
    """kind: tokenizer_json, ranks, packed_ranks, tekken, sentencepiece, wordpiece_vocab."""

    def __init__(self, path, side=None):
        self.path = path
        self.data = read_bytes(path)
        self.sha256 = hashlib.sha256(self.data).hexdigest()
        self.json = None
        self.kind = self._find_kind()
        self.side_path = side
        self.side = None
        self.side_sha256 = ""
        if self.kind == "ranks":
            self.side_path = side or side_path(path)
            if self.side_path:
                text = read_bytes(self.side_path)
                self.side_sha256 = hashlib.sha256(text).hexdigest()
                self.side = json.loads(text)

    def _find_kind(self):
        head = self.data[:4096]
        if head[:4] == b"GGUF":
            raise ModelError(f"{self.path}: GGUF container; no reference engine reads it")
        if head.lstrip()[:1] == b"{":
            try:
                self.json = json.loads(self.data)
            except ValueError as error:
                raise ModelError(f"{self.path}: not valid JSON: {error}") from None
            if "pat_str" in self.json and "bpe_ranks" in self.json:
                return "packed_ranks"
            if "config" in self.json and "vocab" in self.json:
                return "tekken"
            if "model" in self.json:
                return "tokenizer_json"
            raise ModelError(f"{self.path}: JSON, but not a tokenizer file of a known kind")
        if head[:1] == b"\x0a":
            return "sentencepiece"
        line = head.split(b"\n", 1)[0].strip()
        fields = line.split()
        if len(fields) == 2 and fields[1].isdigit():
            try:
                base64.b64decode(fields[0], validate=True)
                return "ranks"
            except binascii.Error:
                pass
        lines = self.data.split(b"\n")
        if {b"[UNK]", b"[UNK]\r", b"[unk]"} & set(lines):
            return "wordpiece_vocab"
        raise ModelError(f"{self.path}: not a tokenizer file of a known kind")

    def lower_cases(self):
        """For vocab.txt, whose case is not in the file: an uncased one has no capital A-Z outside [..]."""
        for line in self.data.split(b"\n"):
            token = line.strip()
            control = len(token) > 2 and token[:1] == b"[" and token[-1:] == b"]"
            if not control and any(65 <= byte <= 90 for byte in token):
                return False
        return True

    def ranks(self):
        """(pattern, {bytes: rank}, {special: id}, offset added to every rank)."""
        if self.kind == "ranks":
            if not self.side or "pat_str" not in self.side:
                raise ModelError(f"{self.path}: a rank file needs encoding.json beside it")
            return (self.side["pat_str"], parse_ranks(self.data, self.path),
                    dict(self.side.get("special_tokens", {})), 0)
        if self.kind == "packed_ranks":
            return (self.json["pat_str"], parse_packed(self.json["bpe_ranks"]),
                    dict(self.json.get("special_tokens", {})), 0)
        if self.kind == "tekken":
            return parse_tekken(self.json)
        raise ModelError(f"{self.path}: {self.kind} is not a rank file")


def parse_ranks(data, path):
    ranks = {}
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        fields = line.split()
        try:
            token, rank = fields
            ranks[base64.b64decode(token)] = int(rank)
        except ValueError as error:
            raise ModelError(f"{path}: line {number}: {error}") from None
    return ranks


def parse_packed(text):
    """Lines "! OFFSET TOKEN TOKEN ...": consecutive ranks from OFFSET."""
    ranks = {}
    for line in text.split("\n"):
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        offset = int(fields[1])
        for index, token in enumerate(fields[2:]):
            ranks[base64.b64decode(token)] = offset + index
    return ranks


def parse_tekken(root):
    """Mistral's layout: special ids come first, then the inner vocabulary of the stated size."""
    config = root["config"]
    special = int(config["default_num_special_tokens"])
    inner = int(config["default_vocab_size"]) - special
    ranks = {}
    for entry in root["vocab"]:
        if int(entry["rank"]) < inner:
            ranks[base64.b64decode(entry["token_bytes"])] = int(entry["rank"])
    return config["pattern"], ranks, {}, special
