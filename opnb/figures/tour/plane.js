// Naive Bayes on two axes, for every frame of a tour: positions, class densities, classes of the points and of the plane.
// opnb/views/tour.py computes the same exactly, and the tests compare the two.

import { Lattice } from "./kernel.js";

const BLOCK = 2048; // rows at a time, so that their positions stay in cache while the coordinates pass over them
const FAR = -16; // a class so far behind the first adds nothing to the sum of all
const FINENESS = 128; // entries of the table of exponentials a unit: good to seven digits
const SMALL = 1e-150; // shares of a class below are not told apart
const ALIKE = 1e-6; // squared sine of an angle
const EXACT = 1e-9;
const POWERS = Float64Array.from({ length: -FAR * FINENESS + 2 }, (_, i) => Math.exp(-i / FINENESS));

/** Norm of a vector. */
export function norm(vector) {
  return Math.hypot(...vector);
}

export function dot(a, b) {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j] * b[j];
  return sum;
}

/** The part of an axis to show, with a hair of room. */
export function padded(low, high) {
  const pad = 0.05 * (high - low) || 1;
  return [low - pad, high + pad];
}

/** The sum of exp(sharpness (score - top)), by a table: it is taken for every point in every frame. */
function total(scores, K, top, sharpness) {
  const fineness = sharpness * FINENESS;
  let sum = 0;
  for (let k = 0; k < K; k++) {
    const behind = (top - scores[k]) * fineness;
    if (behind >= -FAR * FINENESS) continue;
    const at = behind | 0;
    sum += POWERS[at] + (behind - at) * (POWERS[at + 1] - POWERS[at]);
  }
  return sum;
}

export class Plane {
  /** @param data what `read` in data.js gives */
  constructor(data) {
    Object.assign(this, { n: data.n, nTrain: data.nTrain, q: data.q, K: data.classes.length, labels: data.labels });
    this.columns = Array.from({ length: this.q }, (_, j) => data.points.subarray(j * this.n, (j + 1) * this.n));
    this.counts = data.classes.map((one) => one.count);
    this.logPrior = Float64Array.from(data.classes, (one) => Math.log(one.prior));
    this.sharpness = data.sharpness;
    this.none = new Float64Array(this.K);
    this.z = [new Float64Array(this.n), new Float64Array(this.n)];
    this.limits = [[0, 0], [0, 0]];
    this.lattices = [new Lattice(this.K), new Lattice(this.K)];
    this.predicted = new Uint16Array(this.n);
    this.scores = new Float64Array(this.K);
    this.moments = new Float64Array(6 * this.K);
    this.buffers = {};
    this.newRows = null;
  }

  /** Take new rows along, of `readNewRows` in data.js, or none. */
  take(newRows) {
    this.newRows = newRows;
    if (!newRows) return;
    const { n, points } = newRows;
    newRows.columns = Array.from({ length: this.q }, (_, j) => points.subarray(j * n, (j + 1) * n));
    newRows.z = [new Float64Array(n), new Float64Array(n)];
    newRows.predicted = new Uint16Array(n);
  }

  /**
   * Move to two axes. `extent` is "all" or "central": which part of them is shown. `ends` are the two pairs of axes that
   * they lie between while they are on a way.
   */
  move(axes, extent = "all", ends = null) {
    this.axes = axes;
    this.project(ends);
    if (this.newRows) this.projectNew();
    this.ranges = this.z.map((z, d) => this.range(d, extent));
    return this;
  }

  /** On a way every axis is a sum of its two ends, and so are the positions: many columns are summed up but once. */
  project(ends) {
    const shares = ends && [0, 1].map((d) => sharesOf(this.axes[d], ends[0][d], ends[1][d]));
    if (shares?.every(Boolean)) this.mix(shares, this.positionsAt(ends));
    else this.sum(this.axes, this.z);
    for (const d of [0, 1]) this.limits[d] = extremes(this.z[d]);
  }

  /** The positions at both ends of a way. */
  positionsAt(ends) {
    if (!this.way || ends.some((pair, side) => pair !== this.way.ends[side])) {
      const positions = this.way?.positions ?? ends.map(() => [new Float64Array(this.n), new Float64Array(this.n)]);
      ends.forEach((pair, side) => this.sum(pair, positions[side]));
      this.way = { ends, positions };
    }
    return this.way.positions;
  }

