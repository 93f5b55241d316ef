"""Makes PTX of the kernels of programs of tests, and assembles it where ptxas is.

Each program runs with KERATIN_TEST_TARGET=ptx: what it compiles goes through code generation for the device "cuda" too, and
the PTX is linted (tests/support/PtxTarget.h): unknown instructions, arithmetic that does not round to the nearest and memory of
a thread's own make it fail. The different kernels are then assembled, many with each start of ptxas: all for the first
architecture, and one in --sample for each of the others (1: all), with a table of what they take by their forms. Models are
compiled for the target too, as the kernels that benchmarks measure: they are assembled for all architectures, and none that has
a form of its own may spill.

  ptx-sweep.py [--every=N] [--jobs=N] [--archs=sm_80,sm_90,...] [--sample=N] [--verdicts=FILE]
               [--compiler=PROGRAM [--bench=PROGRAM] [--models=FILE,...] [--tf32-models=FILE,...]]
               -- program argument... [-- program argument...]

The compiler is keratin-compile that knows the target "ptx", the bench keratin-bench, whose models are taken too.
Those of --tf32-models are compiled with products of float32 in tf32. The file of --verdicts keeps what this ptxas said of
kernels that are good: they are not assembled again.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import hashlib
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ARCHITECTURES = "sm_80,sm_90,sm_86,sm_89,sm_90a,sm_100,sm_120"
KERNELS_OF_START = 32
# A kernel by itself, under the name k, with what stands before it in a module: another text is another kernel.
Kernel = collections.namedtuple("Kernel", "form text head")
Verdict = collections.namedtuple("Verdict", "registers spills stack")


def ptxas():
    named = os.environ.get("KERATIN_PTXAS")
    if named is not None:
        return named if os.access(named, os.X_OK) else None
    found = shutil.which("ptxas")
    return found or next((p for p in ("/usr/local/cuda/bin/ptxas",) if os.access(p, os.X_OK)), None)


def programs(words):
    lists = [[]]
    for word in words:
        if word == "--":
            lists.append([])
        else:
            lists[-1].append(word)
    return [words for words in lists if words]


def collect(command, folder, every):
    environment = dict(os.environ, KERATIN_TEST_TARGET="ptx", KERATIN_PTX_FOLDER=str(folder), KERATIN_TEST_EVERY=str(every))
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.stdout.write(done.stdout[-4000:])
        print(f"ptx-sweep: {' '.join(command)} failed")
    return done.returncode == 0


def renamed(text, name, to):
    return re.sub(rf"\b{name}(?=\b|_param_)", to, text)


def kernels_of(folder):
    """The different kernels in the files of a folder, each once."""
    kernels = {}
    for path in sorted(folder.glob("*.ptx")):
        text = path.read_text()
        if "// form: " not in text:  # a module whose tables its kernels share
            kernels.setdefault(text, Kernel("unknown", text, ""))
            continue
        memory = "".join(sorted(set(re.findall(r"^\.extern \.shared .*\n", text, re.M))))
        head, *parts = re.sub(r"^\.extern \.shared .*\n", "", text, flags=re.M).split("// form: ")
        for part in parts:
            form, body = part.split("\n", 1)
            name = re.search(r"\.entry (\w+)", body)[1]
            # Labels have the number of the function in the module that it comes from.
            body = re.sub(r"\$L__BB\d+_", "$L__BB_", renamed(body, name, "k"))
            kernels.setdefault(body, Kernel(form or "unknown", body, head + (memory if "keratin_shared" in body else "")))
    return list(kernels.values())


def verdicts_of(log):
    """What the assembler says of each kernel, by its name."""
    verdicts = {}
    for part in log.split("Compiling entry function '")[1:]:
        number = lambda pattern: int((re.search(r"(\d+) " + pattern, part) or [0, 0])[1])
        verdicts[part.split("'")[0]] = Verdict(number("registers"), number("bytes spill stores") + number("bytes spill loads"),
                                               number("bytes stack frame"))
    return verdicts
class Assembler:
    """ptxas, with what it has said of kernels before."""

    def __init__(self, tool, jobs, verdicts, folder):
        self.tool, self.jobs, self.folder = tool, jobs, folder
        self.version = subprocess.run([tool, "--version"], stdout=subprocess.PIPE, text=True).stdout
        self.known, self.kept = {}, None
        if verdicts:
            # A line a kernel, as they come: a sweep that is broken off, perhaps within a line, goes on from there.
            self.kept = open(verdicts, "a+", encoding="utf-8")
            self.kept.seek(0)
            for line in self.kept:
                with contextlib.suppress(ValueError):
                    key, self.known[key] = json.loads(line)
            self.kept.write("\n")

    def key(self, kernel, arch):
        return hashlib.sha256("\0".join((self.version, arch, kernel.head, kernel.text)).encode()).hexdigest()[:32]

    def start(self, batch):
        """Whether ptxas takes these kernels for an architecture, its log, and what it says of each."""
        number, arch, kernels = batch
        path = self.folder / f"batch-{number}.ptx"
        named = [renamed(kernel.text, "k", f"k{place}") if kernel.head else kernel.text for place, kernel in enumerate(kernels)]
        path.write_text(kernels[0].head + "".join(named))
        out = path.with_suffix(".cubin")
        done = subprocess.run([self.tool, "-v", f"-arch={arch}", str(path), "-o", str(out)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for file in (path, out):
            file.unlink(missing_ok=True)
        return done.returncode == 0, done.stdout, verdicts_of(done.stdout)

    def run(self, kernels, archs):
        """Whether all are good, and (kernel, arch, verdict) of each; `archs` says for which a kernel is assembled."""
        work, found = collections.defaultdict(list), []
        for place, kernel in enumerate(kernels):
            for arch in archs(place):
                key = self.key(kernel, arch)
                if key in self.known:
                    found += [(kernel, arch, Verdict(*values)) for values in self.known[key]]
                else:
                    work[arch, kernel.head or kernel.text].append(kernel)
        batches = [(arch, part[i:i + KERNELS_OF_START]) for (arch, _), part in work.items() for i in range(0, len(part), KERNELS_OF_START)]
        batches = [(number, *batch) for number, batch in enumerate(batches)]
        good = True
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for (_, arch, part), (is_good, log, verdicts) in zip(batches, pool.map(self.start, batches)):
                if not is_good:
                    good = False
                    print(f"ptx-sweep: {', '.join(sorted(set(kernel.form for kernel in part)))} for {arch}:\n{log[-2000:]}")
                    continue
                for place, kernel in enumerate(part):
                    own = [verdicts[f"k{place}"]] if kernel.head else list(verdicts.values())
                    found += [(kernel, arch, verdict) for verdict in own]
                    if not any(map(is_indexed, own)):
                        self.keep(self.key(kernel, arch), own)
        for kernel, arch, verdict in found:
            if is_indexed(verdict):
                good = False
                print(f"ptx-sweep: a kernel ({kernel.form}) for {arch} has {verdict.stack} bytes of a thread's own memory:\n{kernel.text}")
        return good, found

    def keep(self, key, verdicts):
        self.known[key] = verdicts
        if self.kept:
            self.kept.write(json.dumps([key, verdicts]) + "\n")
            self.kept.flush()


def is_indexed(verdict):
    """Whether there is memory of a thread's own that is no spill: an array that is indexed."""
    return verdict.stack and not verdict.spills


