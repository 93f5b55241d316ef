"""Steps of two processes beside other libraries: ranks.py [names of steps] [--batches=N] [--turns=N] [--markdown]

The same model, batch and optimizer on two ranks of this machine, a core and a thread each: Keratin over shared memory and over the MPIs that are here,
by TCP; PyTorch's DistributedDataParallel and JAX's jit over a mesh, both over gloo. Each job runs in a namespace of network of its own, whose loopback
device counts what was sent. Beside it each library's step of the whole batch in one process. Libraries are those of peers.py; it takes root, `unshare` and
`ip`, and two cores on which nothing else runs.

Prints a table; --markdown puts it into docs/scale.md.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import uuid
from pathlib import Path

import peers

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PAGE = ROOT / "docs" / "scale.md"
PORT = 29511
STEPS = {"mlp": "perceptron b128", "cnn_cifar": "cnn_cifar b32", "xformer": "transformer block b8 T128"}
MPIS = {
    "Open MPI": ["mpirun.openmpi", "--allow-run-as-root", "--bind-to", "none", "--mca", "pml", "ob1", "--mca", "btl", "self,tcp", "--mca", "btl_tcp_if_include", "lo"],
    "MPICH": ["mpirun.mpich", "-env", "UCX_TLS", "tcp,self", "-env", "UCX_NET_DEVICES", "lo"],
}


# Ranks that no launcher starts: those but the first beside it.
START = """for rank in $(seq 1 $((KERATIN_RANKS - 1))); do KERATIN_RANK=$rank "$@" & done
KERATIN_RANK=0 "$@"; code=$?; wait; exit $code"""


def run(python, library, step, size, options, launcher=()):
    """Rank 0's line; None where the job fails."""
    command = [str(python), str(HERE / "libraries" / "rank.py"), library, step, str(options.batches), str(PORT)]
    start = [*launcher, "-n", str(size)] if launcher else ["sh", "-c", START, "sh"]
    environment = {**os.environ, "KERATIN_RANKS": str(size), "KERATIN_JOB": f"ranks-{uuid.uuid4().hex}"}
    if library == "keratin":
        environment["PYTHONPATH"] = str(ROOT / "build" / "release" / "python")
    inside = ["unshare", "--net", "sh", "-c", 'ip link set lo up; exec "$@"', "sh"]
    done = subprocess.run([*inside, *start, *command], env=environment, stdout=subprocess.PIPE, text=True, timeout=600)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        peers.say(f"{library} {step} on {size} ranks ended with {done.returncode}")
        return None
    return lines[-1]


def least(lines):
    lines = [line for line in lines if line]
    return min(lines, key=lambda line: line["min_ms"]) if lines else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="without any: " + " ".join(STEPS))
    parser.add_argument("--batches", type=int, default=10)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--environments", type=Path, default=ROOT / "build" / "peers")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    own = ROOT / "build" / "python-env" / "bin" / "python"
    jobs = [("Keratin", "shared memory", own, "keratin", ())]
    jobs += [("Keratin", f"{name}, TCP", own, "keratin", MPIS[name]) for name in MPIS if shutil.which(MPIS[name][0])]
    jobs += [("PyTorch DDP", "gloo", peers.environment_of("torch", options.environments), "torch", ()),
             ("JAX", "gloo", peers.environment_of("jax", options.environments), "jax", ())]
    rows = []
    for step in options.names or STEPS:
        alone, measured = {}, {}
        for _ in range(options.turns):
            for library, engine, python, module, launcher in jobs:
                if not launcher:
                    alone.setdefault(library, []).append(run(python, module, step, 1, options))
                measured.setdefault((library, engine), []).append(run(python, module, step, 2, options, launcher))
        for (library, engine), lines in measured.items():
            line, one = least(lines), least(alone[library])
            if not line or not one:
                continue
            # PyTorch's is the loss of the rank's own rows.
            if library != "PyTorch DDP" and abs(line["first"] - one["first"]) > 1e-4 * abs(one["first"]):
                raise SystemExit(f"{library} over {engine}: the loss of {step} is {line['first']}, in one process {one['first']}")
            sent = f"{line['bytes'] / 1e6:.3g}" if line["bytes"] > 1e4 else ""
            rows.append([STEPS[step], library, engine, f"{one['min_ms']:.3g}", f"{line['min_ms']:.3g}", f"{line['median_ms']:.3g}",
                         f"{one['min_ms'] / line['min_ms']:.2f}", sent])
    head = ["step", "library", "over", "one process, ms", "two, ms", "median", "times faster", "MB sent in a step"]
    table = "".join("| " + " | ".join(row) + " |\n" for row in [head, ["---"] * len(head), *rows])
    print(table)
    if options.markdown:
        import scale

        PAGE.write_text(scale.replaced(PAGE.read_text(encoding="utf-8"), "beside", table), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
