"""Every elementwise op of every dtype, compiled ahead of time, as an older processor runs it.

elementwise_sweep.py ELEMENTWISE_OPS_TD KERATIN_COMPILE KERATIN_RUN WORK_FOLDER MCPU [EMULATOR...]

Writes a model of all elementwise ops (their records say which there are) for each dtype, and numbers of all kinds for it; the
emulator runs keratin-run, which compares the compiled model with the reference interpreter. Where KERATIN_TEST_EVERY says so, a
part of the dtypes, others each day.
"""

import math
import pathlib
import random
import re
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import sample  # noqa: E402

FLOATS = {"f32": ("<f4", "f", 24, 128), "f64": ("<f8", "d", 53, 1024), "f16": ("<f2", "e", 11, 16)}
INTS = {"i8": ("|i1", "b"), "i16": ("<i2", "h"), "i32": ("<i4", "i"), "i64": ("<i8", "q"),
        "ui8": ("|u1", "B"), "ui16": ("<u2", "H"), "ui32": ("<u4", "I"), "ui64": ("<u8", "Q")}
BOOLS = {"i1": ("|b1", "?")}
# What a record says of operands, and the dtypes that are such.
KINDS = {"Number": [*FLOATS, *INTS], "Sum": [*FLOATS, *INTS], "Float": [*FLOATS], "Int": [*INTS], "Bits": [*INTS, *BOOLS],
         "": [*FLOATS, *INTS, *BOOLS]}
COUNT = 1003


def ops(records):
    """(mnemonic, number of operands, dtypes) of each op whose operands and result have one element type."""
    found = []
    for base, mnemonic, kind in re.findall(r'^def Keratin_\w+Op : Keratin_(\w+)<"(\w+)"(?:, Keratin_(\w*?)Tensor)?', records, re.M):
        if base == "Op" or base == "ElementwiseOp":
            continue  # is_finite, compare, select, cast and multiply_add: written out below
        number = {"BinaryOp": 2, "BitsOp": 2, "IncompleteGammaOp": 2, "TernaryFloatOp": 3}.get(base, 1)
        kind = {"FloatUnaryOp": "Float", "IncompleteGammaOp": "Float", "TernaryFloatOp": "Float", "BitsOp": "Bits",
                "MarkerOp": ""}.get(base, kind)
        found.append((mnemonic, number, KINDS[kind]))
    written = {"is_finite", "compare", "select", "cast", "multiply_add"}
    all_names = set(re.findall(r'^def Keratin_\w+Op : Keratin_\w+<"(\w+)"', records, re.M))
    missing = all_names - written - {name for name, _, _ in found}
    assert not missing and len(found) > 30, missing
    return found


def model(table, dtype):
    vector, bools = f"tensor<{COUNT}x{dtype}>", f"tensor<{COUNT}xi1>"
    lines, results = [], []

    def add(text, result):
        lines.append(f"  %{len(results)} = keratin.{text}")
        results.append((f"%{len(results)}", result))

    for name, number, dtypes in table:
        if dtype in dtypes:
            operands = ", ".join(["%x", "%y", "%x"][:number])
            add(f"{name} {operands} : ({', '.join([vector] * number)}) -> {vector}", vector)
    if dtype not in BOOLS:
        add(f"multiply_add %x, %y, %x : ({vector}, {vector}, {vector}) -> {vector}", vector)
    if dtype in FLOATS:
        add(f"is_finite %x : ({vector}) -> {bools}", bools)
    for direction in ("eq", "ne", "lt", "le", "gt", "ge"):
        add(f"compare {direction} %x, %y : ({vector}, {vector}) -> {bools}", bools)
    add(f"select %c, %x, %y : ({bools}, {vector}, {vector}) -> {vector}", vector)
    for other in [*FLOATS, *INTS, "bf16"]:
        if other != dtype:
            # A bf16 has no name in NumPy's files: back to float32.
            add(f"cast %x : ({vector}) -> tensor<{COUNT}x{other}>", f"tensor<{COUNT}x{other}>")
            if other == "bf16":
                value, _ = results.pop()
                lines.append(f"  %back = keratin.cast {value} : (tensor<{COUNT}xbf16>) -> tensor<{COUNT}xf32>")
                results.append(("%back", f"tensor<{COUNT}xf32>"))
    kind = 'keratin.kind = "input", keratin.name = '
    outputs = ", ".join(f'{t} {{keratin.kind = "output", keratin.name = "y{i}"}}' for i, (_, t) in enumerate(results))
    return (f'func.func @{dtype}(%x: {vector} {{{kind}"x"}}, %y: {vector} {{{kind}"y"}}, %c: {bools} {{{kind}"c"}})'
            f" -> ({outputs}) {{\n" + "\n".join(lines) + "\n"
            f"  return {', '.join(v for v, _ in results)} : {', '.join(t for _, t in results)}\n}}\n")


