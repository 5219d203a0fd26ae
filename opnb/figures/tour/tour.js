// A tour in an element of a page: what it shows, how it moves, what a person can do with it.

import { build, fillNewLegend, fillStrip, SPEEDS } from "./controls.js";
import { readNewRows } from "./data.js";
import { CROWD, Painter } from "./paint.js";
import { along, duration, pairBetween, scaled, wander, weighted, weightOf } from "./path.js";
import { norm, Plane } from "./plane.js";
import { Ring, shortened } from "./ring.js";

const REST = 500; // milliseconds without a move
const MOST_UNDONE = 100;
const FOLLOW = 0.2; // of the way that the shown range goes in a frame
const JUDGED = 25_000; // rows, about, that are judged while a crowd moves
const TURN = 0.05; // of a weight that a key turns
const NARROW = 700, SLIM = 480; // CSS pixels: beside something else, and on a phone
const SAME = 0.99995; // cosine of an axis and a direction that it is
const SHARE = 0.58; // of the window's height that the picture takes at the most
const LOWEST = 440; // CSS pixels of a narrow picture

export class Tour {
  /**
   * @param host the element it fills
   * @param data what `read` gives
   * @param options theme ("light", "dark" or "auto"), height, extent, axes to begin with, new rows as text, two functions that are
   *   called with the tour: moved, when it leaves what it showed, and rested, when it has come to rest, and room,
   *   which gives the height that the page has for the picture
   */
  constructor(host, data, options = {}) {
    Object.assign(this, { host, data, options, speed: SPEEDS[1], moving: null, place: 0, past: [], painted: 0 });
    host.classList.add("opnb-tour");
    this.path = data.paths[0];
    this.plane = new Plane(data);
    this.axes = options.axes ?? this.path.keyframes[0];
    this.reference = this.axes.map((axis) => norm(axis) || 1);
    this.parts = build(host, data, this);
    this.painter = new Painter(this.parts.stage, this.plane, data);
    this.ring = new Ring(this.parts.ring, data.handles, (handle, weights) => this.dragged(handle, weights));
    this.ring.font = data.font;
    this.take(options.newRows);
    this.calm = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.scheme = window.matchMedia("(prefers-color-scheme: dark)");
    this.onScheme = () => this.dress();
    this.scheme.addEventListener("change", this.onScheme);
    host.addEventListener("keydown", (event) => this.key(event));
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(host);
    this.onWindow = () => this.resize(); // its height changes no element
    window.addEventListener("resize", this.onWindow);
    this.dress();
    this.select(this.heaviest());
    this.ask();
  }

  /** Show other new rows, given as text, or none. */
  take(text) {
    if (this.newText !== undefined && text === this.newText) return;
    this.newText = text;
    this.plane.take(readNewRows(text));
    this.painter.newGlyphs();
    fillNewLegend(this.parts, this);
    this.ask();
  }

  /** Take on the colours of the page. */
  dress(theme = this.options.theme) {
    this.options.theme = theme;
    const name = theme === "dark" || (theme !== "light" && this.scheme.matches) ? "dark" : "light";
    this.host.dataset.theme = name;
    // The page may have a ground of its own, on which the canvas should not stand out.
    const background = hex(getComputedStyle(this.host).backgroundColor) ?? this.data.themes[name].background;
    this.theme = { ...this.data.themes[name], name: `${name} ${background}`, background };
    this.showPath();
    this.resize();
  }

  resize() {
    const { host, parts, options } = this;
    if (!host.clientWidth) return;
    const full = document.fullscreenElement === host;
    const narrow = host.clientWidth < NARROW;
    host.classList.toggle("narrow", narrow);
    host.classList.toggle("slim", host.clientWidth < SLIM);
    const square = narrow ? Math.max(0.95 * host.clientWidth, LOWEST) : Infinity;
    const room = options.room?.(parts.stage) ?? SHARE * window.innerHeight;
    const height = full ? window.innerHeight - 190 : Math.min(options.height ?? 560, square, room);
    parts.stage.style.height = `${Math.max(height, 240)}px`;
    this.painter.prepare(parts.stage.clientWidth, parts.stage.clientHeight, this.theme);
    this.ring.prepare(parts.ring.clientWidth || 200, this.theme);
    this.ask();
  }

  /** Draw in the next frame. */
  ask() {
    this.asked ??= requestAnimationFrame((now) => {
      this.asked = null;
      this.frame(now);
    });
  }

