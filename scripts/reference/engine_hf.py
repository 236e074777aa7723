"""Hugging Face tokenizers: tokenizer.json, and vocab.txt as its BertWordPieceTokenizer."""

import array
import itertools
import json

import numpy as np

import frames
from model_file import ModelError

# One letter added in each Unicode version, newest first: the engine's own answer dates its tables.
UNICODE_PROBES = (
    ("17.0", 0x16EA0), ("16.0", 0x10D4A), ("15.1", 0x2EBF0), ("15.0", 0x11F04),
    ("14.0", 0x10570), ("13.0", 0x10E80), ("12.0", 0x119A0),
)


class Engine:
    name = "tokenizers"
    takes_text = True
    capabilities = ("ids", "spans", "pieces", "decode", "add_special", "truncate",
                    "special:default", "special:none", "special:all")

    def __init__(self, model):
        import tokenizers

        self.version = tokenizers.__version__
        self._tokenizers = tokenizers
        if model.kind == "tokenizer_json":
            self._text = model.data.decode("utf-8")
        elif model.kind == "wordpiece_vocab":
            self._text = bert_json(tokenizers, model)
        else:
            raise ModelError(f"{model.path}: {model.kind} is not served by this engine")
        try:
            self._full = tokenizers.Tokenizer.from_str(self._text)
        except BaseException as error:  # the binding's panics are not Exceptions
            if isinstance(error, (KeyboardInterrupt, SystemExit)):
                raise
            raise ModelError(f"{model.path}: refused by the reference: {error}") from None
        self._bare = {}
        self._raw = None
        vocabulary = self._full.get_vocab(with_added_tokens=True)
        self.end_id = max(vocabulary.values(), default=-1) + 1

    def unicode(self):
        split = self._tokenizers.pre_tokenizers.Split(
            self._tokenizers.Regex(r"\p{L}"), "isolated")
        for version, code_point in UNICODE_PROBES:
            if len(split.pre_tokenize_str("1" + chr(code_point))) == 2:
                return version
        return ""

    def _tokenizer(self, truncate, special):
        """Instances differ in state only; a switch per call would not be safe to pipeline."""
        none = special == frames.SPECIAL_NONE
        if truncate and not none:
            return self._full
        key = (truncate, none)
        if key not in self._bare:
            tokenizer = self._tokenizers.Tokenizer.from_str(self._text)
            if not truncate:
                tokenizer.no_truncation()
                tokenizer.no_padding()
            if none:
                tokenizer.encode_special_tokens = True
            self._bare[key] = tokenizer
        return self._bare[key]

    def _pieces_tokenizer(self, special):
        """Without the post-processor spans are whole, so a piece is the union of its tokens."""
        if self._raw is None:
            root = json.loads(self._text)
            root["post_processor"] = root["truncation"] = root["padding"] = None
            self._raw = self._tokenizers.Tokenizer.from_str(json.dumps(root))
        self._raw.encode_special_tokens = special == frames.SPECIAL_NONE
        return self._raw

    def encode(self, texts, want, add_special, truncate, special):
        """Lists of (ids u32, spans u32 pairs or None, pieces or None) or an exception each."""
        tokenizer = self._tokenizer(truncate, special)
        spans = bool(want & frames.WANT_SPANS)
        # The fast form keeps no offsets; it gives the same ids.
        call = tokenizer.encode_batch if spans else tokenizer.encode_batch_fast
        encodings = batch(call, texts, add_special)
        raw = [None] * len(texts)
        if want & frames.WANT_PIECES:
            raw = batch(self._pieces_tokenizer(special).encode_batch, texts, False)
        results = []
        for text, encoding, bare in zip(texts, encodings, raw):
            if isinstance(encoding, BaseException):
                results.append(encoding)
                continue
            ids = np.frombuffer(array.array("I", encoding.ids), dtype=np.uint32)
            starts = None
            if spans or bare is not None:
                starts = character_starts(text)
            span_array = byte_spans(encoding.offsets, starts) if spans else None
            pieces = None
            if bare is not None:
                if isinstance(bare, BaseException):
                    results.append(bare)
                    continue
                pieces = join_pieces(byte_spans(bare.offsets, starts), bare.word_ids)
            results.append((ids, span_array, pieces))
        return results

    def decode(self, lists, skip_special):
        try:
            texts = self._full.decode_batch(lists, skip_special_tokens=skip_special)
            return [text.encode("utf-8") for text in texts]
        except BaseException as error:
            if isinstance(error, (KeyboardInterrupt, SystemExit)):
                raise
        results = []
        for ids in lists:
            try:
                text = self._full.decode(ids, skip_special_tokens=skip_special)
                results.append(text.encode("utf-8"))
            except BaseException as error:
                if isinstance(error, (KeyboardInterrupt, SystemExit)):
                    raise
                results.append(error)
        return results


def batch(call, texts, add_special):
    """One batch call; when it fails, one call each, so that only the guilty document fails."""
    try:
        return call(texts, add_special_tokens=add_special)
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, SystemExit)):
            raise
        if len(texts) == 1:
            return [error]
    results = []
    for text in texts:
        results.extend(batch(call, [text], add_special))
    return results


def character_starts(text):
    """Byte offset of each character and of the end; None when offsets are bytes already."""
    if text.isascii():
        return None
    data = np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
    starts = np.flatnonzero((data & 0xC0) != 0x80)
    return np.append(starts, data.size).astype(np.uint32)


def byte_spans(offsets, starts):
    flat = np.fromiter(itertools.chain.from_iterable(offsets), dtype=np.uint32,
                       count=2 * len(offsets))
    return flat if starts is None else starts[flat]


def join_pieces(spans, words):
    """Union of the spans of consecutive tokens of one word."""
    if not len(words):
        return np.zeros(0, dtype=np.uint32)
    word = np.array([-1 if w is None else w for w in words], dtype=np.int64)
    first = np.flatnonzero(np.concatenate(([True], word[1:] != word[:-1])))
    begins = np.minimum.reduceat(spans[0::2], first)
    ends = np.maximum.reduceat(spans[1::2], first)
    return np.stack((begins, ends), axis=1).astype(np.uint32).ravel()


def bert_json(tokenizers, model):
    """The text of the tokenizer that BertWordPieceTokenizer builds from a vocab.txt."""
    import os
    import tempfile

    from tokenizers.implementations import BertWordPieceTokenizer

    # Read by the engine itself, which wants a path and has its own idea of a line.
    handle, path = tempfile.mkstemp(suffix=".txt")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(model.data)
        vocabulary = tokenizers.models.WordPiece.read_file(path)
        return BertWordPieceTokenizer(vocab=vocabulary, lowercase=model.lower_cases()).to_str()
    except Exception as error:
        raise ModelError(f"{model.path}: refused by the reference: {error}") from None
    finally:
        os.unlink(path)
