"""Compares K functions and their gradients with PyTorch and SciPy on random inputs.

Run by tests/judge/run.sh in a virtual environment. Each entry of functions.TABLE makes random
cases; keratin-judge-graphs writes a graph for each (numbers, first and second gradients),
keratin-run computes it, and PyTorch computes the same by other means. Prints disagreements; exit
code 1 if there are any.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import zipfile
import zlib

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch

import functions

# Of the largest number of a tensor: what two orders of summation may differ by, and functions that
# cancel. Gradients of gradients add up more.
TOLERANCES = {"float64": (1e-10, 1e-9, 1e-8), "float32": (2e-5, 2e-4, 2e-3)}


def weighted(x):
    flat = x.reshape(-1)
    place = torch.arange(flat.numel(), dtype=flat.dtype)
    return (flat * torch.cos(place * 0.7 + 0.3)).sum()


def total(tensors):
    sums = [weighted(x) for x in tensors if x.is_floating_point()]
    return sum(sums[1:], sums[0]) if sums else None


def gradients_of(sum_, inputs, case, kind, results):
    wanted = [(i, x) for i, x in enumerate(inputs) if x.is_floating_point()]
    if sum_ is None or not wanted or not sum_.requires_grad:
        return []
    found = torch.autograd.grad(sum_, [x for _, x in wanted], create_graph=True, allow_unused=True)
    gradients = {i: gradient * (x != 0) if case.is_sparse(i) else gradient
                 for (i, x), gradient in zip(wanted, found) if gradient is not None}
    results.update({f"{kind}{i}": gradient for i, gradient in gradients.items()})
    return list(gradients.values())


def expected_of(case, found):
    inputs = []
    for array in case.inputs:
        tensor = torch.from_numpy(np.array(array))
        if tensor.is_floating_point():
            tensor = tensor.double().requires_grad_()
        inputs.append(tensor)
    outputs = case.reference(*([found] if case.drawn else []), *inputs)
    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    results = {f"y{i}": y for i, y in enumerate(outputs)}
    first = gradients_of(total(outputs), inputs, case, "g", results)
    if case.second:
        gradients_of(total(first), inputs, case, "h", results)
    return {name: x.detach().numpy(force=True) for name, x in results.items()}


def disagreement(kind, found, expected, tolerances, slack):
    """None, or what is wrong with one result. What the other side lacks is a gradient of zero."""
    if found is None or expected is None:
        other = found if expected is None else expected
        if kind[0] == "y" or np.abs(other).max(initial=0) > 0:
            return "only PyTorch has it" if found is None else "only K has it"
        return None
    if found.shape != expected.shape:
        return f"shape {found.shape}, expected {expected.shape}"
    if found.dtype.kind != expected.dtype.kind:
        return f"dtype {found.dtype}, expected {expected.dtype}"
    if found.dtype.kind != "f":
        wrong = found.astype(np.int64) != expected.astype(np.int64)
        return f"{wrong.sum()} of {wrong.size} elements differ" if wrong.any() else None
    a, b = found.astype(np.float64), expected.astype(np.float64)
    special = ~np.isfinite(b)
    if not np.array_equal(a[special], b[special], equal_nan=True):
        return "infinities or NaN are elsewhere"
    scale = max(1.0, np.abs(b[~special]).max(initial=0))
    error = np.abs(a[~special] - b[~special]).max(initial=0)
    limit = tolerances["ygh".index(kind[0])] * scale * (1.0 if kind[0] == "y" else slack)
    return f"off by {error:.3g} of {scale:.3g}" if not error <= limit else None


def feeds_of(case, graph):
    """Arrays by the names under which the graph is fed."""
    feeds = {}
    for array, names in zip(case.inputs, graph["inputs"]):
        parts = {"whole": array}
        if "rows" in names:
            rows, columns = np.nonzero(array)
            parts = {"rows": rows, "columns": columns, "values": array[rows, columns],
                     "row_count": array.shape[0], "column_count": array.shape[1]}
        feeds.update({name: parts[part] for part, name in names.items()})
    return feeds


def judge(case, graph, options):
    """The disagreements of one case, as text."""
    if "error" in graph:
        return [graph["error"]]
    base = options.work / case.id
    np.savez(f"{base}.in.npz", **feeds_of(case, graph))
    command = [options.bin / "keratin-run", f"{base}.ktg", f"--input={base}.in.npz",
               f"--output={base}.out.npz", "--quiet", "--threads=1"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        return [run.stderr.strip()]
    with zipfile.ZipFile(f"{base}.out.npz") as file:
        names = [name.removesuffix(".npy") for name in file.namelist()]
    with np.load(f"{base}.out.npz") as file:
        found = dict(zip(graph["results"], (file[name] for name in names)))
    try:
        expected = expected_of(case, [found[f"y{i}"] for i in range(sum(k[0] == "y" for k in found))])
    except functions.Disagreement as error:
        return [str(error)]
    except Exception as error:  # the other side's limits are no finding, but must not hide the rest
        return [f"no judgement: {type(error).__name__}: {error}"]
    wrong = []
    # Gradients flow through what was rounded, too.
    tolerances = TOLERANCES["float32" if any(x.dtype == np.float32 for x in found.values()) else "float64"]
    for kind in sorted(found.keys() | expected.keys(), key=lambda kind: ("ygh".index(kind[0]), kind)):
        text = disagreement(kind, found.get(kind), expected.get(kind), tolerances, case.slack)
        if text:
            wrong.append(f"{kind}: {text}")
    return wrong


def api_names():
    api = pathlib.Path(__file__).parents[2] / "docs" / "api.md"
    # Extensions are held to NumPy by tests of their own.
    keras = api.read_text().partition("\n## extensions\n")[0]
    return set(re.findall(r"^\| `(\w+)\(", keras, re.MULTILINE))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="folder of keratin-run")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for graphs and arrays")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=20, help="cases a function")
    parser.add_argument("--only", default="", help="functions, separated by commas")
    options = parser.parse_args()
    missing = functions.gaps(api_names())
    for line in missing:
        print(line)
    options.work.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)

    wanted = [name for name in options.only.split(",") if name]
    cases = []
    for name, make in functions.TABLE.items():
        if wanted and name not in wanted:
            continue
        for number in range(options.cases):
            random = functions.Random([options.seed, number, zlib.crc32(name.encode())])
            cases.append(functions.make_case(name, number, make, random))
    listed = [{"id": case.id, "function": case.function, "args": case.args, "second": case.second,
               "inputs": case.declared} for case in cases]
    (options.work / "cases.json").write_text(json.dumps(listed))
    subprocess.run([options.bin / "keratin-judge-graphs", options.work], check=True)
    graphs = {graph["id"]: graph for graph in json.loads((options.work / "graphs.json").read_text())}

    failed = {}
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for case, wrong in zip(cases, pool.map(lambda c: judge(c, graphs[c.id], options), cases)):
            failed.setdefault(case.function, 0)
            if wrong:
                failed[case.function] += 1
                shapes = ", ".join(f"{x.dtype}{list(x.shape)}" for x in case.inputs)
                print(f"{case.id}: {json.dumps(case.args)} on {shapes}")
                for line in wrong:
                    print(f"    {line}")
    bad = sum(failed.values())
    print(f"{len(cases)} cases in {len(failed)} entries of the table, {bad} disagreements"
          + "".join(f"; {name} {count}" for name, count in failed.items() if count))
    sys.exit(bad + len(missing) > 0)


if __name__ == "__main__":
    main()
