#!/usr/bin/env python3
"""What only a GPU can show, part by part, and one report of it: first-hour.py FOLDER REPORT

FOLDER has the tests and tools, as a build folder or as tools/package/gpu-kit.sh makes one. REPORT is a folder that gets report.json,
report.md, what the benchmarks printed, and logs.tar.gz: few files, and small. Builds nothing. Each part has a limit of time; when it is over the part is ended with
all that it began, and the next one begins. The report is written after each part, so that a run that is cut off says what it has seen; with the same
REPORT, or --finished with its report.json, only what is missing is done. Ends with 1 if something failed.
"""
import argparse
import ctypes
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CUDA = {"KERATIN_TEST_TARGET": "cuda"}
LINES = 12  # of a part's output, in the report


class Missing(Exception):
    """A part cannot be done here."""


class Run:
    """Where things are, and what has been asked for."""

    def __init__(self, options):
        self.options = options
        self.folder = Path(options.folder).resolve()
        self.report = Path(options.report).resolve()
        self.work = Path(tempfile.mkdtemp(prefix="keratin-first-hour-"))
        self.logs = self.work / "logs"
        self.sample = options.sample
        self.environment = dict(os.environ, KERATIN_CACHE="off", PYTHONUNBUFFERED="1",
                                PYTHONDONTWRITEBYTECODE="1")
        self.environment.setdefault("KERAS_HOME", str(self.work / "keras"))
        modules = self.folder / "python"
        kept = [str(modules), str(self.folder / "packages"), os.environ.get("PYTHONPATH", "")]
        self.environment["PYTHONPATH"] = os.pathsep.join(path for path in kept if path)
        self.notes = []  # of the part that runs

    def program(self, name):
        for place in (self.folder / "bin" / name, self.folder / name):
            if place.is_file():
                return str(place)
        for place in sorted(self.folder.glob("**/" + name)):
            if place.is_file() and os.access(place, os.X_OK) and not {"install", "adding"} & set(place.parts):
                return str(place)
        raise Missing("there is no %s in %s" % (name, self.folder))

    def needs(self, *modules):
        for name in modules:
            if not importlib.util.find_spec(name):
                raise Missing("there is no Python module " + name)

    def calls(self, large, small=8):
        return str(small if self.sample else large)


class Part:
    def __init__(self, name, limit, what, do):
        self.name, self.limit, self.what, self.do = name, limit, what, do


# ---- Processes ---------------------------------------------------------------------------------


class Command:
    def __init__(self, run, words, environment=None, output=None):
        self.words = [str(word) for word in words]
        self.environment = {**run.environment, **(environment or {})}
        self.output = output  # a file for what it prints, beside the log


def finish(processes, log, deadline):
    """Waits for all; the words that say what went wrong."""
    faults = []
    for command, process, out in processes:
        try:
            process.wait(max(deadline - time.monotonic(), 0.1))
        except subprocess.TimeoutExpired:
            faults.append("no end: " + " ".join(command.words))
        # What it began ends too, also where it has ended itself.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
        if out:
            out.close()
        if process.returncode and not faults:
            faults.append("ended with %d: %s" % (process.returncode, " ".join(command.words)))
    return faults


def execute(run, name, commands, limit, together=False):
    """Runs commands one after the other, or at once; the words that say what went wrong."""
    deadline = time.monotonic() + limit
    faults = []
    with open(run.logs / (name + ".log"), "ab") as log:
        groups = [commands] if together else [[command] for command in commands]
        for group in groups:
            if faults and any(fault.startswith("no end") for fault in faults):
                break
            processes = []
            for command in group:
                log.write(("$ " + " ".join(command.words) + "\n").encode())
                log.flush()
                out = open(command.output, "wb") if command.output else None
                processes.append((command, subprocess.Popen(
                    command.words, env=command.environment, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out or log,
                    stderr=log, start_new_session=True), out))
            faults += finish(processes, log, deadline)
    return faults


# ---- What there is -----------------------------------------------------------------------------


class Driver:
    """The driver's library, or the one that stands for it."""

    def __init__(self):
        self.library = ctypes.CDLL(os.environ.get("KERATIN_CUDA_DRIVER") or "libcuda.so.1")
        self.call("cuInit", 0)

    def call(self, name, *arguments):
        result = getattr(self.library, name)(*arguments)
        if result:
            raise RuntimeError("%s: %d" % (name, result))

    def number(self, name, *arguments, kind=ctypes.c_int):
        value = kind()
        self.call(name, ctypes.byref(value), *arguments)
        return value.value


