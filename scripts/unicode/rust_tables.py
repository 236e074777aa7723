"""The Rust standard library and crate functions inside Hugging Face tokenizers, seen through that engine.

Character sets, lower case, decompositions, combining classes, compositions, scripts, grapheme cluster
classes. One engine call per code point and question: a code point's answer cannot depend on another.
"""

import struct
import unicodedata

import numpy as np
import tokenizers
from tokenizers import normalizers, pre_tokenizers

import emit
import engines
from engines import ranges_of, scalar_values

NAME = "tokenizers-" + tokenizers.__version__


def each(function):
    """{code point: function(character)}"""
    return {c: function(chr(c)) for c in scalar_values().tolist()}


def where(function):
    return ranges_of([c for c in scalar_values().tolist() if function(chr(c))])


def character_sets():
    white = pre_tokenizers.WhitespaceSplit()
    digits = pre_tokenizers.Digits(individual_digits=True)
    punctuation = pre_tokenizers.Punctuation()
    bert = pre_tokenizers.BertPreTokenizer()
    word = pre_tokenizers.Whitespace()
    clean = normalizers.BertNormalizer(True, False, False, False)
    chinese = normalizers.BertNormalizer(False, True, False, False)
    accents = normalizers.BertNormalizer(False, False, True, False)
    strip = normalizers.StripAccents()
    nmt = normalizers.Nmt()
    edges = normalizers.Strip()
    nfd = normalizers.NFD()

    def split(pre, c):
        return [piece for piece, _ in pre.pre_tokenize_str("a" + c + "a")]

    def cut_out(pre):
        return lambda c: split(pre, c) == ["a", c, "a"]

    def removed(pre):
        return lambda c: split(pre, c) == ["a", "a"]

    def gone(norm):
        return lambda c: norm.normalize_str(c) == ""

    sets = {
        "kWhiteSpace": where(removed(white)),
        "kStripWhiteSpace": where(lambda c: edges.normalize_str(c) == ""),
        "kNumeric": where(cut_out(digits)),
        "kPunctuation": where(cut_out(punctuation)),
        "kBertPunctuation": where(cut_out(bert)),
        "kBertWhiteSpace": where(removed(bert)),
        "kRegexSpace": where(removed(word)),
        "kRegexWord": where(lambda c: split(word, c) == ["a" + c + "a"]),
        "kBertCleaned": where(gone(clean)),
        "kBertToSpace": where(lambda c: clean.normalize_str(c) == " "),
        "kBertChinese": where(lambda c: chinese.normalize_str(c) == " " + c + " "),
        "kMarkNonspacing": where(lambda c: nfd.normalize_str(c) == c and gone(accents)(c)),
        "kCombiningMark": where(gone(strip)),
        "kNmtRemoved": where(gone(nmt)),
        "kNmtToSpace": where(lambda c: nmt.normalize_str(c) == " "),
    }
    # What the sets say must be all that the engine does.
    for norm, gone_set, space_set in ((clean, "kBertCleaned", "kBertToSpace"), (nmt, "kNmtRemoved", "kNmtToSpace")):
        cleaned, spaced = members(sets[gone_set]), members(sets[space_set])
        for c in scalar_values().tolist():
            want = "" if c in cleaned else " " if c in spaced else chr(c)
            assert norm.normalize_str(chr(c)) == want, hex(c)
    return sets


def members(ranges):
    return {c for first, last in ranges for c in range(first, last + 1)}


def lower_case():
    norm = normalizers.Lowercase()
    return {c: s for c, s in each(norm.normalize_str).items() if s != chr(c)}


HANGUL = range(0xAC00, 0xAC00 + 11172)


