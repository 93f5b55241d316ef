
// Where lines run: through the gaps between boxes.

//---- Rows of boxes. ---------------------------------------------------------------------------------

// A layout stands in rows, with room for lines between them and between the boxes of each.
const kClear = 5;      // from a line to a box that it passes
const kApart = 3;      // from a line to the next, of another source
const kLongRows = 6;   // a line past more rows is a long one
const kKeep = 120;     // how far from its wish a line goes to stay straight
class Rows {
  // Lines stay in `around`, if there is such a box.
  constructor(boxes, around) {
    const least = around ? around[0] + 3 : -Infinity, most = around ? around[0] + around[2] - 3 : Infinity;
    this.rows = [];
    for (const box of boxes.filter(b => b[2]).sort((a, b) => a[1] - b[1])) {
      const row = this.rows[this.rows.length - 1];
      if (row && box[1] < row.bottom) { row.boxes.push(box); row.bottom = Math.max(row.bottom, box[1] + box[3]); }
      else this.rows.push({ top: box[1], bottom: box[1] + box[3], boxes: [box] });
    }
    for (const row of this.rows) {
      row.gaps = [{ left: least, right: most, used: new Map() }];
      for (const [x, , width] of row.boxes.sort((a, b) => a[0] - b[0])) {
        const last = row.gaps[row.gaps.length - 1];
        last.right = x - kClear;
        row.gaps.push({ left: x + width + kClear, right: most, used: new Map() });
      }
      row.gaps = row.gaps.filter(gap => gap.left <= gap.right);
    }
  }
  // The row in which a box stands.
  at(box) {
    let low = 0, high = this.rows.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.rows[middle].bottom < box[1] + box[3]) low = middle + 1; else high = middle;
    }
    return low;
  }
}

function clamped(x, { left, right }) { return Math.min(Math.max(x, left), right); }
function nearestGap(gaps, x) {
  let low = 0, high = gaps.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (gaps[middle].left <= x) low = middle; else high = middle - 1;
  }
  const next = gaps[low + 1];
  return next && x > gaps[low].right && next.left - x < x - gaps[low].right ? next : gaps[low];
}

// The posts of a line: x and the heights between which it runs straight, one for each row that it
// passes. Rows `from` to `to`, either of which may be the higher; `wish` says for a height where it
// would best be. It changes its place only where it must or strays far.
function postsThrough(rows, from, to, wish, source) {
  const down = from <= to, posts = [], strays = Math.abs(to - from) >= kLongRows ? 3 * kKeep : kKeep;
  let run = null;
  const end = () => {
    if (!run) return;
    // The place nearest to the wish at which no other source has a line.
    const isFree = x => run.gaps.every(gap => { const other = gap.used.get(Math.round(x / kApart)); return other === undefined || other === source; });
    const best = clamped(run.wish, run);
    let x = best;
    for (let step = 0; step < 24; ++step) {
      const tried = best + (step % 2 ? 1 : -1) * ((step + 1) >> 1) * kApart;
      if (tried >= run.left && tried <= run.right && isFree(tried)) { x = tried; break; }
    }
    for (const gap of run.gaps) gap.used.set(Math.round(x / kApart), source);
    for (const row of run.rows) posts.push({ x, start: down ? row.top : row.bottom, end: down ? row.bottom : row.top });
  };
  for (let at = from; down ? at <= to : at >= to; at += down ? 1 : -1) {
    const row = rows.rows[at], wanted = wish((row.top + row.bottom) / 2), gap = nearestGap(row.gaps, wanted);
    if (run) {
      const stays = nearestGap(row.gaps, clamped(run.wish, run)), both = { left: Math.max(run.left, stays.left), right: Math.min(run.right, stays.right) };
      if (both.left <= both.right && Math.abs(clamped(wanted, both) - wanted) <= Math.abs(clamped(wanted, gap) - wanted) + strays) {
        run.left = both.left; run.right = both.right;
        run.gaps.push(stays); run.rows.push(row);
        continue;
      }
    }
    end();
    run = { left: gap.left, right: gap.right, wish: wanted, gaps: [gap], rows: [row] };
  }
  end();
  return posts;
}

// What goes through the points given and the ends, as a function of the height.
function wishOf(points) {
  let at = 1;
  return y => {
    while (at < points.length - 1 && points[at][1] < y) ++at;
    while (at > 1 && points[at - 1][1] > y) --at;
    const [x0, y0] = points[at - 1], [x1, y1] = points[at];
    return y1 - y0 < 1 ? x1 : x0 + (x1 - x0) * Math.min(1, Math.max(0, (y - y0) / (y1 - y0)));
  };
}

//---- Lines. -----------------------------------------------------------------------------------------