  frame(now) {
    if (!this.host.isConnected) return;
    const seconds = Math.min((now - (this.last ?? now)) / 1000, 0.1);
    this.last = now;
    if (this.moving === "path") this.play(seconds);
    else if (this.moving === "grand") this.roam(seconds);
    this.draw();
    if (this.moving || this.settling) this.ask();
    else if (this.plane.sampled && !this.ring.dragged) this.ask(); // once more, with all rows
    else this.last = undefined;
    this.wait();
  }

  draw() {
    const { plane, painter } = this;
    if (this.drawn !== this.axes) this.options.moved?.(this);
    this.drawn = this.axes;
    plane.move(this.axes, this.options.extent, this.ends);
    const sampling = this.data.n > CROWD && (this.moving || this.ring.dragged || this.settling);
    plane.densities(this.shownRanges()).judge(sampling ? Math.floor(this.data.n / JUDGED) : 1);
    painter.titles = [0, 1].map((d) => this.axisTitle(d));
    painter.paint(this.ranges);
    this.ring.paint(this.axes);
    this.say();
    this.painted++;
  }

  /** Let the shown range follow the points, in units of the axes' lengths: a stretch moves no point. */
  shownRanges() {
    const lengths = this.axes.map((axis) => norm(axis) || 1);
    const wanted = this.plane.ranges.map((range, d) => range.map((end) => end / lengths[d]));
    let away = 0;
    this.view = !this.view || this.calm.matches ? wanted : this.view.map((range, d) => range.map((end, side) => {
      const gap = wanted[d][side] - end;
      away = Math.max(away, Math.abs(gap) / (wanted[d][1] - wanted[d][0]));
      return end + FOLLOW * gap;
    }));
    this.settling = away > 0.002;
    if (!this.settling) this.view = wanted;
    this.ranges = this.view.map((range, d) => range.map((end) => end * lengths[d]));
    return this.ranges;
  }

  // Moving

  play(seconds) {
    const { keyframes } = this.path, last = keyframes.length - 1;
    if (this.place >= last) return this.pause();
    if (this.calm.matches) return this.jump(seconds);
    const from = Math.floor(this.place);
    this.place += (seconds * this.speed) / duration(keyframes[from], keyframes[from + 1]);
    this.place = Math.min(this.place, last);
    this.ends = keyframes.slice(from, from + 2);
    this.axes = along(keyframes, this.place);
    this.parts.scrub.value = this.place;
    if (this.place >= last) this.pause();
  }

  /** Without motion: from keyframe to keyframe, each shown for a while. */
  jump(seconds) {
    this.shownFor = (this.shownFor ?? 0) + seconds * this.speed;
    if (this.shownFor < 1.5) return;
    this.shownFor = 0;
    this.place = Math.floor(this.place) + 1;
    this.axes = this.path.keyframes[this.place];
    this.parts.scrub.value = this.place;
  }

  roam(seconds) {
    if (!this.leg) this.leg = { from: this.axes, to: wander(this.span(), this.axes), t: 0 };
    const { leg } = this;
    leg.t += (seconds * this.speed) / (this.calm.matches ? 1.5 : duration(leg.from, leg.to));
    if (leg.t < 1 && this.calm.matches) return;
    this.ends = [leg.from, leg.to];
    this.axes = pairBetween(leg.from, leg.to, leg.t);
    if (leg.t >= 1) this.leg = null;
  }

  /** What a wander goes through: the span of the directions, or of all columns where that is but a plane. */
  span() {
    const directions = this.data.handles.filter((one) => one.kind === "direction");
    return (directions.length > 2 ? directions : this.data.handles).map((one) => one.vector);
  }

  /** Start or stop moving along the way ("path") or at random ("grand"). */
  toggle(kind) {
    const stopping = this.moving === kind;
    this.pause();
    if (stopping) return;
    this.remember();
    if (kind === "path" && this.place >= this.path.keyframes.length - 1) this.place = 0;
    this.leg = null;
    this.moving = kind;
    this.showMoving();
    this.ask();
  }

  pause() {
    this.moving = this.ends = null;
    if (this.axes === this.path.keyframes[this.place]) this.reference = this.axes.map((axis) => norm(axis) || 1);
    this.showMoving();
  }

  showMoving() {
    const { play, grand } = this.parts;
    play.textContent = this.moving === "path" ? "Pause" : "Play";
    play.title = `${play.textContent} (space)`;
    play.setAttribute("aria-label", play.title);
    grand.setAttribute("aria-pressed", String(this.moving === "grand"));
  }

  follow(number) {
    this.remember();
    this.pause();
    this.path = this.data.paths[number];
    this.showPath();
    this.goTo(0);
  }

