"""Keratin beside other libraries, in one run: peers.py [names of rows] [options]

For each name keratin-bench and the libraries run in turns on one core, each with one thread, in a process of its own;
the least of all turns counts. The libraries (benchmarks/libraries) live in environments under build/peers, made at the
first run with the versions of benchmarks/peers.txt; what cannot be installed or measured is left out, with a word on
stderr.

Prints a table: what we take, the ceiling of this machine, the best library, its time over ours, and what that aims at
(benchmarks/goals.txt). --markdown puts it into docs/performance.md, under a heading for the processor's model; rows
that were not measured now stay there.
"""

import argparse
import fnmatch
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PAGE = ROOT / "docs" / "performance.md"


@dataclass(frozen=True)
class Place:
    """Where a table is: a section of the page, the columns, the order of rows by their first cells."""

    section: str
    head: list
    order: list


# The environment of each library.
LIBRARIES = {
    "numpy": "jax",
    "jax": "jax",
    "torch": "torch",
    "onnxruntime": "torch",
    "openvino": "torch",
    "inductor": "torch",
}
ROWS = "ew_chain gemm mlp embedding small reduce batchnorm softmax layernorm attention xformer sepconv".split()
ROWS += "cnn_cifar resnet20 resnet50 rnn ctc".split()
HEAD = ["row", "case", "ours", "ceiling", "over it", "best peer", "ratio", "goal"]
PLACE = Place("## Beside other libraries", HEAD, ROWS)

# Families of processors, whose names in virtual machines say little: (vendor, family, models) to what they are.
MICROARCHITECTURES = [
    ("AuthenticAMD", 26, range(0, 256), "Zen 5"),
    ("AuthenticAMD", 25, range(16, 32), "Zen 4"),
    ("AuthenticAMD", 25, range(96, 176), "Zen 4"),
    ("AuthenticAMD", 25, range(0, 256), "Zen 3"),
    ("AuthenticAMD", 23, range(0, 256), "Zen or Zen 2"),
    ("GenuineIntel", 6, [143], "Sapphire Rapids"),
    ("GenuineIntel", 6, [207], "Emerald Rapids"),
    ("GenuineIntel", 6, [173, 174], "Granite Rapids"),
    ("GenuineIntel", 6, [106, 108], "Ice Lake"),
    ("GenuineIntel", 6, [85], "Skylake or Cascade Lake"),
]


def say(text):
    print(f"peers.py: {text}", file=sys.stderr, flush=True)


# ---- What is measured --------------------------------------------------------------------------


@dataclass
class Measured:
    """The least of all turns."""

    ours: dict = field(default_factory=dict)  # (name, case): keratin-bench's line
    peers: dict = field(default_factory=dict)  # (name, case): {library: milliseconds}
    machine: dict = field(default_factory=dict)
    ceilings: dict = field(default_factory=dict)  # what: (value, unit)
    loads: list = field(default_factory=list)
    versions: dict = field(default_factory=dict)  # of libraries

    def add_ours(self, lines):
        for line in lines:
            key = line["name"], line["case"]
            if key[0] == "machine":
                self.machine = line
                self.loads.append(line["load"])
            elif key[0] == "ceiling":
                best = self.ceilings.get(key[1], (0, ""))[0]
                self.ceilings[key[1]] = max(best, line["value"]), line["unit"]
            elif "min_ms" in line:
                before = self.ours.get(key, {})
                line = dict(line)
                for part in ("min_ms", "ceiling_ms"):
                    known = [x[part] for x in (before, line) if x.get(part) is not None]
                    line[part] = min(known, default=None)
                self.ours[key] = line

    def add_peers(self, lines):
        for line in lines:
            library, version = line["peer"].split(" ", 1)
            self.versions[library] = version.split("+")[0]
            times = self.peers.setdefault((line["name"], line["case"]), {})
            times[library] = min(line["min_ms"], times.get(library, float("inf")))