// Posts, and curves between them that stay in the room between two rows.
function pathThrough(posts) {
  let path = `M${posts[0].x} ${posts[0].start}`, [y] = [posts[0].start];
  const upright = (x, to) => { if (to !== y) path += `V${to}`; y = to; };
  posts.forEach((post, i) => {
    const last = posts[i - 1];
    if (last) {
      const goes = Math.sign(last.end - last.start) || 1, turns = (Math.sign(post.end - post.start) || 1) !== goes;
      const pull = turns ? goes * 26 : (post.start - y) / 2;
      if (turns || Math.abs(post.x - last.x) > 0.5) path += `C${last.x} ${y + pull} ${post.x} ${turns ? post.start + pull : post.start - pull} ${post.x} ${post.start}`;
      else path += `L${post.x} ${post.start}`;
      y = post.start;
    }
    upright(post.x, post.end);
  });
  return path;
}

// A box in its rows; what stands in an open kernel has those of the kernel around it.
// {box, rows, outer: the kernel's box, outerRows}.
function routeBetween(a, b, bends, portX, source) {
  const startX = a.box[0] + a.box[2] / 2, points = [[startX, a.box[1] + a.box[3]]];
  for (let i = 0; i < bends.length; i += 2) points.push([bends[i], bends[i + 1]]);
  points.push([portX, b.box[1]]);
  const wish = wishOf(points), isInside = a.rows === b.rows;
  const rowA = a.rows.at(a.place), rowB = b.rows.at(b.place);
  const first = { x: startX, start: a.box[1] + a.box[3], end: a.rows.rows[rowA].bottom };
  const last = { x: portX, start: b.rows.rows[rowB].top, end: b.box[1] };
  if (isInside && rowB <= rowA) {
    // Back, at the side of both.
    const side = Math.max(a.box[0] + a.box[2], b.box[0] + b.box[2]) + 2 * kClear;
    return { posts: [first, ...postsThrough(a.rows, rowA, rowB, () => side, source), last], isBack: true, passed: 0 };
  }
  if (isInside) {
    const posts = postsThrough(a.rows, rowA + 1, rowB - 1 < rowA + 1 ? rowA : rowB - 1, wish, source);
    return { posts: [first, ...(rowB - rowA > 1 ? posts : []), last], isBack: false, passed: rowB - rowA - 1 };
  }
  const before = [first], after = [last], outer = a.outerRows || a.rows;
  let outerA = rowA, outerB = rowB;
  if (a.outer) {
    const lowest = a.rows.rows.length - 1;
    if (rowA < lowest) before.push(...postsThrough(a.rows, rowA + 1, lowest, wish, source));
    outerA = outer.at(a.outer);
    before[before.length - 1].end = outer.rows[outerA].bottom;
  }
  if (b.outer) {
    if (rowB > 0) after.unshift(...postsThrough(b.rows, 0, rowB - 1, wish, source));
    outerB = outer.at(b.outer);
    after[0].start = outer.rows[outerB].top;
  }
  if (outerB <= outerA) {
    const side = Math.max((a.outer || a.box)[0] + (a.outer || a.box)[2], (b.outer || b.box)[0] + (b.outer || b.box)[2]) + 2 * kClear;
    return { posts: [...before, ...postsThrough(outer, outerA, outerB, () => side, source), ...after], isBack: true, passed: 0 };
  }
  const between = outerB - outerA > 1 ? postsThrough(outer, outerA + 1, outerB - 1, wish, source) : [];
  return { posts: [...before, ...between, ...after], isBack: false, passed: between.length };
}

// Draws lines of {from, to: names, a, b: places, bends, kind}. Those that lead to one box end side by
// side, in the order of where they come from; those of one source begin together.
function drawLines(layer, lines) {
  const ends = new Map();
  for (const line of lines) {
    if (!ends.has(line.to)) ends.set(line.to, []);
    ends.get(line.to).push(line);
  }
  for (const [, all] of ends) {
    const box = all[0].b.box, apart = Math.min(12, box[2] * 0.7 / all.length);
    const cameFrom = line => line.bends.length ? line.bends[line.bends.length - 2] : line.a.box[0] + line.a.box[2] / 2;
    all.sort((p, q) => cameFrom(p) - cameFrom(q)).forEach((line, i) => { line.port = box[0] + box[2] / 2 + (i - (all.length - 1) / 2) * apart; });
  }
  for (const line of lines) {
    const { posts, isBack, passed } = routeBetween(line.a, line.b, line.bends, line.port, line.from);
    const isLong = passed > kLongRows;
    const path = drawn(layer, 'path', { d: pathThrough(posts), class: 'edge' + (isBack ? ' back' : isLong ? ' long ' + line.kind : '') });
    if (isBack) path.setAttribute('marker-end', 'url(#arrow)');
    edges.push({ from: line.from, to: line.to, line: path });
  }
}
