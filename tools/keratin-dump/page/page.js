// Shows the data of the page. All text reaches the document as text nodes, never as markup.
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const byId = id => document.getElementById(id);
const SVG = 'http://www.w3.org/2000/svg';

function element(parent, name, attributes, text) {
  const made = document.createElement(name);
  for (const key in attributes || {}) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.appendChild(made);
  return made;
}
function drawn(parent, name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const key in attributes || {}) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.appendChild(made);
  return made;
}
function clear(parent) { while (parent.firstChild) parent.removeChild(parent.firstChild); return parent; }
function clipped(text, most) { return text.length > most ? text.slice(0, most - 1) + '…' : text; }
function short(place) { return place.replace(/:\d+$/, '').replace(/^.*\//, ''); }
function grouped(n) { return n === null || n === undefined ? '?' : n.toLocaleString('en'); }
function bytesText(n) {
  if (n === null || n === undefined) return '?';
  for (const unit of ['B', 'KiB', 'MiB', 'GiB']) {
    if (n < 1024 || unit === 'GiB') return (unit === 'B' ? n : n.toFixed(n < 10 ? 2 : 1)) + ' ' + unit;
    n /= 1024;
  }
}
function quantityText(q, show) { return show(q[0]) + (q[1] ? ' = ' + q[1] : ''); }

let fn, stage, picture, view = { x: 0, y: 0, scale: 1 };
let open = true;         // which layout is shown
const shut = new Set();  // kernels closed one by one in the open layout
let nodeAt = [], kernelAt = [], edges = [], chosen = null;

//---- Geometry: where a node is drawn, which may be its closed kernel. -------------------------------

function isHidden(node) { const k = stage.nodes[node].g; return k !== undefined && (!open || shut.has(k)); }
function kernelBox(k) {
  const [x, y, w, h] = picture.kernels[k];
  return open && shut.has(k) ? [x + (w - Math.min(w, 190)) / 2, y + (h - 40) / 2, Math.min(w, 190), 40] : [x, y, w, h];
}
function boxOf(node) { return isHidden(node) ? kernelBox(stage.nodes[node].g) : picture.nodes[node]; }
function holder(node) { return isHidden(node) ? 'k' + stage.nodes[node].g : 'n' + node; }

function pathOf(from, to, bends) {
  const a = boxOf(from), b = boxOf(to);
  const points = [[a[0] + a[2] / 2, a[1] + a[3]]];
  for (let i = 0; i < bends.length; i += 2) points.push([bends[i], bends[i + 1]]);
  points.push([b[0] + b[2] / 2, b[1]]);
  let path = 'M' + points[0].join(' ');
  for (let i = 1; i < points.length; ++i) {
    const [x0, y0] = points[i - 1], [x1, y1] = points[i];
    const pull = Math.max(12, Math.abs(y1 - y0) / 2);
    path += `C${x0} ${y0 + pull} ${x1} ${y1 - pull} ${x1} ${y1}`;
  }
  return path;
}

//---- The graph. -------------------------------------------------------------------------------------

function draw() {
  const started = performance.now();
  picture = open ? stage.open : stage.closed;
  const world = clear(byId('world'));
  const kernelLayer = drawn(null, 'g'), edgeLayer = drawn(null, 'g'), nodeLayer = drawn(null, 'g');
  nodeAt = []; kernelAt = []; edges = [];
  stage.kernels.forEach((kernel, k) => {
    if (picture.kernels[k][2]) kernelAt[k] = drawKernel(kernelLayer, kernel, k);
  });
  stage.nodes.forEach((node, n) => { if (!isHidden(n)) nodeAt[n] = drawNode(nodeLayer, node, n); });
  const seen = new Set();
  let at = 0;
  stage.nodes.forEach((node, to) => (node.u || []).forEach(from => {
    const bends = picture.bends[at++] || [];
    const ends = holder(from) + ' ' + holder(to);
    if (holder(from) === holder(to) || seen.has(ends)) return;
    seen.add(ends);
    const a = boxOf(from), b = boxOf(to);
    const isLong = !bends.length && b[1] - a[1] - a[3] > 260;
    const line = drawn(edgeLayer, 'path', { d: pathOf(from, to, open ? (isHidden(from) || isHidden(to) ? [] : bends) : bends),
                                            class: isLong ? 'edge long ' + stage.nodes[from].k : 'edge' });
    edges.push({ from: holder(from), to: holder(to), line });
  }));
  world.append(kernelLayer, edgeLayer, nodeLayer);
  byId('toggle').textContent = open ? 'close kernels' : 'open kernels';
  byId('toggle').style.display = stage.kernels.length ? '' : 'none';
  byId('summary').textContent = stage.summary;
  drawMap();
  document.body.dataset.drawn = Math.round(performance.now() - started);
}

function drawKernel(layer, kernel, k) {
  const [x, y, w, h] = kernelBox(k);
  const group = drawn(layer, 'g', { class: 'kernel' });
  drawn(group, 'rect', { x, y, width: w, height: h, rx: 6 });
  const closed = !open || shut.has(k), most = Math.floor(w / 6.5) - 3;
  drawn(group, 'text', { x: x + 8, y: y + 15, class: 'name' }, clipped(kernel.kind + ' ' + k + '  ' + kernel.title, most));
  if (closed) drawn(group, 'text', { x: x + 8, y: y + 30, class: 'soft' }, clipped(kernel.place, most + 4));
  const sign = drawn(group, 'text', { x: x + w - 14, y: y + 15, class: 'name' }, closed ? '+' : '−');
  sign.addEventListener('click', event => {
    event.stopPropagation();
    if (!open) { open = true; shut.clear(); draw(); center(picture.kernels[k], 0.9); choose('k' + k); return; }
    if (!shut.delete(k)) shut.add(k);
    draw();
    choose('k' + k);
  });
  group.addEventListener('click', event => { event.stopPropagation(); choose('k' + k); });
  return group;
}

function drawNode(layer, node, n) {
  const [x, y, w, h] = picture.nodes[n];
  const group = drawn(layer, 'g', { class: 'node ' + node.k + ' ' + (node.f || '') });
  drawn(group, 'rect', { x, y, width: w, height: h, rx: 3 });
  const middle = x + w / 2, most = Math.floor((w - 6) / 5.6);
  let line = y + 15;
  const put = (text, kind) => {
    drawn(group, 'text', { x: middle, y: line, 'text-anchor': 'middle', class: kind }, clipped(text, most));
    line += 13;
  };
  const number = (node.y ? node.y.join(' ') : node.r) || '';
  put(node.n === number || !number ? node.n : node.n + '  ' + number, 'name');
  if (node.s) put(node.s, '');
  if (node.p) put(short(node.p[0]), 'soft');
  group.addEventListener('click', event => { event.stopPropagation(); choose('n' + n); });
  return group;
}

function thing(name) { return name && (name[0] === 'k' ? kernelAt : nodeAt)[+name.slice(1)]; }
function choose(name) {
  const old = thing(chosen);
  if (old) old.classList.remove('chosen');
  chosen = name;
  const now = thing(name);
  if (now) now.classList.add('chosen');
  for (const edge of edges) edge.line.classList.toggle('near', edge.from === name || edge.to === name);
  showDetails(name);
}

// Brings a box to the middle of the window.
function center(box, scale) {
  const area = byId('canvas').getBoundingClientRect();
  view.scale = scale || view.scale;
  view.x = area.width / 2 - (box[0] + box[2] / 2) * view.scale;
  view.y = area.height / 2 - (box[1] + box[3] / 2) * view.scale;
  move();
}
function goTo(n) {
  if (isHidden(n)) { open = true; shut.delete(stage.nodes[n].g); draw(); }
  center(picture.nodes[n], Math.max(view.scale, 0.8));
  choose('n' + n);
}

function move() {
  byId('world').setAttribute('transform', `translate(${view.x} ${view.y}) scale(${view.scale})`);
  byId('canvas').classList.toggle('far', view.scale < 0.33);
  drawMapFrame();
}
// The whole graph, or its width with the top in sight: what is smaller than this cannot be read.
function fit(onlyWidth) {
  const area = byId('canvas').getBoundingClientRect();
  const across = (area.width - 40) / Math.max(picture.width, 1), down = (area.height - 40) / Math.max(picture.height, 1);
  view.scale = Math.min(1.2, onlyWidth ? across : Math.min(across, down));
  view.x = (area.width - picture.width * view.scale) / 2;
  view.y = onlyWidth ? 20 : (area.height - picture.height * view.scale) / 2;
  move();
}
function fitFirst() {
  fit(false);
  if (view.scale >= 0.45) return;
  fit(true);
  // Where even the width is too small to read, what stands on top at a size that can be read.
  if (view.scale < 0.6) {
    const first = [...picture.nodes, ...picture.kernels].filter(box => box[2]).sort((a, b) => a[1] - b[1])[0];
    center(first || [0, 0, 0, 0], 0.6);
    view.y = 20;
    move();
  }
}

//---- The small map. ---------------------------------------------------------------------------------

let map = { scale: 1 }, mapImage = null;
function drawMap() {
  const canvas = byId('map');
  map.scale = Math.min(190 / Math.max(picture.width, 1), 230 / Math.max(picture.height, 1));
  canvas.width = Math.max(30, picture.width * map.scale);
  canvas.height = Math.max(30, picture.height * map.scale);
  const brush = canvas.getContext('2d'), style = getComputedStyle(document.documentElement);
  brush.clearRect(0, 0, canvas.width, canvas.height);
  brush.fillStyle = style.getPropertyValue('--kernelLine');
  picture.kernels.forEach(b => brush.fillRect(b[0] * map.scale, b[1] * map.scale, Math.max(1, b[2] * map.scale), Math.max(1, b[3] * map.scale)));
  brush.fillStyle = style.getPropertyValue('--soft');
  picture.nodes.forEach((b, n) => { if (!isHidden(n)) brush.fillRect(b[0] * map.scale, b[1] * map.scale, Math.max(1, b[2] * map.scale), Math.max(1, b[3] * map.scale)); });
  mapImage = brush.getImageData(0, 0, canvas.width, canvas.height);
  drawMapFrame();
}
function drawMapFrame() {
  if (!mapImage) return;
  const brush = byId('map').getContext('2d'), area = byId('canvas').getBoundingClientRect();
  brush.putImageData(mapImage, 0, 0);
  brush.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue('--chosen');
  brush.lineWidth = 2;
  brush.strokeRect(-view.x / view.scale * map.scale, -view.y / view.scale * map.scale,
                   area.width / view.scale * map.scale, area.height / view.scale * map.scale);
}

//---- Details. ---------------------------------------------------------------------------------------

function link(parent, text, action) { element(parent, 'a', {}, text).addEventListener('click', action); parent.append(' '); }
function sourceLines(panel, places) {
  if (!places || !places.length) return;
  element(panel, 'h3', {}, 'written at');
  for (const place of places) {
    element(panel, 'div', { class: 'code' }, place);
    const line = data.sources[place.replace(/:\d+$/, '')];
    if (line !== undefined) element(panel, 'pre', {}, line);
  }
}
function nodeTitle(n) { const node = stage.nodes[n]; return (node.r && node.r !== node.n ? node.r + ' ' : '') + node.n; }

function showDetails(name) {
  const panel = clear(byId('details'));
  if (!name) {
    element(panel, 'h2', {}, fn.name);
    const list = element(panel, 'dl');
    for (const [key, value] of stage.totals) { element(list, 'dt', {}, key); element(list, 'dd', {}, value); }
    element(panel, 'h3', {}, 'ops');
    const ops = element(panel, 'dl');
    for (const [op, count] of stage.counts) { element(ops, 'dt', {}, String(count)); element(ops, 'dd', {}, op); }
    element(panel, 'h3', {}, 'how to look');
    element(panel, 'div', {}, 'Drag to move, turn the wheel to zoom, click an op or a kernel. A dashed long line skips many layers.');
    return;
  }
  const index = +name.slice(1);
  if (name[0] === 'k') { kernelDetails(panel, index); return; }
  const node = stage.nodes[index];
  element(panel, 'h2', {}, node.n);
  const list = element(panel, 'dl');
  const row = (key, value) => { element(list, 'dt', {}, key); element(list, 'dd', { class: 'code' }, value); };
  row('kind', node.k);
  if (node.o) row('op', node.o);
  if (node.r) row('result', node.r);
  if (node.y) row('yields', node.y.join(' '));
  if (node.in) row('in', node.in);
  (node.t || []).forEach(type => row('type', type));
  for (const [key, value] of node.a || []) row(key, value);
  if (node.g !== undefined) {
    const kernel = stage.kernels[node.g];
    element(panel, 'h3', {}, kernel.kind);
    link(panel, kernel.kind + ' ' + node.g + ' ' + kernel.title, () => choose('k' + node.g));
  }
  element(panel, 'h3', {}, 'operands');
  (node.u || []).forEach(n => link(element(panel, 'div'), nodeTitle(n), () => goTo(n)));
  element(panel, 'h3', {}, 'users');
  stage.nodes.forEach((other, n) => { if ((other.u || []).includes(index)) link(element(panel, 'div'), nodeTitle(n), () => goTo(n)); });
  sourceLines(panel, node.p);
}
function folded(panel, title, text) {
  if (!text) return;
  const fold = element(panel, 'details');
  element(fold, 'summary', {}, title);
  fold.addEventListener('toggle', () => { if (fold.open && fold.children.length < 2) element(fold, 'pre', {}, text); });
}
function kernelDetails(panel, k) {
  const kernel = stage.kernels[k];
  element(panel, 'h2', {}, kernel.kind + ' ' + k + ' ' + kernel.title);
  const list = element(panel, 'dl');
  const row = (key, value) => { element(list, 'dt', {}, key); element(list, 'dd', {}, value); };
  row('result', kernel.r);
  row('FLOPs', quantityText(kernel.flops, grouped));
  row('read', quantityText(kernel.read, bytesText));
  row('written', quantityText(kernel.written, bytesText));
  if (kernel.place) row('place', kernel.place);
  folded(panel, 'IR', kernel.text);
  folded(panel, 'assembly of ' + kernel.function, fn.code[kernel.function]);
  element(panel, 'h3', {}, 'ops');
  stage.nodes.forEach((node, n) => { if (node.g === k) link(element(panel, 'div'), nodeTitle(n) + '  ' + (node.s || ''), () => goTo(n)); });
  const places = [];
  stage.nodes.forEach(node => { if (node.g === k && node.p && !places.includes(node.p[0])) places.push(node.p[0]); });
  sourceLines(panel, places);
}

//---- Search. ----------------------------------------------------------------------------------------

let hits = [], hitAt = -1;
function search(text) {
  document.querySelectorAll('.hit').forEach(e => e.classList.remove('hit'));
  hits = []; hitAt = -1;
  const wanted = text.trim().toLowerCase();
  if (wanted)
    stage.nodes.forEach((node, n) => {
      const isMatch = wanted[0] === '%' ? [node.r, ...(node.y || [])].some(r => r && r.toLowerCase() === wanted)
          : [node.n, node.o || '', ...(node.p || [])].some(s => s.toLowerCase().includes(wanted));
      if (isMatch) hits.push(n);
    });
  for (const n of hits) { const shown = thing(holder(n)); if (shown) shown.classList.add('hit'); }
  byId('found').textContent = wanted ? hits.length + ' found' + (hits.length ? ', Enter goes on' : '') : '';
}

//---- Memory over time. ------------------------------------------------------------------------------

function showTip(event, text) {
  const tip = byId('tip');
  tip.textContent = text;
  tip.style.display = 'block';
  tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 10) + 'px';
  tip.style.top = Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 10) + 'px';
}
function hideTip() { byId('tip').style.display = 'none'; }

