#!/usr/bin/env python3
"""Real transcripts as one text for toktier-bench append: the last prompt of each session, one after the other.

  trace_text.py TOKTIER_REPLAY TEMPLATE TRACES.. > text.jsonl

--emit prompts gives the whole text at each call; kept is each session's last. Sessions of one text come once.
"""
import hashlib
import json
import subprocess
import sys


def main():
    if len(sys.argv) < 4 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 2 if len(sys.argv) < 4 else 0
    replay, template, *traces = sys.argv[1:]
    command = [replay, "render", *traces, "--template", template, "--emit", "prompts", "-q", "--format", "jsonl",
               "--max-problems", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    last, seen = None, set()

    def put():
        digest = hashlib.sha256(last["text"].encode()).digest()
        if last["text"] and digest not in seen:
            seen.add(digest)
            print(json.dumps({"id": last["session"].rsplit("/", 1)[-1], "text": last["text"]}, ensure_ascii=False))

    for line in process.stdout:
        record = json.loads(line)
        if record.get("kind") != "prompt":
            continue
        if last and last["session"] != record["session"]:
            put()
        last = record
    if last:
        put()
    return 0 if process.wait() == 0 else 1


sys.exit(main())
