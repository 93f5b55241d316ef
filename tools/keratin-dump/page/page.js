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
  scope = stage.scopes.length > 1 && stage.nodes.length > 150 ? 0 : -1; // what is small is shown as it is
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
byId('fold').addEventListener('click', () => { shut.clear(); enter(scope < 0 ? 0 : -1); });
byId('aside').addEventListener('click', () => { document.body.classList.toggle('wide'); if (picture) move(); });
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

document.querySelector('h1').textContent = document.querySelector('h1').title = data.title;
document.title = data.title + ' (keratin-dump)';
data.functions.forEach((f, i) => element(byId('functions'), 'option', { value: i }, f.name));
byId('functions').style.display = data.functions.length > 1 ? '' : 'none';
byId('functions').addEventListener('change', event => showFunction(+event.target.value));
showFunction(0);
// "#plan", "#memory", "#kernels" open there.
if (location.hash.length > 1)
  for (const button of byId('tabs').children)
    if (button.textContent === decodeURIComponent(location.hash.slice(1))) button.click();
