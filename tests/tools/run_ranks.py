"""keratin-run as ranks of several launchers: run_ranks.py KERATIN_RUN KERATIN_COMPILE SOURCE_FOLDER SCRATCH_FOLDER."""

import json
import os
import re
import shutil
import subprocess
import sys

RUN, COMPILE, SOURCE, SCRATCH = sys.argv[1:]
MODEL = os.path.join(SOURCE, "Inputs", "ranks.mlir")
LAUNCHERS = {
    "Open MPI": ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,tcp"],
    "MPICH": ["mpirun.mpich"],
}
LIMIT = 300  # seconds
TRAIN = ["--random=3", "--size=batch=7", "--repeat=3"]


def environment(**more):
    names = ("KERATIN_RANK", "KERATIN_RANKS", "KERATIN_JOB", "KERATIN_MPI_LIBRARY")
    return {**{name: value for name, value in os.environ.items() if name not in names},
            "KERATIN_COLLECTIVE_TIMEOUT": "60", "KERATIN_NUM_THREADS": "1", **more}


def require(condition, said):
    if not condition:
        sys.exit(f"not as expected:\n{said}")


def launched(command):
    run = subprocess.run(command, env=environment(), text=True, timeout=LIMIT, capture_output=True, cwd=SCRATCH)
    return run.returncode, run.stdout, run.stderr


def shared(ranks, *arguments, of_rank=lambda rank: ()):
    """Of each rank the exit code, what it printed and its errors."""
    shared.jobs += 1
    processes = [subprocess.Popen([RUN, *arguments, *of_rank(rank)], text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, cwd=SCRATCH,
                                  env=environment(KERATIN_RANK=str(rank), KERATIN_RANKS=str(ranks),
                                                  KERATIN_JOB=f"run-{os.getpid()}-{shared.jobs}"))
                 for rank in range(ranks)]
    said = [process.communicate(timeout=LIMIT) for process in processes]
    return [(process.returncode, *text) for process, text in zip(processes, said)]


shared.jobs = 0


def check(found, wanted):
    """The same text, but for the last digits of numbers, since sums are rounded elsewhere, and what they are padded with; integers are the same."""
    numbers = r"-?\d+\.\d*(?:e[+-]\d+)?"
    require(re.sub(r"\s+", "", re.sub(numbers, "#", found)) == re.sub(r"\s+", "", re.sub(numbers, "#", wanted)),
            f"{found}\n{wanted}")
    for left, right in zip(re.findall(numbers, found), re.findall(numbers, wanted), strict=True):
        require(abs(float(left) - float(right)) <= 2e-5 * max(1, abs(float(right))), f"{found}\n{wanted}")


def check_ranks(outcomes, wanted):
    for rank, (code, out, err) in enumerate(outcomes):
        require(code == 0 and (rank == 0 or out == ""), f"rank {rank}: exit code {code}\n{out}{err}")
    check(outcomes[0][1], wanted)


shutil.rmtree(SCRATCH, ignore_errors=True)
os.makedirs(SCRATCH)
code, ALONE, said = launched([RUN, MODEL, *TRAIN])
require(code == 0, said)
require("columns: float32 (3, 7)" in ALONE, ALONE)

# Over shared memory, by a size that the command line names; with more ranks than rows; and checked, each call.
for ranks in (2, 3, 8):
    check_ranks(shared(ranks, MODEL, "--shard=batch", *TRAIN), ALONE)
outcomes = shared(2, MODEL, "--shard=batch", *TRAIN, "--check")
check_ranks([(outcomes[0][0], outcomes[0][1].replace("check: 3 calls agree with the reference interpreter\n", ""),
              outcomes[0][2]), outcomes[1]], ALONE)
require("check: 3 calls agree" in outcomes[0][1], outcomes)

# From what one process has written, and by an object, which knows what is sharded. Rank 0 alone writes.
require(launched([COMPILE, MODEL, "--shard=batch", "-o", "ranks.so", "--metadata=ranks.json"])[0] == 0, "ranks.so")
with open(os.path.join(SCRATCH, "ranks.json")) as file:
    train, = json.load(file)["functions"]
