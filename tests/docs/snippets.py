"""Compiles and runs what a page of documentation shows: snippets.py PAGE PREFIX WORK CC CXX.

A block of code goes into the file that its first line names in a comment; a block of sh is run, by
one shell after the other in one folder, with /opt/keratin being the package of PREFIX; the block of
text behind it is what it prints, where ... (as one character) stands for anything. What needs
NumPy is left out where Python has none. Nothing is optimised, whatever the page says: what is printed is the same, sooner."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

PAGE, PREFIX, WORK, CC, CXX = sys.argv[1:]
work = Path(WORK)
(work / "bin").mkdir(parents=True)
warned = "-Wall -Wextra -Werror"
for name, program in (("cc", f'"{shutil.which(CC)}" {warned}'), ("c++", f'"{shutil.which(CXX)}" {warned}'), ("python3", f'"{sys.executable}"')):
    (work / "bin" / name).write_text(f'#!/bin/sh\nexec {program} "$@"{" -O0" if name != "python3" else ""}\n')
    (work / "bin" / name).chmod(0o755)
hasNumpy = subprocess.run([sys.executable, "-c", "import numpy"], capture_output=True).returncode == 0
exports = f'export PATH="{work}/bin:$PATH" KERAS_HOME="{work}/keras"\n'

blocks = re.findall(r"^```(\w+)\n(.*?)^```$", Path(PAGE).read_text(), re.MULTILINE | re.DOTALL)
files = runs = 0
for i, (language, text) in enumerate(blocks):
    if language in ("cpp", "c", "python"):
        name = re.match(r"(?://|#) (\S+)\n", text)
        if not name:
            sys.exit(f"{PAGE}: a block of {language} names no file:\n{text}")
        (work / name[1]).write_text(text)
        files += 1
    if language != "sh" or ("python3" in text and not hasNumpy):
        continue
    text = text.replace("/opt/keratin", PREFIX)
    if "export " in text:
        exports = text + exports
        continue
    done = subprocess.run(["bash", "-euc", exports + text], cwd=work, capture_output=True, text=True, timeout=600)
    if done.returncode:
        sys.exit(f"{PAGE}:\n{text}exit code {done.returncode}\n{done.stdout}{done.stderr}")
    runs += 1
    if i + 1 < len(blocks) and blocks[i + 1][0] == "text":
        expected = ".*".join(re.escape(part) for part in blocks[i + 1][1].split("…"))
        if not re.fullmatch(expected, done.stdout):
            sys.exit(f"{PAGE}:\n{text}printed\n{done.stdout}instead of\n{blocks[i + 1][1]}")
if not files or not runs:
    sys.exit(f"{PAGE}: no blocks of code")
print(f"{files} files, {runs} runs")