  mix(shares, [from, to]) {
    for (const d of [0, 1]) {
      const z = this.z[d], a = from[d], b = to[d], [here, there] = shares[d];
      for (let i = 0; i < z.length; i++) z[i] = here * a[i] + there * b[i];
    }
  }

  /** Sum up the columns with the weights of two axes. */
  sum([a, b], z) {
    const { n, q } = this;
    const used = [];
    for (let j = 0; j < q; j++) if (a[j] !== 0 || b[j] !== 0) used.push(j);
    for (const values of z) values.fill(0);
    for (let start = 0; start < n; start += BLOCK) {
      for (let u = 0; u < used.length; u += 4) this.addFour([a, b], z, used.slice(u, u + 4), start, Math.min(start + BLOCK, n));
    }
  }

  projectNew() {
    const { columns, z, n } = this.newRows;
    for (const d of [0, 1]) {
      z[d].fill(0);
      this.axes[d].forEach((weight, j) => {
        if (weight !== 0) for (let i = 0; i < n; i++) z[d][i] += weight * columns[j][i];
      });
    }
  }

  /** Add what up to four coordinates give to the positions: fewer passes over the positions are twice as fast. */
  addFour([a, b], [x, y], four, start, end) {
    const { columns } = this;
    const [c0, c1, c2, c3] = [0, 1, 2, 3].map((at) => columns[four[at] ?? four[0]]);
    const [a0, a1, a2, a3] = [0, 1, 2, 3].map((at) => a[four[at]] ?? 0);
    const [b0, b1, b2, b3] = [0, 1, 2, 3].map((at) => b[four[at]] ?? 0);
    for (let i = start; i < end; i++) {
      const v0 = c0[i], v1 = c1[i], v2 = c2[i], v3 = c3[i];
      x[i] += a0 * v0 + a1 * v1 + a2 * v2 + a3 * v3;
      y[i] += b0 * v0 + b1 * v1 + b2 * v2 + b3 * v3;
    }
  }

  range(d, extent) {
    const [low, high] = this.limits[d];
    if (extent === "all" || high - low < 1e-9) return padded(low, high);
    return padded(...central(this.z[d], low, high));
  }

  /** Class densities on both axes over what is shown and where the points are. */
  densities(ranges = this.ranges) {
    for (const d of [0, 1]) {
      const low = Math.min(this.limits[d][0], ranges[d][0]), high = Math.max(this.limits[d][1], ranges[d][1]);
      this.lattices[d].bin(this.z[d], this.labels, this.nTrain, low, high);
      this.lattices[d].toLogs(this.counts, d === 0 ? this.logPrior : this.none);
    }
    return this;
  }

  /** Predict every point, or every so many: errors, and mean log posteriors of the true classes. */
  judge(every = 1) {
    const { n, nTrain } = this;
    const parts = [this.judgeRows(0, nTrain, every), this.judgeRows(nTrain, n, every)];
    this.sampled = every > 1;
    this.errors = parts.map(({ wrong, n }) => ({ wrong, n }));
    this.logLikelihood = parts.map(({ sure, n }) => sure / n);
    if (this.newRows) this.judgeNew();
    return this;
  }

  /** Predict the new rows, and count those whose class is the one that the fit gives them. */
  judgeNew() {
    const { newRows, scores, lattices } = this, { z, predicted, labels } = newRows;
    newRows.agreeing = 0;
    for (let i = 0; i < newRows.n; i++) {
      scores.fill(0);
      for (const d of [0, 1]) lattices[d].addAt(z[d][i], scores);
      predicted[i] = scores.indexOf(Math.max(...scores));
      if (predicted[i] === labels[i]) newRows.agreeing++;
    }
  }

