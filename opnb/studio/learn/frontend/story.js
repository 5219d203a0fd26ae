// A lesson's story: its sentence, panels, legend and player in the room that the page has left for it. Everything is
// laid out here, because only here the room is known. `load`, `read`, `draw` (of a symbol), `arrange`, `stack` and
// `thinned` come before this in one script.

const stories = new WeakMap(); // the element that Streamlit gives -> what we know of the story in it
const NARROW = 560; // CSS pixels, below which panels lie below each other and the page scrolls
const LOWEST = 320; // CSS pixels of a story
const BELOW = 8; // CSS pixels between a story and the edge of the window
const WALL = 40; // letters of a wall that fill its height
const LETTERS = [12, 17]; // CSS pixels, smallest and largest beside the text of a lesson
const SHOWN = 350; // milliseconds after which the page hears of a step
const CONFIG = { displayModeBar: false, displaylogo: false, showSendToCloud: false };

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const plain = (label) => new DOMParser().parseFromString(label, "text/html").body.textContent;
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

// What there is

function openStory(parent) {
  const host = make("div", { class: "opnb-story" });
  parent.append(host);
  const story = { host, at: 0, asked: null, hidden: new Set(), ticks: [], timer: null, busy: false, again: false };
  story.resized = () => requestAnimationFrame(() => layOut(story));
  story.observer = new ResizeObserver(story.resized);
  story.observer.observe(parent);
  const page = host.closest('[data-testid="stMainBlockContainer"]');
  if (page) story.observer.observe(page); // what comes above a story moves it
  story.pressed = (event) => pressed(story, event);
  window.addEventListener("resize", story.resized);
  document.addEventListener("keydown", story.pressed);
  stories.set(parent, story);
  return story;
}

function closeStory(story) {
  story.observer.disconnect();
  window.removeEventListener("resize", story.resized);
  document.removeEventListener("keydown", story.pressed);
  clearTimeout(story.timer);
  clearTimeout(story.telling);
  if (story.drawn) story.plotly.purge(story.parts.plot);
}

/** Build what a story has inside its host; another figure begins anew. */
function build(story) {
  const { host, words } = story, last = words.names.length - 1;
  const parts = { plot: make("div", { class: "plot", role: "img" }), says: make("p", { class: "says", role: "status" }) };
  const panels = words.panels.map((panel) => ({
    title: make("h2"),
    across: make("div", { class: "across", "aria-hidden": "true" }, panel.across),
    up: make("div", { class: "up", "aria-hidden": "true" }, panel.up),
  }));
  parts.stage = make("div", { class: "stage" }, parts.plot, ...panels.flatMap(Object.values));
  parts.play = make("button", { type: "button", onclick: () => toggle(story) });
  parts.back = make("button", { type: "button", title: "One step back (←)", onclick: () => step(story, -1) }, "Back");
  parts.on = make("button", { type: "button", title: "One step on (→)", onclick: () => step(story, 1) }, "Step");
  parts.range = make("input", { type: "range", min: 0, max: last, step: 1, "aria-label": words.along, oninput: (event) => setByHand(story, Number(event.target.value)) });
  parts.marks = make("div", { class: "marks", "aria-hidden": "true" });
  parts.value = make("output");
  parts.legend = legend(story);
  parts.player = make("div", { class: "player", role: "group", "aria-label": "Steps" }, parts.play, parts.back, parts.on, parts.value, make("div", { class: "rail" }, parts.range, parts.marks));
  parts.player.hidden = last === 0;
  if (story.drawn) story.plotly.purge(story.parts.plot);
  host.replaceChildren(parts.says, parts.stage, parts.legend, parts.player);
  Object.assign(story, { parts, panels, drawn: false, ticks: [], hidden: new Set() });
}

/** A button for every entry of the figure's legend, pressed while it is shown. */
function legend(story) {
  const entries = story.figure.data.filter((trace) => trace.showlegend !== false);
  const buttons = entries.map((trace) => {
    const group = trace.legendgroup;
    const one = make("button", { type: "button", "aria-pressed": "true" }, mark(trace), plain(trace.name));
    one.addEventListener("click", () => {
      if (!story.hidden.delete(group)) story.hidden.add(group);
      one.setAttribute("aria-pressed", String(!story.hidden.has(group)));
      paint(story);
    });
    return one;
  });
  return make("div", { class: "legend", role: "group", "aria-label": "Shown" }, ...buttons);
}

const DASHES = { dash: [9, 5], dot: [2, 3], dashdot: [8, 4, 2, 4] };

