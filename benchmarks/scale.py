"""What a step takes on many ranks: a model of messages, fitted to those measured here, and the schedules of compiled steps.

scale.py [--messages=FILE] [--models=FOLDER] [--simulate=RANKS,...] [--write]

Messages are the lines of message_bench (benchmarks/messages.jsonl), schedules what keratin-dump --shard=batch says of the steps of scale_models.py in
FOLDER, which are made where they are not there. Prints the tables; --write puts them into docs/scale.md, which says what they assume.
--simulate runs the same schedules in SimGrid too (benchmarks/simgrid; Debian's libsimgrid-dev): seconds for 64 ranks, minutes for 256.
"""

import argparse
import itertools
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PAGE = ROOT / "docs" / "scale.md"
RANKS = [8, 16, 64, 256, 1024]
GATHERED = 16  # so many ranks announce by a gather, more by rounds: runtime/comm/Collective.cpp
HASHED = 16  # bytes that each rank tells a neighbour in each round
ANNOUNCED = 256  # and all others in a gather: runtime/comm/Announcement.h
SMALL = 4 << 10  # what all ranks send together for one move to do: runtime/comm/Collective.cpp
PIECE = 8 << 20


@dataclass(frozen=True)
class Network:
    """LogGP, with what adding up takes: microseconds, and microseconds a byte."""

    name: str
    latency: float  # L: of a move, whatever it holds
    overhead: float  # o and g: for each message that a rank sends
    byte: float  # G
    add: float  # of a byte that goes into a sum


def announcement(ranks):
    """Moves, messages of a rank and bytes: one gather, or rounds of a message each."""
    if ranks <= GATHERED:
        return 1, ranks - 1, ANNOUNCED * (ranks - 1)
    rounds = (ranks - 1).bit_length()
    return rounds, rounds, HASHED * rounds


def coefficients(size, ranks):
    """How often each of the four is in an all_reduce: the announcement, and for each piece an exchange and a gather, or one gather alone."""
    if size * ranks <= SMALL:
        moves, sent, added = 1, size * (ranks - 1), size * ranks
    else:
        moves, sent, added = 2 * -(-size // PIECE), 2 * size * (ranks - 1) / ranks, size
    rounds, messages, announced = announcement(ranks)
    return numpy.array([rounds + moves, messages + moves * (ranks - 1), announced + sent, added], float)


def message(network, size, ranks):
    return coefficients(size, ranks) @ [network.latency, network.overhead, network.byte, network.add]


# ---- Measured here -----------------------------------------------------------------------------


def time_of(line):
    """With more programs than cores the time that passes has waits in it, which the processor's time of a rank has not; where ranks ask again and
    again, that has too much. The less of the two is nearer to the message."""
    return min(line["least"], line["processor"])


def fit(name, lines):
    """Not negative, and of the least relative errors: numpy has no such fit, so all subsets of the four are tried."""
    times = numpy.array([time_of(line) for line in lines])
    rows = numpy.array([coefficients(line["bytes"], line["ranks"]) for line in lines]) / times[:, None]
    best, found = numpy.inf, None
    for kept in itertools.chain.from_iterable(itertools.combinations(range(4), n) for n in range(1, 5)):
        values, *_ = numpy.linalg.lstsq(rows[:, kept], numpy.ones(len(times)), rcond=None)
        error = numpy.sum((rows[:, kept] @ values - 1) ** 2)
        if (values >= 0).all() and error < best:
            best, found = error, numpy.zeros(4)
            found[list(kept)] = values
    return Network(name, *found)


def errors(network, lines):
    return numpy.array([message(network, line["bytes"], line["ranks"]) / time_of(line) for line in lines])


# ---- Schedules ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Schedule:
    """A step: its messages, ("start" or "wait", kernel, microseconds of kernels before it)."""

    name: str
    work: float  # microseconds of all kernels
    bytes: dict  # of a message, by its kernel
    events: list


def dump(path, *arguments):
    program = ROOT / "build" / "release" / "bin" / "keratin-dump"
    return subprocess.run([program, path, "--shard=batch", *arguments], check=True, text=True, stdout=subprocess.PIPE).stdout


def schedule_of(path):
    kernels = {k["number"]: k for k in json.loads(dump(path, "--stage=plan", "--format=json", "--size=batch=32"))["functions"][0]["kernels"]}
    work = {number: LAUNCH + max(k["flops"] / OPERATIONS, (k["bytes_read"] + k["bytes_written"]) / BANDWIDTH) for number, k in kernels.items()}
    sizes, events, done = {}, [], 0
    for verb, number in re.findall(r"host\.(launch|start_collective|wait_collective) kernel (\d+)", dump(path, "--stage=host")):
        number = int(number)
        if verb == "launch":
            done += work[number]
        else:
            sizes[number] = kernels[number]["bytes_read"]
            events.append((verb.split("_")[0], number, done))
    return Schedule(path.stem, done, sizes, events)


def step(schedule, network, ranks):
    """The time of a step: messages go one after the other, beside the kernels, until they are waited for."""
    now = free = before = 0
    ready = {}
    for kind, number, at in schedule.events:
        now += at - before
        before = at
        if kind == "start":
            free = max(free, now) + message(network, schedule.bytes[number], ranks)
            ready[number] = free
        else:
            now = max(now, ready[number])
    return now + schedule.work - before


# ---- A second opinion --------------------------------------------------------------------------


def simulator(folder):
    """benchmarks/simgrid, compiled."""
    source, program = HERE / "simgrid" / "steps.cpp", folder / "simgrid-steps"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["clang++-19", "-std=c++17", "-O2", source, "-o", program, "-lsimgrid"], check=True)
    return program