ATTRIBUTES = {"multiprocessors": 16, "clock of multiprocessors, kHz": 13, "clock of memory, kHz": 36, "bus of memory, bits": 37,
              "L2, bytes": 38, "threads of a multiprocessor": 39, "shared memory of a multiprocessor, bytes": 81,
              "shared memory of a block at most, bytes": 97, "cooperative launches": 95, "compute mode": 20}


def asked():
    driver = Driver()
    name = ctypes.create_string_buffer(100)
    driver.call("cuDeviceGetName", name, 100, 0)
    said = {"name": name.value.decode(), "devices": driver.number("cuDeviceGetCount"),
            "driver's version": driver.number("cuDriverGetVersion"),
            "memory, bytes": driver.number("cuDeviceTotalMem_v2", 0, kind=ctypes.c_size_t)}
    major, minor = (driver.number("cuDeviceGetAttribute", number, 0) for number in (75, 76))
    said["compute capability"] = "%d.%d" % (major, minor)
    for what, number in ATTRIBUTES.items():
        try:
            said[what] = driver.number("cuDeviceGetAttribute", number, 0)
        except RuntimeError:
            pass
    return said


SMI = ("name,driver_version,vbios_version,pci.bus_id,memory.total,memory.used,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,"
       "temperature.gpu,power.draw,power.limit,pstate,persistence_mode,ecc.mode.current,mig.mode.current,compute_mode,"
       "ecc.errors.uncorrected.volatile.total,clocks_event_reasons.active")


def inventory(run, part):
    found = {"processors": os.cpu_count(), "python": sys.version.split()[0]}
    with open("/proc/cpuinfo") as text:
        models = re.findall(r"model name\s*: (.*)", text.read())
    found["processor"] = models[0] if models else "?"
    for name in ("torch", "numpy", "h5py", "keratin", "keras"):
        found[name] = "found" if importlib.util.find_spec(name) else "not found"
    for tool in ("nvidia-smi", "ptxas", "nvcc", "compute-sanitizer", "nvdisasm"):
        found[tool] = shutil.which(tool) or "not found"
    found.update(asked())
    if found["nvidia-smi"] != "not found":
        result = subprocess.run(["nvidia-smi", "--query-gpu=" + SMI, "--format=csv,noheader"], capture_output=True,
                                text=True, timeout=20)
        values = result.stdout.strip().splitlines()[:1]
        if result.returncode == 0 and values:
            found["nvidia-smi says"] = dict(zip(SMI.split(","), values[0].split(", ")))
    run.notes += ["%s: %s" % entry for entry in found.items()]
    return [], found


def answers():
    """Whether the device still does something, in a process of its own."""
    program = ("import ctypes, os; d = ctypes.CDLL(os.environ.get('KERATIN_CUDA_DRIVER') or 'libcuda.so.1'); c = ctypes.c_void_p(); "
               "p = ctypes.c_uint64(); assert d.cuInit(0) == 0 and d.cuDevicePrimaryCtxRetain(ctypes.byref(c), 0) == 0 and "
               "d.cuCtxSetCurrent(c) == 0 and d.cuMemAlloc_v2(ctypes.byref(p), ctypes.c_size_t(64)) == 0 and "
               "d.cuMemsetD8_v2(p, 1, ctypes.c_size_t(64)) == 0 and d.cuCtxSynchronize() == 0")
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return process.wait(30) == 0
    except subprocess.TimeoutExpired:
        process.kill()
        return False


# ---- Parts -------------------------------------------------------------------------------------


def stress(cases, large, small=8):
    def do(run, part):
        command = Command(run, [run.program("device_stress_test"), cases, "-d", "yes"],
                          {"KERATIN_TEST_CALLS": run.calls(large, small), "KERATIN_TEST_SECONDS": str(max(part.limit - 5, 5))})
        return execute(run, part.name, [command], part.limit), {"calls": int(run.calls(large, small))}
    return do