require(train["sharded"] == ["batch"] and train["collectives"] > 0, train)
require([tensor.get("sharded_dimension") for tensor in train["inputs"] + train["outputs"]] ==
        [0, 0, None, None, 0, 1, 0], train)
check_ranks(shared(3, "ranks.so", *TRAIN, "--save-state=state", "--save-weights=w.npz", "--output=out.npz",
                   "--profile=profile.json"), ALONE)
for name in ("state", "w.npz", "out.npz", "profile.0.json", "profile.2.json"):
    require(os.path.exists(os.path.join(SCRATCH, name)), name)
again = ["--random=3", "--size=batch=7", "--state=state"]
code, next_alone, said = launched([RUN, MODEL, *again])
require(code == 0, said)
check_ranks(shared(2, "ranks.so", *again), next_alone)
require("time: " in shared(2, "ranks.so", *TRAIN, "--quiet", "--time")[0][1], "--time")

# Without a sharded size, each with a file of its own.
MESSAGES = os.path.join(SOURCE, "Inputs", "rank-ops.mlir")
require(launched([COMPILE, MESSAGES, "-o", "ops.so", "--metadata=ops.json"])[0] == 0, "ops.so")
with open(os.path.join(SCRATCH, "ops.json")) as file:
    messages, = json.load(file)["functions"]
require("sharded" not in messages and messages["collectives"] == 2, messages)
for program in (MESSAGES, "ops.so"):
    outcomes = shared(2, program, of_rank=lambda rank: ["--random=%d" % rank])
    require([code for code, _, _ in outcomes] == [0, 0] and outcomes[1][1] == "", outcomes)
    total, second = (re.findall(r"-?\d+\.\d*", line) for line in outcomes[0][1].splitlines() if line.startswith("["))
    require(len(total) == len(second) == 2 and total != second, outcomes[0][1])

# Checked they are not: the interpreter is one rank.
for code, _, err in shared(2, MESSAGES, "--random", "--check"):
    require(code == 1 and "--check: not implemented: function 'f', which says what the 2 ranks do together" in err, err)

# In a mesh: rows along one axis, messages along the other, where two ranks have the same rows.
MESH = os.path.join(SOURCE, "Inputs", "mesh.mlir")
code, in_line, said = launched([RUN, MESH, *TRAIN, "--mesh=data:1,model:1"])
require(code == 0 and "line: int64 ()\n1\n" in in_line, said + in_line)
for mesh, ranks, line in (("data:2,model:2", 4, 2), ("model:2,data:3", 6, 2), ("data:2,model:1", 2, 1)):
    check_ranks(shared(ranks, MESH, "--shard=batch:data", "--mesh=" + mesh, *TRAIN), in_line.replace("()\n1\n", f"()\n{line}\n"))
    # Without parts an object knows all there is to know.
    require(launched([COMPILE, MESH, "-o", "mesh.so"])[0] == 0, "mesh.so")
    check_ranks(shared(ranks, "mesh.so", "--mesh=" + mesh, *TRAIN), in_line.replace("()\n1\n", f"()\n{line}\n"))
require(launched([COMPILE, MESH, "--shard=batch:data", "-o", "parts.so", "--metadata=parts.json"])[0] == 0, "parts.so")
for options, message in (
        (["--shard=batch:data", "--mesh=data:2,model:2"], "--mesh: a mesh of data 2 x model 2 is 4 ranks; there are 2"),
        (["--shard=batch:rows", "--mesh=data:1,model:2"], "--mesh: function 'train' has parts along the axis 'rows' of a mesh; "
         "the axes of the 2 ranks are 'data', 'model'"),
        ([], "--mesh: function 'train' has what ranks do along the axis 'model' of a mesh; the axes of the 2 ranks are none")):
    for code, _, err in shared(2, MESH, *options, *TRAIN):
        require(code == 1 and message in err, err)
    # The object says along which axis its parts are.
with open(os.path.join(SCRATCH, "parts.json")) as file:
    train, = json.load(file)["functions"]