  judgeRows(start, end, every) {
    const { K, labels, predicted, scores, sharpness, z: [x, y], lattices: [across, up] } = this;
    const A = across.table, U = up.table, ia = across.inverse, iu = up.inverse, fa = across.first, fu = up.first;
    let wrong = 0, sure = 0;
    for (let i = start; i < end; i += every) {
      const ua = x[i] * ia - fa, ba = ua | 0, ta = ua - ba;
      const uu = y[i] * iu - fu, bu = uu | 0, tu = uu - bu;
      let top = -Infinity, second = -Infinity, best = 0;
      for (let k = 0, a = ba * K, u = bu * K; k < K; k++, a++, u++) {
        const score = A[a] + ta * (A[a + K] - A[a]) + U[u] + tu * (U[u + K] - U[u]);
        scores[k] = score;
        if (score > top) {
          second = top;
          top = score;
          best = k;
        } else if (score > second) second = score;
      }
      predicted[i] = best;
      sure += sharpness * (scores[labels[i]] - top);
      if (sharpness * (second - top) > FAR) sure -= Math.log(total(scores, K, top, sharpness));
      if (best !== labels[i]) wrong++;
    }
    return { wrong, sure, n: Math.ceil((end - start) / every) };
  }

  /** The largest absolute correlation of the positions within a class, and its class. */
  dependence() {
    const { K, moments, labels, z: [x, y] } = this;
    moments.fill(0);
    for (let i = 0; i < this.nTrain; i++) {
      const at = 6 * labels[i], a = x[i], b = y[i];
      moments[at] += 1;
      moments[at + 1] += a;
      moments[at + 2] += b;
      moments[at + 3] += a * a;
      moments[at + 4] += b * b;
      moments[at + 5] += a * b;
    }
    let most = 0, where = 0;
    for (let k = 0; k < K; k++) {
      const [n, a, b, aa, bb, ab] = moments.subarray(6 * k, 6 * k + 6);
      const spread = Math.sqrt(Math.max(aa - (a * a) / n, 0) * Math.max(bb - (b * b) / n, 0));
      const strength = spread > 1e-12 ? Math.abs(ab - (a * b) / n) / spread : 0;
      if (strength > most) [most, where] = [strength, k];
    }
    return { value: Math.min(most, 1), class: where };
  }

  /** A buffer that is made once for its size. */
  room(name, size, Kind = Float64Array) {
    if (this.buffers[name]?.length !== size) this.buffers[name] = new Kind(size);
    return this.buffers[name];
  }

  /** Log densities at even positions over the range shown, class after class; prior included on the first axis. */
  along(d, count, ranges = this.ranges) {
    const positions = this.room(`positions ${d} ${count}`, count);
    const [low, high] = ranges[d];
    for (let i = 0; i < count; i++) positions[i] = low + ((high - low) * i) / (count - 1);
    return this.lattices[d].read(positions, this.room(`along ${d} ${count}`, this.K * count));
  }

  /** Class densities along an axis: of shape (K, count). */
  margin(d, count, ranges = this.ranges) {
    const logs = this.along(d, count, ranges), heights = this.room(`margin ${d}`, this.K * count);
    for (let k = 0, at = 0; k < this.K; k++) {
      const prior = d === 0 ? this.logPrior[k] : 0;
      for (let i = 0; i < count; i++, at++) heights[at] = Math.exp(logs[at] - prior);
    }
    return heights;
  }

  /** Class and confidence on an even grid, rows upwards, and the curves whose sums they come from. */
  grid(m, ranges = this.ranges) {
    const { K, sharpness: t } = this;
    const classes = this.room("classes", m * m, Uint16Array), confidence = this.room("confidence", m * m, Float32Array);
    const across = this.along(0, m, ranges), up = this.along(1, m, ranges);
    const ea = relative(across, K, m, t, this.room("ea", K * m)), eu = relative(up, K, m, t, this.room("eu", K * m));
    for (let row = 0, at = 0; row < m; row++) {
      for (let column = 0; column < m; column++, at++) {
        let top = 0, best = 0, total = 0;
        for (let k = 0, a = column * K, u = row * K; k < K; k++, a++, u++) {
          const share = ea[a] * eu[u];
          total += share;
          if (share > top) {
            top = share;
            best = k;
          }
        }
        const held = top > SMALL;
        classes[at] = held ? best : likeliest(across, up, K, m, column, row);
        confidence[at] = held ? top / total : 1; // too small to be held: certain
      }
    }
    return { classes, confidence, across, up };
  }
}