def numbers(dtype, generator):
    if dtype in BOOLS:
        return [generator.random() < 0.5 for _ in range(COUNT)]
    if dtype in INTS:
        code = INTS[dtype][1]
        width = 8 * struct.calcsize(code)
        low, high = (0, 2**width - 1) if code.isupper() else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)
        special = [0, 1, low, low + 1, high, high - 1, max(low, -1), 7]
        return [generator.choice(special) if generator.random() < 0.3
                else generator.randint(max(low, -20), 20) if generator.random() < 0.5
                else generator.randint(low, high) for _ in range(COUNT)]
    digits, top = FLOATS[dtype][2:]
    most = math.ldexp(2 - 2 ** (1 - digits), top - 1)
    least = math.ldexp(1.0, 3 - top - digits)
    special = [0.0, -0.0, math.inf, -math.inf, math.nan, most, -most, least, -least, 1.0, -1.0, 0.5, 1e3, 2.5]

    def number():
        kind = generator.random()
        if kind < 0.25:
            return generator.choice(special)
        exponent = generator.randint(-10, 10) if kind < 0.7 else generator.randint(3 - top, top - 2)
        value = math.ldexp(generator.uniform(1, 2), exponent) * generator.choice((-1, 1))
        return struct.unpack("<" + FLOATS[dtype][1], struct.pack("<" + FLOATS[dtype][1], value))[0]

    return [number() for _ in range(COUNT)]


def write_npy(path, dtype, values):
    description, code = {**FLOATS, **INTS, **BOOLS}[dtype][:2]
    header = f"{{'descr': '{description}', 'fortran_order': False, 'shape': ({COUNT},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack(f"<{COUNT}{code}", *values))


def main(records, compiler, runner, work, mcpu, *emulator):
    work = pathlib.Path(work)
    work.mkdir(parents=True, exist_ok=True)
    table = ops(pathlib.Path(records).read_text())
    source, library = work / "elementwise.mlir", work / "libelementwise.so"
    sample.print_sample()
    # Processors are apart from each other in what they take.
    dtypes = [dtype for i, dtype in enumerate([*FLOATS, *INTS, *BOOLS]) if sample.is_in_sample(i + len(mcpu))]
    source.write_text("".join(model(table, dtype) for dtype in dtypes))
    subprocess.run([compiler, source, "-o", library, f"--mcpu={mcpu}"], check=True)
    generator = random.Random(1)
    failed = []
    for dtype in dtypes:
        files = []
        for name, kind in (("x", dtype), ("y", dtype), ("c", "i1")):
            path = work / f"{dtype}_{name}.npy"
            write_npy(path, kind, numbers(kind, generator))
            files.append(f"--input={name}={path}")
        command = [*emulator, runner, library, f"--model={source}", f"--function={dtype}", "--check", "--quiet", *files]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            failed.append(dtype)
            print(f"{dtype}: exit code {result.returncode}\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
    print(f"{len(table)} ops, {len(dtypes)} dtypes, failed: {failed}")
    return bool(failed)


sys.exit(main(*sys.argv[1:]))
