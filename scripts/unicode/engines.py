"""Thin adapters that ask the running reference engines what they believe about code points.

Every adapter answers questions of one kind: which parts of a text does a pattern match. Nothing here
knows any Unicode data of its own.
"""

import numpy as np
import tiktoken
import tokenizers
from tokenizers import NormalizedString, Regex, pre_tokenizers

MAX = 0x10FFFF


def scalar_values():
    """All code points that text can hold, in order (surrogates cannot be passed to an engine)."""
    return np.concatenate(
        [np.arange(0, 0xD800, dtype=np.uint32), np.arange(0xE000, MAX + 1, dtype=np.uint32)]
    )


def text_of(code_points):
    return np.asarray(code_points, dtype="<u4").tobytes().decode("utf-32-le")


def code_points_of(text):
    return np.frombuffer(text.encode("utf-32-le"), dtype="<u4")


class OnigEngine:
    """Oniguruma as Hugging Face tokenizers builds it, seen through pre_tokenizers.Split."""

    name = "onig/tokenizers-" + tokenizers.__version__

    def __init__(self):
        self.scalars = scalar_values()
        self.all_text = text_of(self.scalars)
        self._held = NormalizedString(self.all_text)

    def accepts(self, pattern):
        try:
            pre_tokenizers.Split(Regex(pattern), "removed", invert=True)
            return True
        except Exception:
            return False

    def spans(self, pattern, text):
        """Character ranges of all matches, left to right."""
        split = pre_tokenizers.Split(Regex(pattern), "removed", invert=True)
        return [span for _, span in split.pre_tokenize_str(text)]

    def matched(self, atom, text=None):
        """Sorted code points of `text` (default: all) that the one-character pattern `atom` matches."""
        if text is None:
            held = self._held
        else:
            held = NormalizedString(text)
        # Everything that the atom does not match is cut away; what is left is the answer. The bound keeps
        # below Oniguruma's limit of retries in one match.
        rest = Regex("(?:(?!" + atom + ")[\\s\\S]){1,1000}")
        return np.array(
            code_points_of("".join(part.normalized for part in held.split(rest, "removed")))
        )


class TiktokenEngine:
    """The regex engine inside tiktoken, seen through an Encoding whose vocabulary is the 256 bytes."""

    name = "fancy-regex/tiktoken-" + tiktoken.__version__
    _ranks = {bytes([i]): i for i in range(256)}

    def __init__(self):
        self.scalars = scalar_values()
        self.all_text = text_of(self.scalars)

    def _encoding(self, pattern):
        return tiktoken.Encoding(
            "probe", pat_str=pattern, mergeable_ranks=self._ranks, special_tokens={}
        )

    def accepts(self, pattern):
        try:
            self._encoding(pattern)
            return True
        except Exception:
            return False

    def kept(self, pattern, text):
        """The concatenation of all matches."""
        ids = self._encoding(pattern).encode_to_numpy(text, disallowed_special=())
        return ids.astype(np.uint8).tobytes().decode("utf-8")

    def matched(self, atom, text=None):
        """Sorted code points of `text` (default: all) that the one-character pattern `atom` matches."""
        return np.array(code_points_of(self.kept(atom, self.all_text if text is None else text)))


def ranges_of(code_points):
    """Sorted code points to inclusive ranges. The surrogate gap is bridged when both sides are in."""
    cps = np.asarray(code_points, dtype=np.int64)
    if len(cps) == 0:
        return []
    cuts = np.flatnonzero(np.diff(cps) != 1)
    firsts = np.concatenate([[0], cuts + 1])
    lasts = np.concatenate([cuts, [len(cps) - 1]])
    out = []
    for first, last in zip(cps[firsts].tolist(), cps[lasts].tolist()):
        if out and out[-1][1] == 0xD7FF and first == 0xE000:
            out[-1] = (out[-1][0], last)
        else:
            out.append((first, last))
    return out
