// The small circle of axes: an arrow for every heavy column, whose end can be dragged to give it another weight.

import { weightOf } from "./path.js";

const SHOWN = 10;
const NEAR = 24; // CSS pixels from an arrow's end that still catch it

export class Ring {
  /** @param take called with a handle and its two new weights while it is dragged, and with "begin" or "end" */
  constructor(canvas, handles, take) {
    Object.assign(this, { canvas, handles, take, context: canvas.getContext("2d"), selected: 0, dragged: false });
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.dragged && this.take(this.selected, this.weightsAt(event)));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => this.up());
  }

  prepare(size, theme) {
    const scale = window.devicePixelRatio || 1;
    if (this.size !== size || this.scale !== scale) this.canvas.width = this.canvas.height = Math.round(size * scale);
    Object.assign(this, { size, scale, theme, radius: size / 2 - 16 });
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    const zoom = this.size / box.width;
    return [(event.clientX - box.left) * zoom, (event.clientY - box.top) * zoom];
  }

  weightsAt(event) {
    const [x, y] = this.place(event);
    return [(x - this.size / 2) / this.radius, (this.size / 2 - y) / this.radius];
  }

  end(h) {
    return [this.size / 2 + this.radius * this.weights[h][0], this.size / 2 - this.radius * this.weights[h][1]];
  }

  down(event) {
    const [x, y] = this.place(event);
    let nearest = NEAR, caught = -1;
    for (const h of this.shown) {
      const [ex, ey] = this.end(h);
      const away = Math.hypot(ex - x, ey - y) - (h === this.selected ? 6 : 0);
      if (away < nearest) [nearest, caught] = [away, h];
    }
    if (caught < 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    event.preventDefault();
    this.dragged = true;
    this.selected = caught;
    this.take(caught, "begin");
  }

  up() {
    if (!this.dragged) return;
    this.dragged = false;
    this.take(this.selected, "end");
  }

  paint(axes) {
    this.weights = this.handles.map(({ vector }) => axes.map((axis) => weightOf(axis, vector)));
    const heavy = this.weights.map((pair) => Math.hypot(...pair));
    const columns = this.handles.map((_, h) => h).filter((h) => this.handles[h].kind === "column");
    const shown = columns.sort((a, b) => heavy[b] - heavy[a]).slice(0, SHOWN);
    this.shown = shown.includes(this.selected) ? shown : [...shown, this.selected];
    const { context, size, scale, radius, theme } = this;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, size, size);
    context.strokeStyle = theme.grid;
    context.lineWidth = 1;
    context.beginPath();
    context.arc(size / 2, size / 2, radius, 0, 2 * Math.PI);
    context.moveTo(size / 2 - radius, size / 2);
    context.lineTo(size / 2 + radius, size / 2);
    context.moveTo(size / 2, size / 2 - radius);
    context.lineTo(size / 2, size / 2 + radius);
    context.stroke();
    for (const h of [...this.shown].reverse()) this.arrow(h, heavy[h]);
    this.labels([this.selected, ...shown.filter((h) => h !== this.selected && heavy[h] > 0.2)]);
  }

  arrow(h, weight) {
    const { context, size, theme } = this;
    const [x, y] = this.end(h), chosen = h === this.selected;
    context.strokeStyle = context.fillStyle = chosen ? theme.accent : theme.text;
    context.globalAlpha = chosen ? 1 : Math.min(0.35 + weight, 0.9);
    context.lineWidth = chosen ? 2.2 : 1.3;
    context.beginPath();
    context.moveTo(size / 2, size / 2);
    context.lineTo(x, y);
    context.stroke();
    context.beginPath();
    context.arc(x, y, chosen ? 6 : 4, 0, 2 * Math.PI);
    context.fill();
    context.globalAlpha = 1;
  }

  /** Name arrows, the selected one and then the heavier ones first, where no other name is. */
  labels(order) {
    const { context, size, theme } = this, taken = [];
    for (const h of order) {
      const [x, y] = this.end(h), name = shortened(this.handles[h].name, 18);
      context.font = `${h === this.selected ? "600 " : ""}12px ${this.font}`;
      const wide = context.measureText(name).width;
      const left = Math.min(Math.max(x < size / 2 ? x - wide - 8 : x + 8, 2), size - wide - 2);
      const middle = Math.min(Math.max(y + (y < size / 2 ? -9 : 9), 8), size - 8);
      if (taken.some(([l, m, w]) => left < l + w && l < left + wide && Math.abs(middle - m) < 14)) continue;
      taken.push([left, middle, wide]);
      context.textAlign = "left";
      context.textBaseline = "middle";
      context.lineWidth = 3;
      context.strokeStyle = theme.background;
      context.fillStyle = h === this.selected ? theme.accent : theme.text;
      context.strokeText(name, left, middle);
      context.fillText(name, left, middle);
    }
  }
}

export function shortened(name, longest) {
  return name.length > longest ? `${name.slice(0, longest - 1).trimEnd()}…` : name;
}
