"""Names of a graph, which may be any text, on their way to files, archives, headers and linkers:
names.py TOOLS_FOLDER RUNTIME_LIBRARY C_COMPILER CXX_COMPILER SCRATCH_FOLDER."""

import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

TOOLS, RUNTIME, CC, CXX, SCRATCH = sys.argv[1:]
problems = []

KEYWORDS = """
  alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class co_await
  co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do
  double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace
  new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires restrict
  return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try
  typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq
  _Alignas _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local __func__ __attribute__
  __int128 import module final override linux unix i386""".split()
OURS = """
  state workspace workspace_bytes stream status keratin_device inputs outputs bytes dims output threads path variable data value from copy
  keratin_inputs keratin_outputs keratin_tensor_t keratin_status_t keratin_status_code_t KERATIN_OK KERATIN_MAX_RANK
  int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t size_t NULL m_f m_f_run m_f_output_dims m_state_t
  m_state_create float double x x_dims x_dim0 x_dims_code x_2 X KERATIN_MODEL_m main printf""".split()
TEXTS = ["", " ", "a b", "a_b", "a-b", "a.b", "a/b", "a__b", "_a_b", "a_b_", "1", "2x", "größe", "gr_e", "\u202eevil", "\u2028",
         "*/ int evil; /*", "// x", "x\\", "x??/", "x\\ ", '"', "'", "a\"b", "$x", "x\u00a0y", "</script><script>alert(1)</script>",
         "<!--", "&lt;", "]]>", "%s%n", "../../up", "/etc/passwd", ".", "..", ".hidden", "-o", "x" * 300, "y" * 300 + "1",
         "y" * 300 + "2", "a=b", "x.npy", "NAN", "I", "INT32_MAX", "errno", "CON", "a:b", "a*b", "{ global: *; };", "\x85"]


def run(tool, *arguments, code=0, cwd=SCRATCH):
    done = subprocess.run([os.path.join(TOOLS, tool), *arguments], capture_output=True, cwd=cwd, timeout=300)
    if done.returncode != code:
        problems.append(f"{tool} {arguments}: exit code {done.returncode}: {done.stderr.decode('utf-8', 'replace')[:600]}")
    return done


def quoted(text):
    """As textual IR writes it."""
    return '"' + "".join(c if c.isascii() and c.isprintable() and c not in '"\\' else "".join(f"\\{b:02X}" for b in c.encode())
                         for c in text) + '"'


def function(name, inputs=("x",), outputs=("y",), factor=2.0, message=None, size="2"):
    """y = factor * x for each input, one output after the other."""
    dims = "" if size == "2" else ", #keratin.dims<d0>"
    kind = f"tensor<{size}xf32{dims}>"
    arguments = ", ".join(f"%a{i}: {kind} {{keratin.name = {quoted(n)}}}" for i, n in enumerate(inputs))
    results = ", ".join(f"{kind} {{keratin.name = {quoted(n)}}}" for n in outputs)
    lines = []
    for i, _ in enumerate(outputs):
        source = f"%a{i % len(inputs)}"
        if message is not None and i == 0:
            lines.append(f"  %r = keratin.require at_least #keratin.dims<d0> #keratin.dims<1> {quoted(message)} {source} : ({kind}) -> {kind}")
            source = "%r"
        lines.append(f"  %c{i} = keratin.constant dense<{factor + i}> : tensor<f32>")
        lines.append(f"  %b{i} = keratin.broadcast %c{i} dims = [] : (tensor<f32>) -> {kind}")
        lines.append(f"  %y{i} = keratin.mul {source}, %b{i} : ({kind}, {kind}) -> {kind}")
    return (f"func.func @{quoted(name)}({arguments}) -> ({results}) {{\n" + "\n".join(lines) + "\n  return " +
            ", ".join(f"%y{i}" for i in range(len(outputs))) + " : " + ", ".join([kind] * len(outputs)) + "\n}\n")


def model(file, *functions):
    with open(os.path.join(SCRATCH, file), "w", encoding="utf-8") as out:
        out.write("".join(functions))
    return file


