"""Makes PTX of the kernels of programs of tests, and assembles it where ptxas is.

Each program runs with KERATIN_TEST_TARGET=ptx: what it compiles goes through code generation for the device "cuda" too, and
the PTX is linted (tests/support/PtxTarget.h). The different kernels are then assembled, all for the first architecture and a
sample for each of the others.

  ptx-sweep.py [--every=N] [--jobs=N] [--archs=sm_80,sm_90,...] -- program argument... [-- program argument...]
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SAMPLE = 8  # of the files, for the architectures behind the first


def ptxas():
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
    environment = dict(os.environ, KERATIN_TEST_TARGET="ptx", KERATIN_PTX_FOLDER=folder, KERATIN_TEST_EVERY=str(every))
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.stdout.write(done.stdout[-4000:])
        print(f"ptx-sweep: {' '.join(command)} failed")
    return done.returncode == 0


def assemble(tool, path, arch):
    out = path.with_suffix("." + arch)
    done = subprocess.run([tool, "-v", f"-arch={arch}", str(path), "-o", str(out)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    out.unlink(missing_ok=True)
    spills = sum(int(n) > 0 for n in re.findall(r"(\d+) bytes spill stores", done.stdout))
    registers = [int(n) for n in re.findall(r"Used (\d+) registers", done.stdout)]
    return done.returncode == 0, done.stdout, spills, registers


def assemble_all(tool, files, archs, jobs):
    work = [(path, arch) for number, path in enumerate(files)
            for place, arch in enumerate(archs) if place == 0 or (number + place) % SAMPLE == 0]
    good = True
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(lambda one: assemble(tool, *one), work))
    for arch in archs:
        mine = [result for (path, of), result in zip(work, results) if of == arch]
        registers = [n for result in mine for n in result[3]]
        if registers:
            print(f"ptx-sweep: {arch}: {len(registers)} kernels, {max(registers)} registers at most, "
                  f"{sum(result[2] for result in mine)} that spill")
    for (path, arch), result in zip(work, results):
        if not result[0]:
            good = False
            print(f"ptx-sweep: {path.name} for {arch}:\n{result[1][-2000:]}")
    return good


def main():
    words = sys.argv[1:]
    cut = words.index("--")
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--archs", default="sm_80,sm_90,sm_86,sm_89,sm_90a,sm_100,sm_120")
    options = parser.parse_args(words[:cut])
    with tempfile.TemporaryDirectory() as folder:
        good = all([collect(command, folder, options.every) for command in programs(words[cut + 1:])])
        files = sorted(pathlib.Path(folder).glob("*.ptx"))
        kernels = sum(path.read_text().count(".visible .entry") for path in files)
        print(f"ptx-sweep: {kernels} different kernels")
        good &= kernels > 0
        tool = ptxas()
        if not tool:
            print("ptx-sweep: there is no ptxas: nothing is assembled")
        else:
            good &= assemble_all(tool, files, options.archs.split(","), options.jobs)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