function drawMemory() {
  const section = clear(byId('memory')), planned = fn.stages.find(s => s.memory);
  if (!planned) { element(section, 'p', {}, 'There is no memory plan.'); return; }
  const memory = planned.memory, kernels = planned.kernels.length;
  element(section, 'p', {}, `Arena ${quantityText(memory.arena, bytesText)}, live at most ${bytesText(memory.maxLive)}, ` +
      `${memory.buffers.length} buffers, ${kernels} kernels` + (planned.symbols ? ' (' + planned.symbols + ')' : '') +
      '. Across: kernels in order; up: offset in the arena. The black line is what is live.');
  const top = Math.max(memory.arena[0] || 0, memory.maxLive || 0, 1);
  const left = 74, step = Math.max(3, Math.min(110, (section.clientWidth - left - 170) / Math.max(kernels, 1))), height = Math.max(300, innerHeight - 190);
  const width = left + step * kernels + 140, y = bytes => 12 + height - bytes / top * height, x = k => left + k * step;
  const svg = drawn(section, 'svg', { width, height: height + 50, class: 'chart' });
  for (let i = 0; i <= 8; ++i) {
    drawn(svg, 'line', { class: 'grid', x1: left, x2: x(kernels), y1: y(top * i / 8), y2: y(top * i / 8) });
    drawn(svg, 'text', { x: left - 6, y: y(top * i / 8) + 4, 'text-anchor': 'end' }, bytesText(Math.round(top * i / 8)));
  }
  const every = Math.max(1, Math.ceil(34 / step));
  for (let k = 0; k < kernels; k += every)
    drawn(svg, 'text', { x: x(k) + step / 2, y: height + 27, 'text-anchor': 'middle' }, String(k));
  drawn(svg, 'text', { x: x(kernels / 2), y: height + 43, 'text-anchor': 'middle' }, 'kernel');
  memory.buffers.forEach((buffer, i) => {
    if (buffer.offset[0] === null || !buffer.bytes[0]) return;
    const box = { x: x(buffer.first), y: y(buffer.offset[0] + buffer.bytes[0]), width: (buffer.last - buffer.first + 1) * step,
                  height: Math.max(1, buffer.bytes[0] / top * height) };
    const rect = drawn(svg, 'rect', { ...box, class: 'buffer', fill: `hsl(${i * 137.5 % 360} 55% ${60 + i % 3 * 7}%)` });
    const what = buffer.title + (buffer.place ? '  ' + buffer.place : '');
    rect.addEventListener('mousemove', event => showTip(event, `${what}\n${quantityText(buffer.bytes, bytesText)} at ${quantityText(buffer.offset, grouped)}\n` +
        `kernels ${buffer.first} to ${buffer.last}` + (buffer.values > 1 ? `, ${buffer.values} values one after the other` : '')));
    rect.addEventListener('mouseleave', hideTip);
    rect.addEventListener('click', () => { if (buffer.node >= 0) { show(planned, 'graph'); goTo(buffer.node); } });
    if (box.height > 12 && box.width > 40) {
      const label = drawn(svg, 'text', { x: box.x + 4, y: box.y + Math.min(box.height / 2 + 4, 12), 'pointer-events': 'none' }, clipped(what, Math.floor(box.width / 5.6)));
      label.style.fill = '#111';
    }
  });
  if (memory.live.length)
    drawn(svg, 'path', { class: 'live', d: memory.live.map((b, k) => `${k ? 'L' : 'M'}${x(k)} ${y(b)}H${x(k + 1)}`).join('') });
  const mark = (kind, bytes, text, dy) => {
    if (bytes === null || bytes === undefined) return;
    drawn(svg, 'line', { class: kind, x1: left, x2: x(kernels) + 6, y1: y(bytes), y2: y(bytes) });
    drawn(svg, 'text', { x: x(kernels) + 10, y: y(bytes) + dy }, text);
  };
  mark('arena', memory.arena[0], 'arena ' + bytesText(memory.arena[0]), 0);
  mark('most', memory.maxLive, 'max live ' + bytesText(memory.maxLive), 12);
}

