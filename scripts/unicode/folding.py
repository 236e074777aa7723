"""Case folding as an engine honours it under (?i), found without assuming any data.

First every code point that matches some other code point is found: blocks of 4096 are matched against
everything, and inside a block two code points differ in some bit of their number, so the class of the
block's code points with that bit set, and the class with it clear, reach across. Then each candidate
alone is matched against all candidates.
"""

import numpy as np

from engines import ranges_of, text_of

_BLOCK = 4096


def _code(c):
    return "\\x{%x}" % c


def _class(code_points):
    """A bracket of sorted code points, ranges where they are adjacent."""
    parts = []
    for first, last in ranges_of(code_points):
        parts.append(_code(first) if first == last else _code(first) + "-" + _code(last))
    return "[" + "".join(parts) + "]"


def candidates(engine):
    """Sorted code points that match, or are matched by, a code point other than themselves."""
    found = set()
    scalars = engine.scalars
    for start in range(0, 0x110000, _BLOCK):
        lo, hi = np.searchsorted(scalars, [start, start + _BLOCK])
        block = scalars[lo:hi]
        if len(block) == 0:
            continue
        whole = "(?i:[%s-%s])" % (_code(int(block[0])), _code(int(block[-1])))
        matched = engine.matched(whole)
        outside = matched[(matched < start) | (matched >= start + _BLOCK)]
        inside = set()
        text = text_of(block)
        for bit in range(12):
            on = (block >> bit) & 1 == 1
            for side in (on, ~on):
                if not side.any():
                    continue
                cls = "(?i:" + _class(block[side].tolist()) + ")"
                got = engine.matched(cls, text)
                inside.update(got[np.isin(got, block[~side])].tolist())
        found.update(inside)
        if len(outside):
            found.update(outside.tolist())
            # Which members of the block reached outside: matching is symmetric in both engines, which
            # pairs() checks; ask each side for the other.
            reach = engine.matched("(?i:" + _class(outside.tolist()) + ")", text)
            found.update(reach.tolist())
    return sorted(found)


def pairs(engine, cands):
    """Sorted (pattern, matched) pairs of different code points, and the asymmetric ones."""
    # Apart from each other, so that no run of candidates spells a multi-character fold.
    text = "\0".join(text_of([c]) for c in cands)
    out = set()
    for c in cands:
        for d in engine.matched("(?i:" + _code(c) + ")", text).tolist():
            if d != c:
                out.add((c, d))
        as_class = set(engine.matched("(?i:[" + _code(c) + "])", text).tolist()) - {c}
        assert as_class == {d for p, d in out if p == c}, "class form differs: %x" % c
    return sorted(out), sorted(p for p in out if (p[1], p[0]) not in out)


def multi(engine, cands):
    """[(code point, folded string)]: (?i) on the code point also matches that string of characters.

    The strings tried are the full case folds of Python's own Unicode data; every code point is tried as a
    pattern, by blocks, and a block that matches a string is taken apart.
    """
    strings = sorted({chr(c).casefold() for c in engine.scalars.tolist() if len(chr(c).casefold()) > 1})
    text = "\0".join(strings)
    inside = {ord(x) for x in text}
    suspects = sorted(inside)
    for start in range(0, 0x110000, _BLOCK):
        lo, hi = np.searchsorted(engine.scalars, [start, start + _BLOCK])
        # Members that occur in the strings would match alone and hide a longer match; they are tried one by one.
        block = [c for c in engine.scalars[lo:hi].tolist() if c not in inside]
        if not block:
            continue
        spans = engine.spans("(?i:" + _class(block) + ")", text)
        if any(end - begin > 1 for begin, end in spans):
            suspects.extend(block)
    found = []
    for c in suspects:
        for begin, end in engine.spans("(?i:" + _code(c) + ")", text):
            if end - begin > 1:
                found.append((c, [ord(x) for x in text[begin:end]]))
    distinct = []
    for row in sorted(found):
        if row not in distinct:
            distinct.append(row)
    return distinct
