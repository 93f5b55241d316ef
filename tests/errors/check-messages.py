"""Every message that a user may see has a test that provokes it.

Lists the string literals that verifiers, passes, the compiler, the runtime and the frontend report, and
looks for a distinctive part of each in the files under tests/. A message without one must stand in
UNTESTED with the reason; a reason that is no longer needed is mentioned.

The Python module's are looked for in tests/python, those of its Python files as the format strings that they raise.

  check-messages.py <root of the sources>
"""
import ast
import pathlib
import re
import sys

PYTHON = pathlib.Path("frontend/python")
FOLDERS = ["ir", "passes", "codegen", "compiler", "frontend", "runtime"]
# What reports: an InFlightDiagnostic, an exception, a status. The literals up to the end of the statement count.
REPORTS = re.compile(
    r"(?:\b(?:emitError|emitOpError|emitGraphError|emitOptionalError|emitWarning|valueError|typeError|assertionError|notImplemented"
    r"|setStatus|setError|InvalidArgumentError|InternalError|ResourceExhaustedError)"
    r"|(?<=\.)fail|\bthrow \w*Error)\s*\(")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')

INTERNAL = "internal: no graph that is let through leads here; the pass before would be wrong"
GUARD = "guards the next stage against a change here; nothing that is let through leads here today"
AHEAD = "of models compiled ahead of time, whose tests are not here yet"
UNTESTED = {
    "a saved graph has at most 2 GiB": "needs a file of that size",
    "damaged: not a message of the schema": "the scan of the wire format refuses such bytes before",
    "damaged: the file has two headers": "the scan refuses a second graph in the file by its variables before",
    "no machine code:": INTERNAL,
    "no machine code for": "LLVM lacks the target, which the look-up of the machine found before",
    "not implemented: a kernel with": GUARD,
    "not implemented: a contraction whose dimensions have no single stride": GUARD,
    "not implemented: a kernel of": GUARD,
    "not implemented: a search without memory to work in": GUARD,
    "not implemented: a value made outside a kernel": GUARD,
    "not implemented: a cycle between kernels": INTERNAL,
    "the bytes of one step do not fit 64 bits": GUARD,
    "' needs a runtime though its sizes are known": INTERNAL,
    "' of the C library, and a freestanding model has none": "of a function that is no kernel's",
    ", and a freestanding model has none": "of instructions that LLVM replaces by calls; kernels have none today",
    "the object cannot be read:": INTERNAL,
    "' takes is not known": INTERNAL,
    "' calls by an address": INTERNAL,
    "not enough memory for a constant of": "needs an allocation that fails in the middle of a compilation",
    "the compiled code could not be loaded:": INTERNAL,
    "for an operand of type": INTERNAL,
    "not a list of dimension expressions": "text that parses is a list; bytecode is no input",
    "gradient: the number of reduced elements does not fit 64 bits": GUARD,
    "the number of elements does not fit 64 bits": "verifyTensorType refuses the type before",
    "reshape: the number of elements does not fit 64 bits": "verifyTensorType refuses the type before",
    "gradient: an offset along the axis does not fit 64 bits": "the result's size is the sum of all offsets and was checked",
    "gradient: the padding of a window does not fit 64 bits": GUARD,
    "must be expanded before what depends on it is differentiated": "gradients are expanded in the order of the function",
    "' is given another number of variables than it has": AHEAD,
    "graph is too large": "no message: the mark of an error (ir/dialect/GraphError.h)",
    ": operands must be ranked tensors": "refused by the op's own type constraints before",
    "may need the place of a result that is written over an operand": INTERNAL,
    "the size of the arena cannot be computed": INTERNAL,
    "the smaller size of matrices is too large, found": GUARD,
    "bytes, and a file of ONNX less than 2 GiB; with data in a file of its own (external_data) it can be written": "needs a model of that size",
    "a value was not written before what reads it": INTERNAL,
    "a size cannot be represented in 64 bits": "the sizes of a function were computed when it was made",
    "keratin: an unknown exception": "nothing throws what is no std::exception",
}


