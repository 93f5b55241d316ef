// Memory over time, and the table of kernels.

//---- Memory over time. ------------------------------------------------------------------------------

function showTip(event, text) {
  const tip = byId('tip');
  tip.textContent = text;
  tip.style.display = 'block';
  tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 10) + 'px';
  tip.style.top = Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 10) + 'px';
}
function hideTip() { byId('tip').style.display = 'none'; }

// Where in a box its label crosses no line: {x, y: of its letters' foot, width}. That of what is live
// is at `live` heights while each kernel runs, from x(k) to x(k + 1), and others run across at `levels`.
// The highest place with room for some letters, wider ones first.
const kLabelUp = 10, kLabelDown = 3, kLabelWide = 160;
function labelPlace(box, live, x, levels) {
  const first = x(0), step = x(1) - first, right = box.x + box.width - 4;
  const from = Math.max(0, Math.floor((box.x - first) / step) - 1), to = Math.min(live.length - 1, Math.ceil((right - first) / step));
  let best = null;
  for (let foot = box.y + Math.min(box.height / 2 + 4, 12); foot + kLabelDown <= box.y + box.height + 1; foot += Math.max(4, box.height / 40)) {
    const top = foot - kLabelUp, bottom = foot + kLabelDown, meets = (a, b) => Math.min(a, b) < bottom && Math.max(a, b) > top;
    if (levels.some(level => meets(level, level))) continue;
    let start = box.x + 4;
    const free = end => { if (end - start > (best ? best.width + 1 : 40)) best = { x: start, y: foot, width: end - start }; };
    for (let k = from; k <= to; ++k) {
      if (k && x(k) > start && x(k) < right && meets(live[k - 1], live[k])) { free(Math.min(right, x(k) - 3)); start = Math.max(start, x(k) + 3); }
      if (meets(live[k], live[k]) && x(k + 1) > start && x(k) < right) { free(Math.min(right, x(k) - 3)); start = Math.max(start, x(k + 1) + 3); }
    }
    free(right);
    if (best && best.width >= Math.min(kLabelWide, box.width - 8)) break;
  }
  return best;
}

