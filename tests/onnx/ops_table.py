"""docs/onnx.md lists the ops that the importer has, and what the exporter makes of those of the dialect: ops_table.py PROGRAM PAGE
[--write]."""
import pathlib
import re
import subprocess
import sys

program, page = sys.argv[1], pathlib.Path(sys.argv[2])
text = new = page.read_text()
for option, heading in ("--ops", r"\| subject \| ops \|"), ("--exports", r"\| op \| in ONNX \|"):
    table = subprocess.run([program, option], stdout=subprocess.PIPE, check=True, text=True).stdout
    # A row may be in the way of patterns in the replacement.
    new, found = re.subn(heading + r"\n(?:\|.*\n)+", lambda match: table, new)
    if not found:
        sys.exit(f"{page} has no table for {program} {option}")
if "--write" in sys.argv:
    page.write_text(new)
elif new != text:
    sys.exit(f"{page} does not list what {program} prints; write it with ops_table.py ... --write")
