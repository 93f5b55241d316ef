"""The page of keratin-dump in a browser: it fits its window, whatever the names, every kernel says its work, no line runs through
a box, no label out of one, lines lead up only where scopes need one another and do not cross too often, none crosses a label
of the memory plan.

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
// What lines lead to from there, over any number of them.
function reachedFrom(name) {
  const reached = new Set(), open = [name];
  while (open.length) { const at = open.pop(); for (const { from, to } of edges) if (from === at && !reached.has(to)) { reached.add(to); open.push(to); } }
  return reached;
}
// Lines beyond those of a tree, each of which may have to cross others.
function linesBeyondTrees() {
  const root = new Map(), rootOf = name => { while (root.has(name)) name = root.get(name); return name; };
  let beyond = 0;
  for (const { from, to } of edges) { const a = rootOf(from), b = rootOf(to); if (a === b) ++beyond; else root.set(a, b); }
  return beyond;
}
// At worst each of those crosses all others: a tenth of that is allowed, two in small graphs. On the page of scopes that do nothing but
// share values, where these are labels, every second one may cross another.
function checkCrossings(where) {
  if (edges.length > 120) return; // takes long, and LayoutTest counts there
  const lines = edges.map(({ from, to, line }) => {
    const length = line.getTotalLength(), points = [], count = Math.ceil(length / 6), box = line.getBBox();
    for (let i = 0; i <= count; ++i) points.push(line.getPointAtLength(length * i / count));
    return { from, to, points, box };
  });
  const side = (a, b, c) => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  const apart = (a, b) => a.x > b.x + b.width || b.x > a.x + a.width || a.y > b.y + b.height || b.y > a.y + a.height;
  const pieceBox = (a, b) => ({ x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y) });
  let crossings = 0;
  lines.forEach((p, i) => lines.slice(0, i).forEach(q => {
    if (p.from === q.from || p.to === q.to || apart(p.box, q.box)) return;
    for (let k = 1; k < p.points.length; ++k) {
      const [a, b] = [p.points[k - 1], p.points[k]], box = pieceBox(a, b);
      if (apart(box, q.box)) continue;
      for (let l = 1; l < q.points.length; ++l) {
        const [c, d] = [q.points[l - 1], q.points[l]];
        if (!apart(box, pieceBox(c, d)) && side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0) ++crossings;
      }
    }
  }));
  const beyond = linesBeyondTrees();
  if (crossings > beyond * (SHARES && scope === 0 ? 0.5 : Math.max(2, edges.length / 10))) wrong.push(where + ': ' + crossings + ' crossings of ' + edges.length + ' lines, ' + beyond + ' of them beyond trees');
}
// Neither what is live nor another line of the chart runs through a label.
function checkMemory(where) {
  const live = document.querySelector('#memory .live'), labels = [...document.querySelectorAll('#memory text.label')];
  if (!live) return;
  const points = [];
  let x = 0, y = 0;
  for (const [, command, numbers] of live.getAttribute('d').matchAll(/([MLHV])([^MLHV]*)/g)) {
    const [first, second] = numbers.trim().split(' ').map(Number);
    if (command === 'H') x = first; else { x = first; y = second; }
    points.push([x, y, command]);
  }
  const pieces = [];
  points.forEach(([toX, toY, command], i) => { if (command !== 'M') pieces.push([...points[i - 1].slice(0, 2), toX, toY]); });
  for (const line of document.querySelectorAll('#memory .arena, #memory .most')) pieces.push(['x1', 'y1', 'x2', 'y2'].map(name => +line.getAttribute(name)));
  if (SHARES && !labels.length) wrong.push(where + ': no labels');
  for (const label of labels) {
    const box = label.getBBox();
    // All that is drawn is upright or level.
    if (pieces.some(([x1, y1, x2, y2]) => Math.max(x1, x2) > box.x && Math.min(x1, x2) < box.x + box.width && Math.max(y1, y2) > box.y + 1 && Math.min(y1, y2) < box.y + box.height - 1))
      wrong.push(where + ': a line crosses ' + label.textContent);
  }
}
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
    const isBack = boxOfThing(to).y < boxOfThing(from).y;
    if (isBack !== line.classList.contains('back')) wrong.push(where + ': a line from ' + from + ' to ' + to + ' leads back');
    if (isBack && !reachedFrom(to).has(from)) wrong.push(where + ': a line leads up from ' + from + ' to ' + to + ', which does not lead back');
    if (isBack && SHARES) wrong.push(where + ': a line leads up from ' + from + ' to ' + to);
  }
  checkCrossings(where);
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
  if (button.textContent === 'memory') checkMemory('memory');
  if (button.dataset.stage) for (let s = 0; s < stage.scopes.length && s < 8; ++s) { enter(s); check(button.textContent + ' ' + scopePath(s)); }
}
for (const row of document.querySelectorAll('#kernels tr + tr')) if (!row.children[1].textContent) wrong.push('kernel ' + row.children[0].textContent + ' says no work');
const rows = document.querySelectorAll('#kernels tr');
if (rows.length > 1) { rows[1].click(); check('an open row'); }
document.body.textContent = '';
element(document.body, 'pre', { id: 'verdict' }).textContent = innerWidth + ' ' + (wrong.join('; ') || 'fits');
</script>"""
# Of the model whose scopes share values: none of its lines may lead up.
SHARING = "shared-values.mlir"


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
            probe = PROBE.replace("SHARES", str(os.path.basename(model) == SHARING).lower())
            page = os.path.join(folder, "page.html")
            subprocess.run([dump, model, "--format=html", "-o", page], check=True)
            with open(page, encoding="utf-8") as file:
                text = file.read()
            with open(page, "w", encoding="utf-8") as file:
                file.write(text.replace("</body>", probe + "</body>"))
            for size in SIZES:
                said = verdict(browser, page, size)
                print(f"{os.path.basename(model)} at {size[0]}x{size[1]}: {said}")
                failed |= said.split(" ", 1)[-1] != "fits"
    return int(failed)


sys.exit(main())
