// The buttons, boxes and words around the picture.

import { draw, drawNewRow } from "./symbols.js";

/** Make an element: attributes, listeners (on...), properties (.name), and children. */
export function make(tag, settings = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(settings)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith(".")) element[name.slice(1)] = value;
    else if (value !== false && value !== undefined) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

const button = (label, title, press) => make("button", { type: "button", title, "aria-label": title, onclick: press }, label);
/** A control with its label; the name is its own, too, since the label also holds the control's options. */
function labelled(label, control) {
  control.setAttribute("aria-label", label);
  return make("label", {}, make("span", {}, label), control);
}

const choices = (names, chosen) => names.map((name, i) => make("option", { value: i, selected: i === chosen }, name));
export const SPEEDS = [0.5, 1, 2, 4];

/** Build everything that a tour has inside its host, and give the parts by name. */
export function build(host, data, tour) {
  const parts = { stage: make("canvas", { class: "stage", role: "img", tabindex: "0" }) };
  parts.way = make("select", { onchange: () => tour.follow(Number(parts.way.value)) }, ...choices(data.paths.map((path) => path.name), 0));
  parts.play = button("Play", "Play (space)", () => tour.toggle("path"));
  parts.grand = button("Wander", "Wander at random through the span of the directions", () => tour.toggle("grand"));
  parts.undo = button("Undo", "Undo (u)", () => tour.undo());
  parts.speed = make("select", { onchange: () => (tour.speed = SPEEDS[parts.speed.value]) }, ...choices(SPEEDS.map((speed) => `${speed} ×`), 1));
  const bar = make("div", { class: "bar", role: "toolbar", "aria-label": "Moving" },
    labelled("Way", parts.way), button("‹", "Step back", () => tour.step(-1)), parts.play, button("›", "Step on", () => tour.step(1)),
    parts.grand, labelled("Speed", parts.speed), parts.undo, button("PNG", "Save this picture as PNG", () => tour.savePng()));
  if (document.fullscreenEnabled) bar.append(button("Full screen", "Full screen", () => tour.fullScreen()));
  parts.scrub = make("input", { type: "range", min: 0, step: "any", "aria-label": "Place along the way", oninput: () => tour.scrub(Number(parts.scrub.value)) });
  parts.strip = make("div", { class: "strip", role: "group", "aria-label": "Places to go to" });
  parts.numbers = numbersPanel(parts);
  parts.newLegend = make("span", { class: "new-rows" });
  parts.legend = legend(parts, data, tour);
  parts.words = make("p", { class: "words", role: "status", "aria-live": "polite" });
  parts.notes = make("div", { class: "notes" }, ...data.notes.map((note) => make("p", {}, note)));
  const left = make("div", { class: "left" }, parts.stage, parts.scrub, parts.strip);
  const side = make("div", { class: "side" }, parts.numbers, parts.legend, hand(parts, data, tour));
  parts.body = make("div", { class: "body" }, left, side);
  host.replaceChildren(bar, parts.body, parts.words, parts.notes);
  return parts;
}

/** What a person turns by hand: the circle of axes, a column's weights, and the lengths of the axes. */
function hand(parts, data, tour) {
  parts.ring = make("canvas", { class: "ring", role: "img", "aria-label": "Weights of the columns in the two axes; the boxes below change them too" });
  parts.handle = make("select", { onchange: () => tour.select(Number(parts.handle.value)) }, ...choices(data.handles.map((one) => one.name), 0));
  const weight = (d) => make("input", { type: "number", min: -1, max: 1, step: 0.05, onchange: (event) => tour.typed(d, Number(event.target.value)) });
  parts.weights = [weight(0), weight(1)];
  const stretch = (d) => make("input", { type: "range", min: -4, max: 4, step: 0.05, onpointerdown: () => tour.remember(), oninput: (event) => tour.stretch(d, 2 ** Number(event.target.value)) });
  parts.stretch = [stretch(0), stretch(1)];
  return make("fieldset", { class: "hand" }, make("legend", {}, "By hand"), parts.ring,
    labelled("Column", parts.handle),
    make("div", { class: "pair" }, labelled("Weight across", parts.weights[0]), labelled("Weight up", parts.weights[1])),
    make("div", { class: "pair" }, labelled("Stretch across", parts.stretch[0]), labelled("Stretch up", parts.stretch[1])));
}

