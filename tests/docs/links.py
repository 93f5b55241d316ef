"""Links between pages lead to files and headings that are there, and docs/README.md lists each file of docs/:
links.py SOURCE."""

import re
import sys
from pathlib import Path

SOURCE = Path(sys.argv[1]).resolve()
FOLDERS = "docs runtime ir passes codegen compiler frontend tools tests benchmarks examples third_party".split()


def prose(page):
    """The lines outside of blocks of code."""
    return re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page):
    """What GitHub makes of headings, and names that are given."""
    text = prose(page)
    headings = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", line) for line in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
    made = {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}
    return made | set(re.findall(r'<a name="([^"]+)">', text))


wrong = []
pages = [SOURCE / "README.md"] + [page for folder in FOLDERS for page in sorted((SOURCE / folder).rglob("*.md"))]
for page in pages:
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", prose(page))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            wrong.append(f"{page.relative_to(SOURCE)}: no file {target}")
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            wrong.append(f"{page.relative_to(SOURCE)}: no heading {target}")
index = (SOURCE / "docs/README.md").read_text(encoding="utf-8")
for file in sorted((SOURCE / "docs").iterdir()):
    if file.name != "README.md" and f"]({file.name})" not in index:
        wrong.append(f"docs/README.md lacks {file.name}")
print("\n".join(wrong) or f"{len(pages)} pages")
sys.exit(bool(wrong))
