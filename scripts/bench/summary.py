#!/usr/bin/env python3
"""Records of toktier-bench as a page: for each tokenizer and text the speed of every contestant.

Usage: summary.py RECORDS.jsonl [NOTE] > README.md          NOTE is put below the facts of the machine
"""

import json
import sys


def short(value):
    if value is None:
        return "-"
    return f"{value:.{3 if value < 1 else 2 if value < 10 else 1 if value < 100 else 0}f}"


def times(spread):
    if spread is None:
        return "-"
    return f"{short(spread['median'])} ({short(spread['min'])}..{short(spread['max'])})"


def milliseconds(spread):
    return "-" if spread is None else f"{spread['median'] * 1e3:.0f}"


def row(record, lane):
    name, version, s = lane["name"], lane["version"], lane["summary"]
    text = record["text"]["name"].removesuffix(".jsonl")
    if lane["standing"] != "measured":
        reason = lane["reason"].replace("|", "\\|").replace("\n", " ")
        return f"| {text} | {name} {version} | {lane['standing']}: {reason[:160]} | | | | | |"
    own = name == "toktier"
    return (f"| {text} | {name} {version} | {short(s['first_mb_s_cpu'])} | {short(s['later_mb_s_cpu'])} | "
            f"{'' if own else times(s['times_first_cpu'])} | {'' if own else times(s['times_later_cpu'])} | "
            f"{milliseconds(s['load_cpu'])} | {milliseconds(s['first_call_cpu'])} |")


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        sys.exit(0 if sys.argv[1:2] in (["-h"], ["--help"]) else 2)
    with open(sys.argv[1], encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    first = records[0]
    machine, options = first["machine"], first["options"]
    loads = [load for r in records for load in (r["machine"]["load_begin"][0], r["machine"]["load_end"][0])]
    print("# First pass: new text, one thread\n")
    print(f"Machine: {machine['cpu']}, {machine['processors']} processors ({machine['flags']}), {machine['kernel']}; "
          f"load average {min(loads):.2f} to {max(loads):.2f} over the runs. "
          f"Commit {first['program']['commit']}, {first['program']['compiler']}, {first['program']['build']}.\n")
    if len(sys.argv) == 3 and sys.argv[2]:
        print(sys.argv[2] + "\n")
    print("MB/s of processor time, medians of "
          f"{options['samples']} fresh processes. First: the first pass over text that the process has not seen. Later: "
          f"the same text again ({options['passes']} passes). \"Ours is .. times as fast\": processor time of the same "
          "round, median (least..most). Load: opening the file, ms. First call: a whole process on "
          "64 KiB, ms. Both processor time; wall times are in `records.jsonl`. Ids of every pass are equal to ours "
          "where a speed is shown. How: `scripts/bench/first_pass`, docs/bench.md.\n")
    model = None
    for record in records:
        if record["model"]["name"] != model:
            model = record["model"]["name"]
            print(f"\n## {model.removeprefix('tokenizers/')}\n\n{record['model']['fingerprint']}\n")
            print("| text | contestant | first MB/s | later MB/s | ours is .. times: first | later | load | first call |")
            print("| --- | --- | --: | --: | --: | --: | --: | --: |")
        for lane in record["contestants"]:
            print(row(record, lane))
    print("\n## Texts\n\n| text | documents | bytes | sha256 |\n| --- | --: | --: | --- |")
    seen = {}
    for record in records:
        seen.setdefault(record["text"]["name"], record["text"])
    for name, text in seen.items():
        print(f"| {name} | {text['documents']:,} | {text['bytes']:,} | {text['sha256']} |")
    print("\n## Calls\n")
    calls = {lane["name"]: lane for record in records for lane in record["contestants"] if lane["call"]}
    for name, lane in calls.items():
        print(f"- {name}: {lane['engine']} {lane['version']} ({lane['runtime']}): `{lane['call']}`")


main()
