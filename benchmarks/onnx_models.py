"""Models of ONNX beside ONNX Runtime and OpenVINO, in one run: onnx_models.py [names of models] [options]

Each model (benchmarks/libraries/onnx_files.py) is compiled by keratin-compile; then the object and the libraries compute in turns,
on one core, each with one thread, in a process of its own; the least of all turns counts. Results must be those of ONNX Runtime.
The libraries live in the environment that benchmarks/peers.py makes; models lie in build/peers/models.

Prints a table: times of a call, the best library's over ours, the bytes of temporaries, and what keratin-compile took from
.onnx to .so. --markdown puts it into docs/performance.md, under a heading for the processor's model; rows that were not measured
now stay there.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import peers

NAMES = "resnet50 densenet121 inception_v1 inception_v2 shufflenet squeezenet bvlc_alexnet zfnet512 vgg19".split()
NAMES += "mobilenet_v3 yolo unet vit_small bert gpt lstm".split()
HEAD = ["model", "case", "ours", "ONNX Runtime", "OpenVINO", "ratio", "arena MiB", "kernels", "to .so", "processor time"]
PLACE = peers.Place("## Models of ONNX", HEAD, NAMES)
LIBRARIES = ["keratin", "onnxruntime", "openvino"]


@dataclass
class Compiled:
    """What keratin-compile says, and the least seconds it took."""

    kernels: str = ""
    elapsed: float = float("inf")
    processor: float = float("inf")


@dataclass
class Measured:
    """The least of all turns."""

    milliseconds: dict = field(default_factory=dict)  # case: {library: milliseconds}
    arena: dict = field(default_factory=dict)  # case: bytes
    compiled: Compiled = field(default_factory=Compiled)

    def add(self, lines, versions):
        for line in lines:
            library, version = line["peer"].split(" ", 1)
            versions[library] = version.split("+")[0]
            times = self.milliseconds.setdefault(line["case"], {})
            times[library] = min(line["min_ms"], times.get(library, float("inf")))

    def rows(self, name):
        """Cells of the cases that were measured here; what is said of the model stands in the first."""
        made = self.compiled
        facts = [made.kernels, f"{made.elapsed:.2g} s", f"{made.processor:.2g} s"]
        for case, times in self.milliseconds.items():
            if "keratin" not in times:
                continue
            texts = [peers.time_text(times[library]) if library in times else "" for library in LIBRARIES]
            others = [time for library, time in times.items() if library != "keratin"]
            ratio = f"{min(others) / times['keratin']:.2f}" if others else ""
            ratio = f"**{ratio}**" if others and float(ratio) < 1 else ratio
            yield [name, case, *texts, ratio, f"{self.arena[case] / 2**20:.3g}", *facts]
            facts = [""] * len(facts)


def kernels_of(timing):
    """'79, 31 different' of what --timing prints."""
    return re.sub(r".* ms, (\d+) kernels, (\d+) of them.*", r"\1, \2 different", timing.splitlines()[0])


def compile_model(folder, tools, made):
    begin, before = time.perf_counter(), os.times()
    command = [tools / "keratin-compile", folder / "model.onnx", "-o", folder / "model.so", "--threads=1", "--timing"]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=True)
    after = os.times()
    made.kernels = kernels_of(done.stderr)
    made.elapsed = min(made.elapsed, time.perf_counter() - begin)
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    made.processor = min(made.processor, spent)


def arena_of(stats):
    return int(re.search(r"arena bytes +(\d+)", stats)[1])


def measure(options):
    """Yields the rows of one model after the other."""
    if options.core is not None:
        os.sched_setaffinity(0, {options.core})
    python, versions = peers.environment_of("torch", options.environments), {}
    os.environ["PYTHONPATH"] = str(options.build / "python")
    tools = options.build / "bin"
    for name in options.names:
        folder, measured = options.environments / "models" / name, Measured()
        subprocess.run([python, peers.HERE / "libraries" / "onnx_files.py", folder.parent, name], stdout=subprocess.DEVNULL, check=True)
        for turn in range(options.turns):
            peers.say(f"{name}, turn {turn + 1} of {options.turns}")
            compile_model(folder, tools, measured.compiled)
            for library in LIBRARIES:
                command = [python, peers.HERE / "libraries" / "onnx_rows.py", library, folder]
                command += [f"--clock={options.clock}", f"--batches={options.batches}"]
                measured.add(peers.lines_of(command, library), versions)
        for case in measured.milliseconds:
            sizes = (folder / f"{case}.sizes").read_text(encoding="utf-8").split()
            command = [tools / "keratin-dump", folder / "model.onnx", "--format=stats", *(f"--size={size}" for size in sizes)]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            measured.arena[case] = arena_of(done.stdout)
        yield versions, list(measured.rows(name))


def conditions(versions, options):
    clock = "processor time" if options.clock == "cpu" else "time that passes"
    libraries = ", ".join(f"{name} {version}" for name, version in sorted(versions.items()) if name != "keratin")
    load = f"{os.getloadavg()[0]:.0f}"
    return f"The last run: one thread, {clock}, the least of {options.turns} turns of {options.batches} readings, load {load}; {libraries}.\n"


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=NAMES, help=f"without any: {' '.join(NAMES)}")
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--batches", type=int, default=5, help="readings a turn, each of at least 4 ms")
    parser.add_argument("--core", type=int, help="the core that all run on; without it, any")
    parser.add_argument("--clock", choices=("wall", "cpu"), default="cpu")
    parser.add_argument("--build", type=Path, default=peers.ROOT / "build" / "release")
    parser.add_argument("--environments", type=Path, default=peers.ROOT / "build" / "peers")
    parser.add_argument("--markdown", action="store_true", help="into docs/performance.md")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse_arguments(arguments)
    table = []
    # Whoever ends it early keeps what there is.
    for versions, rows in measure(options):
        table += rows
        if options.markdown and rows:
            peers.write_page(PLACE, conditions(versions, options), rows)
    peers.print_table(table, HEAD)
    return 0 if table else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