function mark({ mode, marker, line }) {
  const across = mode.includes("lines") ? 30 : 16;
  const canvas = make("canvas", { width: 2 * across, height: 32, "aria-hidden": "true" });
  canvas.style.aspectRatio = `${across} / 16`;
  const context = canvas.getContext("2d");
  context.scale(2, 2);
  if (across === 30) {
    Object.assign(context, { strokeStyle: line.color, lineWidth: line.width });
    context.setLineDash(DASHES[line.dash] ?? []);
    context.beginPath();
    context.moveTo(0, 8);
    context.lineTo(across, 8);
    context.stroke();
    context.setLineDash([]);
  }
  if (!mode.includes("markers")) return canvas;
  const open = marker.symbol.endsWith("-open"), symbol = marker.symbol.replace("-open", "");
  draw(context, { symbol, colour: marker.color }, open, across / 2, 8, open ? 12 : 9, marker.line?.color);
  return canvas;
}

// Laying out

/** The largest height that some texts take in a part of the story, when they are as wide as it is. */
function tallest(story, tag, texts, width) {
  const probe = make("div", { class: "probe" }, ...[...new Set(texts)].map((text) => make(tag, { class: tag === "p" ? "says" : "" }, text)));
  probe.style.width = `${width}px`;
  story.host.append(probe);
  const height = Math.max(...[...probe.children].map((one) => one.offsetHeight));
  probe.remove();
  return height;
}

function roomOf({ host }) {
  const scrolled = host.closest('[data-testid="stMain"]')?.scrollTop ?? 0;
  return Math.max(Math.floor(window.innerHeight - host.getBoundingClientRect().top - scrolled - BELOW), LOWEST);
}

function lettersOf({ look }, narrow, width, height) {
  if (narrow) return LETTERS[0] + 1;
  if (look.wall) return Math.ceil(window.innerHeight / WALL);
  return Math.round(clamp(Math.min(width / 58, height / 42), ...LETTERS));
}

/** Give every part its size and place, and draw the panels there. */
function layOut(story) {
  const { host, parts, words } = story, width = host.clientWidth;
  if (!parts || !width) return;
  const narrow = width < NARROW, height = narrow ? 0 : roomOf(story);
  const unit = lettersOf(story, narrow, width, height);
  if (story.laidOut === `${width} ${height} ${unit}` && story.drawn) return;
  story.laidOut = `${width} ${height} ${unit}`;
  story.unit = unit;
  host.classList.toggle("narrow", narrow);
  host.style.fontSize = `${unit}px`;
  host.style.height = narrow ? "auto" : `${height}px`;
  parts.says.style.minHeight = `${tallest(story, "p", words.says, width)}px`;
  story.narrow = narrow;
  layOutPlayer(story);
  layOutPanels(story);
  paint(story);
}

function layOutPlayer({ parts, words, unit }) {
  const values = words.names.map((name) => `${words.along}: ${name}`);
  parts.value.style.minWidth = "";
  parts.value.style.minWidth = `${Math.max(...values.map((value) => {
    parts.value.textContent = value;
    return Math.ceil(parts.value.getBoundingClientRect().width);
  }))}px`;
  const spans = words.names.map((name) => make("span", {}, name));
  parts.marks.replaceChildren(...spans);
  const length = parts.marks.clientWidth, last = spans.length - 1;
  const widths = spans.map((span) => span.offsetWidth);
  const kept = new Set(thinned(widths, length, 0.7 * unit));
  spans.forEach((span, i) => {
    if (!kept.has(i)) return span.remove();
    span.style.left = `${clamp((length * i) / Math.max(last, 1) - widths[i] / 2, 0, length - widths[i])}px`;
  });
}

function layOutPanels(story) {
  const { parts, words, unit } = story, width = parts.stage.clientWidth;
  const panels = words.panels.map((panel, i) => ({ ...panel, left: leftOf(story, i), below: belowOf(story, i, width / 3) }));
  const stacked = story.narrow ? stack({ ...words, panels }, width, unit) : null;
  parts.stage.style.height = stacked ? `${stacked.height}px` : "";
  const height = stacked?.height ?? parts.stage.clientHeight;
  const cells = stacked?.cells ?? arrange({ ...words, panels }, width, height, unit);
  const titles = cells.map((cell, i) => tallest(story, "h2", words.titles.map((of) => of[i]), cell.width));
  const tops = cells.map((cell) => Math.max(...titles.filter((_, i) => Math.abs(cells[i].y - cell.y) < 1)));
  story.boxes = cells.map((cell, i) => boxOf(story, i, cell, tops[i]));
  story.size = { width, height };
}

