"""What keratin-run says and exits with where something is wrong, and what is in its profiles:
keratin_run.py KERATIN_RUN KERATIN_COMPILE SOURCE_FOLDER SCRATCH_FOLDER."""

import json
import os
import random
import shutil
import struct
import subprocess
import sys
import threading

RUN, COMPILE, SOURCE, SCRATCH = sys.argv[1:]
MODEL = os.path.join(SOURCE, "Inputs", "net.mlir")
problems = []


def run(*arguments, tool=RUN):
    done = subprocess.run([tool, *arguments], capture_output=True, cwd=SCRATCH, timeout=120)
    return done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace")


def expect(code, message, *arguments, tool=RUN):
    """The exit code, and what the one line of errors ends with or holds."""
    got, out, err = run(*arguments, tool=tool)
    lines = err.strip().splitlines()
    if got != code or (message and (len(lines) != 1 or message not in lines[0] or "error: " not in lines[0])):
        problems.append(f"{arguments}: exit code {got}, {err!r}; expected {code}, {message!r}")
    return out


def npy(header, data=b""):
    header = header.encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def write(name, content):
    with open(os.path.join(SCRATCH, name), "wb" if isinstance(content, bytes) else "w") as file:
        file.write(content)
    return name


def check_errors():
    write("x.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }", struct.pack("<8f", *range(8))))
    write("x64.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 4), }", struct.pack("<4d", *range(4))))
    write("x3.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), }", struct.pack("<3f", *range(3))))
    write("objects.npy", npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", b"\x80\x04."))
    write("bad.mlir", "func.func @f() {\n  keratin.nonsense\n}\n")
    write("deep.mlir", "(" * 100000)
    write("empty.mlir", "")
    write("noise.ktg", bytes(random.Random(1).randrange(256) for _ in range(1000)))
    predict = (MODEL, "--function=predict")
    out = expect(0, "", *predict, "--input=x=x.npy", "--check")
    if "y: float32 (2, 3)" not in out or "check: 1 call agrees" not in out:
        problems.append(f"predict printed {out!r}")
    help_text = run("--help")[1]
    if not 10 < len(help_text.splitlines()) < 60:
        problems.append(f"--help has {len(help_text.splitlines())} lines")
    expect(2, "an argument is missing")
    expect(2, "there is no option '--nonsense'", *predict, "--nonsense")
    expect(2, "--repeat needs a number of at least 0", *predict, "--repeat=-1")
    expect(2, "--quiet takes no value", *predict, "--quiet=1")
    expect(1, "No such file", "none.mlir")
    expect(1, "the model has several functions: predict, train, wide", MODEL)
    expect(1, "there is no function 'f'", MODEL, "--function=f")
    expect(1, "input 'x' (float32 (None, 4)) is not given", *predict)
    expect(2, "--input needs NAME=FILE.npy or FILE.npz", *predict, "--input=x.npy")
    expect(1, "x.npz: error: No such file", *predict, "--input=x.npz")
    expect(1, "there: error: No such file", *predict, "--input=x=not/there")
    expect(1, "is not a regular file", *predict, "--input=x=/dev/zero")
    expect(1, "the function has no input 'z'; its inputs are x", *predict, "--input=z=x.npy")
    expect(1, "input 'x' is given twice", *predict, "--input=x=x.npy", "--input=x=x.npy")
    expect(1, "array of float64 with rank 2; float32 (None, 4)", *predict, "--input=x=x64.npy")
    expect(1, "'x'", *predict, "--input=x=x3.npy")
    expect(1, "objects.npy: error: dtype '|O' means pickled Python objects", *predict, "--input=x=objects.npy")
    expect(2, "--random needs a number", *predict, "--random=x")
    expect(2, "--size needs NAME=N, found 'd0'", *predict, "--random", "--size=d0")
    expect(2, "--size needs NAME=N, found 'd0=-1'", *predict, "--random", "--size=d0=-1")
    expect(1, "no size 'd7'; there are x_dim0 (d0)", *predict, "--random", "--size=d7=1")
    expect(1, "--size says 3 for x_dim0, which is 2", *predict, "--input=x=x.npy", "--size=d0=3")
    expect(4, "'x' would have too many elements", *predict, "--random", "--size=d0=9223372036854775807")
    expect(4, "", *predict, "--random", "--size=d0=4611686018427387904")
    expect(1, "cannot read 'none'", *predict, "--random", "--state=none")
    expect(1, "is not a state", *predict, "--random", "--state=x.npy")
    expect(1, "--model goes with a shared object", *predict, "--model=" + MODEL)
    expect(1, "cannot write 'none/y.npz': No such file or directory", *predict, "--random", "--quiet", "--output=none/y.npz")
    expect(1, "cannot write 'x.npy/y.npy': Not a directory", *predict, "--random", "--quiet", "--output-dir=x.npy")
    expect(1, "bad.mlir:2:", "bad.mlir")
    expect(4, "deep.mlir", "deep.mlir")
    expect(1, "there is no function", "empty.mlir")
    expect(1, "noise.ktg", "noise.ktg")
    expect(1, "/dev/zero: error: this is neither a regular file nor a pipe", "/dev/zero")
    expect(1, "/dev/zero: error: this is neither a regular file nor a pipe", "/dev/zero", "-o", "zero.so", tool=COMPILE)


def check_pipes():
    """A model may come through a pipe, with a name or without."""
    out = run(MODEL, "--function=predict", "--random")[1]
    with open(MODEL, "rb") as file:
        text = file.read()
    os.mkfifo(os.path.join(SCRATCH, "pipe"))

    def writer():
        with open(os.path.join(SCRATCH, "pipe"), "wb") as pipe:
            pipe.write(text)

    for _ in range(2):
        thread = threading.Thread(target=writer)
        thread.start()
        if expect(0, "", "pipe", "--function=predict", "--random") != out:
            problems.append("a model through a named pipe gives something else")
        thread.join()
    shell = subprocess.run(["bash", "-c", '"$0" <(cat "$1") --function=predict --random', RUN, MODEL], capture_output=True,
                           cwd=SCRATCH, timeout=120)
    if shell.returncode or shell.stdout.decode() != out:
        problems.append(f"a model of process substitution: {shell.stderr!r}")
    done = subprocess.run([RUN, "-", "--function=predict", "--random"], input=text, capture_output=True, cwd=SCRATCH, timeout=120)
    if done.returncode or done.stdout.decode() != out:
        problems.append(f"a model from standard input: {done.stderr!r}")


def check_objects():
    expect(0, "", MODEL, "-o", "libnet.so", tool=COMPILE)
    expect(0, "", MODEL, "-o", "net.o", "--emit=obj", tool=COMPILE)
    expect(1, "--check needs the model", "libnet.so", "--function=predict", "--random", "--check")
    expect(1, "not a shared object", "net.o", "--function=predict")
    expect(1, "the model has several functions: predict, train, wide", "libnet.so")
    expect(5, "output 'y': element [0, 0] is", "libnet.so", "--function=predict", "--random", "--check",
           "--model=" + os.path.join(SOURCE, "Inputs", "other.mlir"))
    # No bytes may end the process before the loader runs them.
    with open(os.path.join(SCRATCH, "libnet.so"), "rb") as file:
        whole = file.read()
    for part in range(0, 40):
        write("cut.so", whole[:4 + part * len(whole) // 50])
        expect(1, "", "cut.so", "--function=predict", "--random")
    for damage in (b"\x7fELF", b"\x7fELF" + b"\xff" * 200, whole[:4] + b"\1" + whole[5:], whole[:16] + b"\2" + whole[17:]):
        write("damaged.so", damage)
        expect(1, "damaged.so", "damaged.so")


def check_profile(trace, threads):
    with open(os.path.join(SCRATCH, trace)) as file:
        events = json.load(file)["traceEvents"]
    tracks = {event["tid"] for event in events if event["ph"] == "M"}
    ends = {}
    kinds = {"call": 0, "kernel": 0, "chunk": 0}
    for event in events:
        if event["ph"] == "M":
            assert event["name"] == "thread_name" and event["args"]["name"] == f"thread {event['tid']}"
            continue
        assert event["ph"] == "X" and event["tid"] in tracks and event["ts"] >= 0 and event["dur"] >= 0, event
        kinds[event["cat"]] += 1
        # On one track an event lies in another, or after it.
        stack = ends.setdefault(event["tid"], [])
        while stack and stack[-1] <= event["ts"]:
            stack.pop()
        end = round(event["ts"] + event["dur"], 3)
        assert not stack or end <= stack[-1] + 0.001, event
        stack.append(end)
        if event["cat"] == "call":
            assert event["name"] == "wide"
        else:
            assert event["args"]["source"].rsplit(":", 1)[0].endswith("net.mlir"), event
            assert event["name"], event
        if event["cat"] == "chunk":
            assert 0 <= event["args"]["begin"] < event["args"]["end"]
    assert kinds["call"] == 3 and kinds["kernel"] == 3 * 1 and kinds["chunk"] >= 3, kinds  # one of a call where nobody helps in time
    assert len(tracks) <= threads
    names = {event["name"] for event in events if event.get("cat") == "kernel"}
    assert names == {"tanh + exp"}, names


def check_profiles():
    common = ("--function=wide", "--random", "--quiet", "--repeat=3", "--threads=2", "--size=d0=3000000")
    expect(0, "", MODEL, *common, "--profile=here.json")
    check_profile("here.json", 2)
    expect(0, "", MODEL, "--profile", "-o", "libprofiled.so", tool=COMPILE)
    expect(0, "", "libprofiled.so", *common, "--profile=there.json")
    check_profile("there.json", 2)
    code, _, err = run("libnet.so", "--function=wide", "--random", "--quiet", "--profile=calls.json")
    assert code == 0 and "only whole calls are recorded" in err, err
    with open(os.path.join(SCRATCH, "calls.json")) as file:
        events = json.load(file)["traceEvents"]
    assert [event.get("cat") for event in events] == [None, "call"], events


shutil.rmtree(SCRATCH, ignore_errors=True)
os.makedirs(SCRATCH)
check_errors()
check_pipes()
check_objects()
check_profiles()
strays = [name for name in os.listdir(SCRATCH) if "tmp" in name]
if strays:
    problems.append(f"temporary files are left: {strays}")
for problem in problems:
    print(problem)
sys.exit(bool(problems))
