// A chart by keyboard: a list of its points that moves a mark on the picture, its legend and its tools as buttons. A
// button that shows when it has the focus opens them. This comes before `chart.js` in one script.

const SHOWN = 7; // points of the list at a time
const MARGIN = 20; // pixels between the list and the mark
const FAR = 10; // points that a page key goes
const TYPING = 1200; // milliseconds between two digits of a row's number

function element(tag, className, attributes = {}) {
  const made = document.createElement(tag);
  made.className = className;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function buttonFor(words, click) {
  const button = element("button", "entry", { type: "button" });
  button.textContent = words;
  button.addEventListener("click", click);
  return button;
}

/** The points of a figure in the order of their rows, each once, with all that its traces say of it; new rows, whose
 * numbers have a minus sign, come last. */
function pointsOf(host) {
  const points = new Map();
  for (const trace of host._fullData ?? []) {
    if (!trace.customdata || trace.visible !== true) continue;
    const open = String(trace.marker?.symbol ?? "").endsWith("-open");
    Array.from(trace.customdata, (row, place) => {
      if (!Number.isInteger(row)) return;
      const known = points.get(row);
      if (known) known.says.push(trace.name);
      else points.set(row, { row, trace, x: trace.x[place], y: trace.y[place], open, says: [row > 0 ? trace.name : trace.text[place]] });
    });
  }
  return [...points.values()].sort((a, b) => (a.row <= 0) - (b.row <= 0) || Math.abs(a.row) - Math.abs(b.row));
}

function wordsOf({ row, x, y, open, says }) {
  const [name, ...more] = says;
  if (row <= 0) return name.replaceAll("<br>", "; ");
  const part = open ? "held out" : "training";
  const where = `${Number(x).toFixed(2)} across, ${Number(y).toFixed(2)} up`;
  return [`Row ${row}: ${name}, ${part}`, where, ...more].join("; ");
}

/** What the legend lists, with the traces that one entry shows and hides. */
function entriesOf(host) {
  const entries = new Map();
  for (const [number, trace] of (host._fullData ?? []).entries()) {
    const key = trace.legendgroup || `trace ${number}`;
    const entry = entries.get(key) ?? { name: "", numbers: [], shown: false };
    entry.numbers.push(number);
    if (trace.showlegend !== false && !entry.name) entry.name = trace.name;
    entry.shown ||= trace.visible === true;
    entries.set(key, entry);
  }
  return [...entries.values()].filter((entry) => entry.name && host._fullLayout.showlegend);
}

/** The tools of the bar that do something at once; those that say what a mouse does are left to it. */
const toolsOf = (host) => [...host.querySelectorAll(".modebar-btn:not([data-attr=dragmode])")];

const plain = (html) => new DOMParser().parseFromString(html, "text/html").body.textContent;

/** What a chart offers to those who have no mouse. */
class Keyboard {
  /** @param chart of `chart.js`; `choose` is called with it and a row that was chosen in the list */
  constructor(chart, choose) {
    Object.assign(this, { chart, choose, points: [], at: 0, typed: "", since: 0 });
    this.root = element("div", "opnb-keys");
    this.opener = element("button", "opener", { type: "button", "aria-expanded": "false" });
    this.panel = element("div", "panel");
    this.panel.hidden = true;
    this.legend = element("div", "entries", { role: "group", "aria-label": "Legend: what is shown" });
    this.tools = element("div", "entries", { role: "group", "aria-label": "Tools of the picture" });
    this.list = element("div", "points", { role: "listbox", tabindex: "0", "aria-label": "Points" });
    this.help = element("p", "help");
    this.help.textContent = "↑ ↓ from row to row, Page keys ten rows, digits to a row. Enter: why this row. Esc closes.";
    this.ring = element("div", "ring", { "aria-hidden": "true" });
    this.ring.hidden = true;
    this.panel.append(this.legend, this.list, this.help, this.tools);
    this.root.append(this.opener, this.panel, this.ring);
    chart.host.after(this.root);
    this.opener.addEventListener("click", () => this.toggle());
    this.list.addEventListener("keydown", (event) => this.key(event));
    this.list.addEventListener("focus", () => this.show());
    this.list.addEventListener("click", ({ target }) => this.clicked(target.closest("[role=option]")));
    this.root.addEventListener("keydown", (event) => event.key === "Escape" && this.toggle(false));
  }

  toggle(open = this.panel.hidden) {
    this.panel.hidden = !open;
    this.opener.setAttribute("aria-expanded", String(open));
    this.ring.hidden = true;
    if (open) this.refresh();
    else this.opener.focus({ preventScroll: true });
    if (open) (this.list.hidden ? this.panel.querySelector("button") : this.list)?.focus({ preventScroll: true });
  }

  /** Take over what a new figure shows. */
  refresh() {
    const { host, look } = this.chart;
    const entries = entriesOf(host);
    const tools = toolsOf(host);
    this.root.hidden = !look.operable || (!entries.length && !look.selects && !tools.length);
    this.opener.textContent = look.selects ? "Points and legend" : entries.length ? "Legend and tools" : "Tools";
    if (this.panel.hidden) return;
    const row = this.points[this.at]?.row;
    this.points = look.selects ? pointsOf(host) : [];
    this.at = Math.max(0, this.points.findIndex((point) => point.row === row));
    this.list.hidden = this.help.hidden = !this.points.length;
    this.fill(this.legend, entries.map((entry) => {
      const button = buttonFor(plain(entry.name), () => this.turn(entry));
      button.setAttribute("aria-pressed", String(entry.shown));
      return button;
    }));
    this.fill(this.tools, tools.map((tool) => buttonFor(tool.dataset.title, () => tool.click())));
    this.show();
  }

  /** Put buttons where others were; the focus stays at its place. */
  fill(group, buttons) {
    const before = [...group.children].indexOf(document.activeElement);
    group.replaceChildren(...buttons);
    group.hidden = !buttons.length;
    if (before >= 0) group.children[before]?.focus({ preventScroll: true });
  }

  async turn(entry) {
    const { plotly, host } = this.chart;
    await plotly.restyle(host, { visible: entry.shown ? "legendonly" : true }, entry.numbers);
    this.refresh();
  }

  key(event) {
    const last = this.points.length - 1;
    const to = {
      ArrowDown: this.at + 1, ArrowUp: this.at - 1, PageDown: this.at + FAR, PageUp: this.at - FAR, Home: 0, End: last,
    }[event.key];
    if (to !== undefined) this.at = Math.min(Math.max(to, 0), last);
    else if (/^\d$/.test(event.key)) this.type(event.key);
    else if (event.key === "Enter" || event.key === " ") this.choose(this.chart, this.points[this.at].row);
    else return;
    event.preventDefault();
    event.stopPropagation();
    this.show();
  }

  type(digit) {
    const now = performance.now();
    this.typed = now - this.since < TYPING ? this.typed + digit : digit;
    this.since = now;
    const found = this.points.findIndex((point) => point.row >= Number(this.typed));
    this.at = found < 0 ? this.points.length - 1 : found;
  }

  clicked(option) {
    if (!option) return;
    this.at = Number(option.dataset.place);
    this.choose(this.chart, this.points[this.at].row);
    this.show();
  }

  /** List the points around the one that is looked at, and put the mark on it. */
  show() {
    const first = Math.max(0, Math.min(this.at - (SHOWN >> 1), this.points.length - SHOWN));
    this.list.replaceChildren(...this.points.slice(first, first + SHOWN).map((point, number) => {
      const place = first + number;
      const option = element("div", "point", {
        role: "option", id: `${this.chart.id}-${place}`, "aria-selected": String(place === this.at),
        "aria-setsize": this.points.length, "aria-posinset": place + 1, "data-place": place,
      });
      option.textContent = plain(wordsOf(point));
      return option;
    }));
    this.list.setAttribute("aria-activedescendant", `${this.chart.id}-${this.at}`);
    this.mark(this.points[this.at]);
  }

  mark(point) {
    const { host } = this.chart;
    this.ring.hidden = true;
    if (!point || this.panel.hidden) return;
    const [across, up] = [point.trace.xaxis, point.trace.yaxis].map((name) => host._fullLayout[`${name[0]}axis${name.slice(1)}`]);
    const [x, y] = [across.d2p(point.x), up.d2p(point.y)];
    if (!(x >= 0 && x <= across._length && y >= 0 && y <= up._length)) return; // outside the part that is shown
    this.ring.hidden = false;
    this.ring.style.transform = `translate(${across._offset + x}px, ${up._offset + y}px)`;
    this.panel.classList.toggle("right", across._offset + x < this.panel.offsetWidth + MARGIN);
  }
}