def compilers():
    for standard in ("c99", "c11", "gnu11", "gnu17"):
        yield [CC, f"-std={standard}", "-xc"]
        yield ["gcc", f"-std={standard}", "-xc"]
    for standard in ("c++17", "c++20", "gnu++20"):
        yield [CXX, f"-std={standard}", "-xc++"]
        yield ["g++", f"-std={standard}", "-xc++"]


FEW = [["gcc", "-std=c99", "-xc"], [CC, "-std=c99", "-xc"], [CXX, "-std=c++20", "-xc++"]]

# Headers of C whose macros a model's header must bear before it. C++ has no complex.h of C's.
BEFORE = "#ifndef __cplusplus\n#include <complex.h>\n#endif\n" + "".join(
    f"#include <{name}.h>\n" for name in "assert errno limits math stdint stdio stdlib string".split())


def check_header(*names, before="", commands=None):
    for command in commands or compilers():
        if not shutil.which(command[0]):
            continue
        text = before + "".join(f'#include "{name}"\n' for name in names) + "int last;\n"
        done = subprocess.run([*command, "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-"], input=text,
                              capture_output=True, text=True, cwd=SCRATCH, timeout=300)
        if done.returncode:
            problems.append(f"{names}, {command}: {done.stderr[:800]}")


def macros():
    """What the compilers define by themselves and in the headers of a model."""
    found = set()
    for command in compilers():
        if shutil.which(command[0]):
            done = subprocess.run([*command, "-dM", "-E", "-"], input="#include <stddef.h>\n#include <stdint.h>\n",
                                  capture_output=True, text=True, timeout=100)
            found |= set(re.findall(r"#define (\w+)", done.stdout))
    assert "INT8_MAX" in found and "linux" in found
    return sorted(found)


def check_identifiers():
    # As inputs and outputs of one function, all at once.
    wicked = KEYWORDS + OURS + TEXTS + TEXTS
    model("m.mlir", function("f", wicked, wicked[::-1], size="?"))
    run("keratin-compile", "m.mlir", "-o", "m.so", "--header=m.h", "--mcpu=x86-64")
    check_header("m.h")
    check_header("m.h", before=BEFORE)
    # With what headers of models for devices declare besides.
    run("keratin-compile", "m.mlir", "-o", "d.so", "--header=d.h", "--name=m", "--target=cuda")
    check_header("d.h", commands=FEW)
    # Names of macros: many, and two parameters each.
    found, headers = macros(), []
    for number, start in enumerate(range(0, len(found), 300)):
        names = found[start:start + 300]
        model("macros.mlir", function("f", names, names[:2]))
        headers.append(f"macros{number}.h")
        run("keratin-compile", "macros.mlir", "-o", "macros.so", f"--header={headers[-1]}", f"--name=macros{number}", "--mcpu=x86-64")
    check_header(*headers)
    # As functions.
    suffixes = ["run", "workspace_bytes", "output_dims", "on_stream", "run_on_stream", "kernel_0", "loop_0", "copy", "2", "entry", "message"]
    own = [f"state_{what}" for what in "t create copy destroy save load read write".split()]
    names = ["f", *KEYWORDS, *OURS, *own, "set_num_threads", "keratin_object", "state", "function_state_copy"]
    names += [f"f_{suffix}" for suffix in suffixes] + ["f_run_run", "H", "keratin_types"]
    names += [text for text in dict.fromkeys(TEXTS) if text and text != "\x85"]
    names = list(dict.fromkeys(names))
    model("n.mlir", *[function(name, message=name, size="?") for name in names])
    run("keratin-compile", "n.mlir", "-o", "n.so", "--header=n.h", "--name=m", "--mcpu=x86-64")
    check_header("n.h")
    with open(os.path.join(SCRATCH, "n.h"), encoding="utf-8") as file:
        text = file.read()
    declared = re.findall(r"^static inline keratin_status_code_t (\w+)\(", text, re.M)
    if len(set(declared)) != len(names):
        problems.append(f"{len(names)} functions, {len(set(declared))} in the header")
    for plain in ("f", "delete", "default", "int", "x", "a_b"):
        if f"m_{plain}" not in declared:
            problems.append(f"function {plain} is called otherwise")
    for name in declared:
        if "__" in name or name.startswith("_"):
            problems.append(f"{name} is the compiler's")
    # Names of models.
    for name in ("keratin", "KERATIN_x", "keratin_state", "_m", "m_", "a__b", "1m", "", "ä"):
        if name:
            run("keratin-compile", "m.mlir", "-o", "refused.so", f"--name={name}", code=2)
    for file in ("keratin.mlir", "1-ä.mlir", "__x.mlir", "int.mlir"):
        model(file, function("f"))
        run("keratin-compile", file, "-o", "named.so", "--header=named.h", "--mcpu=x86-64")
        check_header("named.h", commands=FEW)
    # Two models whose names differ in case.
    model("case.mlir", function("f"))
    for name in ("net", "Net"):
        run("keratin-compile", "case.mlir", "-o", f"lib{name}.so", f"--header={name}.h", f"--name={name}", "--mcpu=x86-64")
    check_header("net.h", "Net.h", commands=FEW)


