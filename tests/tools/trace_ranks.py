"""Traces of the ranks of a job show kernels while messages are under way: trace_ranks.py KERATIN_RUN MODEL_OF_TWO_LAYERS
SCRATCH_FOLDER."""

import json
import os
import shutil
import subprocess
import sys

RUN, STEP, SCRATCH = sys.argv[1:]
shutil.rmtree(SCRATCH, ignore_errors=True)
os.makedirs(SCRATCH)


def job(name, *arguments):
    """Exit codes and what was said, by rank."""
    ranks = [subprocess.Popen([RUN, *arguments], cwd=SCRATCH, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={**os.environ, "KERATIN_RANK": str(rank), "KERATIN_RANKS": "2",
                                   "KERATIN_JOB": f"trace-ranks-{os.getpid()}-{name}"})
             for rank in range(2)]
    said = [rank.communicate(timeout=300) for rank in ranks]
    return [(rank.returncode, *texts) for rank, texts in zip(ranks, said)]


def need(condition, found):
    if not condition:
        sys.exit(f"trace_ranks.py: {found}")


def read(path):
    with open(os.path.join(SCRATCH, path), encoding="utf-8") as file:
        return json.load(file)["traceEvents"]


def kernels_beside_messages(events):
    """Kernels that ran between the start of a message and the end of the wait for it, no messages among them; by message."""
    messages = {}
    for event in events:
        if event.get("cat") == "message":
            messages.setdefault(event["id"], []).append(event)
    found = {}
    kernels = [event for event in events if event.get("cat") == "kernel" and "all_reduce" not in event["name"]]
    for number, (start, end) in messages.items():
        need((start["ph"], end["ph"]) == ("b", "e") and start["ts"] <= end["ts"], (start, end))
        found[number] = [k["name"] for k in kernels if start["ts"] <= k["ts"] and k["ts"] + k["dur"] <= end["ts"]]
    return found


outcomes = job("step", STEP, "--random", "--quiet", "--size=d0=4", "--profile=trace.json")
for code, out, err in outcomes:
    need((code, out, err) == (0, "", ""), err)
need(sorted(os.listdir(SCRATCH)) == ["trace.0.json", "trace.1.json"], os.listdir(SCRATCH))
calls = []
for rank in range(2):
    events = read(f"trace.{rank}.json")
    need({event["pid"] for event in events} == {rank}, "another process than the rank")
    names = [event["args"]["name"] for event in events if event["name"] == "process_name"]
    need(names == [f"rank {rank}"], names)
    beside = kernels_beside_messages(events)
    # The loss and two buckets: while the last layer's is under way, the first layer's gradient is computed.
    need(len(beside) == 3 and "gradient of dot_general" in beside[1] and not beside[2], beside)
    calls += [event for event in events if event.get("cat") == "call"]
# One clock: the calls of a machine's ranks, which wait for each other, lie beside each other.
need(len(calls) == 2 and max(c["ts"] for c in calls) < min(c["ts"] + c["dur"] for c in calls), calls)
