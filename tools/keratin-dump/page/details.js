// What stands beside the graph: details, legend, search.

//---- Details. ---------------------------------------------------------------------------------------

function link(parent, text, action) { element(parent, 'a', {}, text).addEventListener('click', action); parent.append(' '); }
function sourceLines(panel, places) {
  if (!places || !places.length) return;
  element(panel, 'h3', {}, 'written at');
  for (const place of ordered(places)) {
    element(panel, 'div', { class: 'code' }, placeText(place));
    const line = data.sources[place.replace(/:\d+$/, '')];
    if (line !== undefined) element(panel, 'pre', {}, line);
  }
}
function nodeTitle(n) { const node = stage.nodes[n]; return (node.r && node.r !== node.n ? node.r + ' ' : '') + node.n; }

// What colours and borders mean.
function showLegend(panel) {
  element(panel, 'h3', {}, 'legend');
  const list = element(panel, 'div', { id: 'legend' });
  const entry = (kind, text) => {
    const svg = drawn(list, 'svg', { width: 30, height: 16 }), group = drawn(svg, 'g', { class: kind });
    drawn(group, 'rect', { x: 1.5, y: 1.5, width: 27, height: 13, rx: 3 });
    element(list, 'span', {}, text);
  };
  entry('node elementwise', 'element by element');
  entry('node reduction', 'reduction');
  entry('node contraction', 'product, convolution');
  entry('node movement', 'moves elements');
  entry('node input', 'input, output (thick)');
  entry('node variable', 'variable, its update (thick)');
  entry('node constant', 'constant');
  entry('node argument', 'argument of a step');
  entry('node outside', 'outside of what is shown');
  entry('kernel', 'kernel, loop, branch');
  entry('kernel fold', 'name scope: a click opens it');
  element(panel, 'div', {}, 'Drag to move, turn the wheel to zoom, click an op or a kernel. A dashed long line skips many rows, one with an arrow leads back. ' +
      'Gradients are folded under “gradient”, by the scopes of what they are gradients of.');
}

function showDetails(name) {
  const panel = clear(byId('details'));
  if (name && !'nk'.includes(name[0])) name = null;
  if (!name) {
    element(panel, 'h2', {}, fn.name);
    const list = element(panel, 'dl');
    for (const [key, value] of stage.totals) {
      const [number, ...formula] = value.split(' = ');
      element(list, 'dt', {}, key);
      quantity(element(list, 'dd'), number, formula.join(' = '));
    }
    element(panel, 'h3', {}, 'ops');
    const ops = element(panel, 'dl');
    for (const [op, count] of stage.counts) { element(ops, 'dt', {}, grouped(count)); element(ops, 'dd', {}, op); }
    showLegend(panel);
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
    link(panel, kernel.label + '  ' + kernel.title, () => goToKernel(node.g));
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
  element(panel, 'h2', {}, kernel.label);
  element(panel, 'div', {}, kernel.title);
  const list = element(panel, 'dl');
  const row = (key, value) => { element(list, 'dt', {}, key); element(list, 'dd', {}, value); };
  row('result', kernel.r);
  for (const [name, q, show] of [['FLOPs', kernel.flops, grouped], ['read', kernel.read, bytesText], ['written', kernel.written, bytesText]]) {
    element(list, 'dt', {}, name);
    quantity(element(list, 'dd'), show(q[0]), q[1]);
  }
  if (kernel.us !== undefined) row('µs a call', timeText(kernel.us));
  if (kernel.place) row('place', kernel.place);
  folded(panel, 'IR', kernel.text);
  folded(panel, 'assembly of ' + kernel.function, fn.code[kernel.function]);
  element(panel, 'h3', {}, 'ops');
  stage.nodes.forEach((node, n) => { if (node.g === k) link(element(panel, 'div'), nodeTitle(n) + '  ' + (node.s || ''), () => goTo(n)); });
  const places = [];
  stage.nodes.forEach(node => {
    const place = node.g === k && node.p && ordered(node.p)[0];
    if (place && !places.includes(place)) places.push(place);
  });
  sourceLines(panel, places);
}

//---- Search. ----------------------------------------------------------------------------------------

let hits = [], hitAt = -1;
// The op, or the closed kernel or the scope in which it is.
function markHit(n) {
  const k = stage.nodes[n].g;
  let shown = thing(scope < 0 ? holder(n) : k === undefined ? 'n' + n : 'k' + k);
  for (let s = scope < 0 ? -1 : scopeOf(k === undefined ? 'n' + n : 'k' + k); !shown && s > 0; s = stage.scopes[s].parent) shown = thing('s' + s);
  if (shown) shown.classList.add('hit');
}
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
  for (const n of hits) markHit(n);
  byId('found').textContent = wanted ? hits.length + ' found' + (hits.length ? ', Enter goes on' : '') : '';
}

