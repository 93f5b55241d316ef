"""docs/environment.md names every variable of the environment that the code knows, and no other:
environment.py SOURCE."""

import re
import subprocess
import sys
from pathlib import Path

SOURCE = Path(sys.argv[1])
# The emulator is a test, but keratin-run --device=emulated is for everybody.
FOLDERS = "runtime ir passes codegen compiler frontend tools tests/cuda/driver".split()
# Texts that look like names of variables: what stands before the macros of headers.
OTHERS = {"KERATIN_MODEL_"}

known = set()
for folder in FOLDERS:
    for path in sorted((SOURCE / folder).rglob("*")):
        if path.suffix in {".c", ".cpp", ".h", ".py"}:
            known |= set(re.findall(r'''["'](KERA(?:TIN|S)_[A-Z0-9_]+)["']''', path.read_text()))
known -= OTHERS
rows = [line for line in (SOURCE / "docs/environment.md").read_text().splitlines() if line.startswith("| `")]
told = set(re.findall(r"`(KERA(?:TIN|S)_[A-Z0-9_]+)`", "\n".join(row.split("|")[1] for row in rows)))
for name in sorted(known - told):
    print(f"docs/environment.md lacks {name}")
for name in sorted(told - known):
    print(f"docs/environment.md names {name}, which no code reads")
sys.exit(known != told)
