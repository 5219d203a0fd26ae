// One frame on a canvas: tint and points written as pixels into one image, then boundary, margins and axes as lines.

import { boundarySegments, norm } from "./plane.js";
import { draw, drawNewRow, mixed, packed, pixels, rgb, trace } from "./symbols.js";

export const GRID = 120;
export const CURVE = 300;
const TINT = 0.15; // the most that a region is coloured
const LEVELS = 16;
const MANY = 20_000; // points whose outlines would merge
export const CROWD = 100_000; // points that cover the plane, of whatever size
const CROWDED = 2.6;
const MOST_RINGS = 400;
const CHOSEN = 22; // CSS pixels across the ring around a new row
const EDGE = 11; // CSS pixels: the mark of a new row outside the part shown stands whole at its edge
const FILLED = 12; // curves in one margin: more are thin lines, which cross without hiding each other and draw faster
const SMOOTH = 60; // bandwidths across
const BOUNDARY = "#7a7a7a";
// Pixels are written in every frame: without a way to and from a graphics card that is several times faster.
const SOFTWARE = { alpha: false, willReadFrequently: true };

export class Painter {
  constructor(canvas, plane, data) {
    Object.assign(this, { canvas, plane, data, context: canvas.getContext("2d", SOFTWARE), hidden: new Set(), segments: [] });
    this.canvas.width = this.canvas.height = 0;
  }

  /** Make room for a size in CSS pixels, and the glyphs and colours of a theme. */
  prepare(width, height, theme, letters = 1) {
    const scale = this.data.n > MANY ? 1 : Math.min(window.devicePixelRatio || 1, 2);
    const key = [width, height, scale, theme.name, letters].join();
    if (key === this.key || width < 40 || height < 40) return;
    Object.assign(this, { key, width, height, scale, theme, letters });
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    const side = Math.min(0.16 * Math.min(width, height), 84);
    this.panel = { left: 40 * letters, top: side, right: width - side, bottom: height - 42 * letters };
    this.panel.width = this.panel.right - this.panel.left;
    this.panel.height = this.panel.bottom - this.panel.top;
    this.glyphs();
    this.tints();
  }

  glyphs() {
    const { data, theme, scale, panel } = this;
    const size = data.n > CROWD ? CROWDED : data.marker, hard = data.n > MANY;
    const reach = Math.ceil(0.75 * Math.max(size + 5, CHOSEN + 1) * scale + 2) + 1;
    this.image = { width: Math.round(panel.width * scale) + 2 * reach, height: Math.round(panel.height * scale) + 2 * reach, reach };
    const { width } = this.image;
    const glyph = (style, open) =>
      pixels((context, middle) => draw(context, style, open, middle, middle, style.focused ? size : 0.65 * size, theme.outline), size, scale, width, hard);
    this.filled = data.classes.map((style) => glyph(style, false));
    this.open = data.classes.map((style) => glyph(style, true));
    const ring = (across, line) => pixels((context, middle) => {
      trace(context, "circle", middle, middle, across);
      context.strokeStyle = theme.mark;
      context.lineWidth = line;
      context.stroke();
    }, across + 1, scale, width, false);
    this.ring = ring(size + 4, 1);
    this.largeRing = ring(CHOSEN, 2.5);
    this.bits = new ImageData(width, this.image.height);
    this.pixels = new Int32Array(this.bits.data.buffer);
    const across = width - 2 * reach;
    this.cellOf = Uint8Array.from({ length: across }, (_, x) => Math.round((x * (GRID - 1)) / (across - 1)));
    this.colours = new Int32Array(GRID);
    this.bytes = this.bits.data;
    this.newGlyphs();
  }

  /** The marks of new rows, for every group of them and every class. */
  newGlyphs() {
    const { data, theme, scale, image, plane: { newRows } } = this;
    if (!image || !newRows) return;
    const glyph = (group, { colour }) =>
      pixels((context, middle) => drawNewRow(context, colour, group, middle, middle, theme.mark), group.size, scale, image.width, false);
    this.stars = newRows.groups.map((group) => data.classes.map((style) => glyph(group, style)));
  }

  /** Colours of the regions: every class in some levels of confidence. */
  tints() {
    const { data, theme } = this;
    this.tint = new Int32Array(data.classes.length * (LEVELS + 1));
    data.classes.forEach((style, k) => {
      for (let level = 0; level <= LEVELS; level++) {
        const share = style.focused ? (TINT * level) / LEVELS : (0.06 * level) / LEVELS;
        this.tint[k * (LEVELS + 1) + level] = packed(...mixed(style.colour, theme.background, share));
      }
    });
    this.gridLine = packed(...mixed(theme.text, theme.background, 0.12));
  }