//---- The table of kernels. --------------------------------------------------------------------------

function drawKernels(sortBy) {
  const section = clear(byId('kernels'));
  const last = [...fn.stages].reverse().find(s => s.kernels.length);
  if (!last) { element(section, 'p', {}, 'There are no kernels.'); return; }
  const value = q => q[0] === null ? -1 : q[0];
  const columns = [
    ['kernel', (k, i) => i, i => String(i)], ['what', k => k.title, v => v, true], ['where', k => k.place, v => v, true],
    ['FLOPs', k => value(k.flops), grouped], ['read', k => value(k.read), bytesText], ['written', k => value(k.written), bytesText],
    ['FLOPs/byte', k => value(k.flops) / Math.max(1, value(k.read) + value(k.written)), v => v.toFixed(2)],
  ];
  const most = Math.max(1, ...last.kernels.map(k => value(k.flops)));
  element(section, 'p', {}, last.summary + '. A click on a head sorts, on a row opens IR and assembly.');
  const table = element(section, 'table'), head = element(table, 'tr');
  columns.forEach(([title, , , isText], c) => element(head, 'th', isText ? { class: 'left' } : {}, title).addEventListener('click', () => drawKernels(c)));
  element(head, 'th', { class: 'left' }, 'share of FLOPs');
  const order = last.kernels.map((kernel, i) => [kernel, i]);
  if (sortBy !== undefined) {
    const key = columns[sortBy][1];
    order.sort(([a, i], [b, j]) => {
      const u = key(a, i), v = key(b, j);
      return columns[sortBy][3] ? (u < v ? -1 : u > v ? 1 : i - j) : sortBy ? v - u : i - j;
    });
  }
  for (const [kernel, i] of order) {
    const row = element(table, 'tr');
    row.style.cursor = 'pointer';
    for (const [, key, print, isText] of columns) element(row, 'td', isText ? { class: 'left' } : {}, print(key(kernel, i)));
    const bar = drawn(element(row, 'td', { class: 'left' }), 'svg', { width: 120, height: 10 });
    drawn(bar, 'rect', { width: 120 * Math.max(0, value(kernel.flops)) / most, height: 10, fill: 'currentColor', opacity: .45 });
    let below = null;
    row.addEventListener('click', () => {
      if (below) { below.remove(); below = null; return; }
      below = element(null, 'tr');
      row.after(below);
      const cell = element(below, 'td', { class: 'wide', colspan: columns.length + 1 });
      const list = element(cell, 'dl');
      for (const [name, q] of [['FLOPs', kernel.flops], ['bytes read', kernel.read], ['bytes written', kernel.written]]) {
        element(list, 'dt', {}, name);
        element(list, 'dd', {}, quantityText(q, grouped));
      }
      folded(cell, 'IR', kernel.text);
      folded(cell, 'assembly of ' + kernel.function, fn.code[kernel.function]);
      cell.querySelectorAll('details').forEach(fold => fold.open = true);
      link(cell, 'show in the graph', () => { show(last, 'graph'); open = true; draw(); center(picture.kernels[i], 0.9); choose('k' + i); });
    });
  }
}

