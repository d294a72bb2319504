// Where things stand: forces from a fixed start, without chance, so that the picture is always one.

const NEAR = 0.81; // Barnes and Hut's theta, squared: how small a far cell must look to count as one
const TALL = 1.4; // gravity along y against x: windows are wider than high
const DEEPEST = 32; // halvings of the plane after which bodies count as being in one place

/** A quadtree over bodies; `push` yields the repulsion of all on one. */
function makeTree(n) {
  let room = Math.max(64, 2 * n);
  let child = new Int32Array(4 * room), mass = new Float64Array(room);
  let cx = new Float64Array(room), cy = new Float64Array(room);
  const next = new Int32Array(n);
  let cells = 0, left = 0, top = 0, width = 0;

  function grow() {
    const wider = (Kind, old) => { const array = new Kind(old.length * 2); array.set(old); return array; };
    child = wider(Int32Array, child); mass = wider(Float64Array, mass);
    cx = wider(Float64Array, cx); cy = wider(Float64Array, cy);
    room *= 2;
  }

  function cell() {
    if (cells === room) grow();
    child.fill(-1, 4 * cells, 4 * cells + 4);
    mass[cells] = cx[cells] = cy[cells] = 0;
    return cells++;
  }

  // A child is -1 for nothing, a cell's number, or -2 - i for body i (others of its place in `next`).
  function insert(i, x, y) {
    let at = 0, x0 = left, y0 = top, w = width;
    for (let depth = 0; ; depth++) {
      w /= 2;
      const right = x[i] >= x0 + w ? 1 : 0, low = y[i] >= y0 + w ? 1 : 0;
      const slot = 4 * at + 2 * low + right, held = child[slot];
      if (right) x0 += w;
      if (low) y0 += w;
      if (held === -1) { child[slot] = -2 - i; return; }
      if (held >= 0) { at = held; continue; }
      const j = -2 - held;
      if (depth > DEEPEST || (x[i] === x[j] && y[i] === y[j])) { next[i] = j; child[slot] = -2 - i; return; }
      const made = cell();
      child[slot] = made;
      const half = w / 2;
      child[4 * made + 2 * (y[j] >= y0 + half ? 1 : 0) + (x[j] >= x0 + half ? 1 : 0)] = held;
      at = made;
    }
  }

  function build(x, y, charge) {
    let x1 = -Infinity, y1 = -Infinity;
    left = top = Infinity;
    for (let i = 0; i < n; i++) {
      if (x[i] < left) left = x[i];
      if (x[i] > x1) x1 = x[i];
      if (y[i] < top) top = y[i];
      if (y[i] > y1) y1 = y[i];
    }
    width = Math.max(x1 - left, y1 - top, 1) * 1.0001;
    cells = 0; next.fill(-1); cell();
    for (let i = 0; i < n; i++) insert(i, x, y);
    for (let c = cells - 1; c >= 0; c--) {
      let m = 0, sx = 0, sy = 0;
      for (let q = 4 * c; q < 4 * c + 4; q++) {
        const held = child[q];
        if (held >= 0) { m += mass[held]; sx += cx[held] * mass[held]; sy += cy[held] * mass[held]; }
        else for (let i = -2 - held; i >= 0; i = next[i]) {
          m += charge[i]; sx += x[i] * charge[i]; sy += y[i] * charge[i];
        }
      }
      mass[c] = m; cx[c] = m ? sx / m : 0; cy[c] = m ? sy / m : 0;
    }
  }

  const stack = new Int32Array(4 * (DEEPEST + 8)), wide = new Float64Array(stack.length);
  function push(i, x, y, charge, by, vx, vy) {
    let height = 1, fx = 0, fy = 0;
    stack[0] = 0; wide[0] = width;
    while (height) {
      const c = stack[--height], w = wide[height];
      for (let q = 4 * c; q < 4 * c + 4; q++) {
        const held = child[q];
        if (held === -1) continue;
        if (held >= 0) {
          const dx = cx[held] - x[i], dy = cy[held] - y[i], far = dx * dx + dy * dy;
          if (w * w / 4 < NEAR * far) { const f = mass[held] / far; fx -= dx * f; fy -= dy * f; }
          else { stack[height] = held; wide[height++] = w / 2; }
          continue;
        }
        for (let j = -2 - held; j >= 0; j = next[j]) {
          if (j === i) continue;
          let dx = x[j] - x[i], dy = y[j] - y[i];
          if (!dx && !dy) { dx = (i - j) * 1e-3; dy = 1e-3; }
          const f = charge[j] / Math.max(dx * dx + dy * dy, 25);
          fx -= dx * f; fy -= dy * f;
        }
      }
    }
    vx[i] += fx * by; vy[i] += fy * by;
  }

  return { build, push };
}

