"""A rank of benchmarks/ranks.py: rank.py LIBRARY STEP BATCHES PORT, with KERATIN_RANK and KERATIN_RANKS, or what mpirun says.

Rank 0 prints a line of JSON: the least and the median milliseconds of a step, the bytes that passed the loopback device in one, headers and
acknowledgements too, and the loss.
"""

import importlib
import json
import os
import sys
import time
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "KERATIN_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

# Steps of a reading, the same on all ranks.
CALLS = {"mlp": 40, "cnn_cifar": 6, "xformer": 2}


def number(*names):
    return int(next(os.environ[name] for name in names if name in os.environ))


def bytes_so_far():
    lines = Path("/proc/net/dev").read_text(encoding="ascii").splitlines()
    return sum(int(line.split(":")[1].split()[8]) for line in lines if line.strip().startswith("lo:"))


def example(name):
    """The rows of the whole batch, and their labels."""
    import numpy as np
    from libraries import common

    inputs = common.Inputs()
    if name == "mlp":
        return inputs.rows[:128], inputs.labels
    if name == "xformer":
        return common.uniform(3, -1, 1, 8, 128, 512), None
    return common.uniform(3, -1, 1, 32, 32, 32, 3), np.random.default_rng(5).integers(0, 10, 32).astype("int32")


def main():
    library, name, batches, port = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    rank = number("OMPI_COMM_WORLD_RANK", "PMI_RANK", "KERATIN_RANK")
    size = number("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "KERATIN_RANKS")
    # A core each, and all threads of the library on it.
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[rank % len(cores)]})
    module = importlib.import_module(f"libraries.{library}_ranks")
    engine = module.join(rank, size, port)
    rows, labels = example(name)
    own = slice(rank * len(rows) // size, (rank + 1) * len(rows) // size)
    step = module.step(name, rows[own].copy(), None if labels is None else labels[own].copy())
    first = step()
    for _ in range(3):
        step()
    calls, readings, before = CALLS[name], [], bytes_so_far()
    for _ in range(batches):
        start = time.perf_counter()
        for _ in range(calls):
            loss = step()
        readings.append((time.perf_counter() - start) / calls * 1e3)
    sent = (bytes_so_far() - before) / (batches * calls)
    if rank == 0:
        readings.sort()
        line = {"engine": engine, "min_ms": readings[0], "median_ms": readings[len(readings) // 2], "bytes": sent, "first": float(first), "loss": float(loss)}
        print(json.dumps(line), flush=True)
    module.leave()


if __name__ == "__main__":
    main()