PROGRAM = """
#include <stdio.h>
#include "one.h"
#include "two.h"
int main(void) {
  float x[2] = {1, 10}, y[2] = {0, 0};
  one_state_t *one;
  two_state_t *two;
  if (one_state_create(&one, NULL) || two_state_create(&two, NULL))
    return 1;
  if (one_predict(one, x, y, NULL, 0, NULL) || y[0] != 3 || y[1] != 30)
    return 2;
  if (two_predict(two, x, y, NULL, 0, NULL) || y[0] != 5 || y[1] != 50)
    return 3;
  if (two_predict_run_2(two, x, y, NULL, 0, NULL) || y[0] != 7 || y[1] != 70)
    return 4;
  if (!one_predict(two, x, y, NULL, 0, NULL) || y[0] != 7 || !one_state_save(two, "", NULL))
    return 5; /* a state of another model */
  one_state_destroy(two);
  if (two_predict(two, x, y, NULL, 0, NULL) || y[0] != 5)
    return 6;
  one_state_destroy(one);
  two_state_destroy(two);
  return 0;
}
"""


def check_linking():
    """Two models with functions of the same names in one program."""
    model("one.mlir", function("predict", factor=3.0), function("predict_kernel_0", factor=4.0), function("predict_loop_0"))
    model("two.mlir", function("predict", factor=5.0), function("predict_run", factor=7.0))
    model("program.c", PROGRAM)
    for name in ("one", "two"):
        run("keratin-compile", f"{name}.mlir", "-o", f"lib{name}.so", f"--header={name}.h")
        # For different processors: neither may take code of the other.
        cpu = "x86-64" if name == "one" else "native"
        run("keratin-compile", f"{name}.mlir", "-o", f"{name}.o", "--emit=obj", f"--mcpu={cpu}")
        symbols = subprocess.run(["nm", "-g", "--defined-only", f"{name}.o"], capture_output=True, text=True, cwd=SCRATCH)
        foreign = [line for line in symbols.stdout.splitlines() if not line.split()[-1].startswith(f"{name}_")]
        if foreign or not symbols.stdout:
            problems.append(f"{name}.o defines {foreign[:5]}")
    for inputs in (["libone.so", "libtwo.so"], ["one.o", "two.o", RUNTIME], ["libone.so", "two.o", RUNTIME]):
        command = [CC, "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "program.c", *inputs, "-lm", "-pthread",
                   "-Wl,-rpath," + SCRATCH, "-o", "program"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=SCRATCH, timeout=300)
        code = subprocess.run([os.path.join(SCRATCH, "program")], timeout=100).returncode if done.returncode == 0 else None
        if code != 0:
            problems.append(f"{inputs}: exit code {code}; {done.stderr[:600]}")


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(place, name), folder) for place, _, names in os.walk(folder) for name in names)