require([(tensor.get("sharded_dimension"), tensor.get("sharded_axis")) for tensor in train["inputs"] + train["outputs"]] ==
        [(0, "data"), (None, None), (1, "data"), (None, None)], train)
for mesh, ranks, line in (("data:2,model:2", 4, 2), ("model:2,data:3", 6, 2), ("data:2,model:1", 2, 1), ("data:1,model:2", 2, 2)):
    check_ranks(shared(ranks, "parts.so", "--mesh=" + mesh, *TRAIN), in_line.replace("()\n1\n", f"()\n{line}\n"))
code, out, err = launched([RUN, "parts.so", *TRAIN])
require(code == 0, err)
check(out, in_line)
for code, _, err in shared(2, "parts.so", "--mesh=rows:1,model:2", *TRAIN):
    require(code == 1 and "--mesh: function 'train' has parts along the axis 'data' of a mesh; the axes of the 2 ranks are "
            "'rows', 'model'" in err, err)

# Variables in parts, of models and of objects: all is as of one process, states and weights that it writes are.
PARTS = os.path.join(os.path.dirname(SOURCE), "aot", "parts.mlir")
PARTED = ["--function=train", "--random=3", "--size=batch=7", "--repeat=3"]
code, whole, said = launched([RUN, PARTS, *PARTED, "--save-state=whole", "--save-weights=whole.npz"])
require(code == 0, said)
for options, name in (([], "any.so"), (["--shard-states"], "states.so"), (["--mesh=data:2,model:2"], "fixed.so")):
    require(launched([COMPILE, PARTS, *options, "-o", name])[0] == 0, name)
for program, mesh, ranks in (((PARTS,), "data:2,model:2", 4), (("any.so",), "model:4,data:1", 4), (("any.so",), "model:7,data:1", 7),
                             ((PARTS, "--shard-states"), "data:2,model:2", 4), (("states.so",), "data:3,model:1", 3)):
    check_ranks(shared(ranks, *program, "--mesh=" + mesh, *PARTED, "--save-state=state", "--save-weights=w.npz"), whole)
    # One process goes on with what several have written, and the other way round.
    for state in ("--state=state", "--weights=w.npz"):
        code, next_whole, err = launched([RUN, PARTS, *PARTED, state])
        require(code == 0, err)
        check_ranks(shared(ranks, *program, "--mesh=" + mesh, *PARTED, state), next_whole)
check_ranks(shared(4, "fixed.so", "--mesh=data:2,model:2", *PARTED), whole)
outcomes = shared(2, PARTS, "--mesh=data:1,model:2", *PARTED, "--check")
require([code for code, _, _ in outcomes] == [0, 0] and "check: 3 calls agree" in outcomes[0][1], outcomes)
code, predicted, err = launched([RUN, PARTS, "--function=predict", "--random=3", "--size=batch=7"])
require(code == 0, err)
for program, mesh in ((PARTS, "data:2,model:2"), ("any.so", "model:4,data:1"), ("fixed.so", "data:2,model:2")):
    check_ranks(shared(4, program, "--mesh=" + mesh, "--function=predict", "--random=3", "--size=batch=7"), predicted)
for program, options, message in (
        ("any.so", ["--mesh=data:2"], "--mesh: variable 'w' has parts along the axis 'model' of a mesh; the axes of the 2 ranks are 'data'"),
        ("any.so", [], "the axes of the 2 ranks are none"),
        ("fixed.so", ["--mesh=data:2,model:1"],
         "--mesh: variable 'w' was compiled for parts of 2 ranks along the axis 'model'; there are 1"),
        ("fixed.so", ["--mesh=data:1,model:3"], "--mesh: a mesh of data 1 x model 3 is 3 ranks; there are 2"),
        ("any.so", ["--shard-states"], "--shard-states goes with a model, not a shared object: keratin-compile --shard-states"),
        (PARTS, ["--mesh=data:2"], "variable 'w' is in parts along its dimension 1 among the ranks along 'model'; the axes of "
         "the mesh are 'data'")):
    for code, _, err in shared(2, program, *options, *PARTED):
        require(code == 1 and message in err, err)