def variants(run, part):
    """Products for each architecture, as machine code and as PTX that the driver compiles."""
    commands = []
    for architecture in ("sm_80", "sm_90", "sm_90a"):
        for assembler in ({}, {"KERATIN_PTXAS": "", "KERATIN_NVJITLINK": ""}):
            if run.sample and (not assembler or architecture == "sm_90"):
                continue
            commands.append(Command(run, [run.program("contraction_sizes_test"),
                                          "products of halves*,products of all dtypes,what follows*"],
                                    {"KERATIN_TEST_TARGET": "cuda:" + architecture, **assembler,
                                     "KERATIN_TEST_EVERY": "200" if run.sample else "12", "KERATIN_TEST_SEED": "300000"}))
    return execute(run, part.name, commands, part.limit, together=True), {}


def torch(first):
    def do(run, part):
        run.needs("torch", "keratin")
        command = Command(run, [sys.executable, ROOT / "tests/python/beside_torch.py", first])
        return execute(run, part.name, [command], part.limit), {}
    return do


def keras(run, part):
    run.needs("keratin", "keras", "h5py")
    command = Command(run, [sys.executable, ROOT / "tests/python/keras_on_device.py", ROOT / "examples/data/digits.csv",
                            "1" if run.sample else "8"])
    return execute(run, part.name, [command], part.limit), {}


def ranks(run, part):
    run.needs("keratin", "numpy")
    if os.environ.get("KERATIN_CUDA_DRIVER"):
        raise Missing("the look-alike of NCCL has ranks in one process only")
    return execute(run, part.name, [Command(run, [sys.executable, ROOT / "tests/distributed/ranks_on_device.py"])], part.limit), {}


PYTHON_TESTS = ["products", "reductions", "neural", "gradients", "elementwise", "shapes", "tensors", "windows", "creation", "control",
                "sparse", "ctc", "threads"]


def python_tests(run, part):
    run.needs("pytest", "keratin")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", "--maxfail=20"]
    if importlib.util.find_spec("xdist") and not run.sample:
        words += ["-n", str(min(os.cpu_count() or 1, 12))]
    files = ["tests/python/%s_test.py" % name for name in (PYTHON_TESTS[:1] if run.sample else PYTHON_TESTS)]
    if run.sample:
        words += ["-k", "batch_dot"]
    return execute(run, part.name, [Command(run, words + files, {"KERATIN_DEVICE": "cuda"})], part.limit), {}


def digits(run, part):
    """The same file on both devices, byte by byte, where the processor computes as x86-64-v3 does."""
    program, data = run.program("digits"), ROOT / "examples/data/digits.csv"
    states = {}
    commands = []
    for device in ("cpu", "cuda"):
        states[device] = run.work / ("digits-%s.ktg" % device)
        commands.append(Command(run, [program, data, "1" if run.sample else "10", states[device]], {"KERATIN_DEVICE": device}))
    faults = execute(run, part.name, commands, part.limit)
    if not faults:
        equal = states["cpu"].read_bytes() == states["cuda"].read_bytes()
        run.notes.append("the saved files are %s" % ("equal, byte by byte" if equal else "not equal"))
    return faults, {}


def rows(path):
    with open(path) as text:
        return [json.loads(line) for line in text if line.startswith("{")]


def bench(run, part):
    ours = run.report / "bench.json"
    words = [run.program("keratin-bench"), "--device=cuda", "--json", "--seconds=0.12", "--limit=60"]
    words += ["small", "negate", "--scale=65536", "--seconds=0.001"] if run.sample else []
    faults = execute(run, part.name, [Command(run, words, output=ours)], part.limit)
    found = [row for row in rows(ours) if "case" in row]
    wrong = [row["name"] + " " + row["case"] for row in found if not row.get("right", True) or row.get("error")]
    run.notes.append("%d cases, wrong: %s" % (len(found), ", ".join(wrong) or "none"))
    return faults + (["wrong: " + ", ".join(wrong)] if wrong else []), {"cases": len(found)}


def bench_torch(run, part):
    run.needs("torch")
    ours, theirs, table = (run.report / name for name in ("bench.json", "torch.json", "beside.md"))
    program = ROOT / "benchmarks/libraries/torch_device.py"
    commands = [Command(run, [sys.executable, program, "--seconds=0.12"], output=theirs)]
    if ours.is_file():
        commands.append(Command(run, [sys.executable, program, "--beside", ours, theirs], output=table))
    return execute(run, part.name, commands, part.limit), {}