def statement(text, start):
    """From the call to the semicolon that ends it, outside strings and brackets of a block."""
    i, depth = start, 0
    while i < len(text):
        c = text[i]
        if c == '"':
            i = LITERAL.match(text, i).end() if LITERAL.match(text, i) else i + 1
            continue
        depth += c in "([{"
        depth -= c in ")]}"
        if (c == ";" and depth <= 0) or depth < 0:
            return text[start:i]
        i += 1
    return text[start:]


def pieces(literal):
    """Parts between insertions, unescaped; the longest tells messages apart."""
    literal = literal.replace('\\"', '"').replace("\\n", "\n")
    literal = re.sub(r'%[-+ #0]*\d*(?:\.\d+)?(?:ll|l|z)?[a-zA-Z%]|"\s*PRI\w+\s*"', "\0", literal)
    return [part.strip() for part in literal.split("\0")]


def messages(root):
    found = {}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".cpp", ".h", ".td", ".inc"):
                continue
            text = re.sub(r"(?<![:\"])//[^\n]*", "", path.read_text())
            for match in REPORTS.finditer(text):
                code = re.sub(r'"\s*\n\s*"', "", statement(text, match.start()))
                parts = [p for literal in LITERAL.findall(code) for p in pieces(literal)]
                # Few words are in too many tests by chance.
                parts = [p for p in parts if len(p) >= 8 and " " in p]
                if parts:
                    found.setdefault(max(parts, key=len), path.relative_to(root))
    return found


def python_messages(root):
    """Of each raise, and of what makes refusals (_refusal), the longest literal."""
    found = {}
    for path in sorted((root / PYTHON / "keratin").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Raise) and not (
                    isinstance(node, ast.Call) and getattr(node.func, "id", "") == "_refusal"):
                continue
            literals = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)]
            parts = [p for literal in literals for p in pieces(literal) if len(p) >= 8 and " " in p]
            if parts:
                found.setdefault(max(parts, key=len), path.relative_to(root))
    return found


def literals_of(path):
    """The strings of a Python file, as they are when it runs, without the backslashes of patterns."""
    texts = [node.value for node in ast.walk(ast.parse(path.read_text()))
             if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return "\n".join(re.sub(r"\\(\W)", r"\1", text) for text in texts)


def main():
    root = pathlib.Path(sys.argv[1])
    tests = []
    for path in (root / "tests").rglob("*"):
        if path.suffix in (".cpp", ".mlir", ".h", ".cc") and path.is_file():
            tests.append(re.sub(r'"\s*\n\s*"', "", path.read_text()).replace('\\"', '"'))
        elif path.suffix == ".py" and path.parent.name in ("python", "distributed"):
            tests.append(re.sub(r"""(["'])\s*\n\s*\1""", "", path.read_text()).replace("\\'", "'"))
    corpus = "\n".join(tests)
    python_corpus = "\n".join(literals_of(path) for path in sorted((root / "tests" / "python").glob("*.py")))
    found = messages(root)
    # What the API says is in its own tests, what the module says in the module's.
    own = {m: p for m, p in found.items() if p.is_relative_to(PYTHON)} | python_messages(root)
    found |= own
    missing = {m: p for m, p in found.items() if m not in (python_corpus if m in own else corpus)}
    failed = False
    for message, path in sorted(missing.items(), key=lambda item: str(item[1])):
        if message not in UNTESTED:
            print(f'{path}: no test provokes "{message}"')
            failed = True
    for message in UNTESTED:
        if message not in missing:
            print(f'check-messages.py: UNTESTED lists "{message}", which is tested or gone')
    print(f"{len(found)} messages, {len(found) - len(missing)} tested, {len(UNTESTED)} excused")
    sys.exit(failed)


if __name__ == "__main__":
    main()