function drawMemory() {
  const section = clear(byId('memory')), planned = fn.stages.find(s => s.memory);
  if (!planned) { element(section, 'p', {}, 'There is no memory plan.'); return; }
  const memory = planned.memory, kernels = planned.kernels.length;
  const about = element(section, 'p', {}, 'Arena ');
  quantity(about, bytesText(memory.arena[0]), memory.arena[1]);
  about.append(`, live at most ${bytesText(memory.maxLive)}, ` +
      `${grouped(memory.buffers.length)} buffers, ${grouped(planned.kernels[kernels - 1] ? planned.kernels[kernels - 1].last + 1 : 0)} kernels` + (planned.symbols ? ' (' + planned.symbols + ')' : '') +
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
    drawn(svg, 'text', { x: x(k) + step / 2, y: height + 27, 'text-anchor': 'middle' }, numberText(planned.kernels[k]));
  drawn(svg, 'text', { x: x(kernels / 2), y: height + 43, 'text-anchor': 'middle' }, 'kernel');
  const labels = [];
  memory.buffers.forEach((buffer, i) => {
    if (buffer.offset[0] === null || !buffer.bytes[0]) return;
    const box = { x: x(buffer.first), y: y(buffer.offset[0] + buffer.bytes[0]), width: (buffer.last - buffer.first + 1) * step,
                  height: Math.max(1, buffer.bytes[0] / top * height) };
    const rect = drawn(svg, 'rect', { ...box, class: 'buffer', fill: `hsl(${i * 137.5 % 360} 55% ${60 + i % 3 * 7}%)` });
    const what = buffer.title + (buffer.place ? '  ' + buffer.place : '');
    rect.addEventListener('mousemove', event => showTip(event, `${what}\n${quantityText(buffer.bytes, bytesText)} at ${quantityText(buffer.offset, grouped)}\n` +
        `kernels ${planned.kernels[buffer.first].first} to ${planned.kernels[buffer.last].last}` + (buffer.values > 1 ? `, ${buffer.values} values one after the other` : '')));
    rect.addEventListener('mouseleave', hideTip);
    rect.addEventListener('click', () => { if (buffer.node >= 0) { show(planned, 'graph'); goTo(buffer.node); } });
    labels.push([what, box]);
  });
  if (memory.live.length)
    drawn(svg, 'path', { class: 'live', d: memory.live.map((b, k) => `${k ? 'L' : 'M'}${x(k)} ${y(b)}H${x(k + 1)}`).join('') });
  const live = memory.live.map(bytes => y(bytes)), levels = [y(memory.arena[0] || 0), y(memory.maxLive || 0)];
  for (const [what, box] of labels) {
    const place = box.height > 12 && box.width > 40 && labelPlace(box, live, x, levels);
    if (!place) continue;
    const label = drawn(svg, 'text', { x: place.x, y: place.y, class: 'soft label', 'pointer-events': 'none' }, fitted(what, place.width, 'soft'));
    label.style.fill = '#111';
  }
  const mark = (kind, bytes, text, dy) => {
    if (bytes === null || bytes === undefined) return;
    drawn(svg, 'line', { class: kind, x1: left, x2: x(kernels) + 6, y1: y(bytes), y2: y(bytes) });
    drawn(svg, 'text', { x: x(kernels) + 10, y: y(bytes) + dy }, text);
  };
  mark('arena', memory.arena[0], 'arena ' + bytesText(memory.arena[0]), 0);
  mark('most', memory.maxLive, 'max live ' + bytesText(memory.maxLive), 12);
}

//---- The table of kernels. --------------------------------------------------------------------------

// "3", "3–7" of a loop.
function numberText(kernel) {
  return kernel.last < kernel.first ? '' : kernel.first === kernel.last ? String(kernel.first) : kernel.first + '–' + kernel.last;
}

function drawKernels(sortBy) {
  const section = clear(byId('kernels'));
  const last = [...fn.stages].reverse().find(s => s.kernels.length);
  if (!last) { element(section, 'p', {}, 'There are no kernels.'); return; }
  const value = q => q[0] === null ? -1 : q[0];
  // Kernels of a loop follow it.
  const rows = last.kernels.flatMap((kernel, box) => [kernel, ...(kernel.inside || [])].map(k => ({ kernel: k, box, isInside: k !== kernel })));
  const timed = last.us !== undefined;
  const columns = [
    ['kernel', k => k.first, (v, k) => numberText(k)], ['work', k => k.title, v => v, 'work'], ['where', k => k.place, v => v, 'where'],
    ...(timed ? [['µs', k => k.us === undefined ? -1 : k.us, (v, k) => timeText(k.us)]] : []),
    ['FLOPs', k => value(k.flops), (v, k) => grouped(k.flops[0])], ['read', k => value(k.read), (v, k) => bytesText(k.read[0])],
    ['written', k => value(k.written), (v, k) => bytesText(k.written[0])],
    ['FLOPs/B', k => value(k.flops) / Math.max(1, value(k.read) + value(k.written)), v => v.toFixed(2)],
  ];
  const share = k => timed ? k.us || 0 : Math.max(0, value(k.flops));
  const most = Math.max(1e-9, ...rows.map(r => share(r.kernel)));
  element(section, 'p', {}, last.summary + '. A click on a head sorts, on a row opens IR and assembly.' +
      (rows.some(r => r.isInside) ? ' Kernels of a loop follow it, with what they take in one step; times are of all steps.' : ''));
  const table = element(section, 'table'), head = element(table, 'tr');
  columns.forEach(([title, , , isText], c) => element(head, 'th', isText ? { class: 'left ' + isText } : {}, title).addEventListener('click', () => drawKernels(c)));
  element(head, 'th', { class: 'left share' }, timed ? 'share of time' : 'share of FLOPs');
  if (sortBy !== undefined) {
    const [, key, , isText] = columns[sortBy];
    rows.sort((a, b) => {
      const u = key(a.kernel), v = key(b.kernel);
      return isText ? (u < v ? -1 : u > v ? 1 : 0) : sortBy ? v - u : u - v;
    });
  }
  for (const { kernel, box, isInside } of rows) {
    const row = element(table, 'tr', isInside ? { class: 'inside' } : {});
    row.style.cursor = 'pointer';
    for (const [, key, print, isText] of columns) {
      const text = print(key(kernel), kernel), cell = element(row, 'td', isText ? { class: 'left ' + isText } : {}, text);
      if (isText) cell.title = text;
      if (isText === 'work') {
        // Where the room is small, the scope is cut off and not the work.
        const both = element(clear(cell), 'div'), [scopeText, work] = workOf(text);
        element(both, 'span', { class: 'scope' }, scopeText.trim());
        element(both, 'span', {}, work);
      }
    }
    const bar = drawn(element(row, 'td', { class: 'left share' }), 'svg', { width: 90, height: 10 });
    drawn(bar, 'rect', { width: 90 * share(kernel) / most, height: 10, fill: 'currentColor', opacity: .45 });
    let below = null;
    row.addEventListener('click', () => {
      if (below) { below.remove(); below = null; return; }
      below = element(null, 'tr');
      row.after(below);
      const cell = element(below, 'td', { class: 'wide', colspan: columns.length + 1 });
      element(cell, 'div', {}, kernel.label + '  ' + kernel.title + (kernel.place ? '  ' + kernel.place : ''));
      const list = element(cell, 'dl');
      for (const [name, q] of [['FLOPs', kernel.flops], ['bytes read', kernel.read], ['bytes written', kernel.written]]) {
        element(list, 'dt', {}, name);
        quantity(element(list, 'dd'), grouped(q[0]), q[1]);
      }
      folded(cell, 'IR', kernel.text);
      folded(cell, 'assembly of ' + kernel.function, fn.code[kernel.function]);
      cell.querySelectorAll('details').forEach(fold => fold.open = true);
      link(cell, 'show in the graph', () => { show(last, 'graph'); goToKernel(box); });
    });
  }
}