def sweeps(run, part):
    if run.sample:
        raise Missing("the sweeps have tests of their own")
    logs = run.work / "sweeps"
    faults = execute(run, part.name, [Command(run, [ROOT / "tests/cuda/on-device.sh", run.folder, logs],
                                              {"KERATIN_LIMIT": str(part.limit - 65), "KERATIN_PART_LIMIT": "60"})], part.limit)
    # A part of it that ran into its limit says nothing; what failed is in the log.
    results = [line.split() for line in (logs / "results").read_text().splitlines()] if (logs / "results").is_file() else []
    failed = [name for name, status, _ in results if status not in ("0", "124", "137")]
    slow = [name for name, status, _ in results if status in ("124", "137")]
    run.notes.append("%d parts, failed: %s; longer than a minute: %s" % (
        len(results), ", ".join(failed) or "none", ", ".join(slow) or "none"))
    if not results:
        return faults or ["nothing was run"], {}
    return ["failed: " + ", ".join(failed)] if failed else [], {"parts": len(results), "slow": slow}


def sanitizer(tool, cases):
    def do(run, part):
        if not shutil.which("compute-sanitizer"):
            raise Missing("there is no compute-sanitizer")
        command = Command(run, ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9", "--target-processes", "application-only",
                                run.program("device_stress_test"), cases], {"KERATIN_TEST_CALLS": "8"})
        return execute(run, part.name, [command], part.limit), {}
    return do


# Seconds are limits for a GPU beside 16 processors; what is most worth knowing comes first.
PARTS = [
    Part("inventory", 60, "what there is", inventory),
    Part("graphs", 60, "graphs replayed with other feeds", stress("[graphs]", 10000)),
    Part("meeting", 150, "blocks that meet, in grids of every size",
         stress("blocks that meet give the same results in grids of every size", 10000)),
    Part("meeting_busy", 90, "the same beside a process that keeps the device busy",
         stress("blocks that meet do so while another process keeps the device busy", 2500)),
    Part("meeting_threads", 60, "the same beside other threads", stress("blocks that meet do so beside those of other threads", 5000)),
    Part("images", 60, "one function's images for several architectures", stress("[variants]", 10)),
    Part("variants", 120, "products for several architectures, assembled here or by the driver", variants),
    Part("memory", 90, "a device that is full", stress("[memory]", 10)),
    Part("lost", 60, "a device that is lost, in another process", stress("[lost]", 10)),
    Part("processes", 60, "two processes train at once", stress("[processes]", 1500)),
    Part("torch_first", 90, "PyTorch in the same process, imported first", torch("torch")),
    Part("torch_second", 90, "PyTorch in the same process, imported second", torch("keratin")),
    Part("ranks", 120, "two ranks whose messages go by NCCL", ranks),
    Part("keras", 90, "Keras 2.3.1 trains digits on both devices", keras),
    Part("digits", 60, "the frontend's program trains digits on both devices", digits),
    Part("bench", 150, "benchmarks", bench),
    Part("bench_torch", 120, "the same by PyTorch", bench_torch),
    Part("python_tests", 120, "tests of the Python module", python_tests),
    Part("memcheck", 90, "compute-sanitizer looks for accesses outside memory", sanitizer("memcheck", "[graphs]")),
    # Blocks that wait for each other take longer under these than anybody has seen.
    Part("racecheck", 60, "compute-sanitizer looks for races in shared memory", sanitizer("racecheck", "[graphs]")),
    Part("synccheck", 60, "compute-sanitizer looks at barriers", sanitizer("synccheck", "[graphs]")),
    Part("sweeps", 260, "tests/cuda/on-device.sh", sweeps),
]


# ---- The report --------------------------------------------------------------------------------


def tail(path):
    if not path.is_file():
        return []
    with open(path, "rb") as log:
        log.seek(max(path.stat().st_size - 20000, 0))
        lines = log.read().decode(errors="replace").splitlines()
    lines = [line.rstrip()[:300] for line in lines if line.strip() and set(line.strip()) - set("=-~.")]
    return lines[-LINES:]


def write(run, results):
    whole = {"results": results, "failed": [name for name, result in results.items() if result["verdict"] == "failed"]}
    temporary = run.report / "report.json.new"
    temporary.write_text(json.dumps(whole, indent=1) + "\n")
    temporary.replace(run.report / "report.json")
    lines = ["| part | what | verdict | seconds | limit |", "| --- | --- | --- | --- | --- |"]
    for part in PARTS:
        result = results.get(part.name)
        if result:
            lines.append("| %s | %s | %s | %.1f | %d |" % (part.name, part.what, result["verdict"], result["seconds"], part.limit))
    for name, result in results.items():
        lines += ["", "## " + name, ""] + ["- " + line for line in result["faults"] + result["notes"]]
        if result["tail"]:
            lines += ["", "```", *result["tail"], "```"]
    (run.report / "report.md").write_text("\n".join(lines) + "\n")


