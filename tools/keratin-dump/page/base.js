// Shows the data of the page; this is the beginning of one script, of which page.js is the end. All
// text reaches the document as text nodes, never as markup.
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
// What of a text has room, as it is drawn; with `front` its end is kept.
const ruler = document.createElement('canvas').getContext('2d'), FONT = 'system-ui, sans-serif';
const fonts = { name: '600 12px ' + FONT, '': '11px ' + FONT, soft: '10px ' + FONT };
function widthOf(text, kind) { ruler.font = fonts[kind] || kind; return ruler.measureText(text).width; }
function fitted(text, width, kind, front) {
  if (widthOf(text, kind) <= width) return text;
  let low = 0, high = text.length - 1; // letters that have room beside "…"
  const part = count => front ? '…' + text.slice(text.length - count) : text.slice(0, count) + '…';
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (widthOf(part(middle), kind) <= width) low = middle; else high = middle - 1;
  }
  return low && widthOf(part(low), kind) <= width ? part(low) : '';
}
function clipped(text, most) { return text.length > most ? text.slice(0, most - 1) + '…' : text; }
function workOf(title) { const at = title.lastIndexOf(': '); return at < 0 ? ['', title] : [title.slice(0, at + 2), title.slice(at + 2)]; }
// A column of 0 is none.
function placeText(place) { return place.replace(/:0$/, ''); }
// Innermost first, but what the library's own headers are called from before these.
function ordered(places) {
  const isOwn = place => /(^|\/)include\/keratin\//.test(place);
  return [...places.filter(place => !isOwn(place)), ...places.filter(isOwn)];
}
function short(place) { return place.replace(/:\d+$/, '').replace(/^.*\//, ''); }
function grouped(n) { return n === null || n === undefined ? '?' : n.toLocaleString('en'); }
function bytesText(n) {
  if (n === null || n === undefined) return '?';
  for (const unit of ['B', 'KiB', 'MiB', 'GiB']) {
    if (n < 1024 || unit === 'GiB') return (unit === 'B' ? n : n.toFixed(n < 10 ? 2 : 1)) + ' ' + unit;
    n /= 1024;
  }
}
function siText(n) {
  for (const unit of ['', 'k', 'M', 'G', 'T']) {
    if (n < 1000 || unit === 'T') return (unit ? n.toFixed(n < 10 ? 2 : 1) : n) + ' ' + unit;
    n /= 1000;
  }
}
function timeText(us) { return us === undefined ? '?' : us.toLocaleString('en', { maximumFractionDigits: 1, minimumFractionDigits: 1 }); }
function quantityText(q, show) { return show(q[0]) + (q[1] ? ' = ' + clipped(q[1], 120) : ''); }
// The same in an element; of a long formula a click shows the whole.
const LONG_FORMULA = 60;
function quantity(parent, number, formula) {
  if (!formula || formula.length <= LONG_FORMULA) { parent.append(number + (formula ? ' = ' + formula : '')); return; }
  parent.append(number + ' ');
  const brief = '= ' + clipped(formula, 24), part = element(parent, 'a', { class: 'formula', title: clipped(formula, 2000) }, brief);
  part.addEventListener('click', () => { part.textContent = part.textContent === brief ? '= ' + formula : brief; });
}

let fn, stage, picture, view = { x: 0, y: 0, scale: 1 };
let scope = -1;          // whose page is shown: an index into stage.scopes; -1: the whole graph
let open = true;         // which layout of the whole graph is shown
const shut = new Set();  // kernels closed one by one in the open layout
let titles = [];         // of boxes that have some at any zoom: {text, box, title}
let drawnAs = new Map(), edges = [], chosen = null; // elements by the names of what they show