const MEASURES = [
  ["train", "Training error"],
  ["test", "Held-out error"],
  ["likelihood", "Log-likelihood"],
  ["dependence", "Dependence"],
  ["newRows", "New rows"],
];

function numbersPanel(parts) {
  parts.values = {};
  const list = make("dl", { class: "numbers" });
  for (const [key, words] of MEASURES) {
    parts.values[key] = make("dd");
    list.append(make("div", key === "newRows" ? { class: "new" } : {}, make("dt", {}, words), parts.values[key]));
  }
  return list;
}

const OUTLINE = "rgba(128,128,128,0.8)";
const NO_CLASS = "#8c8c8c";

/** A button that shows or hides something, pressed while it is shown, with its symbol. */
function entry(name, drawing, shown, show) {
  const symbol = make("canvas", { width: 32, height: 32, "aria-hidden": "true" });
  const context = symbol.getContext("2d");
  context.scale(2, 2);
  drawing(context);
  const one = make("button", { type: "button", "aria-pressed": String(shown), title: `Show or hide ${name}` }, symbol, name);
  one.addEventListener("click", () => one.setAttribute("aria-pressed", String(show())));
  return one;
}

/** A button a class, then those of new rows. */
function legend(parts, data, tour) {
  const box = make("div", { class: "legend", role: "group", "aria-label": "Classes shown" });
  data.classes.forEach((style, k) => {
    box.append(entry(style.name, (context) => draw(context, style, false, 8, 8, 9, OUTLINE), true, () => tour.show(k)));
  });
  box.append(parts.newLegend, make("p", {}, data.nTrain < data.n ? "Filled: training. Open: held out; ringed where misclassified." : "All points are training points."));
  return box;
}

/** The buttons of new rows; their mark has the colour of a class only where it stands for one. */
export function fillNewLegend(parts, tour) {
  const { newRows } = tour.plane, { hidden } = tour.painter;
  parts.newLegend.replaceChildren(...(newRows?.groups ?? []).map((group) => {
    const drawing = (context) => drawNewRow(context, NO_CLASS, { ...group, size: 10, opacity: 1 }, 8, 8, OUTLINE);
    return entry(group.name, drawing, !hidden.has(group.name), () => tour.show(group.name));
  }));
  parts.values.newRows.parentElement.hidden = !newRows;
}

/** Small pictures of the keyframes; where there are many, some. */
export function fillStrip(parts, tour, most = 24) {
  const { captions, keyframes } = tour.path;
  const count = Math.min(most, keyframes.length);
  const places = Array.from({ length: count }, (_, i) => Math.round((i * (keyframes.length - 1)) / Math.max(count - 1, 1)));
  parts.strip.replaceChildren(...places.map((place) => {
    const small = make("canvas", { width: 144, height: 108, "aria-hidden": "true" });
    thumbnail(small, tour, keyframes[place]);
    return make("button", { type: "button", title: captions[place], onclick: () => tour.goTo(place), ".place": place }, small, make("span", {}, captions[place]));
  }));
}

const SMALL_POINTS = 400;

function thumbnail(canvas, { data, theme }, axes) {
  const step = Math.ceil(data.n / SMALL_POINTS), chosen = [];
  for (let i = 0; i < data.n; i += step) chosen.push(i);
  const at = axes.map((axis) => chosen.map((i) => {
    let sum = 0;
    for (let j = 0; j < data.q; j++) sum += axis[j] * data.points[j * data.n + i];
    return sum;
  }));
  const [xs, ys] = at.map((values, d) => {
    const low = Math.min(...values), high = Math.max(...values), size = d ? 108 : 144;
    const place = (value) => 6 + ((value - low) / (high - low || 1)) * (size - 12);
    return values.map((value) => (d ? size - place(value) : place(value)));
  });
  const context = canvas.getContext("2d");
  context.fillStyle = theme.background;
  context.fillRect(0, 0, 144, 108);
  chosen.forEach((i, c) => {
    context.fillStyle = data.classes[data.labels[i]].colour;
    context.fillRect(xs[c] - 2, ys[c] - 2, 4, 4);
  });
}
