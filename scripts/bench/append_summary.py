#!/usr/bin/env python3
"""Records of `toktier-bench append` as a page.

Usage: append_summary.py RECORDS.jsonl > README.md
"""

import json
import sys


def short(value):
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"


def peer_cell(record):
    for peer in record["peers"]:
        if peer["standing"] == "measured":
            return f"{short(peer['median_us'] / 1e3)} | {peer['median_us'] / record['median_us']:,.0f}"
        return f"{peer['standing']}: {peer['reason'][:80]} | "
    return " | "


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if len(sys.argv) == 2 else 2
    with open(sys.argv[1], encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    first, machine = records[0], records[0]["machine"]
    loads = [load for r in records for load in (r["machine"]["load_begin"][0], r["machine"]["load_end"][0])]
    program = first["program"]
    print("# Appends to a session, one thread\n")
    print(f"Machine: {machine['cpu']}, {machine['processors']} processors ({machine['flags']}), {machine['kernel']}; "
          f"load average {min(loads):.2f} to {max(loads):.2f} over the runs. Commit {program['commit']}, "
          f"{program['compiler']}, {program['build']}.\n")
    print("A session holds `context` characters; each sample appends the next `append` characters. Given: the new part "
          "(delta) or the whole text again (full). Wall time. Every sample's ids equal those of a cold encode of the "
          "whole text. Encoded: bytes encoded for each byte given. Held: bytes of the session for each token, its text "
          f"included. Reference: {first['tokenizer']['reference']}, one encode of the whole text, ids equal. Texts: five slices "
          "of 4 MB of the corpora, one after the other; and transcripts of agents as prompts by the chat template of the "
          "model, with its added tokens. A text began again where stated. How: `scripts/bench/append`, "
          "docs/bench.md.\n")
    model = None
    for r in records:
        text = "transcripts" if r["text"]["name"].startswith("transcripts") else "corpora"
        if (r["model"], text) != model:
            model = (r["model"], text)
            print(f"\n## {r['model'].removeprefix('tokenizers/')}, {text}\n\n{r['tokenizer']['fingerprint']}\n")
            print("| given | append | context | median us | p99 us | samples, all equal | encoded | held | "
                  "reference ms | times ours |")
            print("| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |")
        equal = f"{r['verified']} of {r['samples']}" if r["verified"] != r["samples"] else f"{r['samples']}"
        again = f" (text began again {r['text_begun_again']} times)" if r["text_begun_again"] else ""
        print(f"| {r['interface']} | {r['append']:,} | {r['context']:,}{again} | {short(r['median_us'])} | "
              f"{short(r['p99_us'])} | {equal} | {r['encoded_bytes'] / r['given_bytes']:.3f} | "
              f"{r['session_bytes'] / max(r['context_ids'], 1):.2f} | {peer_cell(r)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