/** Moves overlapping bodies apart, half of the overlap each. */
function collide({ n, x, y, size }, share) {
  let largest = 1;
  for (let i = 0; i < n; i++) if (size[i] > largest) largest = size[i];
  const step = 2 * largest, grid = new Map();
  const key = (column, row) => column * 65536 + row;
  for (let i = 0; i < n; i++) {
    const column = Math.floor(x[i] / step), row = Math.floor(y[i] / step);
    for (let c = column - 1; c <= column + 1; c++) {
      for (let r = row - 1; r <= row + 1; r++) {
        for (const j of grid.get(key(c, r)) || []) {
          const dx = x[i] - x[j] || 1e-3, dy = y[i] - y[j], far = Math.hypot(dx, dy);
          const over = size[i] + size[j] - far;
          if (over <= 0) continue;
          const f = share * over / far, mine = size[j] / (size[i] + size[j]);
          x[i] += dx * f * mine; y[i] += dy * f * mine;
          x[j] -= dx * f * (1 - mine); y[j] -= dy * f * (1 - mine);
        }
      }
    }
    const home = key(column, row);
    if (grid.has(home)) grid.get(home).push(i); else grid.set(home, [i]);
  }
}

/**
 * Runs the forces of `bodies` for a fixed number of steps and yields now and then, so that whoever
 * drives it can draw. Bodies: n, x, y, size (radius kept free), charge, a, b (ends of springs),
 * rest (their lengths), pull (their strengths), group (or null), gravity.
 */
function* force(bodies, steps) {
  const { n, x, y, charge, a, b, rest, pull, group, gravity } = bodies;
  if (n < 2) return;
  const vx = new Float64Array(n), vy = new Float64Array(n), degree = new Float64Array(n);
  for (let e = 0; e < a.length; e++) { degree[a[e]] += pull[e]; degree[b[e]] += pull[e]; }
  const groups = group ? group.reduce((most, g) => Math.max(most, g + 1), 0) : 0;
  const gx = new Float64Array(groups), gy = new Float64Array(groups), gm = new Float64Array(groups);
  const tree = makeTree(n);
  for (let step = 0; step < steps; step++) {
    const alpha = Math.pow(1 - step / steps, 1.3) * 0.9 + 0.01;
    tree.build(x, y, charge);
    for (let i = 0; i < n; i++) {
      tree.push(i, x, y, charge, alpha, vx, vy);
      if (i % 256 === 255) yield;
    }
    for (let e = 0; e < a.length; e++) {
      const i = a[e], j = b[e], dx = x[j] + vx[j] - x[i] - vx[i], dy = y[j] + vy[j] - y[i] - vy[i];
      const far = Math.sqrt(dx * dx + dy * dy) || 1e-3;
      const f = (far - rest[e]) / far * alpha * pull[e] / Math.min(degree[i], degree[j]);
      const share = degree[i] / (degree[i] + degree[j]);
      vx[j] -= dx * f * share; vy[j] -= dy * f * share;
      vx[i] += dx * f * (1 - share); vy[i] += dy * f * (1 - share);
    }
    yield;
    if (groups > 1) {
      gx.fill(0); gy.fill(0); gm.fill(0);
      for (let i = 0; i < n; i++) { gx[group[i]] += x[i]; gy[group[i]] += y[i]; gm[group[i]]++; }
      for (let i = 0; i < n; i++) {
        const g = group[i];
        vx[i] += (gx[g] / gm[g] - x[i]) * 0.03 * alpha; vy[i] += (gy[g] / gm[g] - y[i]) * 0.03 * alpha;
      }
    }
    for (let i = 0; i < n; i++) {
      vx[i] = (vx[i] - x[i] * gravity * alpha) * 0.6; vy[i] = (vy[i] - y[i] * gravity * TALL * alpha) * 0.6;
      x[i] += vx[i]; y[i] += vy[i];
    }
    if (step % 2 || step > steps * 0.6) collide(bodies, 0.5);
    yield;
  }
}

const GOLDEN = Math.PI * (3 - Math.sqrt(5));

/** The k-th place of a sunflower's seeds, at `gap` from each other. */
function seed(k, gap) {
  const far = gap * Math.sqrt(k + 0.5) * 0.6;
  return [far * Math.cos(k * GOLDEN), far * Math.sin(k * GOLDEN)];
}