/** Room for the numbers and words of an axis: as much as they took before, or a guess. */
function leftOf({ words, ticks, unit, panels }, i) {
  const panel = words.panels[i];
  const numbers = ticks[i] ?? (panel.bars.length ? 0.5 * unit * Math.max(...panel.bars.map((name) => name.length)) : 2.2 * unit);
  return (panel.numbered[1] ? numbers + 6 : 2) + (panel.up ? panels[i].up.offsetWidth || 1.4 * unit : 0);
}

function belowOf({ words, unit, panels }, i, width) {
  const panel = words.panels[i];
  panels[i].across.style.width = `${width}px`;
  return (panel.numbered[0] ? 1.25 * unit + 5 : 2) + (panel.across ? panels[i].across.offsetHeight : 0);
}

/** Place a panel's words in its cell, and give the box that is left for drawing. */
function boxOf(story, i, cell, above) {
  const { words, panels, unit } = story, panel = words.panels[i], { title, across, up } = panels[i];
  const right = panel.numbered[0] ? 0.9 * unit : 2;
  const below = belowOf(story, i, cell.width - leftOf(story, i) - right);
  const top = above + (panel.numbered[1] && !panel.bars.length ? 0.5 * unit : 0); // half of a number stands out above its axis
  const height = Math.max(cell.height - top - below, 20);
  up.style.maxHeight = `${height}px`;
  const left = leftOf(story, i);
  const box = { x: cell.x + left, y: cell.y + top, width: Math.max(cell.width - left - right, 20), height };
  if (panel.square) {
    const side = Math.min(box.width, box.height);
    Object.assign(box, { x: box.x + (box.width - side) / 2, width: side, height: side });
  }
  title.classList.toggle("centred", panel.square);
  put(title, { left: cell.x, top: cell.y, width: cell.width, height: above });
  put(across, { left: box.x, top: box.y + box.height + (panel.numbered[0] ? 1.25 * unit + 5 : 2), width: box.width });
  put(up, { left: cell.x, top: box.y + (height - up.offsetHeight) / 2 });
  return box;
}

function put(element, place) {
  for (const [name, value] of Object.entries(place)) element.style[name] = `${value}px`;
}

// Drawing

const tag = (i) => (i ? String(i + 1) : "");

function axesOf({ boxes, size, unit, figure }) {
  const axes = {};
  boxes.forEach((box, i) => {
    const [x, y] = ["x", "y"].map((letter) => ({ ...figure.layout[`${letter}axis${tag(i)}`] }));
    x.domain = [box.x / size.width, Math.min((box.x + box.width) / size.width, 1)];
    y.domain = [Math.max(1 - (box.y + box.height) / size.height, 0), 1 - box.y / size.height];
    for (const [axis, room] of [[x, box.width / (3.5 * unit)], [y, box.height / (1.8 * unit)]]) {
      const most = clamp(Math.floor(room), 2, 6);
      axis.tickfont = { ...axis.tickfont, size: unit };
      if (axis.type === "log") axis.dtick = Math.ceil((axis.range[1] - axis.range[0]) / most);
      else if (!axis.tickvals) axis.nticks = most;
    }
    axes[`xaxis${tag(i)}`] = x;
    axes[`yaxis${tag(i)}`] = y;
  });
  return axes;
}

/** The traces of a frame, drawn for the size of the letters. */
function tracesOf({ figure, frames, at, unit, hidden }) {
  const scale = Math.sqrt(unit / 12), frame = frames[at];
  const moved = new Map(frame.traces.map((number, place) => [number, frame.data[place]]));
  return figure.data.map((trace, number) => {
    const one = { ...trace, ...moved.get(number), showlegend: false, visible: !hidden.has(trace.legendgroup ?? null) };
    if (typeof one.marker?.size === "number") one.marker = { ...one.marker, size: scale * one.marker.size };
    if (one.line) one.line = { ...one.line, width: scale * one.line.width };
    if (one.type === "bar") one.textfont = { ...one.textfont, size: unit };
    return one;
  });
}

/** Show the frame; what is asked for meanwhile is shown after it. */
async function paint(story) {
  say(story);
  if (!story.boxes) return;
  story.again = true;
  if (story.busy) return;
  story.busy = true;
  try {
    while (story.again && story.host.isConnected) {
      story.again = false;
      story.plotly = await load(story.look.plotly);
      await react(story);
      if (measured(story)) {
        layOutPanels(story);
        await react(story);
      }
    }
  } catch (error) {
    console.error(error);
    story.parts.plot.replaceChildren(make("p", { role: "alert" }, `This lesson could not be drawn. ${error.message}`));
    story.drawn = false;
  } finally {
    story.busy = false;
  }
}

async function react(story) {
  const { plotly, parts, figure, frames, at, size, unit } = story;
  const { meta, ...layout } = figure.layout;
  const hoverlabel = { ...layout.hoverlabel, font: { size: unit } };
  Object.assign(layout, axesOf(story), frames[at].layout, { ...size, hoverlabel, showlegend: false, autosize: false });
  await plotly.react(parts.plot, { data: tracesOf(story), layout, config: CONFIG });
  story.drawn = true;
}