//---- What is shown. ---------------------------------------------------------------------------------

function show(newStage, tab) {
  for (const id of ['graph', 'memory', 'kernels']) byId(id).classList.toggle('on', id === tab);
  byId('details').style.display = tab === 'graph' ? '' : 'none';
  hideTip();
  for (const button of byId('tabs').children)
    button.classList.toggle('on', tab === 'graph' ? button.dataset.stage === (newStage && newStage.stage) : button.dataset.tab === tab);
  if (tab === 'memory') drawMemory();
  if (tab === 'kernels') drawKernels();
  if (tab !== 'graph' || !newStage) return;
  stage = newStage;
  shut.clear();
  chosen = null;
  open = !stage.kernels.length || stage.nodes.length <= 400;
  byId('search').value = ''; search('');
  draw();
  fitFirst();
  choose(null);
}

function showFunction(index) {
  fn = data.functions[index];
  const tabs = clear(byId('tabs'));
  for (const s of fn.stages) {
    const button = element(tabs, 'button', { 'data-stage': s.stage }, s.stage);
    button.addEventListener('click', () => show(s, 'graph'));
  }
  for (const tab of ['memory', 'kernels'])
    element(tabs, 'button', { 'data-tab': tab }, tab).addEventListener('click', () => show(null, tab));
  show(fn.stages[0], 'graph');
}