/** How much of two vectors a third is the sum of; null where it is no such sum, or they are too alike to tell. */
function sharesOf(vector, a, b) {
  const aa = dot(a, a), bb = dot(b, b), ab = dot(a, b), va = dot(vector, a), vb = dot(vector, b);
  const apart = aa * bb - ab * ab;
  if (!(apart > ALIKE * aa * bb)) return null;
  const here = (bb * va - ab * vb) / apart, there = (aa * vb - ab * va) / apart;
  const missed = vector.map((value, j) => value - here * a[j] - there * b[j]);
  return norm(missed) <= EXACT * norm(vector) ? [here, there] : null;
}

/** Powers of curves, by the highest curve at every position; all classes of a position beside each other. */
function relative(logs, K, m, sharpness, into) {
  for (let i = 0; i < m; i++) {
    let top = -Infinity;
    for (let k = 0; k < K; k++) top = Math.max(top, logs[k * m + i]);
    for (let k = 0; k < K; k++) {
      const share = Math.exp(sharpness * (logs[k * m + i] - top));
      into[i * K + k] = share > SMALL ? share : 0; // products of smaller ones are slow to compute, and mean nothing
    }
  }
  return into;
}

/** The class of a place where all products are too small to be compared. */
function likeliest(across, up, K, m, column, row) {
  let top = -Infinity, best = 0;
  for (let k = 0; k < K; k++) {
    const score = across[k * m + column] + up[k * m + row];
    if (score > top) {
      top = score;
      best = k;
    }
  }
  return best;
}

function extremes(z) {
  let low = Infinity, high = -Infinity;
  for (let i = 0; i < z.length; i++) {
    if (z[i] < low) low = z[i];
    if (z[i] > high) high = z[i];
  }
  return [low, high];
}

const CELLS = 512;
const cells = new Uint32Array(CELLS);

/** The range without the outer hundredth on either side, to a cell's width. */
function central(z, low, high) {
  cells.fill(0);
  const scale = (CELLS - 1) / (high - low);
  for (let i = 0; i < z.length; i++) cells[((z[i] - low) * scale) | 0]++;
  const cut = 0.01 * z.length;
  let first = 0, last = CELLS - 1;
  for (let seen = cells[0]; seen <= cut; seen += cells[++first]);
  for (let seen = cells[last]; seen <= cut; seen += cells[--last]);
  return [low + first / scale, Math.min(low + (last + 1) / scale, high)];
}

/** Where the class changes, as segments in units of the grid: [x0, y0, x1, y1, ...]. */
export function boundarySegments({ classes, across, up }, m, into) {
  into.length = 0;
  const score = (k, column, row) => across[k * m + column] + up[k * m + row];
  /** How far from one grid point to the next the first class loses its lead to the other's. */
  const share = (i, j, c0, r0, c1, r1) => {
    const here = score(i, c0, r0) - score(j, c0, r0), there = score(j, c1, r1) - score(i, c1, r1);
    return here + there > 0 ? here / (here + there) : 0.5;
  };
  const found = new Float64Array(8);
  for (let row = 0; row + 1 < m; row++) {
    for (let column = 0; column + 1 < m; column++) {
      const at = row * m + column;
      const a = classes[at], b = classes[at + 1], c = classes[at + m], d = classes[at + m + 1];
      if (a === b && a === c && a === d) continue;
      let count = 0;
      const add = (x, y) => {
        found[count++] = x;
        found[count++] = y;
      };
      if (a !== b) add(column + share(a, b, column, row, column + 1, row), row);
      if (c !== d) add(column + share(c, d, column, row + 1, column + 1, row + 1), row + 1);
      if (a !== c) add(column, row + share(a, c, column, row, column, row + 1));
      if (b !== d) add(column + 1, row + share(b, d, column + 1, row, column + 1, row + 1));
      if (count === 4) into.push(found[0], found[1], found[2], found[3]);
      else spokes(found, count, into);
    }
  }
  return into;
}

/** Join three or more crossings of a cell at their middle. */
function spokes(found, count, into) {
  let x = 0, y = 0;
  for (let i = 0; i < count; i += 2) {
    x += (2 * found[i]) / count;
    y += (2 * found[i + 1]) / count;
  }
  for (let i = 0; i < count; i += 2) into.push(found[i], found[i + 1], x, y);
}