def pack(run):
    temporary = run.report / "logs.tar.gz.new"
    with tarfile.open(temporary, "w:gz") as archive:
        archive.add(run.logs, "logs")
    temporary.replace(run.report / "logs.tar.gz")


def do_part(run, part):
    run.notes = []
    start = time.monotonic()
    numbers = {}
    try:
        faults, numbers = part.do(run, part)
        verdict = "failed" if faults else "passed"
    except Missing as reason:
        faults, verdict = [str(reason)], "skipped"
    except Exception as error:  # The others are done nevertheless.
        faults, verdict = ["%s: %s" % (type(error).__name__, error)], "failed"
    return {"verdict": verdict, "seconds": round(time.monotonic() - start, 1), "faults": faults, "notes": run.notes,
            "numbers": numbers, "tail": tail(run.logs / (part.name + ".log"))}


def finished_before(run):
    results = {}
    if run.options.afresh:
        return results, results
    for path in (run.options.finished, run.report / "report.json"):
        if path and Path(path).is_file():
            results.update(json.loads(Path(path).read_text())["results"])
    again = set(run.options.again.split(",")) if run.options.again else set()
    # What was cut off twice is not tried a third time.
    return {name: result for name, result in results.items()
            if name not in again and result["verdict"] not in ("not begun", "skipped") and
            not (result["verdict"] == "begun" and result.get("tries", 1) < 2)}, results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("report")
    parser.add_argument("--only", default="", help="parts, with commas between them")
    parser.add_argument("--skip", default="", help="parts that are left out")
    parser.add_argument("--again", default="", help="parts that are done although they have been")
    parser.add_argument("--afresh", action="store_true", help="all parts, whatever has been done")
    parser.add_argument("--finished", help="the report.json of an earlier run")
    parser.add_argument("--budget", type=float, default=3600, help="seconds after which no part begins that might not end in them")
    parser.add_argument("--sample", action="store_true", help="little of each, for a try on the emulator")
    parser.add_argument("--list", action="store_true", help="only lists the parts")
    options = parser.parse_args()
    wanted = [part for part in PARTS if (not options.only or part.name in options.only.split(",")) and
              part.name not in options.skip.split(",")]
    if options.list:
        for part in wanted:
            print("%-16s %4d s  %s" % (part.name, part.limit, part.what))
        return 0
    end = time.monotonic() + options.budget
    run = Run(options)
    run.logs.mkdir()
    run.report.mkdir(parents=True, exist_ok=True)
    sys.path[:0] = run.environment["PYTHONPATH"].split(os.pathsep)
    done, before = finished_before(run)
    results = dict(done)
    for part in wanted:
        if part.name in done:
            continue
        left = end - time.monotonic()
        if left < min(part.limit, 20):
            results[part.name] = {"verdict": "not begun", "seconds": 0, "faults": ["no time was left"], "notes": [],
                                  "numbers": {}, "tail": []}
            continue
        part.limit = int(min(part.limit, left))
        tries = before.get(part.name, {}).get("tries", 0) + 1
        results[part.name] = {"verdict": "begun", "seconds": 0, "faults": ["was cut off"], "notes": [], "numbers": {},
                              "tail": [], "tries": tries}
        write(run, results)
        print("%-16s " % part.name, end="", flush=True)
        results[part.name] = do_part(run, part)
        result = results[part.name]
        print("%-8s %6.1f s%s" % (result["verdict"], result["seconds"],
                                  "".join("\n    " + line for line in result["faults"] + result["notes"])), flush=True)
        write(run, results)
        pack(run)
        if any(fault.startswith("no end") for fault in result["faults"]) and not answers():
            result["faults"].append("the device does not answer any more")
            print("the device does not answer any more", flush=True)
            break
    write(run, results)
    shutil.rmtree(run.work, ignore_errors=True)
    failed = [name for name, result in results.items() if result["verdict"] in ("failed", "begun")]
    print("failed: " + (", ".join(failed) or "nothing"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