def table(found):
    """Lines: of each form and architecture the kernels, their registers, and how many spill."""
    rows = collections.defaultdict(list)
    for kernel, arch, verdict in found:
        rows[kernel.form, arch].append(verdict)
    lines = [f"{'form':<40} {'arch':<7} {'kernels':>7} {'registers: median':>17} {'most':>5} {'spilling':>8} {'bytes':>6}"]
    for (form, arch), verdicts in sorted(rows.items()):
        registers = [verdict.registers for verdict in verdicts]
        spilling = [verdict.spills for verdict in verdicts if verdict.spills]
        lines.append(f"{form[:40]:<40} {arch:<7} {len(verdicts):>7} {int(statistics.median(registers)):>17} "
                     f"{max(registers):>5} {len(spilling):>8} {max(spilling, default=0):>6}")
    return lines


def report(title, kernels, found):
    print(f"ptx-sweep: {title}: {len(kernels)} different kernels")
    for line in table(found) if found else []:
        print("  " + line)


def have_no_spills(found):
    # What is a thread's for each unit is slow anyhow.
    spilling = [f"ptx-sweep: a kernel of a benchmark spills {verdict.spills} bytes on {arch}: {kernel.form}, {verdict.registers} registers"
                for kernel, arch, verdict in found if verdict.spills and not kernel.form.startswith("units: ")]
    for line in spilling:
        print(line)
    return not spilling


def main():
    words = sys.argv[1:]
    cut = words.index("--")
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--archs", default=ARCHITECTURES)
    parser.add_argument("--sample", type=int, default=8, help="of the kernels one in N, for the architectures behind the first")
    parser.add_argument("--verdicts", default="")
    parser.add_argument("--models", default="")
    parser.add_argument("--tf32-models", default="")
    parser.add_argument("--compiler", default="")
    parser.add_argument("--bench", default="")
    options = parser.parse_args(words[:cut])
    archs = options.archs.split(",")
    with tempfile.TemporaryDirectory() as name:
        sweep, benchmarks = pathlib.Path(name, "sweep"), pathlib.Path(name, "benchmarks")
        sweep.mkdir()
        benchmarks.mkdir()
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            good = all(list(pool.map(lambda command: collect(command, sweep, options.every), programs(words[cut + 1:]))))
        listed = lambda text: list(filter(None, text.split(",")))
        models = listed(options.models)
        if options.bench:
            subprocess.run([options.bench, f"--save-models={name}"], check=True)
            models += sorted(str(path) for path in pathlib.Path(name).glob("*.ktg"))
        models = [(model, "float32") for model in models] + [(model, "tf32") for model in listed(options.tf32_models)]
        for model, products in models:
            out = pathlib.Path(name, "model.o")
            good &= collect([options.compiler, model, "--name=model", "--target=ptx", f"--float32-products={products}",
                             "--emit=obj", "-o", str(out)], benchmarks, 1)
        kernels, measured = kernels_of(sweep), kernels_of(benchmarks)
        good &= bool(kernels) and (bool(measured) or not models)
        found, found_measured = [], []
        if tool := ptxas():
            assembler = Assembler(tool, options.jobs, options.verdicts, pathlib.Path(name))
            sampled = lambda number: [arch for place, arch in enumerate(archs) if place == 0 or (number + place) % options.sample == 0]
            is_good, found = assembler.run(kernels, sampled)
            are_good, found_measured = assembler.run(measured, lambda number: archs)
            good &= is_good and are_good
        report("tests", kernels, found)
        report("benchmarks", measured, found_measured)
        good &= have_no_spills(found_measured)
        if not tool:
            print("ptx-sweep: linted; there is no ptxas: nothing is assembled, and registers and spills are not known")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
