"""Derivatives of Keratin beside CasADi, JAX, sparsejac and nutpie: derivative_peers.py [names of problems] [options]

Sparse Jacobians and Hessians (libraries/sparse_problems.py) beside CasADi's C, compiled by gcc -O3 -march=native, the
dense matrices of JAX, and sparsejac; log densities and gradients (libraries/densities.py) beside what nutpie calls of a
model of PyMC. Values are compared, and of CasADi's matrices the structure; then all take turns in one process, called
from C where they can be. The environments are those of peers.txt, made as peers.py makes them. Prints tables for
docs/derivatives.md; the exit code is 1 if anything disagrees. --check compares small problems and measures nothing.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from peers import HERE, ROOT, environment_of, time_text

SPARSE_HEAD = ["problem", "case", "entries", "ours", "over the function's", "best of CasADi", "ratio", "others of CasADi",
               "JAX, dense", "sparsejac"]
DENSITY_HEAD = ["model", "case", "ours", "a second", "nutpie", "ratio"]


def rows_of(script, environment, options):
    """What the script prints, and whether it went through."""
    python = environment_of(environment, options.environments)
    command = [python, HERE / "libraries" / script, *options.names, f"--turns={options.turns}"] + ["--check"] * options.check
    if options.core is not None:
        command = ["taskset", "-c", str(options.core), *command]
    settings = {"PYTHONPATH": str(options.module), "KERATIN_CACHE": "off", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=os.environ | settings, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode == 0


def microseconds(seconds):
    return time_text(seconds * 1e3)


def sparse_cells(row):
    seconds = row["seconds"]
    ours = seconds["keratin"]
    casadi = sorted((taken, name.split()[1]) for name, taken in seconds.items() if name.startswith("casadi"))
    best, how = casadi[0]
    others = ", ".join(f"{microseconds(taken)} {name}" for taken, name in casadi[1:])
    entries = str(row["entries"])
    # Where its C of scalars is too long, its structure is not known either.
    if row.get("casadi_entries", row["entries"]) != row["entries"]:
        entries += f" ({row['casadi_entries']} of CasADi)"
    over = f"{ours / seconds['function']:.1f}" if "Hessian" not in row["case"] else ""
    rest = [microseconds(seconds[name]) if name in seconds else "" for name in ("jax dense", "sparsejac")]
    return [row["name"], row["case"], entries, microseconds(ours), over, f"{microseconds(best)} {how}", f"{best / ours:.2f}",
            others, *rest]


def density_cells(row):
    ours, theirs = row["seconds"]["keratin"], row["seconds"]["nutpie"]
    return [row["name"], row["case"], microseconds(ours), f"{1 / ours:,.0f}", microseconds(theirs), f"{theirs / ours:.2f}"]


def show(head, table):
    for line in [head, ["---"] * len(head), *table]:
        print("| " + " | ".join(line) + " |")
    print()


# Name, what measures it, the environment that this runs in, head and cells.
TABLES = (
    ("sparse", "sparse_rows.py", "casadi", SPARSE_HEAD, sparse_cells),
    ("densities", "density_rows.py", "pymc", DENSITY_HEAD, density_cells),
)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="problems or models; all without any")
    parser.add_argument("--only", choices=["sparse", "densities"], help="one of the tables")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--core", type=int, help="the core that all run on; without it, any")
    parser.add_argument("--module", type=Path, default=ROOT / "build" / "release" / "python")
    parser.add_argument("--environments", type=Path, default=ROOT / "build" / "peers")
    options = parser.parse_args()
    well = True
    for table, script, environment, head, cells in TABLES:
        if options.only not in (None, table):
            continue
        rows, went_through = rows_of(script, environment, options)
        well &= went_through
        if options.check:
            for row in rows:
                print(f"{row['name']}, {row['case']}: agrees, off by {row['error']:.1g} of the largest")
        elif rows:
            show(head, [cells(row) for row in rows])
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
