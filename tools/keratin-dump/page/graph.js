// The graph as boxes and lines, and its small map.

//---- Geometry: where a node is drawn, which may be its closed kernel. -------------------------------

function isHidden(node) { const k = stage.nodes[node].g; return k !== undefined && (!open || shut.has(k)); }
function kernelBox(k) {
  const [x, y, w, h] = picture.kernels[k];
  return open && shut.has(k) ? [x + (w - Math.min(w, 190)) / 2, y + (h - 47) / 2, Math.min(w, 190), 47] : [x, y, w, h];
}
function boxOf(node) { return isHidden(node) ? kernelBox(stage.nodes[node].g) : picture.nodes[node]; }
function holder(node) { return isHidden(node) ? 'k' + stage.nodes[node].g : 'n' + node; }

//---- The graph. -------------------------------------------------------------------------------------

function draw() {
  const started = performance.now();
  const layers = { kernels: drawn(null, 'g'), edges: drawn(null, 'g'), nodes: drawn(null, 'g'), titles: drawn(null, 'g', { class: 'titles' }) };
  drawnAs = new Map(); edges = []; titles = [];
  if (scope >= 0) drawScope(layers); else drawWhole(layers);
  clear(byId('world')).append(layers.kernels, layers.edges, layers.nodes, layers.titles);
  sizeTitles(true);
  drawPath();
  byId('toggle').textContent = open ? 'close kernels' : 'open kernels';
  byId('toggle').style.display = scope < 0 && stage.kernels.length ? '' : 'none';
  byId('fold').textContent = scope >= 0 ? 'all ops' : 'by scope';
  byId('fold').style.display = stage.scopes.length > 1 ? '' : 'none';
  byId('summary').textContent = byId('summary').title = stage.summary;
  drawMap();
  document.body.dataset.drawn = Math.round(performance.now() - started);
}

function drawWhole(layers) {
  picture = open ? stage.open : stage.closed;
  stage.kernels.forEach((kernel, k) => {
    if (picture.kernels[k][2]) drawKernel(layers, kernel, k, kernelBox(k), !open || shut.has(k));
  });
  stage.nodes.forEach((node, n) => { if (!isHidden(n)) drawNode(layers.nodes, node, n, picture.nodes[n]); });
  const outerRows = new Rows([...picture.kernels, ...picture.nodes.filter((box, n) => stage.nodes[n].g === undefined)]);
  const within = new Map(), innerRows = new Map();
  stage.nodes.forEach((node, n) => { if (node.g !== undefined) (within.get(node.g) || within.set(node.g, []).get(node.g)).push(picture.nodes[n]); });
  const placeOf = n => {
    const k = stage.nodes[n].g;
    // A kernel that is closed by itself keeps its room.
    if (k === undefined || isHidden(n)) return { box: boxOf(n), place: k === undefined ? picture.nodes[n] : picture.kernels[k], rows: outerRows };
    if (!innerRows.has(k)) innerRows.set(k, new Rows(within.get(k), picture.kernels[k]));
    return { box: picture.nodes[n], place: picture.nodes[n], rows: innerRows.get(k), outer: picture.kernels[k], outerRows };
  };
  const seen = new Set(), lines = [];
  let at = 0;
  stage.nodes.forEach((node, to) => (node.u || []).forEach(from => {
    const bends = picture.bends[at++] || [], ends = { from: holder(from), to: holder(to) };
    if (ends.from === ends.to || seen.has(ends.from + ' ' + ends.to)) return;
    seen.add(ends.from + ' ' + ends.to);
    lines.push({ ...ends, a: placeOf(from), b: placeOf(to), bends: isHidden(from) === isHidden(to) || !open ? bends : [], kind: stage.nodes[from].k });
  }));
  drawLines(layers.edges, lines);
}

//---- Boxes. -----------------------------------------------------------------------------------------

function drawnBox(layer, name, kind, [x, y, width, height], rx, title) {
  const group = drawn(layer, 'g', { class: kind });
  drawn(group, 'title', {}, title);
  drawn(group, 'rect', { x, y, width, height, rx });
  drawnAs.set(name, group);
  return group;
}

// Above lines, and in a size that can be read at any zoom, if the box has room for that.
function addTitle(layers, name, text, box) {
  titles.push({ text: drawn(layers.titles, 'text', { class: 'name', 'data-of': name }), box, title: text, near: fitted(text, box[2] - 30, 'name') });
}
let titleScale = 0;
function sizeTitles(isNew) {
  const isFar = view.scale < FAR, scale = isFar ? Math.pow(1.2, Math.round(Math.log(view.scale) / Math.log(1.2))) : 1;
  if (scale === titleScale && !isNew) return;
  titleScale = scale;
  const size = isFar ? 10 / scale : 12;
  for (const { text, box: [x, y, width, height], title, near } of titles) {
    const hasRoom = !isFar || (height >= size * 1.5 && width >= size * 6);
    const shown = !hasRoom ? '' : isFar ? fitted(title, width - size, `600 ${size}px ${FONT}`) : near;
    text.style.display = shown ? '' : 'none';
    if (!shown) continue;
    text.textContent = shown;
    text.style.fontSize = size + 'px';
    text.setAttribute('x', x + (isFar ? size / 2 : 8));
    text.setAttribute('y', y + (isFar ? size * 1.1 : 15));
  }
}