  paint(ranges) {
    const { plane, context, width, height, scale, theme } = this;
    if (!this.key) return;
    this.ranges = ranges;
    this.lengths = plane.axes.map((axis) => norm(axis) || 1);
    this.ticks = [0, 1].map((d) => niceTicks(ranges[d].map((end) => end / this.lengths[d]), d ? 5 : 6));
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = theme.background;
    context.fillRect(0, 0, width * scale, height * scale);
    const grid = plane.grid(GRID, ranges);
    this.regions(grid);
    this.lines();
    this.points();
    const { reach } = this.image, { left, top } = this.panel;
    context.putImageData(
      this.bits, Math.round(left * scale) - reach, Math.round(top * scale) - reach,
      reach, reach, this.image.width - 2 * reach, this.image.height - 2 * reach,
    );
    context.setTransform(scale, 0, 0, scale, 0, 0);
    this.boundary(grid);
    this.margins();
    this.axes();
  }

  regions({ classes, confidence }) {
    const { pixels, tint, cellOf, image: { width, height, reach } } = this;
    const inner = height - 2 * reach, across = width - 2 * reach;
    const colours = this.colours;
    let last = -1;
    for (let y = 0; y < inner; y++) {
      // The grid's points are the corners of the panel, so the outer cells are half as wide.
      const row = GRID - 1 - Math.round((y * (GRID - 1)) / (inner - 1));
      const at = (y + reach) * width;
      if (row === last) {
        pixels.copyWithin(at, at - width, at);
        continue;
      }
      last = row;
      for (let cell = row * GRID, c = 0; c < GRID; c++, cell++) {
        colours[c] = tint[classes[cell] * (LEVELS + 1) + ((confidence[cell] * LEVELS + 0.5) | 0)];
      }
      for (let x = 0, to = at + reach; x < across; x++, to++) pixels[to] = colours[cellOf[x]];
    }
  }

  /** Quiet lines at the ticks. */
  lines() {
    const { pixels, gridLine, image: { width, height, reach }, scale, panel } = this;
    for (const tick of this.ticks[0]) {
      const x = reach + Math.round((this.x(tick * this.lengths[0]) - panel.left) * scale);
      if (x < width) for (let y = reach; y < height - reach; y++) pixels[y * width + x] = gridLine;
    }
    for (const tick of this.ticks[1]) {
      const y = reach + Math.round((this.y(tick * this.lengths[1]) - panel.top) * scale);
      if (y < height) pixels.fill(gridLine, y * width + reach, (y + 1) * width - reach);
    }
  }

  points() {
    const { plane, data, hidden, image: { width, height, reach } } = this;
    const [[x0, x1], [y0, y1]] = this.ranges, [x, y] = plane.z;
    const sx = (width - 2 * reach) / (x1 - x0), sy = (height - 2 * reach) / (y1 - y0);
    const bottom = height - reach, right = width - reach;
    const shown = data.classes.map((_, k) => !hidden.has(k));
    const { labels, n, nTrain } = data, { pixels } = this;
    for (const [glyphs, start, end] of [[this.filled, 0, nTrain], [this.open, nTrain, n]]) {
      const solids = glyphs.map((glyph) => glyph.solid), plain = glyphs.every((glyph) => !glyph.soft.length);
      for (let i = start; i < end; i++) {
        const k = labels[i];
        if (!shown[k]) continue;
        const px = (reach + (x[i] - x0) * sx) | 0, py = (bottom - (y[i] - y0) * sy) | 0;
        if (px < reach || px >= right || py < reach || py >= bottom) continue;
        const at = py * width + px;
        if (!plain) {
          this.stamp(glyphs[k], at);
          continue;
        }
        const solid = solids[k];
        for (let j = 0; j < solid.length; j += 2) pixels[at + solid[j]] = solid[j + 1];
      }
    }
    if (plane.errors && plane.errors[1].wrong <= MOST_RINGS) this.rings(shown, sx, sy);
    if (plane.newRows) this.newPoints(plane.newRows);
  }

  newPoints(newRows) {
    const { hidden, stars } = this, { groups, group, labels, rows, n, chosen } = newRows;
    for (let i = 0; i < n; i++) {
      if (hidden.has(groups[group[i]].name)) continue;
      const at = this.newPlace(newRows, i);
      this.stamp(stars[group[i]][labels[i]], at);
      if (rows[i] === chosen) this.stamp(this.largeRing, at);
    }
  }

  /** The pixel of a new row; one outside the part shown is put at its edge. */
  newPlace({ z }, i) {
    const { width, height, reach } = this.image, edge = EDGE * this.scale;
    const [across, up] = this.ranges.map(([low, high], d) => {
      const room = (d ? height : width) - 2 * reach;
      return Math.min(Math.max((room * (z[d][i] - low)) / (high - low), edge), room - edge) | 0;
    });
    return (height - reach - up) * width + reach + across;
  }

  stamp({ solid, soft }, at) {
    const { pixels, bytes } = this;
    for (let j = 0; j < solid.length; j += 2) pixels[at + solid[j]] = solid[j + 1];
    for (let j = 0; j < soft.length; j += 5) {
      const b = 4 * (at + soft[j]), left = soft[j + 4];
      bytes[b] = (soft[j + 1] + left * bytes[b]) / 255;
      bytes[b + 1] = (soft[j + 2] + left * bytes[b + 1]) / 255;
      bytes[b + 2] = (soft[j + 3] + left * bytes[b + 2]) / 255;
    }
  }