def simulated(program, schedule, network, ranks, late):
    """step(), by SimGrid; each rank's kernels take longer by a share that is drawn, of this mean."""
    lines, places, before = [], {}, 0
    for kind, number, at in schedule.events:
        if kind == "start":
            places[number] = len(places)
        lines.append(f"{kind} {schedule.bytes[number] if kind == 'start' else places[number]} {at - before}")
        before = at
    lines.append(f"end {schedule.work - before}")
    numbers = [ranks, network.latency, network.overhead, network.byte, network.add, late]
    done = subprocess.run([program, *map(str, numbers), "--log=root.thres:error"], input="\n".join(lines), check=True, text=True, stdout=subprocess.PIPE)
    return float(done.stdout)


def simulated_table(program, schedules, all_ranks):
    rows = []
    for schedule, network in itertools.product(schedules, NETWORKS):
        model = [f"{schedule.work / step(schedule, network, n):.0%}" for n in all_ranks]
        rows.append([schedule.name, network.name, "", *model])
        for late in LATE:
            times = [simulated(program, schedule, network, n, late) for n in all_ranks]
            rows.append(["", "", f"SimGrid, kernels late by {late:.0%}" if late else "SimGrid", *(f"{schedule.work / time:.0%}" for time in times)])
    return table(["step", "network", "", *all_ranks], rows)


# ---- The page ----------------------------------------------------------------------------------

# Published; docs/scale.md says where.
NETWORKS = [
    Network("100 Gb/s InfiniBand", 1.5, 0.3, 1 / 12000, 1 / 10000),
    Network("100 Gb/s Ethernet, TCP", 20, 2, 1 / 11000, 1 / 10000),
    Network("NVLink 4, NCCL", 6, 0.1, 1 / 370000, 1 / 1000000),
]
# A rank's device, of 32 rows: operations and bytes in a microsecond, and what a kernel takes beside.
OPERATIONS, BANDWIDTH, LAUNCH = 10e6, 0.9e6, 5
# Of their time: how late kernels are on a rank, beside not at all.
LATE = [0, 0.05]
STEPS = ["digits", "resnet50", "resnet50_sync", "transformer"]


def table(head, rows):
    return "".join("| " + " | ".join(map(str, row)) + " |\n" for row in [head, ["---"] * len(head), *rows])