function drawKernel(layers, kernel, k, box, closed) {
  const [x, y, w] = box, room = w - 16;
  const group = drawnBox(layers.kernels, 'k' + k, 'kernel', box, 6, kernel.label + '  ' + kernel.title + (kernel.place ? '\n' + kernel.place : ''));
  if (closed) {
    addTitle(layers, 'k' + k, kernel.label, box);
    // On the page of a scope its name says nothing new. What a kernel does stands at the end of its title.
    const [, work] = workOf(kernel.title), most = room + 4;
    drawn(group, 'text', { x: x + 8, y: y + 29 }, scope >= 0 ? fitted(work, most, '') : fitted(kernel.title, most, '', true));
    drawn(group, 'text', { x: x + 8, y: y + 42, class: 'soft' }, fitted(kernel.place, most, 'soft'));
  } else {
    addTitle(layers, 'k' + k, kernel.label + '  ' + kernel.title, box);
  }
  group.addEventListener('click', event => { event.stopPropagation(); choose('k' + k); });
  const sign = drawn(group, 'text', { x: x + w - 14, y: y + 15, class: 'name sign' }, closed ? '+' : '−');
  sign.addEventListener('click', event => {
    event.stopPropagation();
    if (!open || scope >= 0) { showOpen(k); return; }
    if (!shut.delete(k)) shut.add(k);
    draw();
    choose('k' + k);
  });
}
// In the whole graph, with its ops.
function showOpen(k) { scope = -1; open = true; shut.clear(); draw(); center(picture.kernels[k], 0.9); choose('k' + k); }

function drawNode(layer, node, n, box) {
  const [x, y, w] = box;
  const group = drawnBox(layer, 'n' + n, 'node ' + node.k + ' ' + (node.f || ''), box, 3, nodeTitle(n) + (node.s ? '\n' + node.s : ''));
  const middle = x + w / 2;
  let line = y + 15;
  const put = (text, kind) => {
    drawn(group, 'text', { x: middle, y: line, 'text-anchor': 'middle', class: kind }, fitted(text, w - 8, kind));
    line += 13;
  };
  const number = (node.y ? node.y.join(' ') : node.r) || '';
  put(node.n === number || !number ? node.n : node.n + '  ' + number, 'name');
  if (node.s) put(node.s, '');
  if (node.p) put(short(ordered(node.p)[0]), 'soft');
  group.addEventListener('click', event => { event.stopPropagation(); choose('n' + n); });
}

function thing(name) { return name && drawnAs.get(name); }
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
  const k = stage.nodes[n].g;
  if (scope >= 0) {
    // On its page; of what is in a kernel, the kernel.
    if (k !== undefined) { goToKernel(k); return; }
    const page = scopeOf('n' + n);
    if (page !== scope) enter(page);
    center(stage.scopes[page].items.find(item => itemName(item) === 'n' + n).slice(3), Math.max(view.scale, 0.8));
  } else {
    if (isHidden(n)) { open = true; shut.delete(k); draw(); }
    center(picture.nodes[n], Math.max(view.scale, 0.8));
  }
  choose('n' + n);
}
function goToKernel(k) {
  if (scope >= 0) {
    const page = scopeOf('k' + k);
    if (page !== scope) enter(page);
    center(stage.scopes[page].items.find(item => itemName(item) === 'k' + k).slice(3), Math.max(view.scale, 0.8));
  } else {
    center(picture.kernels[k], 0.9);
  }
  choose('k' + k);
}

const FAR = 0.33; // what is smaller shows no ops' names
function move() {
  byId('world').setAttribute('transform', `translate(${view.x} ${view.y}) scale(${view.scale})`);
  byId('canvas').classList.toggle('far', view.scale < FAR);
  sizeTitles();
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
  const area = byId('canvas').getBoundingClientRect();
  map.scale = Math.min(Math.min(190, area.width / 6) / Math.max(picture.width, 1), Math.min(230, area.height / 4) / Math.max(picture.height, 1));
  canvas.width = Math.max(30, picture.width * map.scale);
  canvas.height = Math.max(30, picture.height * map.scale);
  const brush = canvas.getContext('2d'), style = getComputedStyle(document.documentElement);
  brush.clearRect(0, 0, canvas.width, canvas.height);
  brush.fillStyle = style.getPropertyValue('--kernelLine');
  picture.kernels.forEach(b => brush.fillRect(b[0] * map.scale, b[1] * map.scale, Math.max(1, b[2] * map.scale), Math.max(1, b[3] * map.scale)));
  brush.fillStyle = style.getPropertyValue('--soft');
  picture.nodes.forEach((b, n) => { if (scope >= 0 || !isHidden(n)) brush.fillRect(b[0] * map.scale, b[1] * map.scale, Math.max(1, b[2] * map.scale), Math.max(1, b[3] * map.scale)); });
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