  showPath() {
    const { scrub, way } = this.parts;
    way.value = this.data.paths.indexOf(this.path);
    scrub.max = this.path.keyframes.length - 1;
    scrub.value = this.place;
    fillStrip(this.parts, this);
  }

  scrub(place) {
    this.pause();
    this.place = place;
    this.set(along(this.path.keyframes, place));
  }

  step(by) {
    const place = by > 0 ? Math.floor(this.place + 1e-9) + 1 : Math.ceil(this.place - 1e-9) - 1;
    this.goTo(Math.min(Math.max(place, 0), this.path.keyframes.length - 1));
  }

  goTo(place) {
    this.remember();
    this.parts.scrub.value = place;
    this.scrub(place);
    this.reference = this.axes.map((axis) => norm(axis) || 1);
  }

  // By hand

  heaviest() {
    const heavy = this.data.handles.map(({ kind, vector }) => (kind === "column" ? Math.hypot(...this.axes.map((axis) => weightOf(axis, vector))) : 0));
    return heavy.indexOf(Math.max(...heavy));
  }

  select(handle) {
    this.ring.selected = handle;
    this.parts.handle.value = handle;
    this.ask();
  }

  dragged(handle, weights) {
    if (weights === "begin") {
      this.remember();
      this.pause();
      this.select(handle);
      this.grabbed = this.axes;
    } else if (weights === "end") this.ask();
    else this.turn(weights, this.grabbed); // from where it was caught: a way back is the way there
  }

  /** Give the selected column its weights in two axes; null leaves one as it is. */
  turn(weights, axes = this.axes) {
    const { vector } = this.data.handles[this.ring.selected];
    this.set(axes.map((axis, d) => (weights[d] === null ? axis : weighted(axis, vector, weights[d]))));
  }

  typed(d, weight) {
    if (!Number.isFinite(weight)) return;
    this.remember();
    this.pause();
    this.turn(d === 0 ? [weight, null] : [null, weight]);
  }

  stretch(d, factor) {
    const axes = [...this.axes];
    axes[d] = scaled(axes[d], (factor * this.reference[d]) / (norm(axes[d]) || 1));
    this.pause();
    this.set(axes);
  }

  set(axes) {
    this.axes = axes;
    this.ask();
  }

  remember() {
    this.past.push(this.axes);
    if (this.past.length > MOST_UNDONE) this.past.shift();
  }

  undo() {
    this.pause();
    if (this.past.length) this.set(this.past.pop());
  }

  /** Show or hide a class, or new rows by what they are called; tells whether it is shown. */
  show(k) {
    const { hidden } = this.painter;
    if (!hidden.delete(k)) hidden.add(k);
    this.options.moved?.(this);
    this.ask();
    return !hidden.has(k);
  }

  key(event) {
    const onStage = event.target === this.parts.stage;
    if (event.key === " " && (onStage || event.target === this.host)) this.toggle("path");
    else if (event.key === "u" && event.target.tagName !== "INPUT") this.undo();
    else if (onStage && event.key.startsWith("Arrow")) this.nudge(event.key.slice(5));
    else return;
    event.preventDefault();
  }

  /** Turn the selected column's weight by a key. */
  nudge(towards) {
    const { vector } = this.data.handles[this.ring.selected];
    const d = towards === "Left" || towards === "Right" ? 0 : 1;
    const by = towards === "Right" || towards === "Up" ? TURN : -TURN;
    this.typed(d, weightOf(this.axes[d], vector) + by);
  }

  // Words

  /** Handles of a kind by their weight in an axis, the heaviest first. */
  weighing(d, kind) {
    const found = this.data.handles.filter((one) => one.kind === kind).map((one) => [weightOf(this.axes[d], one.vector), one.name]);
    return found.sort((a, b) => Math.abs(b[0]) - Math.abs(a[0]));
  }

  /** The direction of the model that an axis is, and what it is made of. */
  axisTitle(d, unnamed = d ? "Up" : "Across") {
    const [[weight, direction] = [0, ""]] = this.weighing(d, "direction");
    const most = this.host.classList.contains("narrow") ? 2 : 3;
    const parts = this.weighing(d, "column").slice(0, most).map(([share, own]) => `${signed(share)} ${shortened(own, 20)}`);
    const name = Math.abs(weight) > SAME ? direction : unnamed;
    return `${name}${name && ": "}${parts.join("  ")}`;
  }

