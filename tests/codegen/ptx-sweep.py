"""Makes PTX of the kernels of programs of tests, and assembles it where ptxas is.

Each program runs with KERATIN_TEST_TARGET=ptx: what it compiles goes through code generation for the device "cuda" too, and
the PTX is linted (tests/support/PtxTarget.h): unknown instructions, arithmetic that does not round to the nearest and memory of
a thread's own make it fail. The different kernels are then assembled, all for the first architecture and a sample for each of
the others, with a table of what they take by their forms. Models are compiled for the target too, as the kernels that
benchmarks measure: they are assembled for all architectures, and none that has a form of its own may spill.

  ptx-sweep.py [--every=N] [--jobs=N] [--archs=sm_80,sm_90,...] [--sample=N] [--compiler=PROGRAM [--bench=PROGRAM] [--models=FILE,...] [--tf32-models=FILE,...]]
               -- program argument... [-- program argument...]

The compiler is keratin-compile that knows the target "ptx", the bench keratin-bench, whose models are taken too.
Those of --tf32-models are compiled with products of float32 in tf32.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ARCHITECTURES = "sm_80,sm_90,sm_86,sm_89,sm_90a,sm_100,sm_120"
Kernel = collections.namedtuple("Kernel", "name form registers spills stack")


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


def forms_of(path):
    """The form of each kernel, from the comments above them."""
    forms, form = {}, ""
    for line in path.read_text().splitlines():
        if line.startswith("// form: "):
            form = line[len("// form: "):]
        elif line.startswith(".visible .entry "):
            forms[line.split()[2].split("(")[0]] = form or "unknown"
            form = ""
    return forms


def kernels_of(log, forms):
    """What the assembler says of each kernel."""
    kernels = []
    for part in log.split("Compiling entry function '")[1:]:
        number = lambda pattern: int((re.search(r"(\d+) " + pattern, part) or [0, 0])[1])
        name = part.split("'")[0]
        kernels.append(Kernel(name, forms.get(name, "unknown"), number("registers"),
                              number("bytes spill stores") + number("bytes spill loads"), number("bytes stack frame")))
    return kernels


def assemble(tool, path, arch):
    out = path.with_suffix("." + arch)
    done = subprocess.run([tool, "-v", f"-arch={arch}", str(path), "-o", str(out)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    out.unlink(missing_ok=True)
    return done.returncode == 0, done.stdout, kernels_of(done.stdout, forms_of(path))


def table(results):
    """Lines: of each form and architecture the kernels, their registers, and how many spill."""
    rows = collections.defaultdict(list)
    for (_, arch), (_, _, kernels) in results:
        for kernel in kernels:
            rows[kernel.form, arch].append(kernel)
    lines = [f"{'form':<40} {'arch':<7} {'kernels':>7} {'registers: median':>17} {'most':>5} {'spilling':>8} {'bytes':>6}"]
    for (form, arch), kernels in sorted(rows.items()):
        registers = [kernel.registers for kernel in kernels]
        spilling = [kernel.spills for kernel in kernels if kernel.spills]
        lines.append(f"{form[:40]:<40} {arch:<7} {len(kernels):>7} {int(statistics.median(registers)):>17} "
                     f"{max(registers):>5} {len(spilling):>8} {max(spilling, default=0):>6}")
    return lines


def assemble_all(tool, work, jobs):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = list(zip(work, pool.map(lambda one: assemble(tool, *one), work)))
    good = True
    for (path, arch), (is_good, log, kernels) in results:
        if not is_good:
            good = False
            print(f"ptx-sweep: {path.name} for {arch}:\n{log[-2000:]}")
        for kernel in kernels:
            # Memory of a thread's own that is no spill: an array that is indexed.
            if kernel.stack and not kernel.spills:
                good = False
                print(f"ptx-sweep: {path.name}: {kernel.name} for {arch} has {kernel.stack} bytes of a thread's own memory")
    return good, results


def report(title, files, results):
    print(f"ptx-sweep: {title}: {sum(len(forms_of(path)) for path in files)} different kernels")
    for line in table(results) if results else []:
        print("  " + line)


def spills(results):
    # What is a thread's for each unit is slow anyhow, and will have another form.
    found = [f"ptx-sweep: a kernel of a benchmark spills {kernel.spills} bytes on {arch}: {path.name}, {kernel.name} "
             f"({kernel.form}, {kernel.registers} registers)"
             for (path, arch), (_, _, kernels) in results for kernel in kernels
             if kernel.spills and not kernel.form.startswith("units: ")]
    for line in found:
        print(line)
    return bool(found)


def main():
    words = sys.argv[1:]
    cut = words.index("--")
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--archs", default=ARCHITECTURES)
    parser.add_argument("--sample", type=int, default=8, help="of the files one in N, for the architectures behind the first")
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
        good = all([collect(command, sweep, options.every) for command in programs(words[cut + 1:])])
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
        files, measured = sorted(sweep.glob("*.ptx")), sorted(benchmarks.glob("*.ptx"))
        good &= bool(files) and (bool(measured) or not models)
        tool = ptxas()
        work = [(path, arch) for number, path in enumerate(files)
                for place, arch in enumerate(archs) if place == 0 or (number + place) % options.sample == 0]
        found, found_measured = [], []
        if tool:
            is_good, found = assemble_all(tool, work, options.jobs)
            good &= is_good
            is_good, found_measured = assemble_all(tool, [(path, arch) for path in measured for arch in archs], options.jobs)
            good &= is_good
        report("tests", files, found)
        report("benchmarks", measured, found_measured)
        good &= not spills(found_measured)
        if not tool:
            print("ptx-sweep: linted; there is no ptxas: nothing is assembled, and registers and spills are not known")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