def check_files():
    names = ["../../up", "/abs", "a/b", "..", ".", ".hidden", "plain.name-1", "z" * 300, "%2F", "a%2Fb"]
    os.makedirs(os.path.join(SCRATCH, "outer", "inner"))
    before = set(files_below(SCRATCH))
    model("paths.mlir", *[function(name) for name in names])
    run("keratin-compile", "paths.mlir", "-o", "paths.so", "--dump-dir=outer/inner")
    new = set(files_below(SCRATCH)) - before - {"paths.mlir", "paths.so"}
    dumped = [path for path in new if os.path.dirname(path) == os.path.join("outer", "inner")]
    if len(dumped) != len(new) or len(dumped) != 10 * len(names):
        problems.append(f"dumped {len(dumped)} files of {len(new)}: {sorted(new - set(dumped))[:5]}")
    if not any(path.endswith("/plain.name-1.0-input.mlir") for path in dumped):
        problems.append("a plain name is called otherwise")
    # The same from the environment, by other tools.
    before = set(files_below(SCRATCH))
    environment = dict(os.environ, KERATIN_DUMP_DIR="outer/inner")
    subprocess.run([os.path.join(TOOLS, "keratin-run"), "paths.mlir", "--function=../../up", "--random", "--quiet"], check=True,
                   cwd=SCRATCH, env=environment, timeout=300)
    if not all(path.startswith("outer/inner/") for path in set(files_below(SCRATCH)) - before):
        problems.append("keratin-run dumps elsewhere")
    # A folder that is not there is made.
    run("keratin-compile", "paths.mlir", "-o", "paths.so", "--dump-dir=new/folder")
    if len(files_below(os.path.join(SCRATCH, "new", "folder"))) != 10 * len(names):
        problems.append("no folder was made for the dumps")
    # One that cannot be is refused before anything else is done, whoever names it.
    before = files_below(SCRATCH)
    environment["KERATIN_DUMP_DIR"] = "paths.mlir/inside"
    for arguments in (["keratin-compile", "none.mlir", "--dump-dir=paths.mlir/inside"], ["keratin-compile", "none.mlir"],
                      ["keratin-run", "none.mlir"], ["keratin-dump", "none.mlir"]):
        env = dict(os.environ) if len(arguments) == 3 else environment
        done = subprocess.run([os.path.join(TOOLS, arguments[0]), *arguments[1:]], cwd=SCRATCH, env=env, capture_output=True, text=True,
                              timeout=300)
        if done.returncode != 1 or "error: cannot write 'paths.mlir/inside': Not a directory" not in done.stderr:
            problems.append(f"{arguments}: a folder for dumps that cannot be: {done.returncode}, {done.stderr!r}")
    if files_below(SCRATCH) != before:
        problems.append("something was written before the folder for dumps was refused")


def check_outputs():
    """What one function writes, another one reads, whatever the names."""
    names = ["same", "same", "same_2", "dense/MatMul", "../../up", "/abs", "a//b", "a/", "a=b", "x.npy", "x", "größe", "..", ".h",
             "q" * 400, "a b", "%", "%2F", "same"]
    distinct = ["same", "same_3", "same_2", *names[3:-1], "same_4"]
    model("writer.mlir", function("f", ["x"], names))
    model("reader.mlir", function("f", distinct, distinct))
    run("keratin-run", "writer.mlir", "--random", "--quiet", "--output=all.npz", "--output-dir=arrays")
    with zipfile.ZipFile(os.path.join(SCRATCH, "all.npz")) as archive:
        members = archive.namelist()
    for member in members:
        parts = member.split("/")
        if any(part in ("", ".", "..") or part[0] == "." for part in parts) or not member.isascii() or len(member) > 255:
            problems.append(f"member {member!r}")
    if len(set(members)) != len(names) or "dense/MatMul.npy" not in members or "same.npy" not in members:
        problems.append(f"members {members}")
    files = files_below(os.path.join(SCRATCH, "arrays"))
    if len(files) != len(names) or any("/" in file for file in files):
        problems.append(f"--output-dir wrote {files}")
    try:
        import numpy
        arrays = numpy.load(os.path.join(SCRATCH, "all.npz"))
        if len(arrays.files) != len(names) or any(arrays[name].shape != (2,) for name in arrays.files):
            problems.append(f"NumPy reads {arrays.files}")
    except ImportError:
        pass
    run("keratin-run", "reader.mlir", "--quiet", "--check", "--input=all.npz")
    one = os.path.join("arrays", "same.npy")
    model("equals.mlir", function("f", ["a=b", "same", "same"], ["y"]))
    run("keratin-run", "equals.mlir", "--quiet", "--check", f"--input=a%3Db={one}", f"--input=same={one}", f"--input=same_2={one}")


