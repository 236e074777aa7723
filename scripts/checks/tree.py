"""What every check needs: the files of the tree, and one way to report findings."""

import os
import sys

SKIPPED_FOLDERS = {".git", "build", "__pycache__", "runs"}
# Data that is kept byte for byte and is no source.
DATA_FOLDERS = ("corpora/", "fuzz/seeds/", "results/", "replay/traces/")
CPP = (".cpp", ".hpp", ".cc", ".cu", ".cuh")


def root():
    """The tree to check: the first argument, else the one this script stands in."""
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    return os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else here)


def files(top, data=False):
    """Paths relative to top, sorted; build folders and virtual environments are left out."""
    found = []
    for folder, folders, names in os.walk(top):
        folders[:] = [f for f in folders if f not in SKIPPED_FOLDERS and not f.startswith(".venv")]
        for name in names:
            if name == ".git":  # of a linked working tree
                continue
            path = os.path.relpath(os.path.join(folder, name), top)
            if os.path.isfile(os.path.join(top, path)) and (data or not path.startswith(DATA_FOLDERS)):
                found.append(path)
    return sorted(found)


def read(top, path):
    """The file's bytes as text; None for a binary file."""
    with open(os.path.join(top, path), "rb") as file:
        raw = file.read()
    return None if b"\0" in raw or path.endswith((".zst", ".png")) else raw.decode("utf-8", "surrogateescape")


class Report:
    """Collects findings; finish() prints them with the number of things looked at and ends the program."""

    def __init__(self):
        self.findings = []
        self.seen = 0

    def add(self, path, line, reason):
        self.findings.append(f"{path}:{line}: {reason}")

    def finish(self, what):
        for finding in self.findings:
            print(finding)
        print(f"{len(self.findings)} findings in {self.seen} {what}")
        if self.seen == 0:
            print(f"no {what} looked at: wrong folder?")
        sys.exit(1 if self.findings or self.seen == 0 else 0)
