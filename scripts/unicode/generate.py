#!/usr/bin/env python3
"""Probes the reference engines and writes lib/unicode/tables/*_generated.cpp.

  generate.py            write the tables
  generate.py --check    regenerate, compare with the committed files, exit 1 on any difference
  --only regex|rust      one half of the work

Needs: tokenizers 0.23.3, tiktoken 0.14.0, numpy. Every table is the running engine's own answer over all
1,112,064 scalar values; nothing is copied from a Unicode file.
"""

import argparse
import os
import sys

import emit
import engines
import folding
import properties


def regex_version(engine):
    """The newest Unicode version whose first new script the engine knows."""
    firsts = [("17.0.0", "Sidetic"), ("16.0.0", "Garay"), ("15.0.0", "Kawi"), ("14.0.0", "Vithkuqi")]
    for version, script in firsts:
        if engine.accepts("\\p{" + script + "}"):
            return version
    return "before 14.0.0"


def regex_files(files):
    pool = emit.SetPool()
    versions = []
    for symbol, stem, make in (
        ("kOnig", "onig", engines.OnigEngine),
        ("kTiktoken", "tiktoken", engines.TiktokenEngine),
    ):
        engine = make()
        version = regex_version(engine)
        versions.append(version)
        found, escapes, refused = properties.probe(engine)
        candidates = folding.candidates(engine)
        pairs, asymmetric = folding.pairs(engine, candidates)
        multi = folding.multi(engine, candidates) if hasattr(engine, "spans") else []
        print(
            "%s: Unicode %s, %d categories, %d scripts, %d binary properties, %d names refused, "
            "%d fold pairs (%d one-way), %d multi-character folds"
            % (engine.name, version, *(len(found[k]) for k in ("category", "script", "binary")),
               len(refused), len(pairs), len(asymmetric), len(multi))
        )
        files[stem + "_generated.cpp"] = emit.regex_tables(
            symbol, engine.name, version, found, escapes, pairs, multi, pool
        )
    files["ranges_generated.cpp"] = pool.source("both regex engines", " and ".join(sorted(set(versions))))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", choices=("regex", "rust"))
    args = parser.parse_args()
    files = {}
    if args.only in (None, "regex"):
        regex_files(files)
    if args.only in (None, "rust"):
        import rust_tables

        rust_tables.write(files)
    different = 0
    for name, text in sorted(files.items()):
        assert text.isascii()
        path = os.path.join(emit.FOLDER, name)
        if args.check:
            with open(path, encoding="ascii") as committed:
                same = committed.read() == text
            print("%s: %s" % (name, "same" if same else "DIFFERENT"))
            different += not same
        else:
            with open(path, "w", encoding="ascii") as out:
                out.write(text)
            print("%s: %d bytes written" % (name, len(text)))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
