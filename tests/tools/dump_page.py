"""The page of keratin-dump in a browser: it fits its window, whatever the names, and every kernel says its work.

  dump_page.py <chromium> <keratin-dump> <models...>

Each model is shown at two sizes, in each of its tabs; the script put behind the page's own writes what is too wide into the
document, which chromium prints.
"""

import html
import os
import re
import subprocess
import sys
import tempfile

SIZES = ((1400, 900), (800, 600))
# Runs when the page has drawn itself: goes through tabs and scopes.
PROBE = """<script>
const wrong = [];
function check(where) {
  const root = document.documentElement;
  if (root.scrollWidth > innerWidth || root.scrollHeight > innerHeight) wrong.push(where + ': the page is ' + root.scrollWidth + 'x' + root.scrollHeight);
  for (const id of ['kernels', 'details']) {
    const box = document.getElementById(id);
    if (box.offsetParent && box.scrollWidth > box.clientWidth) wrong.push(where + ': ' + id + ' is ' + box.scrollWidth + ' of ' + box.clientWidth);
  }
  for (const group of document.querySelectorAll('#world .kernel'))
    if (!/\\S  \\S|\\n/.test(group.querySelector('title').textContent)) wrong.push(where + ': a box without a title');
}
for (const button of [...document.getElementById('tabs').children]) {
  button.click();
  check(button.textContent);
  if (button.dataset.stage) for (let s = 0; s < stage.scopes.length && s < 8; ++s) { enter(s); check(button.textContent + ' ' + scopePath(s)); }
}
for (const row of document.querySelectorAll('#kernels tr + tr')) if (!row.children[1].textContent) wrong.push('kernel ' + row.children[0].textContent + ' says no work');
const rows = document.querySelectorAll('#kernels tr');
if (rows.length > 1) { rows[1].click(); check('an open row'); }
document.body.textContent = '';
element(document.body, 'pre', { id: 'verdict' }).textContent = innerWidth + ' ' + (wrong.join('; ') || 'fits');
</script>"""


def verdict(browser, page, size):
    shown = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", f"--window-size={size[0]},{size[1]}",
                            "file://" + page], capture_output=True, text=True, timeout=600, check=False).stdout
    found = re.search(r'<pre id="verdict">(.*?)</pre>', shown, re.DOTALL)
    return html.unescape(found.group(1)) if found else "no verdict: the script failed"


def main():
    browser, dump, *models = sys.argv[1:]
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for model in models:
            page = os.path.join(folder, "page.html")
            subprocess.run([dump, model, "--format=html", "-o", page], check=True)
            with open(page, encoding="utf-8") as file:
                text = file.read()
            with open(page, "w", encoding="utf-8") as file:
                file.write(text.replace("</body>", PROBE + "</body>"))
            for size in SIZES:
                said = verdict(browser, page, size)
                print(f"{os.path.basename(model)} at {size[0]}x{size[1]}: {said}")
                failed |= said.split(" ", 1)[-1] != "fits"
    return int(failed)


sys.exit(main())
