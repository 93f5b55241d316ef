#!/usr/bin/env python3
"""Adds the ops of docs/adding.md to a scratch copy, by its text, and runs their tests.

adding.py SOURCE BUILD WORK LLVM_TOOLS [--functions]: without the option only the ops whose scalar functions
exist. A block of code in the page begins with the path of the file that it goes into, and where:
at its end, or before the line that follows `before`. The copy holds the changed files alone. What
differs because of them is made again: the generated files, the objects that include one of them,
and keratin-opt and keratin-check out of these objects and the libraries of BUILD.
"""

import filecmp
import os
import pathlib
import re
import shlex
import subprocess
import sys

INCLUDED = re.compile(r'^#include "(.*)"$', re.M)
BLOCK = re.compile(r"^```\w+\n// (\S+?)(?:, before `([^`\n]+)`)?\n(.*?)^```$", re.M | re.S)
# A function more moves the methods of ScalarBuilder: whoever can call one is compiled again.
CALLS_SCALARS = re.compile(r"\b(Scalar|Element)(Builder|Emitter)\b|\bemitter\b|KernelBuilder")


class Copy:
    def __init__(self, source, build, work, tools):
        self.source, self.build, self.work, self.tools = source, build, work, tools
        self.changed = set()

    def insert(self, path, before, text):
        """Puts the text into a file of the copy, or makes the file of it."""
        target = self.work / "source" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() and (self.source / path).exists():
            target.write_text((self.source / path).read_text())
        old = target.read_text() if target.exists() else ""
        if before:
            if old.count(f"\n{before}\n") != 1:
                sys.exit(f"docs/adding.md: {path} has not one line `{before}`")
            old = old.replace(f"\n{before}\n", f"\n{text}{before}\n")
        elif old.rstrip().endswith("#endif") or "\n#endif //" in old:
            head, guard, tail = old.rpartition("\n#endif")
            old = f"{head}\n{text}{guard}{tail}"
        else:
            old += text
        target.write_text(old)
        self.changed.add(path)

    def run(self, command, **options):
        done = subprocess.run(command, text=True, capture_output=True, **options)
        if done.returncode:
            shown = command if isinstance(command, str) else shlex.join(command)
            sys.exit(f"{shown}\n{done.stdout}{done.stderr}")
        return done.stdout

    def commands(self, *targets):
        lines = self.run(["ninja", "-C", str(self.build), "-t", "commands", *targets]).splitlines()
        return [line for line in lines if not line.startswith("ninja:")]

    def generate(self, lines):
        """Runs the generators on the copy; the generated files that differ from those of BUILD."""
        different = set()
        for line in lines:
            if "tblgen -gen" not in line:
                continue
            words = shlex.split(next(part for part in line.split(" && ") if "tblgen " in part))
            made = pathlib.Path(words[words.index("-o") + 1])
            inside = made.relative_to(self.build)
            output = self.work / "generated" / inside
            output.parent.mkdir(parents=True, exist_ok=True)
            words[words.index("-o") + 1] = str(output)
            words[words.index("-d") + 1] = f"{output}.d"
            self.run([words[0], "-I", str(self.work / "source"), *words[1:]], cwd=self.work)
            if filecmp.cmp(made, output, shallow=False):
                output.unlink()
            else:
                different.add(str(inside))
        return different

    def is_affected(self, path, different):
        """Whether the object of a source must be made again."""
        if path in self.changed:
            return True
        text = (self.source / path).read_text()
        if any(f'#include "{made}"' in text for made in different):
            return True
        return "ir/interfaces/ScalarFunctions.inc" in different and CALLS_SCALARS.search(text)

    def sources_of(self, unit):
        """The project's own files, by their paths in it, of a file that is compiled: it, or those that CMake has put together."""
        files = [unit]
        if unit.parent.name == "Unity":
            files = map(pathlib.Path, INCLUDED.findall(unit.read_text()))
        return [str(file.relative_to(self.source)) for file in files
                if file.is_relative_to(self.source) and not file.is_relative_to(self.build)]

    def changed_unit(self, unit):
        """The file with the changed ones in the place of those that it is made of."""
        paths = self.sources_of(unit)
        if unit.parent.name != "Unity":
            return self.work / "source" / paths[0] if paths[0] in self.changed else unit
        text = unit.read_text()
        for path in self.changed.intersection(paths):
            text = text.replace(f'#include "{self.source / path}"', f'#include "{self.work / "source" / path}"')
        copy = self.work / "units" / unit.relative_to(self.build)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text)
        return copy

    def compile(self, lines, different):
        """The objects that differ."""
        objects, jobs = {}, []
        for line in lines:
            words = shlex.split(line)
            if "-c" not in words:
                continue
            unit = pathlib.Path(words[words.index("-c") + 1])
            if not any(self.is_affected(path, different) for path in self.sources_of(unit)
                       if not path.startswith("tools/keratin-tblgen")):
                continue
            old = words[words.index("-o") + 1]
            new = self.work / "objects" / old
            new.parent.mkdir(parents=True, exist_ok=True)
            for flag, value in (("-o", str(new)), ("-MF", f"{new}.d"), ("-MT", str(new))):
                words[words.index(flag) + 1] = value
            words[words.index("-c") + 1] = str(self.changed_unit(unit))
            # The precompiled dialect is the old one.
            words = [re.sub(r"keratin_\w+_pch", "keratin_mlir_pch", word) for word in words]
            # Before the folders that the copy stands for.
            first = next(i for i, word in enumerate(words) if word.startswith("-I"))
            words[first:first] = [f"-I{self.work}/source", f"-I{self.work}/generated"]
            objects[old] = str(new)
            jobs.append(words)
        for words in jobs:
            self.run(words, cwd=self.build)
        return objects

    def link(self, lines, tool, objects):
        """The tool of these objects; what they define is not looked for in the libraries."""
        line = next(line for line in lines if f" -o bin/{tool} " in line)
        words = [objects.get(word, word) for word in shlex.split(line.split(" && ")[1])]
        output = self.work / "bin" / tool
        output.parent.mkdir(parents=True, exist_ok=True)
        at = words.index("-o")
        words[at + 1] = str(output)
        words[at:at] = [new for old, new in objects.items()
                        if new not in words and not old.startswith(("tests/", "tools/"))]
        self.run(words, cwd=self.build)

    def test(self, path):
        """What the RUN lines of a FileCheck test say."""
        file = self.work / "source" / path
        runs = re.findall(r"^// RUN: (.*)$", file.read_text(), re.M)
        if not runs:
            sys.exit(f"docs/adding.md: {path} has no RUN lines")
        tools = f"{self.work}/bin:{self.tools}:{os.environ['PATH']}"
        for run in runs:
            self.run(["bash", "-o", "pipefail", "-c", run.replace("%s", str(file))],
                     env={**os.environ, "PATH": tools})
        print(f"{path}: {len(runs)} runs")


def main():
    source, build, work, tools = (pathlib.Path(arg).resolve() for arg in sys.argv[1:5])
    with_functions = "--functions" in sys.argv[5:]
    subprocess.run(["rm", "-rf", str(work)], check=True)
    copy = Copy(source, build, work, tools)
    page = (source / "docs/adding.md").read_text()
    # The first section on ops is about functions that exist, the second about new ones.
    sections = page.split("\n## ")[1].split("\n### ")
    text = "\n".join(sections[1:3] if with_functions else sections[1:2])
    blocks = BLOCK.findall(text)
    if not blocks:
        sys.exit("docs/adding.md: no blocks of code with a path")
    for path, before, code in blocks:
        copy.insert(path, before, code)
    lines = copy.commands("bin/keratin-opt", "bin/keratin-check")
    different = copy.generate(lines)
    objects = copy.compile(lines, different)
    print(f"{len(copy.changed)} files changed, {len(different)} generated, {len(objects)} objects")
    for tool in ("keratin-opt", "keratin-check"):
        copy.link(lines, tool, objects)
    for path in sorted(copy.changed):
        if path.startswith("tests/"):
            copy.test(path)


main()