  say() {
    const { values, weights, stretch } = this.parts;
    const { errors, logLikelihood } = this.plane;
    const dependence = this.plane.dependence();
    write(values.train, percent(errors[0]));
    write(values.test, errors[1].n ? percent(errors[1]) : "no rows");
    write(values.likelihood, errors[1].n ? `${fixed(logLikelihood[0])}, held out ${fixed(logLikelihood[1])}` : fixed(logLikelihood[0]));
    write(values.dependence, `${dependence.value.toFixed(2)} in ${shortened(this.data.classes[dependence.class].name, 20)}`);
    this.dependent = dependence;
    if (this.plane.newRows) write(values.newRows, agreement(this.plane.newRows));
    const { vector } = this.data.handles[this.ring.selected];
    for (const d of [0, 1]) {
      const length = norm(this.axes[d]) || 1;
      if (document.activeElement !== weights[d]) weights[d].value = weightOf(this.axes[d], vector).toFixed(2);
      if (document.activeElement !== stretch[d]) stretch[d].value = Math.log2(length / this.reference[d]);
    }
  }

  /** What is shown, in sentences. */
  words() {
    const { errors, logLikelihood } = this.plane;
    const at = Number.isInteger(this.place) && this.axes === this.path.keyframes[this.place] ? `${this.path.captions[this.place]}. ` : "";
    const held = errors[1].n ? `, held-out error ${percent(errors[1])}` : "";
    const class_ = this.data.classes[this.dependent.class].name;
    const coarse = this.plane.lattices.some((one) => one.coarse) ? " These axes span so many bandwidths that the densities are approximate." : "";
    const fresh = this.plane.newRows ? ` New rows: ${agreement(this.plane.newRows)}.` : "";
    return `${at}Across: ${this.axisTitle(0, "")}. Up: ${this.axisTitle(1, "")}. Training error ${percent(errors[0])}${held}. ` +
      `Log-likelihood ${fixed(logLikelihood[0])}. Largest dependence within a class ${this.dependent.value.toFixed(2)}, in ${class_}.${fresh}${coarse}`;
  }

  /** When nothing has moved for a while, say it and tell the page. */
  wait() {
    clearTimeout(this.resting);
    if (this.moving || this.settling || this.ring.dragged) return;
    this.resting = setTimeout(() => {
      const words = this.words();
      write(this.parts.words, words);
      this.parts.stage.setAttribute("aria-label", words);
      this.options.rested?.(this);
    }, REST);
  }

  // Taking away

  savePng() {
    const { painter, data } = this, { scale } = painter;
    const canvas = document.createElement("canvas"), context = canvas.getContext("2d");
    canvas.width = painter.canvas.width;
    canvas.height = painter.canvas.height + 52 * scale;
    context.fillStyle = this.theme.background;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(painter.canvas, 0, 52 * scale);
    context.scale(scale, scale);
    context.fillStyle = this.theme.text;
    context.font = `600 15px ${data.font}`;
    context.fillText(data.title, 8, 20, painter.width - 16);
    const { train, test, likelihood } = this.parts.values;
    context.font = `13px ${data.font}`;
    context.fillText(`Error: training ${train.textContent}, held out ${test.textContent}. Log-likelihood ${likelihood.textContent}.`, 8, 40, painter.width - 16);
    const link = document.createElement("a");
    link.download = "tour.png";
    link.href = canvas.toDataURL("image/png");
    link.click();
  }

  fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.host.requestFullscreen().then(() => this.resize());
  }

  destroy() {
    this.moving = null;
    clearTimeout(this.resting);
    if (this.asked) cancelAnimationFrame(this.asked);
    this.observer.disconnect();
    window.removeEventListener("resize", this.onWindow);
    this.scheme.removeEventListener("change", this.onScheme);
  }
}

/** A colour as CSS computes it, in hexadecimal; undefined for one that is not opaque. */
function hex(colour) {
  const parts = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(colour);
  return parts ? `#${parts.slice(1).map((part) => Number(part).toString(16).padStart(2, "0")).join("")}` : undefined;
}

/** How many new rows there are, and how many of them these axes take for the class that the fit gives them. */
function agreement({ agreeing, n, total }) {
  const shown = n < total ? ` (${n.toLocaleString("en")} of ${total.toLocaleString("en")} shown)` : "";
  return `${agreeing.toLocaleString("en")} of ${n.toLocaleString("en")} classed as by the fit${shown}`;
}

const fixed = (value) => value.toFixed(3).replace("-", "−");
const signed = (weight) => (weight < 0 ? "−" : "+") + Math.abs(weight).toFixed(2);
const percent = ({ wrong, n }) => `${((100 * wrong) / n).toFixed(1)} % (${wrong.toLocaleString("en")} of ${n.toLocaleString("en")})`;

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
