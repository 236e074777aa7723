"""OpenAI tiktoken: rank files, packed rank files and tekken.json."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import frames
from engine_hf import UNICODE_PROBES
from model_file import ModelError


class Engine:
    name = "tiktoken"
    takes_text = True

    def __init__(self, model, threads):
        import tiktoken

        self.version = tiktoken.__version__
        self._tiktoken = tiktoken
        pattern, ranks, special, self._offset = model.ranks()
        try:
            self._encoding = tiktoken.Encoding(
                name="file", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
        except BaseException as error:
            if isinstance(error, (KeyboardInterrupt, SystemExit)):
                raise
            raise ModelError(f"{model.path}: refused by the reference: {error}") from None
        self.capabilities = ["ids", "spans", "decode", "special:default", "special:none"]
        if not self._offset:  # tekken keeps its special tokens out of the engine
            self.capabilities.append("special:all")
        self.end_id = max(max(ranks.values(), default=-1),
                          max(special.values(), default=-1)) + 1 + self._offset
        self._lengths = np.zeros(self.end_id, dtype=np.uint32)
        for token, rank in ranks.items():
            self._lengths[rank + self._offset] = len(token)
        for token, rank in special.items():
            self._lengths[rank + self._offset] = len(token.encode("utf-8"))
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def unicode(self):
        for version, code_point in UNICODE_PROBES:
            # A letter joins its neighbour's piece; the pair "Xa" can merge only inside one piece.
            letter = chr(code_point).encode("utf-8")
            ranks = {bytes([i]): i for i in range(256)}
            for size in range(2, len(letter) + 2):
                ranks[(letter + b"a")[:size]] = len(ranks)
            encoding = self._tiktoken.Encoding(
                name="probe", pat_str=r"\p{L}+|[^\p{L}]", special_tokens={},
                mergeable_ranks=ranks)
            if len(encoding.encode_ordinary(chr(code_point) + "a")) == 1:
                return version
        return ""

    def _one(self, text, special):
        allowed = self._encoding.special_tokens_set if special == frames.SPECIAL_ALL else set()
        try:
            return self._encoding.encode_to_numpy(
                text, allowed_special=allowed, disallowed_special=())
        except BaseException as error:
            if isinstance(error, (KeyboardInterrupt, SystemExit)):
                raise
            return error

    def encode(self, texts, want, add_special, truncate, special):
        if self._pool and len(texts) > 1:
            found = self._pool.map(lambda text: self._one(text, special), texts)
        else:
            found = (self._one(text, special) for text in texts)
        results = []
        for ids in found:
            if isinstance(ids, BaseException):
                results.append(ids)
                continue
            if self._offset:
                ids = ids + np.uint32(self._offset)
            spans = None
            if want & frames.WANT_SPANS:
                spans = whole_characters(self._spans(ids), texts[len(results)])
            results.append((ids, spans, None))
        return results

    def _spans(self, ids):
        """Tokens tile the bytes, so spans follow from the token lengths alone."""
        ends = np.cumsum(self._lengths[ids], dtype=np.uint32)
        spans = np.zeros(2 * len(ids), dtype=np.uint32)
        spans[1::2] = ends
        spans[2::2] = ends[:-1]
        return spans

    def decode(self, lists, skip_special):
        results = []
        for ids in lists:
            try:
                results.append(self._encoding.decode_bytes(
                    [token - self._offset for token in ids] if self._offset else ids))
            except BaseException as error:
                if isinstance(error, (KeyboardInterrupt, SystemExit)):
                    raise
                results.append(error)
        return results


def whole_characters(spans, text):
    """A token's span is the characters that hold bytes of it, as the engine's decode_with_offsets counts them."""
    if text.isascii():
        return spans
    data = np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
    starts = np.append(np.flatnonzero((data & 0xC0) != 0x80), data.size).astype(np.uint32)
    begins = starts[np.searchsorted(starts, spans[0::2], side="right") - 1]
    ends = starts[np.searchsorted(starts, spans[1::2], side="left")]
    # A token without bytes keeps its place.
    return np.stack((np.minimum(begins, ends), ends), axis=1).ravel()
