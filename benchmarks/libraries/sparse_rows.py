"""Sparse derivatives of Keratin's beside CasADi's generated C, dense ones of JAX, and sparsejac: run by sparse_peers.py.

Values, structure, and time. One JSON object a line.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import casadi
import numpy as np
import scipy.sparse

import keratin.backend as K
from libraries import native
from libraries.sparse_problems import problems

MOST_DENSE = 2e7  # elements of a matrix that JAX makes
MOST_INSTRUCTIONS = 100000  # of C that gcc has to optimise in one function


# ---- Namespaces --------------------------------------------------------------------------------


class Keratin:
    sqrt, exp, sin, cos, atan, sum = K.sqrt, K.exp, K.sin, K.cos, K.atan, K.sum
    concatenate = K.concatenate
    take = staticmethod(lambda x, places: K.gather(x, K.constant(places, "int32")))
    grid = staticmethod(lambda x, side: K.reshape(x, (side, side)))
    pad = staticmethod(lambda x: K.pad(x, ((1, 1), (1, 1))))
    constant = staticmethod(lambda values: K.constant(values, "float64"))
    length = staticmethod(lambda x: K.int_shape(x)[0])
    flat = staticmethod(lambda x: K.reshape(x, (-1,)))


class Casadi:
    """Of scalars (SX) or of matrices (MX), which it stores by columns."""

    sqrt, exp, sin, cos, atan = casadi.sqrt, casadi.exp, casadi.sin, casadi.cos, casadi.atan
    concatenate = staticmethod(lambda parts: casadi.vertcat(*parts))
    sum = staticmethod(casadi.sum1)
    take = staticmethod(lambda x, places: x[places.tolist()])
    grid = staticmethod(lambda x, side: casadi.reshape(x, side, side).T)
    flat = staticmethod(lambda x: casadi.vec(x.T))
    constant = staticmethod(casadi.DM)
    length = staticmethod(lambda x: x.numel())

    @staticmethod
    def pad(x):
        side = x.shape[0]
        rows = casadi.vertcat(casadi.DM.zeros(1, side), x, casadi.DM.zeros(1, side))
        return casadi.horzcat(casadi.DM.zeros(side + 2, 1), rows, casadi.DM.zeros(side + 2, 1))


def jax_namespace():
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)

    class Jax:
        sqrt, exp, sin, cos, atan, sum, concatenate = jnp.sqrt, jnp.exp, jnp.sin, jnp.cos, jnp.arctan, jnp.sum, jnp.concatenate
        take = staticmethod(lambda x, places: x[places])
        grid = staticmethod(lambda x, side: jnp.reshape(x, (side, side)))
        pad = staticmethod(lambda x: jnp.pad(x, 1))
        flat, constant = jnp.ravel, jnp.asarray
        length = staticmethod(len)

    return jax, Jax


# ---- What is compared --------------------------------------------------------------------------


class Matrix:
    """Places of the entries, and a call that fills their values."""

    def __init__(self, rows, columns, values, shape, call):
        self.rows, self.columns, self.values, self.shape, self.call = rows, columns, values, shape, call

    def assembled(self):
        self.call()
        return scipy.sparse.coo_matrix((self.values, (self.rows, self.columns)), self.shape).tocsr()


def of_keratin(problem, calls, name):
    """The matrix, and a call of the function that it is the derivative of."""
    K.clear_session()
    K.set_floatx("float64")
    x = K.placeholder(problem.point.shape)
    y = problem.function(Keratin, x)
    begin = time.perf_counter()
    sparse = K.sparse_hessian(y, x) if problem.kind == "Hessian" else K.sparse_jacobian(y, x)
    rows, columns, values = K.sparse_parts(sparse)
    rows, columns = K.eval(rows), K.eval(columns)
    found = np.zeros(len(rows))
    call = calls.keratin(K.function([x], [values], name="derivative"), [problem.point], [found], name)
    seconds = time.perf_counter() - begin
    plain = np.zeros(K.int_shape(y))
    function = calls.keratin(K.function([x], [y], name="function"), [problem.point], [plain], name + "_function")
    return Matrix(rows, columns, found, K.int_shape(sparse), call), function, seconds


def of_casadi(problem, calls, name, how):
    """None where the C of scalars is longer than a compiler takes in minutes. Without calls by its virtual machine."""
    begin = time.perf_counter()
    if how == "map":
        x, found, rows, columns, shape = casadi_pieces(problem)
    else:
        x = getattr(casadi, how).sym("x", len(problem.point))
        y = problem.function(Casadi, x)
        found = casadi.hessian(y, x)[0] if problem.kind == "Hessian" else casadi.jacobian(y, x)
        (rows, columns), shape = map(np.array, found.sparsity().get_triplet()), found.shape
    # Common subexpressions once.
    function = casadi.Function("derivative", [x], [found], {"cse": True})
    if calls is None:
        values = np.array(function(problem.point).nonzeros())
        return Matrix(rows, columns, values, shape, lambda: None), None
    if function.n_instructions() > MOST_INSTRUCTIONS:
        return None, None
    call = calls.casadi(function, [problem.point], name)
    return Matrix(rows, columns, call.outputs[0], shape, call), time.perf_counter() - begin


def casadi_pieces(problem):
    """The derivative of one piece, at all places: what a loop in C computes. The matrix is left to be put together."""
    pieces = problem.pieces
    count, width = pieces.columns.shape
    x, part = casadi.MX.sym("x", len(problem.point)), casadi.SX.sym("x", width)
    derivative = casadi.jacobian(pieces.function(Casadi, part)[pieces.kept], part)
    entries = casadi.vertcat(*derivative.nonzeros())
    at_place = casadi.Function("piece", [part], [entries], {"cse": True}).map(count)
    found = at_place(casadi.reshape(x[pieces.columns.ravel().tolist()], width, count))
    rows, columns = map(np.array, derivative.sparsity().get_triplet())
    # As they come, by columns: one for each piece.
    return x, casadi.vec(found), pieces.rows[:, rows].ravel(), pieces.columns[:, columns].ravel(), None


def of_jax(problem):
    """The dense matrix, and a call that makes it."""
    jax, namespace = jax_namespace()
    function = lambda x: problem.function(namespace, x)
    if problem.kind == "Hessian":
        dense = jax.jit(jax.hessian(function))
    else:
        outputs = len(jax.eval_shape(function, problem.point))
        dense = jax.jit((jax.jacfwd if len(problem.point) <= outputs else jax.jacrev)(function))
    point = jax.numpy.asarray(problem.point)
    return np.asarray(dense(point)), native.PythonCall(lambda: dense(point).block_until_ready())


def of_sparsejac(problem, pattern):
    """By the structure that Keratin found, which it cannot find itself."""
    import sparsejac

    jax, namespace = jax_namespace()
    from jax.experimental import sparse

    function = lambda x: problem.function(namespace, x)
    function = jax.grad(function) if problem.kind == "Hessian" else function
    structure = sparse.BCOO.from_scipy_sparse(pattern)
    of_function = sparsejac.jacfwd(function, structure)
    jacobian = jax.jit(lambda x: of_function(x).data)
    point = jax.numpy.asarray(problem.point)
    jacobian(point)
    return native.PythonCall(lambda: jacobian(point).block_until_ready())


def structure_of(rows, columns, width):
    return np.unique(np.asarray(rows, np.int64) * width + columns)


def check(problem, ours, found, our_places, theirs, row, how):
    what = f"{problem.name}, {problem.case}, {how}"
    if theirs.shape and tuple(theirs.shape) != tuple(ours.shape):
        raise AssertionError(f"{what}: shape {ours.shape}, CasADi has {theirs.shape}")
    theirs.shape = ours.shape
    expected = theirs.assembled()
    places = structure_of(theirs.rows, theirs.columns, ours.shape[1])
    if missing := len(np.setdiff1d(places, our_places)):
        raise AssertionError(f"{what}: {missing} entries are missing")
    # What a piece says of the last time alone is missing from its matrix.
    same = found.multiply(expected != 0) if how == "map" else found
    error = abs(same - expected).max() / abs(expected).max()
    if not error < 1e-11:
        raise AssertionError(f"{what}: off by {error:.2g} of the largest")
    if how != "map":
        row["casadi_entries"] = len(places)
    row["error"] = max(error, row.get("error", 0))


def compare(problem, calls, name, is_check):
    """(row, calls by name, Keratin's matrix, its structure)."""
    ours, function, seconds = of_keratin(problem, calls, name)
    found = ours.assembled()
    row = {"name": problem.name, "case": problem.case, "rows": ours.shape[0], "columns": ours.shape[1],
           "entries": len(ours.rows), "build_s": {"keratin": seconds}}
    timed = {"function": function, "keratin": ours.call}
    our_places = structure_of(ours.rows, ours.columns, ours.shape[1])
    for how in ("SX", "MX", "map"):
        # Matrices suit grids; of a few numbers at many places they are slower than a map of these.
        suits = {"SX": True, "MX": not problem.pieces and problem.kind == "Jacobian", "map": bool(problem.pieces)}
        if not suits[how]:
            continue
        which = f"casadi {how}"
        theirs, seconds = of_casadi(problem, None if is_check else calls, f"{name}_{how}", how)
        if theirs is None:
            print(f"{which} of {problem.name}: its C is too long, and left out", file=sys.stderr, flush=True)
            continue
        check(problem, ours, found, our_places, theirs, row, how)
        if not is_check:
            row["build_s"][which], timed[which] = seconds, theirs.call
    pattern = scipy.sparse.csr_matrix((np.ones(len(ours.rows)), (ours.rows, ours.columns)), ours.shape)
    return row, timed, found, pattern


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="problems; all without any")
    parser.add_argument("--check", action="store_true", help="small sizes, values and structure alone")
    parser.add_argument("--turns", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        calls = native.Native(folder)
        for number, problem in enumerate(problems(options.check)):
            if options.names and problem.name not in options.names:
                continue
            row, timed, found, pattern = compare(problem, calls, f"p{number}", options.check)
            if not options.check:
                if np.prod(pattern.shape) <= MOST_DENSE:
                    dense, timed["jax dense"] = of_jax(problem)
                    if not np.abs(dense - found.toarray()).max() < 1e-11 * np.abs(dense).max():
                        raise AssertionError(f"{problem.name}, {problem.case}: JAX has other values")
                try:
                    timed["sparsejac"] = of_sparsejac(problem, pattern)
                except ImportError as problem_of_import:
                    print(f"sparsejac is left out: {problem_of_import}", file=sys.stderr)
                row["seconds"] = native.least_of_turns(timed, options.turns)
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