def decompositions():
    canonical = {c: s for c, s in each(normalizers.NFD().normalize_str).items() if s != chr(c)}
    compatible = {c: s for c, s in each(normalizers.NFKD().normalize_str).items() if s != chr(c)}
    for c in HANGUL:
        index = c - 0xAC00
        parts = [0x1100 + index // 588, 0x1161 + index % 588 // 28, 0x11A7 + index % 28]
        want = "".join(map(chr, parts[: 2 if index % 28 == 0 else 3]))
        assert canonical.pop(c) == want and compatible.pop(c) == want, hex(c)
    return canonical, compatible


def combining_classes(canonical):
    """{code point: class}. A class is compared with reference marks by what the engine reorders; the numbers
    are those of the reference marks, of which only the order matters."""
    nfd = normalizers.NFD().normalize_str

    def swaps(x, y):
        return x != y and nfd(x + y) == y + x

    # One mark for each class that the engine knows to be above 0: one it reorders against U+0334 or U+0345.
    marks = {}
    for c in range(0x110000):
        k = unicodedata.combining(chr(c))
        if k and k not in marks and c not in canonical:
            if swaps(chr(c), "\u0334") or swaps("\u0345", chr(c)):
                marks[k] = chr(c)
    order = sorted(marks)
    for low, high in zip(order, order[1:]):
        assert swaps(marks[high], marks[low]), (low, high)
    lowest, highest = marks[order[0]], marks[order[-1]]
    found = {}
    for c in scalar_values().tolist():
        x = chr(c)
        if c in canonical or c in HANGUL or not (swaps(x, lowest) or swaps(highest, x)):
            continue
        below = [k for k in order if swaps(x, marks[k])]  # classes lower than that of x
        above = [k for k in order if swaps(marks[k], x)]
        equal = [k for k in order if k not in below and k not in above]
        assert len(equal) == 1 and below == [k for k in order if k < equal[0]], hex(c)
        found[c] = equal[0]
    return found


def compositions(canonical):
    """{(first, second): composed}, without Hangul."""
    nfc = normalizers.NFC().normalize_str
    firsts, seconds = set(), set()
    for c, s in canonical.items():
        if len(s) > 1:
            firsts.update((nfc(s[:-1])[-1], s[0]))
            seconds.add(s[-1])
            seconds.update(s[1:])
    pairs = {}
    for a in sorted(firsts):
        for b in sorted(seconds):
            joined = nfc(a + b)
            if len(joined) == 1:
                pairs[(ord(a), ord(b))] = ord(joined)
    # Every character that the engine composes from its decomposition is explained by a pair.
    results = set(pairs.values())
    for c, s in canonical.items():
        if len(s) > 1 and nfc(s) == chr(c):
            assert c in results, hex(c)
    for a in list(range(0x1100, 0x1200)) + list(range(0xAC00, 0xAC00 + 56)):
        for b in range(0x1100, 0x1200):
            got = nfc(chr(a) + chr(b))
            want = chr(a) + chr(b)
            if 0x1100 <= a < 0x1113 and 0x1161 <= b < 0x1176:
                want = chr(0xAC00 + (a - 0x1100) * 588 + (b - 0x1161) * 28)
            elif a >= 0xAC00 and (a - 0xAC00) % 28 == 0 and 0x11A8 <= b < 0x11C3:
                want = chr(a + b - 0x11A7)
            assert got == want, (hex(a), hex(b))
    return pairs


def scripts():
    """([(first, last, id)], number of ids): two code points of different ids, neither 0, are cut apart; id 0 joins
    anything. Found by pairs: first against neighbours, then every run against one member of each known script."""
    pre = pre_tokenizers.UnicodeScripts()

    def cut(a, b):
        return len(pre.pre_tokenize_str(chr(a) + chr(b))) == 2

    # A code point that is not cut from either of two scripts that are cut from each other is "any" (0).
    latin, greek = 0x41, 0x3B1
    assert cut(latin, greek)
    known = [latin, greek]  # one member of scripts 1, 2, ...
    ids = {}
    last_id = 0
    for c in scalar_values().tolist():
        if not cut(latin, c) and not cut(greek, c):
            last_id = 0
        elif last_id == 0 or cut(known[last_id - 1], c):
            for index, member in enumerate(known):
                if not cut(member, c):
                    last_id = index + 1
                    break
            else:
                known.append(c)
                last_id = len(known)
        ids[c] = last_id
    runs = []
    for c in scalar_values().tolist():
        if runs and runs[-1][2] == ids[c] and (runs[-1][1] == c - 1 or c == 0xE000 and runs[-1][1] == 0xD7FF):
            runs[-1][1] = c
        else:
            runs.append([c, c, ids[c]])
    return [tuple(r) for r in runs if r[2]], len(known)


def grapheme_probe():
    """A function text -> how often the Precompiled normalizer looked something up with success, for a map that has
    every single byte as a key. A grapheme cluster below 6 bytes counts once, a longer one once per character."""
    units = [0] * 2048
    units[0] = 256 << 10
    for byte in range(1, 256):
        units[256 ^ byte] = (1024 << 10) | (1 << 8) | byte
        units[256 ^ byte ^ 1024] = 0x80000000
    blob = struct.pack("<I", 4 * len(units)) + struct.pack("<%dI" % len(units), *units) + b"|\0"
    norm = normalizers.Precompiled(blob)
    return lambda text: len(norm.normalize_str(text))


# Classes of extended grapheme clusters, in the order of the enum in lib/unicode/rust_tables.hpp.
GRAPHEME_CLASSES = (
    "other control extend zwj spacing_mark prepend hangul_l hangul_v hangul_t hangul_lv hangul_lvt "
    "pictographic consonant linker conjunct_extend"
).split()


def grapheme_classes():
    """[(first, last, class name)] by what joins what. U+0300 closes a probe: a last character below 4 bytes makes a
    short cluster with it (one count) only when it was cut from what stands before."""
    count = grapheme_probe()
    acute, zwj, heart = "\u0300", "\u200d", "\u2764"
    ka, virama = "\u0915", "\u094d"
    classes = {}
    for c in scalar_values().tolist():
        x = chr(c)
        if c == 0:  # the map's keys end at NUL; known to be a control like its neighbours (checked below)
            classes[c] = "control"
            continue
        joins_left = count("a" + x) == 1
        if joins_left:
            if count(heart + zwj + heart + acute) == 4 and c == 0x200D:
                name = "zwj"
            elif count(heart + x + zwj + heart + acute) != 5:
                name = "spacing_mark"
            elif count(ka + x + ka + acute) == 4:
                name = "linker"
            elif count(ka + x + virama + ka + acute) == 5:
                name = "conjunct_extend"
            else:
                name = "extend"
        elif count(x + acute + acute) == 2:
            name = "control"
        elif count(x + "a") == 1:
            name = "prepend"
        else:
            v, t = "\u1161", "\u11a8"
            before_v = count(x + v + acute) == 3
            before_t = count(x + t + acute) == 3
            # A 4-byte character makes a long cluster with the accent either way, and shows nothing.
            after_l, after_v, after_t = (
                c < 0x10000 and count(left + x + acute) == 3 for left in ("\u1100", "\u1161", "\u11a8")
            )
            shape = (before_v, before_t, after_l, after_v, after_t)
            hangul = {
                (True, False, True, False, False): "hangul_l",
                (True, True, True, True, False): "hangul_v",
                (False, True, False, True, True): "hangul_t",
                (True, True, True, False, False): "hangul_lv",
                (False, True, True, False, False): "hangul_lvt",
                (True, True, False, False, False): "hangul_v",  # of 4 bytes: the Kirat Rai vowels
                (False,) * 5: None,
            }
            name = hangul[shape]
            if name is None:
                if count(x + zwj + heart + acute) == 4:
                    name = "pictographic"
                elif count(x + virama + ka + acute) == 4:
                    name = "consonant"
                else:
                    name = "other"
        classes[c] = name
    runs = []
    for c, name in classes.items():
        if runs and runs[-1][2] == name and (runs[-1][1] == c - 1 or c == 0xE000 and runs[-1][1] == 0xD7FF):
            runs[-1][1] = c
        else:
            runs.append([c, c, name])
    return [tuple(r) for r in runs if r[2] != "other"]


def unicode_version_of(code_points):
    """The newest age among code points, by the regex engine inside tiktoken."""
    tiktoken_engine = engines.TiktokenEngine()
    text = "".join(map(chr, code_points))
    newest = "17.0"  # the engine's ages end at 16.0: at least the next
    for age in ("16.0", "15.1", "15.0", "14.0", "13.0", "12.1", "12.0", "11.0", "10.0", "9.0", "8.0", "7.0"):
        older = tiktoken_engine.matched("[^\\p{age=%s}]" % age, text)
        if len(older) == 0:
            newest = age
        else:
            return newest
    return "before 7.0"


def mapping(name, table):
    """Two arrays: rows {code point, where in the characters, how many} and the characters."""
    rows, chars = [], []
    for c, s in sorted(table.items()):
        rows.append("{0x%x, %d, %d}" % (c, len(chars), len(s)))
        chars += [ord(x) for x in s]
    text = "const Mapping k%sRows[] = {\n%s\n};\n" % (name, emit.wrap(rows))
    text += "const std::size_t k%sCount = %d;\n" % (name, len(rows))
    text += "const char32_t k%sChars[] = {\n%s\n};\n\n" % (name, emit.wrap(["0x%x" % c for c in chars]))
    return text


def write(files):
    sets = character_sets()
    lower = lower_case()
    assert normalizers.Lowercase().normalize_str("a\u03a3") == "a\u03c3"  # no final sigma: no context
    canonical, compatible = decompositions()
    classes = combining_classes(canonical)
    pairs = compositions(canonical)
    script_runs, script_count = scripts()
    clusters = grapheme_classes()
    both = dict(compatible)
    print("%s: %d character sets, %d lower case, %d canonical and %d compatible decompositions, %d combining "
          "classes, %d compositions, %d scripts in %d runs, %d runs of grapheme classes" % (
              NAME, len(sets), len(lower), len(canonical), len(compatible), len(classes), len(pairs),
              script_count, len(script_runs), len(clusters)))
    versions = {
        "white space, numeric": unicode_version_of(sorted(members(sets["kNumeric"]))),
        "punctuation": unicode_version_of(sorted(members(sets["kPunctuation"]))),
        "regex \\w": unicode_version_of([c for c in sorted(members(sets["kRegexWord"])) if c > 127]),
        "lower case": unicode_version_of(sorted(lower)),
        "combining marks": unicode_version_of(sorted(members(sets["kCombiningMark"]))),
        "non-spacing marks": unicode_version_of(sorted(members(sets["kMarkNonspacing"]))),
        "normalization": unicode_version_of(sorted(set(canonical) | set(compatible) | set(classes))),
        "scripts": unicode_version_of([c for r in script_runs for c in range(r[0], r[1] + 1)]),
        "graphemes": unicode_version_of(
            # without the extenders, which take in unassigned code points
            [c for r in clusters if r[2] in ("linker", "spacing_mark", "prepend", "hangul_v")
             for c in range(r[0], r[1] + 1)]),
    }
    for what, version in versions.items():
        print("  newest %s: Unicode %s" % (what, version))
    open_ = '#include "unicode/tables/rust.hpp"\n\nnamespace toktier::unicode::tables {\n\n'
    close = "}  // namespace toktier::unicode::tables\n"
    text = emit.head("Character sets of the Rust functions that the engine uses.", NAME, versions["regex \\w"])
    text += open_
    for name, ranges in sorted(sets.items()):
        rows = ["{0x%x, 0x%x}" % r for r in ranges]
        text += "const CodePointRange %s[] = {\n%s\n};\n" % (name, emit.wrap(rows))
        text += "const std::size_t %sSize = %d;\n\n" % (name, len(rows))
    text += mapping("Lower", lower)
    rows = ["{0x%x, 0x%x, %d}" % r for r in script_runs]
    text += "const ScriptRun kScriptRuns[] = {\n%s\n};\n" % emit.wrap(rows)
    text += "const std::size_t kScriptRunCount = %d;\n\n" % len(rows)
    rows = ["{0x%x, 0x%x, %d}" % (a, b, GRAPHEME_CLASSES.index(k)) for a, b, k in clusters]
    text += "const ScriptRun kGraphemeRuns[] = {\n%s\n};\n" % emit.wrap(rows)
    text += "const std::size_t kGraphemeRunCount = %d;\n\n" % len(rows)
    files["rust_generated.cpp"] = text + close
    text = emit.head("Normalization data.", NAME, versions["normalization"]) + open_
    text += mapping("Canonical", canonical)
    text += mapping("Compatible", {c: s for c, s in both.items() if canonical.get(c) != s})
    rows = ["{0x%x, %d}" % row for row in sorted(classes.items())]
    text += "const ClassRow kCombiningClasses[] = {\n%s\n};\n" % emit.wrap(rows)
    text += "const std::size_t kCombiningClassCount = %d;\n\n" % len(rows)
    rows = ["{0x%x, 0x%x, 0x%x}" % (a, b, c) for (a, b), c in sorted(pairs.items())]
    text += "const Composition kCompositions[] = {\n%s\n};\n" % emit.wrap(rows)
    text += "const std::size_t kCompositionCount = %d;\n\n" % len(rows)
    files["normalization_generated.cpp"] = text + close