/** Note how wide the numbers at the left of each panel are; true where that is another width than was thought. */
function measured(story) {
  const before = story.ticks;
  story.ticks = story.words.panels.map((panel, i) => {
    const texts = [...story.parts.plot.querySelectorAll(`.y${tag(i)}tick text`)];
    return Math.ceil(Math.max(0, ...texts.map((text) => text.getBoundingClientRect().width)));
  });
  return story.ticks.some((width, i) => Math.abs(width - (before[i] ?? -9)) > 1);
}

/** Put the words of the frame where they belong. */
function say(story) {
  const { parts, panels, words, at, look } = story, last = words.names.length - 1;
  if (parts.says.textContent !== words.says[at]) parts.says.textContent = words.says[at];
  panels.forEach(({ title }, i) => (title.textContent = words.titles[at][i]));
  parts.plot.setAttribute("aria-label", `${look.title} ${words.says[at]}`);
  parts.range.value = at;
  parts.range.setAttribute("aria-valuetext", `${words.names[at]}, step ${at + 1} of ${last + 1}`);
  parts.value.textContent = `${words.along}: ${words.names[at]}`;
  parts.play.textContent = story.timer ? "Stop" : "Play";
  parts.play.title = `${parts.play.textContent} (space)`;
  parts.back.setAttribute("aria-disabled", String(at === 0)); // a disabled button would lose the focus
  parts.on.setAttribute("aria-disabled", String(at === last));
}

// Moving

function show(story, at) {
  const last = story.words.names.length - 1;
  story.at = clamp(at, 0, last);
  paint(story);
  clearTimeout(story.telling);
  // The page hears of what is shown once nothing has moved for longer than one step.
  story.telling = setTimeout(() => story.tell("frame", story.at), story.timer ? story.words.step + 600 : SHOWN);
}

function setByHand(story, at) {
  stop(story);
  show(story, at);
}

const step = (story, by) => setByHand(story, story.at + by);

function stop(story) {
  clearTimeout(story.timer);
  story.timer = null;
}

function toggle(story) {
  const { names } = story.words;
  if (story.timer || names.length === 1) return setByHand(story, story.at);
  story.timer = -1; // it plays from now on
  show(story, story.at === names.length - 1 ? 0 : story.at);
  wait(story);
}

function wait(story) {
  story.timer = setTimeout(() => {
    if (story.at + 1 >= story.words.names.length) return setByHand(story, story.at);
    show(story, story.at + 1);
    wait(story);
  }, story.words.step);
}

// Keys

const STEPS = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1, Home: -Infinity, End: Infinity };
const OWN_KEYS = "input, textarea, select, [contenteditable], [role=slider], [role=combobox], [role=listbox], [role=option], .opnb-tour";

const OPEN = "[data-testid=stPopoverBody]"; // which the escape key closes

/** Keys of a lesson, wherever the focus is but in what has keys of its own. */
function pressed(story, event) {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !story.host.isConnected) return;
  if (key === "Escape" ? document.querySelector(OPEN) : target.closest?.(OWN_KEYS)) return;
  if (key === " " && target.closest?.("button, a, summary")) return; // which the space bar presses
  if (key === " ") toggle(story);
  else if (key in STEPS) step(story, STEPS[key]);
  else if (!press(story.look.keys[key.length === 1 ? key.toLowerCase() : key])) return;
  event.preventDefault();
}

/** Press the button of the page that has a key. */
function press(name) {
  const buttons = name ? [...document.querySelectorAll(`.st-key-${name} button`)] : [];
  const button = buttons.find((one) => one.offsetParent); // Streamlit has another one for phones, hidden
  button?.click();
  return Boolean(button);
}

export default function ({ data, parentElement, setStateValue }) {
  const story = stories.get(parentElement) ?? openStory(parentElement);
  const { look, source } = read(data);
  Object.assign(story, { look, tell: setStateValue });
  if (source !== story.source) {
    const figure = JSON.parse(source);
    stop(story);
    Object.assign(story, { source, figure, frames: figure.frames, words: figure.layout.meta, laidOut: null });
    build(story);
  }
  if (look.asked !== story.asked) {
    story.asked = look.asked;
    stop(story);
    clearTimeout(story.telling); // the page knows
    story.at = look.at;
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (look.play && !calm) toggle(story);
  }
  layOut(story);
  paint(story);
  return () => {
    if (!story.host.isConnected) closeStory(story); // Streamlit also ends the calls that a newer one has overtaken
  };
}
