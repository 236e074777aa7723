"""Which properties an engine knows, and the code points of each."""

import os

from engines import ranges_of

_HERE = os.path.dirname(os.path.abspath(__file__))
POSIX = (
    "alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit"
).split()


def loose(name):
    """The form under which engines compare property names: case, blanks, '-' and '_' do not count."""
    return "".join(c for c in name.lower() if c not in " -_")


def candidates():
    with open(os.path.join(_HERE, "property_names.txt"), encoding="ascii") as lines:
        for line in lines:
            kind, name = line.rstrip("\n").split("\t")
            yield kind, name


def probe(engine):
    """{kind: {loose name: ranges}} of every candidate that the engine accepts, and refused names."""
    found = {"category": {}, "script": {}, "binary": {}}
    refused = []
    for kind, name in candidates():
        atom = "\\p{" + name + "}"
        if not engine.accepts(atom):
            refused.append(name)
            continue
        found[kind].setdefault(loose(name), ranges_of(engine.matched(atom)))
    for name in POSIX:
        found["binary"]["[:" + name + ":]"] = ranges_of(engine.matched("[[:" + name + ":]]"))
    escapes = {}
    for name in ("s", "w", "d", "h"):
        escapes[name] = ranges_of(engine.matched("\\" + name))
    return found, escapes, refused
