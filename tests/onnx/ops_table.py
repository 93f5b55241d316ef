"""docs/onnx.md lists the ops that the importer has: ops_table.py PROGRAM PAGE [--write]."""
import pathlib
import re
import subprocess
import sys

program, page = sys.argv[1], pathlib.Path(sys.argv[2])
table = subprocess.run([program, "--ops"], stdout=subprocess.PIPE, check=True, text=True).stdout
text = page.read_text()
# A row may be in the way of patterns in the replacement.
new = re.sub(r"\| subject \| ops \|\n(?:\|.*\n)+", lambda match: table, text)
if "--write" in sys.argv:
    page.write_text(new)
elif new != text or table not in text:
    sys.exit(f"{page} does not list what {program} --ops prints; write it with ops_table.py ... --write")