code, out, err = launched([RUN, "fixed.so", *PARTED])
require(code == 1 and "variable 'w' was compiled for parts of 2 ranks along the axis 'model'; there are 1" in err, err)
outcomes = shared(2, "any.so", "--mesh=data:1,model:2", *PARTED, "--quiet", "--save-weights=no/such.npz")
require(outcomes[0][0] == 1 and "rank 0 has failed" in outcomes[1][2], outcomes)
# A rank that is told of another mesh.
outcomes = shared(2, MESH, "--shard=batch:data", *TRAIN, of_rank=lambda rank: ["--mesh=data:%d,model:1" % (2 + rank)])
require([code for code, _, _ in outcomes] == [1, 1] and "rank 1 has failed: a mesh of data 3 x model 1 is 3 ranks; there are 2"
        in outcomes[0][2] and "--mesh: a mesh of data 3" in outcomes[1][2], outcomes)
code, _, err = launched([RUN, MESH, *TRAIN, "--mesh=data:2,data:1"])
require(code == 2 and "--mesh: two axes are named 'data'" in err, err)
code, _, err = launched([RUN, MESH, *TRAIN, "--mesh=data:2,model"])
require(code == 2 and "--mesh: found a mesh 'data:2,model'; needed names and numbers of ranks of 1 to 16 axes" in err, err)

# Sizes along two axes: what is in parts along both is whole again.
GRID = os.path.join(SOURCE, "Inputs", "grid.mlir")
SIZES = ["--random=3", "--size=batch=7", "--size=keys=5", "--repeat=3"]
code, in_grid, said = launched([RUN, GRID, *SIZES])
require(code == 0 and "turned: float32 (5, 3, 7)" in in_grid, said + in_grid)
ALONG = ["--shard=batch:data", "--shard=keys:model"]
require(launched([COMPILE, GRID, *ALONG, "-o", "grid.so"])[0] == 0, "grid.so")
for mesh, ranks in (("data:2,model:2", 4), ("model:3,data:2", 6), ("data:2,model:1", 2)):
    for program in ([GRID, *ALONG], ["grid.so"]):
        check_ranks(shared(ranks, *program, "--mesh=" + mesh, *SIZES), in_grid)

# A rank that fails says why; the others say which one it was, and none waits.
for outcomes in (shared(3, MODEL, "--shard=batch", *TRAIN,
                        of_rank=lambda rank: ["--input=x=missing.npy"] if rank == 1 else []),
                 shared(3, MODEL, "--shard=batch", *TRAIN,
                        of_rank=lambda rank: ["--weights=missing.npz"] if rank == 1 else [])):
    for rank, (code, out, err) in enumerate(outcomes):
        require(code == 1 and "missing.np" in err and ("rank 1 has failed: " in err) == (rank != 1),
                f"rank {rank}: exit code {code}\n{out}{err}")
for rank, (code, out, err) in enumerate(shared(2, MODEL, "--shard=batch", *TRAIN, "--quiet", "--save-state=no/state")):
    require(code == 1 and ("rank 0 has failed: " in err) == (rank == 1), f"rank {rank}: exit code {code}\n{out}{err}")
for arguments, message in (([MODEL, "--shard=rows", *TRAIN], "--shard: no input has a size 'rows'; there are batch"),
                           (["ranks.so", "--shard=batch", *TRAIN], "--shard goes with a model, not a shared object")):
    code, out, err = launched([RUN, *arguments])
    require(code == 1 and message in err, err)

for name, launcher in LAUNCHERS.items():
    if shutil.which(launcher[0]) is None:
        print(f"{launcher[0]} is not here: nothing of {name} was tried")
        continue
    for ranks, model, options, wanted in ((2, MODEL, ["--shard=batch"], ALONE), (2, "ranks.so", [], ALONE),
                                          (4, MESH, ["--shard=batch:data", "--mesh=data:2,model:2"],
                                           in_line.replace("()\n1\n", "()\n2\n"))):
        code, out, err = launched([*launcher, "-n", str(ranks), RUN, model, *options, *TRAIN])
        require(code == 0, err)
        check(out, wanted)
