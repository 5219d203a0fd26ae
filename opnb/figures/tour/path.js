// Ways through pairs of axes: each axis turns along its great circle while its length changes smoothly.

import { dot, norm } from "./plane.js";

const ALIGNED = 1e-9;
const HEAVIEST = 0.999; // the most that one column can weigh, so that the others can be had back

export const scaled = (vector, factor) => vector.map((value) => value * factor);

/** The vector with its part along a unit vector taken out. */
export function without(vector, unit) {
  const along = dot(vector, unit);
  return vector.map((value, j) => value - along * unit[j]);
}

/** A unit vector at a right angle to a unit vector. */
function besides(unit) {
  let least = 0;
  unit.forEach((value, j) => Math.abs(value) < Math.abs(unit[least]) && (least = j));
  const candidate = without(unit.map((_, j) => (j === least ? 1 : 0)), unit);
  const size = norm(candidate);
  return size > ALIGNED ? scaled(candidate, 1 / size) : unit;
}

/** The axis on the way from one to another, `t` from 0 to 1. */
export function between(a, b, t) {
  if (t <= 0) return a;
  if (t >= 1) return b;
  const [la, lb] = [norm(a), norm(b)];
  if (la === 0 || lb === 0) return a.map((value, j) => (1 - t) * value + t * b[j]);
  const length = la ** (1 - t) * lb ** t;
  const ua = scaled(a, 1 / la), ub = scaled(b, 1 / lb);
  let across = without(ub, ua);
  const size = norm(across);
  const angle = Math.atan2(size, dot(ua, ub));
  if (size < ALIGNED && angle < 1) return scaled(ua, length);
  across = size < ALIGNED ? besides(ua) : scaled(across, 1 / size);
  return ua.map((value, j) => length * (Math.cos(t * angle) * value + Math.sin(t * angle) * across[j]));
}

export const pairBetween = (from, to, t) => [between(from[0], to[0], t), between(from[1], to[1], t)];

/** How far two pairs are apart: the larger angle, or as much for a change of length. */
export function distance(from, to) {
  return Math.max(
    ...[0, 1].map((d) => {
      const [a, b] = [norm(from[d]), norm(to[d])];
      if (a === 0 || b === 0) return 1;
      const cosine = Math.min(Math.max(dot(from[d], to[d]) / (a * b), -1), 1);
      return Math.max(Math.acos(cosine), 0.5 * Math.abs(Math.log(b / a)));
    }),
  );
}

/** Seconds from one pair to the next at speed 1: a right angle in three. */
export const duration = (from, to) => Math.min(Math.max(2 * distance(from, to), 0.12), 4);

/** The pair at a place along keyframes: 1.5 is half-way from the second to the third. */
export function along(keyframes, place) {
  const last = keyframes.length - 1;
  const at = Math.min(Math.max(place, 0), last);
  const from = Math.min(Math.floor(at), Math.max(last - 1, 0));
  return last === 0 ? keyframes[0] : pairBetween(keyframes[from], keyframes[from + 1], at - from);
}

function normal() {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}

/** A random pair of axes in the span of some vectors, at right angles, with the lengths of a pair. */
export function wander(vectors, pair) {
  const random = () => {
    const sum = new Float64Array(pair[0].length);
    for (const vector of vectors) {
      const weight = normal();
      for (let j = 0; j < sum.length; j++) sum[j] += weight * vector[j];
    }
    return scaled(sum, 1 / (norm(sum) || 1));
  };
  const first = random();
  let second = without(random(), first);
  const size = norm(second);
  second = size > 1e-6 ? scaled(second, 1 / size) : besides(first);
  return [scaled(first, norm(pair[0]) || 1), scaled(second, norm(pair[1]) || 1)];
}

/** Give a unit vector a weight in an axis, from -1 to 1; the rest keeps its proportions, the axis its length. */
export function weighted(axis, unit, weight) {
  const length = norm(axis) || 1;
  const share = Math.min(Math.max(weight, -HEAVIEST), HEAVIEST);
  let rest = without(scaled(axis, 1 / length), unit);
  const size = norm(rest);
  rest = size > 1e-6 ? scaled(rest, 1 / size) : besides(unit);
  const other = Math.sqrt(1 - share * share);
  return rest.map((value, j) => length * (share * unit[j] + other * value));
}

/** The weight of a unit vector in an axis, from -1 to 1. */
export const weightOf = (axis, unit) => dot(axis, unit) / (norm(axis) || 1);
