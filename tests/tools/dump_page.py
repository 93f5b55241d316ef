"""The page of keratin-dump in a browser: it fits its window, whatever the names, every kernel says its work, no line runs through
a box, no label out of one.

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
// The box of what has the name.
function boxOfThing(name) { const [x, y, width, height] = ['x', 'y', 'width', 'height'].map(a => +drawnAs.get(name).querySelector('rect').getAttribute(a)); return { x, y, width, height }; }
function isIn(box, x, y) { return x > box.x + 1 && x < box.x + box.width - 1 && y > box.y + 1 && y < box.y + box.height - 1; }
function checkLines(where) {
  const all = [...drawnAs.keys()].map(name => [name, boxOfThing(name)]);
  // An open kernel is around its ops; lines may run in it to these alone.
  const around = name => name[0] === 'n' && scope < 0 && stage.nodes[+name.slice(1)].g !== undefined ? 'k' + stage.nodes[+name.slice(1)].g : '';
  for (const { from, to, line } of edges) {
    const others = all.filter(([name]) => ![from, to, around(from), around(to)].includes(name)), length = line.getTotalLength();
    for (let at = 0; at < length; at += 3) {
      const { x, y } = line.getPointAtLength(at), met = others.find(([, box]) => isIn(box, x, y));
      if (met) { wrong.push(where + ': the line from ' + from + ' to ' + to + ' runs through ' + met[0]); break; }
    }
    const end = line.getPointAtLength(length), before = line.getPointAtLength(length - 2);
    if (before.y > end.y) wrong.push(where + ': the line to ' + to + ' comes from below');
    if (boxOfThing(to).y < boxOfThing(from).y !== line.classList.contains('back')) wrong.push(where + ': a line from ' + from + ' to ' + to + ' leads back');
  }
}
function checkLabels(where) {
  let shown = 0;
  for (const text of document.querySelectorAll('#world text')) {
    if (getComputedStyle(text).display === 'none' || !text.textContent) continue;
    const box = text.dataset.of ? boxOfThing(text.dataset.of) : text.parentNode.querySelector('rect').getBBox(), has = text.getBBox();
    if (has.x < box.x - 1 || has.x + has.width > box.x + box.width + 1 || has.y < box.y - 1 || has.y + has.height > box.y + box.height + 2)
      wrong.push(where + ': ' + text.textContent + ' spills out of its box');
    ++shown;
  }
  return shown;
}
function checkGraph(where) {
  checkLines(where);
  for (const scale of [1, 0.3, 0.12, 0.04]) {
    view.scale = scale;
    move();
    const shown = checkLabels(where + ' at ' + scale);
    if (scale === 1 && !shown) wrong.push(where + ': no labels');
  }
  for (const group of document.querySelectorAll('#details dd'))
    if (group.textContent.length > 120) wrong.push(where + ': a formula of ' + group.textContent.length + ' letters');
}
function checkPlaces(where) {
  stage.nodes.forEach((node, n) => {
    showDetails('n' + n);
    for (const place of document.querySelectorAll('#details h3 ~ div.code')) if (/:0$/.test(place.textContent)) wrong.push(where + ': the place ' + place.textContent);
  });
  showDetails(null);
}
if (ordered(['lib/include/keratin/backend.h:3:0', 'net.cc:57:4'])[0] !== 'net.cc:57:4') wrong.push('the place of a header comes first');
const said = element(null, 'p');
quantity(said, '3', 'max(' + 'batch, '.repeat(40) + ')');
if (said.textContent.length > 60) wrong.push('a long formula is shown whole');
said.querySelector('a').click();
if (said.textContent.length < 280) wrong.push('a click shows no formula');
for (const button of [...document.getElementById('tabs').children]) {
  button.click();
  if (button.dataset.stage) {
    checkPlaces(button.textContent);
    for (const whole of [false, true]) { scope = -1; open = whole; draw(); checkGraph(button.textContent + (whole ? ', open' : ', closed')); }
    if (stage.kernels.length) { shut.add(0); draw(); checkGraph(button.textContent + ', one closed'); shut.clear(); }
    for (let s = 0; s < stage.scopes.length && s < 8; ++s) { enter(s); checkGraph(button.textContent + ' ' + scopePath(s)); }
    button.click();
  }
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