byId('toggle').addEventListener('click', () => { open = !open; shut.clear(); draw(); fitFirst(); choose(null); });
byId('fit').addEventListener('click', () => fit(false));
byId('width').addEventListener('click', () => fit(true));
byId('search').addEventListener('input', event => search(event.target.value));
byId('search').addEventListener('keydown', event => {
  if (event.key !== 'Enter' || !hits.length) return;
  hitAt = (hitAt + 1) % hits.length;
  const all = hits, at = hitAt;
  goTo(all[at]);
  byId('found').textContent = `${at + 1} of ${all.length}`;
});
const canvas = byId('canvas');
let drag = null;
canvas.addEventListener('pointerdown', event => { drag = { x: event.clientX, y: event.clientY, far: false }; });
canvas.addEventListener('pointermove', event => {
  if (!drag || !event.buttons) { drag = null; canvas.classList.remove('moving'); return; }
  const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
  if (!drag.far && Math.abs(dx) + Math.abs(dy) < 4) return;
  drag = { x: event.clientX, y: event.clientY, far: true };
  canvas.classList.add('moving');
  view.x += dx; view.y += dy;
  move();
});
addEventListener('pointerup', () => { drag = null; canvas.classList.remove('moving'); });
canvas.addEventListener('click', () => choose(null));
canvas.addEventListener('wheel', event => {
  event.preventDefault();
  const area = canvas.getBoundingClientRect(), px = event.clientX - area.left, py = event.clientY - area.top;
  const next = Math.min(4, Math.max(0.02, view.scale * Math.exp(-event.deltaY * 0.0015)));
  view.x = px - (px - view.x) * next / view.scale;
  view.y = py - (py - view.y) * next / view.scale;
  view.scale = next;
  move();
}, { passive: false });
byId('map').addEventListener('click', event => {
  const area = byId('map').getBoundingClientRect();
  center([(event.clientX - area.left) / map.scale, (event.clientY - area.top) / map.scale, 0, 0]);
});
addEventListener('resize', () => { if (picture) move(); });

document.querySelector('h1').textContent = data.title;
document.title = data.title + ' (keratin-dump)';
data.functions.forEach((f, i) => element(byId('functions'), 'option', { value: i }, f.name));
byId('functions').style.display = data.functions.length > 1 ? '' : 'none';
byId('functions').addEventListener('change', event => showFunction(+event.target.value));
showFunction(0);
// "#plan", "#memory", "#kernels" open there.
if (location.hash.length > 1)
  for (const button of byId('tabs').children)
    if (button.textContent === decodeURIComponent(location.hash.slice(1))) button.click();
