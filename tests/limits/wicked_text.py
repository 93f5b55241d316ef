"""Gives the tools texts that are made to hurt whoever reads them.

Bombs of many families and of any size, and tests of the project with something wrong. A tool must end with
exit code 0, 1 or 4 and a message, within ten seconds of processor time; where it only reads, within
64 MiB and 16 times the text's bytes of memory beyond what it takes for an empty module. Any other end is
printed, and the text kept. Where KERATIN_TEST_EVERY says so, a part of --count texts, another one each day.

  wicked_text.py <folder of the tools> <root of the sources> [--seed=N] [--count=N] [--seconds=N] [--keep=FOLDER]
      [--family=NAME]
"""
import argparse
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import sample  # noqa: E402

SECONDS = 10
MIB = 1 << 20

# ---- Bombs: each makes a text of about `size` bytes.


def repeated(unit, size, between=","):
    return between.join([unit] * max(1, size // (len(unit) + len(between))))


def numbered(pattern, size, between=","):
    """The pattern again and again, with 0, 1, 2, … for %d or %x."""
    length = len(pattern % 0) + len(between) + 3
    return between.join(pattern % i for i in range(max(1, size // length)))


def attribute(text):
    return "module attributes {keratin.a = " + text + "} {}\n"


def function(ops, arguments="%x: tensor<4xf32>", types="tensor<4xf32>"):
    return f"func.func @f({arguments}) -> ({types}) {{\n{ops}\n  return %x : {types}\n}}\n"


def sized(rng, expression):
    return function(f"  %y = keratin.iota {{axis = 0 : i64}} : tensor<?xi64, #keratin.dims<{expression}>>",
                    rng.choice(["%x: tensor<4xf32>", "%x: tensor<?xf32, #keratin.dims<d0>>"]))


def nested(rng, size):
    open_, close = rng.choice([("[", "]"), ("{keratin.b = ", "}"), ("(", ")"), ("tensor<", ">"), ("dense<", ">"), ("dense<[", "]>"),
                               ("loc(fused[", "])"), ("loc(callsite(\"a\" at ", "))"), ("array<", ">"), ("(", ") -> ()"), ("() -> (", ")"),
                               ("#keratin.dims<", ">"), ("#keratin.dims<(", ")>"), ("#keratin<", ">"), ("sparse<", ">"),
                               ("array<i1: [", "]>"), ("type(", ")"), ("\"a\"(", ")")])
    depth = rng.choice([100, 126, 250, 256, 257, max(1, size // len(open_ + close))])
    middle = rng.choice(["1", "i32", "\"x\"", "d0", "", "()", "f32>"])
    text = open_ * depth + middle + (close * depth if rng.random() < 0.8 else "")
    return rng.choice([attribute(text), text, "#a = " + text + "\n" + attribute("#a"), "module {} loc(" + text + ")"])


def regions(rng, size):
    open_, close = rng.choice([("module {", "}"), ("\"builtin.module\"() ({", "}) : () -> ()"), ("func.func @f() {", "return }"),
                               ("%y = keratin.if %x : (tensor<i1>) -> tensor<f32> {", "}"),
                               ("%y = keratin.kernel (%x) : (tensor<4xf32>) -> tensor<4xf32> {\n^b(%x: tensor<4xf32>):\n",
                                "keratin.yield %x : tensor<4xf32> }")])
    depth = rng.choice([60, 120, 255, max(1, size // len(open_ + close))])
    return function(open_ * depth + close * depth)


def hidden(rng, size):
    """Brackets that a careless reader takes for a comment or a string, or the other way round."""
    start = rng.choice(["// \r", "\"\\\"", "\"\\\\\"", "\"a\" // \"\n", "// -----", "@\"\" ", "/ /", "\"\\\n", "//\x0b\n", "\"//\" ", "#-", "!a-> "])
    return start + repeated(rng.choice(["[", "(", "{", "tensor<"]), size, "") + rng.choice(["", "\"", "\n"])


def aliases(rng, size):
    mark, start, open_, close = rng.choice([
        ("#", "1", "[", "]"), ("#", "[\"x\"]", "[", "]"), ("#", "{}", "{a = ", "}"), ("!", "i32", "(", ") -> ()"),
        ("#", "loc(\"x\":1:1)", "loc(fused[", "])"), ("#", "loc(unknown)", "loc(callsite(", "))"), ("!", "f32", "tensor<4x", ">"),
        ("#", "loc(unknown)", "loc(\"a\"(", "))"), ("!", "tensor<4xf32>", "() -> (", ")")])
    width, levels = rng.choice([1, 2, 3, 10, 100]), rng.choice([5, 12, 30, 64, 255, 300])
    between = " at " if "callsite" in open_ else ", b = " if "{" in open_ else ","
    text = f"{mark}a0 = {start}\n"
    for level in range(1, levels + 1):
        text += f"{mark}a{level} = {open_}{between.join([f'{mark}a{level - 1}'] * width)}{close}\n"
        if len(text) > size + 1000:
            break
    last = f"{mark}a{level}"
    if "loc" in open_:
        module = "module {\n" + f"module {{}} loc({last})\n" * rng.choice([1, 100, 10000]) + f"}} loc({last})\n"
        return rng.choice([text + module, module + text])
    return text + attribute(f"[{last}, {last}]")


def manyAliases(rng, size):
    return numbered(rng.choice(["#a%d = 1", "!t%d = i32", "#a%d = [#a]", "#l%d = loc(\"a\":1:1)"]), size, "\n") + attribute("1")


def literal(rng, size):
    digits = rng.choice(["1", "0", "9", "12345678901234567890"])
    text = rng.choice(["", "-", "0x", "1.", "0.", "1.0e", "1.0e-"]) + repeated(digits, size, "")
    return rng.choice([
        attribute(text), attribute(text + " : i64"), attribute(text + " : f32"), attribute(f"dense<{text}> : tensor<2xi32>"),
        attribute(f"dense<[{text}, 1]> : tensor<2xf64>"), attribute(f"array<i8: {text}>"), attribute(f"tensor<{text}xf32>"),
        attribute(f"#keratin.dims<{text}*d0>"), attribute(f"#keratin.dims<d{text}>"), f"module {{}} loc(\"a\":{text}:1)",
        function(f"  %y:{text} = keratin.neg %x"), function(f"  %y = keratin.neg %x#{text} : (tensor<4xf32>) -> tensor<4xf32>"),
        attribute(f"i{text}"), attribute(f"1 : i{text}"), attribute(f"dense<\"{text}\"> : tensor<4xi8>"), "#" + text + " = 1", "!t = si" + text])


def lists(rng, size):
    inner = rng.choice([lambda: repeated("1", size), lambda: repeated("true", size), lambda: repeated("unit", size),
                        lambda: numbered("%d", size), lambda: numbered("\"%x\"", size), lambda: numbered("@a%x", size),
                        lambda: repeated("[]", size), lambda: repeated("{}", size), lambda: numbered("[%d]", size),
                        lambda: numbered("{a%x}", size), lambda: numbered("tensor<%dxf32>", size), lambda: repeated("1.5", size),
                        lambda: numbered("%d.5", size), lambda: repeated("\"\"", size), lambda: repeated("i1", size),
                        lambda: numbered("(tensor<%dxi1>) -> ()", size), lambda: repeated("[1,1]", size),
                        lambda: numbered("%d : si64", size), lambda: numbered("array<i8: %d>", size)])()
    count = inner.count(",") + 1
    return attribute(rng.choice([f"[{inner}]", f"dense<[{inner}]> : tensor<{count}xi8>", f"dense<[{inner}]> : tensor<{count}xf64>",
                                 f"array<i64: {inner}>", f"dense<{inner}> : tensor<4xi8>", f"[[{inner}], [{inner}]]",
                                 f"sparse<[[{inner}]], [1]> : tensor<9xi8>", f"({inner}) -> ()"]))


def dense(rng, size):
    shape = rng.choice(["9223372036854775807", "4294967296x4294967296", "0x9223372036854775807", "1x" * 32, "1x" * 33, "65536x65536x65536",
                        "1000000000", "?", "*", "0", "1", str(size), "2x" * 30]).strip("x")
    element = rng.choice(["i1", "i8", "i64", "f16", "bf16", "f32", "f64", "index", "ui8", "f8E5M2", "i4", "i3", "tf32", "none", "tensor<1xf32>",
                          "complex<f32>", "!keratin.x", "f80", "i0"])
    value = rng.choice(["1", "1.0", "true", "\"0x" + "00" * size + "\"", "\"0x0\"", "\"0x01\"", "\"\"", "\"abc\"", "[]", "[[]]", "", "-1",
                        "0x7FC00000", "[1.0]", "1.0e999", "dense<1>"])
    text = f"dense<{value}> : tensor<{shape}x{element}>"
    return rng.choice([attribute(text), function(f"  %y = keratin.constant {text}"),
                       f"func.func @f(%x: tensor<{shape}x{element}> {{keratin.kind = \"variable\", keratin.name = \"v\", keratin.initial = {text}}})"
                       " { return }", f"func.func @f(%x: tensor<{shape}x{element}> {{keratin.kind = \"variable\", keratin.name = \"v\"}}) {{ return }}"])


def sizes(rng, size):
    unit = rng.choice(["d0", "d0*d1", "(d0 + d1)", "mod(d0, 2)", "floordiv(d0 + 1, 3)", "-1*d0", "max(d0, d1)", "broadcast(d0, d1)", "2",
                       "(d0 + d1 + d2 + d3)", "ceildiv(d0, 7)", "d4000000000", "min(d0, 3, 4, 5, 6)"])
    between = rng.choice(["*", " + ", ", ", " * ", " - ", "*-", "*(1)*"])
    return sized(rng, rng.choice([lambda: repeated(unit, size, between), lambda: numbered("d%d", size, between),
                                  lambda: numbered("mod(d%d, 7)", size, between),
                                  lambda: "mod(d0, " * (size // 9) + "2" + ")" * (size // 9),
                                  lambda: "(" * (size // 2) + "d0" + ")" * (size // 2), lambda: "-" * size + "d0",
                                  lambda: repeated("(" + numbered("d%d", 300, "+") + ")", size, "*"),
                                  lambda: "max(" + repeated("d0", size) + ")",
                                  lambda: "(d0 + 1)*" * min(size, 60) + "1"])())


def shapes(rng, size):
    dims = rng.choice([repeated("1", size, "x"), repeated("?", size, "x"), repeated("0", size, "x"), numbered("%d", size, "x"),
                       repeated("1", size, " x "), repeated("0x1", size, "x"), repeated("4", size, "//\nx")])
    return rng.choice([attribute(f"tensor<{dims}xf32>"), function(f"  %y = keratin.neg %x : (tensor<4xf32>) -> tensor<{dims}xf32>"),
                       attribute(f"dense<1> : tensor<{dims}xi8>"), attribute(f"vector<{dims}xf32>"), attribute(f"memref<{dims}xf32>")])


def ops(rng, size):
    return rng.choice([
        lambda: "module {" + repeated("module{}", size, "") + "}",
        lambda: numbered("func.func private @f%x()", size, "\n"),
        lambda: repeated("func.func private @f()", size, "\n"),
        lambda: function(numbered("^b%x:", size, "\n")),
        lambda: function(numbered("^b%x: return %%x : tensor<4xf32>", size, "\n")),
        lambda: function(numbered("%%v%x = keratin.neg %%x : (tensor<4xf32>) -> tensor<4xf32>", size, "\n")),
        lambda: function(numbered("%%v%x = keratin.constant dense<%%d> : tensor<i32>", size, "\n").replace("%d", "7")),
        lambda: function(repeated("func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>", size, "\n")),
        lambda: function(repeated("builtin.unrealized_conversion_cast %x : tensor<4xf32> to i1", size, "\n")),
        lambda: function(repeated("\"builtin.unrealized_conversion_cast\"() : () -> ()", size, "\n")),
        lambda: "func.func @f(" + numbered("%%a%x: i1", size) + ") { return }",
        lambda: "func.func private @f(" + repeated("i1", size) + ")",
        lambda: "func.func private @f() -> (" + repeated("i1 {a}", size) + ")",
        lambda: "func.func @f(%x: i1) -> (" + repeated("i1", size) + ") {\n return " + repeated("%x", size) + " : " + repeated("i1", size) + "\n}",
        lambda: function("  %y = keratin.concatenate " + repeated("%x", size) + " {axis = 0 : i64} : (" + repeated("tensor<4xf32>", size * 5)
                         + ") -> tensor<16xf32>"),
        lambda: function("  %y = keratin.reduce_sum %x axes = [" + numbered("%d", size) + "] : (tensor<4xf32>) -> tensor<f32>"),
        lambda: function("  %y = keratin.transpose %x permutation = [" + numbered("%d", size) + "] : (tensor<4xf32>) -> tensor<4xf32>"),
        lambda: function("  keratin.yield " + repeated("%x", size) + " : " + repeated("tensor<4xf32>", size * 5)),
        lambda: function(numbered("%%v%x:2 = keratin.kernel (%%x) : (tensor<4xf32>) -> tensor<4xf32> {}", size, "\n")),
        lambda: "module attributes {" + numbered("keratin.k%x", size) + "} {}",
        lambda: "module attributes {" + repeated("keratin.k", size) + "} {}",
        lambda: "module @" + "a" * size + " {}", lambda: "func.func @\"" + "a" * size + "\"() { return }",
        lambda: function("  %" + "a" * size + " = keratin.neg %x : (tensor<4xf32>) -> tensor<4xf32>"),
        lambda: attribute("@a" + "::@a" * (size // 4)), lambda: attribute("\"" + "\\00" * (size // 3) + "\""),
        lambda: function("  keratin." + "a" * size + " %x"), lambda: "module {} loc(fused[" + numbered("\"%x\":1:1", size) + "])",
        lambda: repeated("module {}", size, "\n"), lambda: "func.func @f() attributes {sym_visibility = \"" + "x" * size + "\"} { return }",
    ])()


def foreign(rng, size):
    chain = rng.choice(["-" * size + "d0", repeated("d0", size, " + "), repeated("d0", size, " mod "), repeated("d0", size, " floordiv "),
                        "(" * (size // 2) + "d0" + ")" * (size // 2), repeated("d0", size, " * 2 * ")])
    return rng.choice([
        attribute(f"affine_map<(d0) -> ({chain})>"), attribute(f"affine_set<(d0) : ({chain} >= 0)>"),
        f"#map = affine_map<(d0) -> ({chain})>\nmodule {{}}\n", attribute(f"memref<4xf32, affine_map<(d0) -> ({chain})>>"),
        attribute("affine_map<(" + numbered("d%d", size) + ") -> (d0)>"), attribute("!llvm.struct<(" + "ptr, " * (size // 5) + "ptr)>"),
        attribute("#llvm.loop_annotation<>"), "llvm.func @f()\n", attribute("!llvm<\"x\">"), attribute("dense_resource<a> : tensor<4xf32>"),
        "module {}\n{-# dialect_resources: { builtin: { a: \"0x" + "00" * size + "\" } } #-}\n",
        "module {}\n{-# external_resources: { mlir_reproducer: { pipeline: \"" + "a(" * (size // 2) + "\" } } #-}\n",
        "module {}\n{-# " + "{" * size + "\n", attribute("vector<[4]xf32>"), attribute("tuple<" + repeated("i1", size) + ">"),
        attribute("opaque<\"a\", \"0x" + "00" * size + "\">"), attribute("distinct[0]<1>"), attribute(f"i{size + 64}"), attribute(f"1 : i{16777215}")])


def raw(rng, size):
    kind = rng.randrange(6)
    if kind == 0:
        return b"ML\xefR" + rng.randbytes(size)
    if kind == 1:
        return rng.randbytes(size)
    if kind == 2:
        return b"module {\0" + b" " * size + b"}"
    if kind == 3:
        return b"module attributes {keratin.a = \"\xff\xfe\xed\xa0\x80\"} {}"
    if kind == 4:
        return b"// " + b"\xc3" * size
    return bytes(rng.choice(b"{}()[]<>\"%#!^@=:,-.0x1aif \n/\\?*") for _ in range(min(size, 20000)))


FAMILIES = {f.__name__: f for f in
            [nested, regions, hidden, aliases, manyAliases, literal, lists, dense, sizes, shapes, ops, foreign, raw]}

# ---- Damage: a test of the project with something wrong.

WORD = re.compile(r"%[\w#]+|[@#!^][\w.]+|[\w.]+|\"[^\"\n]*\"|->|\s+|.", re.S)
NUMBERS = ["0", "1", "-1", "2", "7", "64", "2147483647", "2147483648", "4294967296", "9223372036854775807", "-9223372036854775808",
           "9223372036854775808", "1000000", "65536", "1.0e30", "0x7FC00000", "0xFF800000", "1.0", "-0.0", "99999999999999999999"]
WORDS = ["f16", "bf16", "f32", "f64", "i1", "i8", "ui8", "i64", "index", "?", "*", "x", "true", "unit", "dense<1.0>", "dense<[]>", "tensor<f32>",
         "tensor<0xf32>", "tensor<?xf32, #keratin.dims<d9>>", "none", "{}", "[]", "()", "%x", "%0", "#keratin.dims<d0>", "d0", "d1", "2*d0", "axis",
         "reverse", "loc(unknown)", "keratin.yield", "return", "array<i64>", "array<i64: 0>", "\"input\"", "\"variable\"", "\"output\"", "\"update\"", ""]


def damaged(rng, pieces):
    words = WORD.findall(rng.choice(pieces))
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        if not words:
            break
        i = rng.randrange(len(words))
        kind = rng.randrange(8)
        numbers = [k for k, w in enumerate(words) if w[:1].isdigit()]
        if kind == 0:
            del words[i]
        elif kind == 1:
            words.insert(i, rng.choice(words))
        elif kind == 2:
            words[i] = rng.choice(words)
        elif kind in (3, 4) and numbers:
            words[rng.choice(numbers)] = rng.choice(NUMBERS)
        elif kind == 5:
            words[i] = rng.choice(WORDS)
        elif kind == 6:
            j = min(len(words), i + rng.randrange(1, 40))
            words[i:j] = words[i:j] * rng.choice([2, 2, 3, 50])
        else:
            other = WORD.findall(rng.choice(pieces))
            j = rng.randrange(len(other))
            words[i:i + rng.randrange(8)] = other[j:j + rng.randrange(1, 30)]
    return "".join(words)


def samples(root):
    pieces = []
    for folder in ["tests", "benchmarks/functions"]:
        for file in sorted((root / folder).rglob("*.mlir")):
            for piece in file.read_text().split("// -----"):
                code = re.sub(r"^//.*\n", "", piece, flags=re.M)
                if "func" in code and len(piece) < 20000:
                    pieces.append(code)
    return pieces


# ---- Running.


class Runner:
    def __init__(self, tools, folder, sanitized):
        self.sanitized = sanitized
        self.tools, self.folder = pathlib.Path(tools), pathlib.Path(folder)
        self.base = {}
        self.passes = sorted(set(re.findall(r"--(keratin-[a-z-]*[a-z])", subprocess.run(
            [self.tools / "keratin-opt", "--help"], capture_output=True, text=True).stdout)) -
            {"keratin-pipeline", "keratin-compile", "keratin-fail"})

    def reading(self, rng):
        return rng.choice([["keratin-opt"], ["keratin-opt", "--mlir-print-debuginfo"], ["keratin-dump"],
                           ["keratin-dump", "--format=json"], ["keratin-compile", "--emit=input"]])

    def working(self, rng):
        return rng.choice([["keratin-opt", "--" + rng.choice(self.passes)], ["keratin-opt", "--keratin-pipeline"], ["keratin-opt", "--cse"],
                           ["keratin-opt", "--canonicalize"], ["keratin-opt", "--keratin-compile"], ["keratin-dump", "--format=stats"],
                           ["keratin-dump", "--format=html"], ["keratin-compile", "--emit=obj", "-o", os.devnull],
                           ["keratin-run", "--random", "--quiet"]])

    def seconds(self):
        return 10 * SECONDS if self.sanitized else SECONDS

    def limitProcess(self):
        seconds = 2 * self.seconds()
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        if not self.sanitized:  # sanitizers reserve terabytes
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def run(self, command, file):
        """Exit code, seconds of processor time, MiB at most, standard error."""
        line = [str(self.tools / command[0]), str(file), *command[1:]]
        error = self.folder / "stderr"
        with open(error, "wb") as stream:
            process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stream, cwd=self.folder,
                                       preexec_fn=self.limitProcess)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        with open(error, "rb") as stream:
            text = stream.read(4000).decode(errors="replace")
        return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text

    def complaint(self, command, file, isReading):
        """What is wrong with how the tool ends; "" if nothing."""
        tool = command[0]
        if tool not in self.base:
            empty = self.folder / "empty.mlir"
            empty.write_text("func.func @f() { return }\n")
            self.base[tool] = self.run([tool] + (["--emit=input"] if tool == "keratin-compile" else []), empty)[2]
        code, seconds, mib, error = self.run(command, file)
        most = 64 + 16 * file.stat().st_size / MIB if isReading else 2048
        if self.sanitized:  # what surrounds each block, and blocks that are kept when they are freed
            most = 512 + 4 * most
        problem = ""
        # UndefinedBehaviorSanitizer ends with the exit code, and nearly the words, of a tool that refuses.
        if "Sanitizer" in error or "runtime error:" in error:
            problem = "a sanitizer's finding"
        elif code not in (0, 1, 4):
            problem = f"exit code {code}"
        elif code and not re.search(r"error: \S", error):
            problem = f"exit code {code} without a message"
        elif seconds > self.seconds():
            problem = f"{seconds:.1f} s"
        elif mib - self.base[tool] > most:
            problem = f"{mib - self.base[tool]:.0f} MiB beyond the {self.base[tool]:.0f} of an empty module; allowed are {most:.0f}"
        return problem and f"{problem}: {' '.join(command)}: {error[:300]!r}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tools")
    parser.add_argument("root")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1 << 60)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--keep", default=".")
    parser.add_argument("--family", default="")
    parser.add_argument("--largest", type=int, default=1 << 23)
    parser.add_argument("--sanitized", action="store_true", help="the tools have sanitizers in them")
    options = parser.parse_args()
    sample.print_sample()
    pieces = samples(pathlib.Path(options.root).resolve())
    found, done, tried, begun = 0, 0, 0, time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(pathlib.Path(options.tools).resolve(), folder, options.sanitized)
        while done < options.count and time.monotonic() - begun < options.seconds:
            seed = options.seed + done
            done += 1
            if not sample.is_in_sample(seed):
                continue
            tried += 1
            rng = random.Random(seed)
            family = options.family or rng.choice([*FAMILIES, *["damaged"] * 10])
            if family == "damaged":
                text = damaged(rng, pieces)
            else:
                text = FAMILIES[family](rng, int(2 ** rng.uniform(4, options.largest.bit_length() - 1)))
            file = pathlib.Path(folder) / "text.mlir"
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
            isReading = family != "damaged" or rng.random() < 0.3
            command = runner.reading(rng) if isReading else runner.working(rng)
            problem = runner.complaint(command, file, isReading)
            if problem:
                found += 1
                kept = pathlib.Path(options.keep) / f"wicked-{family}-{seed}.mlir"
                kept.write_bytes(file.read_bytes())
                print(f"{kept}: {problem}", flush=True)
    print(f"{tried} texts, {found} findings, {len(pieces)} samples, {time.monotonic() - begun:.0f} s")
    return found != 0


if __name__ == "__main__":
    sys.exit(main())