def environment_of(name, folder):
    """The interpreter of an environment with the packages of peers.txt; made where it is not there."""
    wanted = read_environments((HERE / "peers.txt").read_text(encoding="utf-8"))[name]
    place, stamp = folder / name, folder / name / "packages"
    python = place / "bin" / "python"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    say(f"making {place}: {wanted}")
    subprocess.run([sys.executable, "-m", "venv", place], check=True)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for package in wanted.split():
        if subprocess.run([*pip, package]).returncode:
            say(f"{package} is left out")
    stamp.write_text(wanted, encoding="utf-8")
    return python


def read_environments(text):
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return {name: packages.strip() for name, packages in (line.split(":", 1) for line in lines)}


def lines_of(command, what):
    """The JSON lines that a program prints; what it could not do it says on stderr."""
    # Old kernels of OpenBLAS may be asked for, for the sake of older builds of it.
    clean = {k: v for k, v in os.environ.items() if k not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}
    done = subprocess.run(command, env=clean, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        say(f"{what} ended with {done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def measure(options):
    """Yields all that is known after each name."""
    if options.core is not None:
        os.sched_setaffinity(0, {options.core})
    pythons = {name: environment_of(LIBRARIES[name], options.environments) for name in options.peers}
    common = [f"--clock={options.clock}", f"--batches={options.batches}"] + ["--large"] * options.large
    measured = Measured()
    for name in options.names:
        for turn in range(options.turns):
            say(f"{name}, turn {turn + 1} of {options.turns}")
            measured.add_ours(lines_of([options.bench, "--json", *common, name], "keratin-bench"))
            for library, python in pythons.items():
                command = [python, HERE / "libraries" / "measure.py", library, name, *common]
                measured.add_peers(lines_of(command, library))
        yield measured


# ---- The table ---------------------------------------------------------------------------------


def time_text(milliseconds):
    for unit, factor in (("s", 1e-3), ("ms", 1), ("us", 1e3), ("ns", 1e6)):
        if milliseconds * factor >= 1 or unit == "ns":
            return f"{milliseconds * factor:.3g} {unit}"


def read_goals(text):
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [tuple(part.strip() for part in line.split("|")) for line in lines]


def goal_of(goals, name, case):
    for row, pattern, goal in goals:
        if row == name and fnmatch.fnmatchcase(case, pattern):
            return goal
    return "1"


def table_of(measured, goals):
    """Cells of the rows that a library has, too. A ratio that does not reach its goal is bold."""
    table = []
    for (name, case), line in measured.ours.items():
        times = measured.peers.get((name, line.get("peer_case") or case))
        if not times:
            continue
        best = min(times, key=times.get)
        ours, ceiling = line["min_ms"], line["ceiling_ms"]
        ratio, goal = f"{times[best] / ours:.2f}", goal_of(goals, name, case)
        # As it is shown.
        if float(ratio) < float(goal):
            ratio = f"**{ratio}**"
        over = ["", ""] if ceiling is None else [time_text(ceiling), f"{ours / ceiling:.2f}"]
        peer = f"{time_text(times[best])} {best}"
        table.append([name, case, time_text(ours), *over, peer, ratio, goal])
    return table


def print_table(table, head):
    widths = [max(len(row[i]) for row in [head, *table]) for i in range(len(head))]
    for row in [head, *table]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


# ---- The page ----------------------------------------------------------------------------------


def processor(cpuinfo):
    """'AMD EPYC (Zen 5; family 26, model 2)' of /proc/cpuinfo."""
    found = dict(re.findall(r"^([\w ]+?)\s*: (.*)$", cpuinfo.split("\n\n")[0], re.MULTILINE))
    family, model = int(found.get("cpu family", 0)), int(found.get("model", 0))
    kinds = [
        kind + "; "
        for vendor, number, models, kind in MICROARCHITECTURES
        if vendor == found.get("vendor_id") and number == family and model in models
    ]
    name = found.get("model name", "unknown")
    return f"{name} ({''.join(kinds[:1])}family {family}, model {model})"


def conditions(measured, options):
    """The lines between the heading and the table."""
    rates = []
    for what, (value, unit) in measured.ceilings.items():
        if what.startswith(("fma", "amx", "copy")):
            rates.append(f"{what} {value:.0f} {unit}")
    loads = f"load {min(measured.loads):.0f} to {max(measured.loads):.0f}"
    clock = "processor time" if options.clock == "cpu" else "time that passes"
    libraries = ", ".join(f"{name} {version}" for name, version in sorted(measured.versions.items()))
    return (
        f"The last run: {measured.machine['isa']}, one thread, {clock}, the least of {options.turns} turns of "
        f"{options.batches} readings, {loads}.\nMultiply-adds and copies (read and written bytes): "
        f"{', '.join(rates)}.\nLibraries: {libraries}.\n"
    )


def markdown_of(table, head):
    lines, last = [head, ["---"] * len(head)], None
    for row in table:
        lines.append(["" if row[0] == last else row[0], *row[1:]])
        last = row[0]
    return "".join("|" + "|".join(f" {cell} ".replace("  ", " ") for cell in line) + "|\n" for line in lines)


def read_markdown(text, head):
    """The cells of the first table in it."""
    table, last = [], ""
    for line in text.splitlines():
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip()[1:-1].split("|")]
            if cells != head and set(cells) != {"---"}:
                last = cells[0] = cells[0] or last
                table.append(cells)
        elif table:
            break
    return table


def merged(old, new, order):
    """Rows of both, the new ones where there are two; a name's rows stand together."""
    table = {tuple(row[:2]): row for row in old}
    table.update({tuple(row[:2]): row for row in new})
    names = list(dict.fromkeys(name for name, _ in table))
    names.sort(key=lambda name: order.index(name) if name in order else len(order))
    return [row for name in names for row in table.values() if row[0] == name]


def with_table(page, place, model, above, table):
    """The page with the table under the model's heading, which is made where it is not there."""
    if place.section not in page:
        raise ValueError(f"{PAGE} has no section '{place.section}'")
    begin = page.index(place.section)
    end = page.find("\n## ", begin) + 1 or len(page)
    section, heading = page[begin:end], f"### {model}\n"
    start = section.find(heading)
    if start < 0:
        section = section.rstrip("\n") + "\n\n"
        start = stop = len(section)
    else:
        stop = section.find("\n### ", start) + 1 or len(section)
        table = merged(read_markdown(section[start:stop], place.head), table, place.order)
    block = f"{heading}\n{above}\n{markdown_of(table, place.head)}\n"
    section = section[:start] + block + section[stop:]
    return page[:begin] + section + page[end:]


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=f"without any: {' '.join(ROWS)}")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--batches", type=int, default=10, help="readings a turn, each of at least 4 ms")
    parser.add_argument("--core", type=int, help="the core that all run on; without it, any")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="cpu")
    parser.add_argument("--large", action="store_true", help="ResNet-50, too")
    default = [name for name in LIBRARIES if name != "inductor"]
    parser.add_argument("--peers", type=lambda text: text.split(","), default=default, help=",".join(LIBRARIES))
    parser.add_argument("--bench", default=ROOT / "build" / "release" / "bin" / "keratin-bench")
    parser.add_argument("--environments", type=Path, default=ROOT / "build" / "peers")
    parser.add_argument("--markdown", action="store_true", help="into docs/performance.md")
    parser.add_argument("--json", type=Path, help="also writes all that was measured to this file")
    options = parser.parse_args(arguments)
    for name in options.peers:
        if name not in LIBRARIES:
            parser.error(f"no library '{name}': {' '.join(LIBRARIES)}")
    options.names = options.names or [name for name in ROWS if options.large or name != "resnet50"]
    return options


def write_page(place, above, table):
    model = processor(Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    page = with_table(PAGE.read_text(encoding="utf-8"), place, model, above, table)
    PAGE.write_text(page, encoding="utf-8")


def main(arguments):
    options = parse_arguments(arguments)
    goals = read_goals((HERE / "goals.txt").read_text(encoding="utf-8"))
    table = []
    # Whoever ends it early keeps what there is.
    for measured in measure(options):
        table = table_of(measured, goals)
        if options.markdown and table:
            write_page(PLACE, conditions(measured, options), table)
        if options.json:
            peers = [{"name": k[0], "case": k[1], "peers": v} for k, v in measured.peers.items()]
            text = json.dumps({"ours": list(measured.ours.values()), "peers": peers}, indent=1)
            options.json.write_text(text + "\n", encoding="utf-8")
    print_table(table, HEAD)
    return 0 if table else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
