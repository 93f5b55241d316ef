"""What the tools write to, and what they leave behind: devices, pipes, links, folders, no room, kills.
output_files.py TOOLS_FOLDER SOURCE_FOLDER SCRATCH_FOLDER."""

import os
import random
import resource
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time

TOOLS, SOURCE, SCRATCH = sys.argv[1:]
MODEL = os.path.join(SOURCE, "Inputs", "net.mlir")
# What is written is compiled often, and may be small.
SMALL = os.path.join(SOURCE, "Inputs", "small.mlir")
RANDOM = (SMALL, "--function=predict", "--random", "--quiet")
# Every option that names a file to write: the tool, and what goes before the path.
WRITERS = {
    "compile so": ("keratin-compile", SMALL, "-o"),
    "compile obj": ("keratin-compile", SMALL, "--emit=obj", "-o"),
    "compile plan": ("keratin-compile", SMALL, "--emit=plan", "-o"),
    "compile header": ("keratin-compile", SMALL, "-o", "/dev/null", "--header"),
    "compile trace": ("keratin-compile", SMALL, "-o", "/dev/null", "--time-trace"),
    "opt": ("keratin-opt", SMALL, "-o"),
    "dump": ("keratin-dump", SMALL, "-o"),
    "dump html": ("keratin-dump", SMALL, "--format=html", "-o"),
    "run npz": ("keratin-run", *RANDOM, "--output"),
    "run state": ("keratin-run", *RANDOM, "--save-state"),
    "run profile": ("keratin-run", *RANDOM, "--profile"),
}
problems = []


def run(writer, path, **options):
    tool, *arguments = WRITERS[writer]
    done = subprocess.run([os.path.join(TOOLS, tool), *arguments, path], capture_output=True, cwd=SCRATCH, timeout=120,
                          **options)
    return done.returncode, done.stderr.decode("utf-8", "replace")


def check(condition, writer, what):
    if not condition:
        problems.append(f"{writer}: {what}")


def at(name):
    return os.path.join(SCRATCH, name)


def read(name):
    with open(at(name), "rb") as file:
        return file.read()


def refused(writer, path, why, **options):
    code, err = run(writer, path, **options)
    check(code in (1, 4) and f"cannot write '{path}': {why}" in err, writer, f"{path}: exit code {code}, {err!r}")


def check_writer(writer):
    check(run(writer, "plain")[0] == 0 and read("plain"), writer, "wrote no file")
    # A device is written to and stays.
    check(run(writer, "/dev/null")[0] == 0, writer, "failed on /dev/null")
    check(stat.S_ISCHR(os.lstat("/dev/null").st_mode), writer, "replaced /dev/null")
    refused(writer, "/dev/full", "No space left on device")
    check(stat.S_ISCHR(os.lstat("/dev/full").st_mode), writer, "replaced /dev/full")
    # A pipe too.
    os.mkfifo(at("pipe"))
    received = []
    reader = threading.Thread(target=lambda: received.append(read("pipe")))
    reader.start()
    check(run(writer, "pipe")[0] == 0, writer, "failed on a pipe")
    reader.join(60)
    check(received and received[0], writer, "nothing came through the pipe")
    check(stat.S_ISFIFO(os.lstat(at("pipe")).st_mode), writer, "replaced the pipe")
    # A link stays, its end is replaced and keeps its mode.
    with open(at("end"), "w") as file:
        file.write("old")
    os.chmod(at("end"), 0o640)
    os.symlink("end", at("link"))
    check(run(writer, "link")[0] == 0 and os.path.islink(at("link")), writer, "replaced a link")
    check(read("end") != b"old" and stat.S_IMODE(os.lstat(at("end")).st_mode) == 0o640, writer, "not through the link")
    # A folder, and a folder that is not there.
    os.mkdir(at("folder"))
    refused(writer, "folder", "Is a directory")
    refused(writer, "nowhere/file", "No such file or directory")
    # No room.
    with open(at("kept"), "w") as file:
        file.write("old")
    code, err = run(writer, "kept", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16)))
    check(code in (1, 4) and "File too large" in err, writer, f"a limit of size: exit code {code}, {err!r}")
    check(read("kept") == b"old", writer, "a failure changed the file")
    left = sorted(os.listdir(SCRATCH))
    check(left == ["end", "folder", "kept", "link", "pipe", "plain"], writer, f"left {left}")