class Scripts(html.parser.HTMLParser):
    """Counts tags of the page."""

    def __init__(self):
        super().__init__()
        self.tags = {}

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1


def check_dumps():
    def tags(file):
        run("keratin-dump", file, "--format=html", "--mcpu=x86-64", "-o", "page.html")
        parser = Scripts()
        with open(os.path.join(SCRATCH, "page.html"), encoding="utf-8") as page:
            parser.feed(page.read())
        return parser.tags

    texts = [text for text in dict.fromkeys(TEXTS) if text]
    model("harmless.mlir", function("f", ["x"] * len(texts), ["y"] * len(texts), message="m", size="?"))
    wicked = "</script><script>alert(1)</script>"
    model("wicked.mlir", function(wicked, texts, texts, message=wicked + '"\\', size="?") + f'// x\n')
    if tags("wicked.mlir") != tags("harmless.mlir"):
        problems.append("a name becomes a part of the page")
    dumped = json.loads(run("keratin-dump", "wicked.mlir", "--format=json").stdout.decode())
    shown = json.dumps(dumped, ensure_ascii=False)
    if "alert(1)" not in shown:
        problems.append("the JSON lacks a name")
    dot = run("keratin-dump", "wicked.mlir", "--format=dot").stdout.decode()
    # Outside of strings there is nothing but the language.
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', "", dot)
    if re.search(r"[^\w\s{}\[\]=,;.\->#:]", outside) or "alert" in outside or "passwd" in outside:
        problems.append(f"a name is outside of the strings of DOT: {outside[:300]!r}")
    for stage in ("graph", "fused", "plan", "host", "kernels"):
        run("keratin-dump", "wicked.mlir", f"--stage={stage}")
    text = run("keratin-dump", "wicked.mlir", "--stage=asm", "--mcpu=x86-64").stdout.decode()
    if "alert(" in text:
        problems.append("a name is in the assembly")


def check_control_characters():
    """Saved graphs cannot have them, and so textual IR may not."""
    for name in ("a\nb", "a\x1b[2J", "\x00", "\x7f"):
        model("control.mlir", function(name))
        run("keratin-compile", "control.mlir", "-o", "refused.so", code=1)
        model("control.mlir", function("f", [name]))
        run("keratin-compile", "control.mlir", "-o", "refused.so", code=1)
        model("control.mlir", function("f", ["x"], [name]))
        run("keratin-compile", "control.mlir", "-o", "refused.so", code=1)
    # A message of the graph may have them; it goes to a comment of the header.
    for message in ("a\nint b", "a\rint b", "x\\", "x?" + "?/", "x\\  ", "\u202e", "\xff"):
        model("message.mlir", function("f", message=message, size="?"))
        run("keratin-compile", "message.mlir", "-o", "message.so", "--header=message.h", "--mcpu=x86-64")
        check_header("message.h", commands=FEW)


shutil.rmtree(SCRATCH, ignore_errors=True)
os.makedirs(SCRATCH)
for check in (check_identifiers, check_linking, check_files, check_outputs, check_dumps, check_control_characters):
    check()
for problem in problems:
    print(problem)
sys.exit(bool(problems))