def measured_tables(lines):
    rows, fits = [], []
    for engine in dict.fromkeys(line["engine"] for line in lines):
        own = [line for line in lines if line["engine"] == engine]
        for size in sorted({line["bytes"] for line in own}):
            cells = []
            for ranks in (2, 4):
                at = [line for line in own if (line["bytes"], line["ranks"]) == (size, ranks)]
                cells += [f"{at[0][what]:.3g}" for what in ("least", "median", "processor")] if at else ["", "", ""]
            rows.append([engine, size, *cells])
        network = fit(engine, own)
        for ranks in (2, 4):
            off = errors(network, [line for line in own if line["ranks"] == ranks])
            if len(off):
                spread = numpy.exp(numpy.median(abs(numpy.log(off))))
                fits.append([engine, ranks, f"{network.latency:.3g}", f"{network.overhead:.3g}", f"{network.byte * 1e3:.3g}", f"{network.add * 1e3:.3g}",
                             f"{spread:.2f}", f"{off.min():.2f} to {off.max():.2f}"])
    return (table(["engine", "bytes", "2 ranks: least", "median", "processor", "4 ranks: least", "median", "processor"], rows),
            table(["engine", "ranks", "L", "o", "G, ns/byte", "add, ns/byte", "off by", "predicted over measured"], fits))


def predicted_tables(schedules):
    messages, rows = [], []
    for schedule in schedules:
        total = sum(schedule.bytes.values())
        starts = {number: at for kind, number, at in schedule.events if kind == "start"}
        half = min(at for at in starts.values() if sum(schedule.bytes[n] for n in starts if starts[n] <= at) >= total / 2)
        messages.append([schedule.name, len(schedule.bytes), f"{total / 1e6:.3g} MB", f"{max(schedule.bytes.values()) / 1e6:.3g} MB",
                         f"{half / schedule.work:.0%}", f"{schedule.work / 1e3:.3g} ms"])
        for network in NETWORKS:
            rows.append([schedule.name, network.name, *(f"{schedule.work / step(schedule, network, n):.0%}" for n in RANKS)])
    return (table(["step", "messages", "bytes", "largest", "half of the bytes are ready after", "kernels"], messages),
            table(["step", "network", *RANKS], rows))


def replaced(page, mark, text):
    begin, end = f"<!-- {mark} -->\n", f"<!-- end of {mark} -->"
    first, last = page.index(begin) + len(begin), page.index(end)
    return page[:first] + text + page[last:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=Path, default=HERE / "messages.jsonl")
    parser.add_argument("--models", type=Path, default=ROOT / "build" / "scale")
    parser.add_argument("--simulate", type=lambda text: [int(each) for each in text.split(",")], help="numbers of ranks")
    parser.add_argument("--write", action="store_true", help="into docs/scale.md")
    options = parser.parse_args()
    if not (options.models / "transformer.ktg").exists():
        options.models.mkdir(parents=True, exist_ok=True)
        path = os.pathsep.join([str(ROOT / "build" / "release" / "python"), os.environ.get("PYTHONPATH", "")])
        subprocess.run([ROOT / "build" / "python-env" / "bin" / "python", HERE / "scale_models.py", options.models], check=True,
                       env={**os.environ, "PYTHONPATH": path})
    lines = [json.loads(line) for line in options.messages.read_text(encoding="utf-8").splitlines()]
    tables = dict(zip(("measured", "fitted"), measured_tables(lines)))
    schedules = [schedule_of(options.models / f"{name}.ktg") for name in STEPS]
    tables.update(zip(("schedules", "predicted"), predicted_tables(schedules)))
    if options.simulate:
        tables["simulated"] = simulated_table(simulator(options.models), schedules, options.simulate)
    page = PAGE.read_text(encoding="utf-8") if options.write else ""
    for mark, text in tables.items():
        print(text)
        if options.write:
            page = replaced(page, mark, text)
    if options.write:
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