def check_together():
    """Object, header, metadata and trace: all or none, and what was there stays."""
    names = ("m.so", "m.h", "m.json", "trace")
    options = ("-o", "--header", "--metadata", "--time-trace")

    def compile(paths, **more):
        command = [os.path.join(TOOLS, "keratin-compile"), SMALL]
        for option, path in zip(options, paths):
            command += [option, path]
        return subprocess.run(command, stderr=subprocess.PIPE, cwd=SCRATCH, timeout=120, **more)

    def refuse(what, why, paths, **more):
        for old in (None, b"old"):
            fresh()
            os.mkdir(at("folder"))
            for name in names:
                if old:
                    with open(at(name), "wb") as file:
                        file.write(old)
            done = compile(paths, **more)
            check(done.returncode == 1 and f"cannot write {why}".encode() in done.stderr, what, f"{done.returncode}, {done.stderr!r}")
            left = sorted(os.listdir(SCRATCH))
            check(left == sorted(("folder", *(names if old else ()))), what, f"left {left}")
            if old:
                changed = [name for name in names if read(name) != old]
                check(not changed, what, f"changed {changed}")

    for i, name in enumerate(names):
        for path, why in (("/dev/full", "No space left on device"), ("folder", "Is a directory"), ("nowhere/x", "No such file or directory")):
            refuse(f"{name} to {path}", f"'{path}': {why}", [path if i == j else other for j, other in enumerate(names)])
    with open("/dev/full", "wb") as full:
        refuse("a full standard output", "standard output: No space left", ["-", *names[1:]], stdout=full)
    # The header and the metadata fit, the object does not.
    refuse("a limit of size", "'m.so': File too large", names,
           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000)))
    done = compile(names)
    check(done.returncode == 0 and sorted(os.listdir(SCRATCH)) == sorted(("folder", *names)), "together",
          f"{done.returncode}, {done.stderr!r}, left {os.listdir(SCRATCH)}")
    check(all(read(name) not in (b"", b"old") for name in names), "together", "wrote not all")


def check_kills():
    """Whenever a run is killed, the next one removes what it left."""
    chance = random.Random(1)
    command = [os.path.join(TOOLS, "keratin-compile"), MODEL, "-o", "lib.so", "--header=lib.h"]
    begin = time.monotonic()
    subprocess.run(command, cwd=SCRATCH, check=True, timeout=120)
    whole = time.monotonic() - begin
    for _ in range(20):
        process = subprocess.Popen(command, cwd=SCRATCH)
        time.sleep(chance.uniform(0, whole))
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run(command, cwd=SCRATCH, check=True, timeout=120)
    check(sorted(os.listdir(SCRATCH)) == ["lib.h", "lib.so"], "kills", f"left {os.listdir(SCRATCH)}")


def check_standard_output():
    for writer in ("compile so", "compile obj", "compile plan", "opt", "dump", "run npz"):
        tool, *arguments = WRITERS[writer]
        command = [os.path.join(TOOLS, tool), *arguments, "-"]
        done = subprocess.run(command, capture_output=True, cwd=SCRATCH, timeout=120)
        check(done.returncode == 0 and done.stdout, writer, f"nothing on standard output: {done.stderr!r}")
        with open("/dev/full", "wb") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, cwd=SCRATCH, timeout=120)
        check(done.returncode == 1 and b"cannot write standard output: No space left" in done.stderr, writer,
              f"a full standard output: {done.returncode}, {done.stderr!r}")
    check(os.listdir(SCRATCH) == [], "standard output", f"left {os.listdir(SCRATCH)}")


def fresh():
    shutil.rmtree(SCRATCH, ignore_errors=True)
    os.makedirs(SCRATCH)


for name in WRITERS:
    fresh()
    check_writer(name)
check_together()
fresh()
check_kills()
fresh()
check_standard_output()
for problem in problems:
    print(problem)
sys.exit(bool(problems))