  /** Ring the held-out points that are misclassified. */
  rings(shown, sx, sy) {
    const { plane, data, image: { width, height, reach } } = this;
    const [[x0], [y0]] = this.ranges, [x, y] = plane.z;
    for (let i = data.nTrain; i < data.n; i++) {
      if (plane.predicted[i] === data.labels[i] || !shown[data.labels[i]]) continue;
      const px = (reach + (x[i] - x0) * sx) | 0, py = (height - reach - (y[i] - y0) * sy) | 0;
      if (px >= reach && px < width - reach && py >= reach && py < height - reach) this.stamp(this.ring, py * width + px);
    }
  }

  boundary(grid) {
    const { context, segments, panel } = this;
    boundarySegments(grid, GRID, segments);
    const sx = panel.width / (GRID - 1), sy = panel.height / (GRID - 1);
    context.beginPath();
    for (let i = 0; i < segments.length; i += 4) {
      context.moveTo(panel.left + segments[i] * sx, panel.bottom - segments[i + 1] * sy);
      context.lineTo(panel.left + segments[i + 2] * sx, panel.bottom - segments[i + 3] * sy);
    }
    context.strokeStyle = BOUNDARY;
    context.lineWidth = 1.6;
    context.stroke();
  }

  margins() {
    const { plane, panel, width } = this;
    for (const d of [0, 1]) {
      const heights = plane.margin(d, CURVE, this.ranges);
      let top = 0;
      this.data.classes.forEach((style, k) => {
        if (this.hidden.has(k)) return;
        for (let i = 0; i < CURVE; i++) top = Math.max(top, heights[k * CURVE + i]);
      });
      const room = d === 0 ? panel.top - 6 : width - panel.right - 6;
      // Classes out of focus first, so that the others lie above them.
      for (const focused of [false, true]) {
        this.data.classes.forEach((style, k) => {
          if (style.focused === focused && !this.hidden.has(k)) this.margin(d, heights, k, style, room / (top || 1));
        });
      }
    }
  }

  margin(d, heights, k, style, scale) {
    const { context, panel } = this;
    const last = CURVE - 1;
    const [low, high] = this.ranges[d];
    const stride = high - low < SMOOTH ? 2 : 1; // half the places are enough where nothing is sharp
    context.beginPath();
    for (let i = last % stride; i < CURVE; i += stride) {
      const height = heights[k * CURVE + i] * scale;
      if (d === 0) context.lineTo(panel.left + (panel.width * i) / last, panel.top - 2 - height);
      else context.lineTo(panel.right + 2 + height, panel.bottom - (panel.height * i) / last);
    }
    context.strokeStyle = style.focused ? style.colour : "rgba(122,122,122,0.4)";
    const crowded = this.data.classes.length > FILLED;
    context.lineWidth = style.focused ? (crowded ? 1 : 1.5) : 0.8;
    context.stroke();
    if (!style.focused || crowded) return;
    if (d === 0) {
      context.lineTo(panel.right, panel.top - 2);
      context.lineTo(panel.left, panel.top - 2);
    } else {
      context.lineTo(panel.right + 2, panel.top);
      context.lineTo(panel.right + 2, panel.bottom);
    }
    context.fillStyle = `rgba(${rgb(style.colour).join()},0.13)`;
    context.fill();
  }

  x(z) {
    const [low, high] = this.ranges[0];
    return this.panel.left + ((z - low) / (high - low)) * this.panel.width;
  }

  y(z) {
    const [low, high] = this.ranges[1];
    return this.panel.bottom - ((z - low) / (high - low)) * this.panel.height;
  }

  /** Numbers at the ticks, and what the axes are made of. */
  axes() {
    const { context, panel, theme, letters } = this;
    context.fillStyle = theme.quiet;
    context.font = `${11 * letters}px ${this.data.font}`;
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const tick of this.ticks[0]) context.fillText(short(tick), this.x(tick * this.lengths[0]), panel.bottom + 4);
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const tick of this.ticks[1]) context.fillText(short(tick), panel.left - 5, this.y(tick * this.lengths[1]));
    context.fillStyle = theme.text;
    context.font = `${13 * letters}px ${this.data.font}`;
    context.textAlign = "center";
    context.textBaseline = "bottom";
    const middle = (panel.left + panel.right) / 2;
    context.fillText(this.titles?.[0] ?? "", middle, this.height - 3, panel.width);
    context.save();
    context.translate(3, (panel.top + panel.bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.textBaseline = "top";
    context.fillText(this.titles?.[1] ?? "", 0, 0, panel.height);
    context.restore();
  }
}

/** Even round numbers within a range. */
export function niceTicks([low, high], about) {
  const rough = (high - low) / about, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough);
  const ticks = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) ticks.push(i * step);
  return ticks;
}

export const short = (value) => String(Number(value.toPrecision(4))).replace("-", "−");
