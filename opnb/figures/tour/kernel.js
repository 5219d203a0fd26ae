// Class densities along one axis: mass on a lattice, one pass to the right and one to the left a class, logarithms.
// The reasons, and the same computation compiled, are in opnb/core/binned.py.

const LOG_HEIGHT = Math.log(0.25); // the kernel is (1 + |u|) exp(-|u|) / 4
const FINE_STEP = 0.05; // of a bandwidth
const STEP = 0.1;
const EASY_VALUES = 400_000; // lattice values that cost little more than none
const MOST_VALUES = 2_000_000;
const TINY = 1e-250; // below, a sum is computed as a logarithm

export class Lattice {
  /** @param {number} nClasses */
  constructor(nClasses) {
    this.nClasses = nClasses;
    this.table = new Float64Array(0);
    this.before = new Float64Array(0);
    this.size = 0;
  }

  /** Lay the lattice over a range, and give every training point's mass to the two lattice points around it. */
  bin(z, labels, nTrain, low, high) {
    const K = this.nClasses;
    this.step = FINE_STEP;
    if (((high - low) / this.step) * K > EASY_VALUES) this.step = STEP;
    this.step = Math.max(this.step, ((high - low) * K) / MOST_VALUES);
    this.coarse = this.step > STEP; // so many bandwidths that the densities are only about right
    this.inverse = 1 / this.step;
    this.first = Math.floor(low * this.inverse) - 2;
    this.size = Math.floor(high * this.inverse) - this.first + 5;
    this.makeRoom();
    const { table, inverse, first } = this;
    table.fill(0, 0, this.size * K);
    for (let i = 0; i < nTrain; i++) {
      const u = z[i] * inverse - first;
      const b = u | 0;
      const t = u - b;
      const at = b * K + labels[i];
      table[at] += 1 - t;
      table[at + K] += t;
    }
  }

  makeRoom() {
    const needed = this.size * this.nClasses;
    if (this.table.length >= needed) return;
    this.table = new Float64Array(Math.ceil(1.5 * needed)); // axes that grow do not ask for more in every frame
    this.before = new Float64Array(Math.ceil(1.5 * this.size));
  }

  /** Replace the mass by the logarithms of the class densities. `shift[k]` is added to those of class k. */
  toLogs(counts, shift) {
    for (let k = 0; k < this.nClasses; k++) {
      this.convolve(k);
      this.logs(k, LOG_HEIGHT - Math.log(counts[k]) + shift[k]);
      this.sharpen(k);
    }
  }

  /** The sums with the kernel; a sum too small to be held becomes its (negative) logarithm. */
  convolve(k) {
    const { table, before, size, nClasses: K, step } = this;
    const decay = Math.exp(-step);
    // The last lattice point with mass, and A and B there: from it any tail is known.
    let A = 0, B = 0, lastA = 0, lastB = 0, last = -1;
    for (let row = 0, at = k; row < size; row++, at += K) {
      B = decay * (B + step * A);
      A = decay * A;
      const sum = A + B;
      before[row] = sum > TINY || last < 0 ? sum : tail(lastA, lastB, (row - last) * step);
      if (table[at] > 0) {
        A += table[at];
        [lastA, lastB, last] = A > TINY ? [A, B, row] : [table[at], 0, row];
      }
    }
    A = B = 0;
    last = -1;
    for (let row = size - 1, at = row * K + k; row >= 0; row--, at -= K) {
      const here = table[at];
      const sum = A + B;
      const after = sum > TINY || last < 0 ? sum : tail(lastA, lastB, (last - row) * step);
      table[at] = together(before[row], here, after);
      if (here > 0) {
        A += here;
        [lastA, lastB, last] = [A, B, row];
      }
      B = decay * (B + step * A);
      A = decay * A;
    }
  }

  /** Take the binning's bias out of the sums, then take logarithms. */
  logs(k, constant) {
    const { table, size, nClasses: K, step } = this;
    const far = Math.log(1 - (step * step) / 12); // the same correction in a tail
    let previous = table[k];
    for (let row = 0, at = k; row < size; row++, at += K) {
      const here = table[at];
      const next = row + 1 < size ? table[at + K] : here;
      if (here < 0) table[at] = here + far + constant;
      else {
        const beside = previous < 0 || next < 0 ? 2 * here : previous + next;
        table[at] = Math.log((7 / 6) * here - beside / 12) + constant;
      }
      previous = here;
    }
  }

  /** Take the reading's bias out of the logarithms. */
  sharpen(k) {
    const { table, size, nClasses: K } = this;
    let previous = table[k];
    for (let row = 1, at = K + k; row + 1 < size; row++, at += K) {
      const here = table[at];
      table[at] = (7 / 6) * here - (previous + table[at + K]) / 12;
      previous = here;
    }
  }

  /** Add the log densities of every class at a place, which may lie beyond the lattice, to `into`. */
  addAt(position, into) {
    const { table, nClasses: K, size } = this;
    const u = position * this.inverse - this.first;
    if (u < 1) return this.addTail(2 - u, 2, 1, into);
    if (u > size - 2) return this.addTail(u - (size - 3), size - 3, size - 2, into);
    const at = u | 0, t = u - at;
    for (let k = 0, a = at * K; k < K; k++, a++) into[k] += table[a] + t * (table[a + K] - table[a]);
  }

  /**
   * The same beyond all points, some steps from a lattice point. There a density is f exp(-gap) (1 + share gap), and its
   * value at the next lattice point tells the share. What all classes have in common is left out.
   */
  addTail(steps, from, next, into) {
    const { table, nClasses: K, step } = this;
    for (let k = 0; k < K; k++) {
      const here = table[from * K + k], share = Math.expm1(table[next * K + k] - here + step) / step;
      into[k] += here + Math.log1p(steps * step * Math.min(Math.max(share, 0), 1));
    }
  }

  /** Read the log densities of every class at some positions into `into`, class after class. */
  read(positions, into) {
    const { table, nClasses: K, inverse, first } = this;
    const m = positions.length;
    for (let i = 0; i < m; i++) {
      const u = positions[i] * inverse - first;
      const b = Math.min(Math.max(u | 0, 0), this.size - 2);
      const t = u - b;
      for (let k = 0; k < K; k++) into[k * m + i] = (1 - t) * table[b * K + k] + t * table[(b + 1) * K + k];
    }
    return into;
  }
}

/** The logarithm of what the points on one side add at a distance; always negative where it is used. */
function tail(A, B, gap) {
  return -gap + Math.log(A * (1 + gap) + B);
}

/** Add the two sides and the place itself, where a negative number is the logarithm of what it stands for. */
function together(left, here, right) {
  if (left >= 0 && right >= 0 && left + here + right > TINY) return left + here + right;
  if (here > 0 || left > TINY || right > TINY) return Math.max(left, 0) + here + Math.max(right, 0);
  const a = left > 0 ? Math.log(left) : left < 0 ? left : -Infinity;
  const b = right > 0 ? Math.log(right) : right < 0 ? right : -Infinity;
  const high = Math.max(a, b);
  return high + Math.log1p(Math.exp(Math.min(a, b) - high));
}
