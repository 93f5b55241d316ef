// The graph folded by name scopes.

//---- Pages of scopes. -------------------------------------------------------------------------------

// Of what may stand on a page: [kind, side, index, x, y, width, height].
const itemKinds = 'nks', itemSides = ['', 'from ', 'to '];
function itemName(item) { return itemSides[item[1]] + itemKinds[item[0]] + item[2]; }
function scopeOf(name) {
  if (!scopePlaces.has(stage)) {
    const places = new Map();
    stage.scopes.forEach((page, s) => page.items.forEach(item => { if (!item[1]) places.set(itemName(item), s); }));
    scopePlaces.set(stage, places);
  }
  return scopePlaces.get(stage).get(name);
}
const scopePlaces = new Map(); // for each stage, which page what is on

function drawScope(layers) {
  const page = stage.scopes[scope];
  picture = { width: page.width, height: page.height, nodes: [], kernels: [] };
  for (const item of page.items) {
    const [kind, side, index, ...box] = item;
    (kind ? picture.kernels : picture.nodes).push(box);
    if (side) drawOutside(layers.nodes, item, box);
    else if (kind === 0) drawNode(layers.nodes, stage.nodes[index], index, box);
    else if (kind === 1) drawKernel(layers, stage.kernels[index], index, box, true);
    else drawFold(layers, index, box);
  }
  const rows = new Rows(page.items.map(item => item.slice(3)));
  const placeOf = item => ({ box: item.slice(3), place: item.slice(3), rows });
  drawLines(layers.edges, page.edges.map(([from, to, ...bends]) => {
    const a = page.items[from], b = page.items[to];
    return { from: itemName(a), to: itemName(b), a: placeOf(a), b: placeOf(b), bends, kind: '' };
  }));
}

function workText(page) {
  const parts = [];
  if (page.kernels && page.flops) parts.push(siText(page.flops) + 'FLOP');
  if (page.us !== undefined) parts.push(grouped(Math.round(page.us)) + ' µs');
  return parts.join(', ');
}
function countText(page) {
  return grouped(page.ops) + ' ops' + (page.kernels ? ', ' + grouped(page.kernels) + (page.kernels === 1 ? ' kernel' : ' kernels') : '');
}
function scopePath(s) { const names = []; for (; s > 0; s = stage.scopes[s].parent) names.unshift(stage.scopes[s].name); return names.join('/'); }

// A scope within: a click opens it.
function drawFold(layers, s, box) {
  const page = stage.scopes[s], [x, y, width] = box;
  const group = drawnBox(layers.kernels, 's' + s, 'kernel fold', box, 6, scopePath(s) + '\n' + countText(page) + '\n' + workText(page));
  addTitle(layers, 's' + s, page.name, box);
  drawn(group, 'text', { x: x + 8, y: y + 29, class: 'soft' }, fitted(countText(page), width - 16, 'soft'));
  drawn(group, 'text', { x: x + 8, y: y + 42, class: 'soft' }, fitted(workText(page), width - 16, 'soft'));
  drawn(group, 'text', { x: x + width - 14, y: y + 15, class: 'name sign' }, '+');
  group.addEventListener('click', event => { event.stopPropagation(); enter(s); });
}

// What a line comes from or leads to: a click goes there.
function drawOutside(layer, item, box) {
  const [kind, , index] = item;
  const title = kind === 2 ? scopePath(index) : kind === 1 ? stage.kernels[index].label + '  ' + stage.kernels[index].title : nodeTitle(index);
  const group = drawnBox(layer, itemName(item), 'node outside', box, 8, itemSides[item[1]] + title);
  drawn(group, 'text', { x: box[0] + box[2] / 2, y: box[1] + 14, 'text-anchor': 'middle' }, fitted(title, box[2] - 8, ''));
  group.addEventListener('click', event => {
    event.stopPropagation();
    if (kind === 2) enter(index); else if (kind === 1) goToKernel(index); else goTo(index);
  });
}

function enter(s) { scope = s; chosen = null; draw(); fitFirst(); choose(null); }

// The scopes around the page that is shown.
function drawPath() {
  const path = clear(byId('path'));
  if (scope < 0) return;
  const pages = [];
  for (let s = scope; s >= 0; s = stage.scopes[s].parent) pages.unshift(s);
  for (const s of pages) {
    if (s) path.append(' / ');
    if (s === scope) element(path, 'b', {}, s ? stage.scopes[s].name : 'all'); else link(path, s ? stage.scopes[s].name : 'all', () => enter(s));
  }
  path.title = scopePath(scope);
}

