// One chart of the app. Streamlit calls the default function whenever the data of an element change; the figure is
// drawn into a host that stays, so that zoom, selection and WebGL contexts outlive a new figure.

const charts = new WeakMap(); // the element that Streamlit gives -> what we know of the chart in it
const BELOW = 8; // pixels between a chart that fills the window and its edge
let library = null;
let opened = 0; // charts so far

/** Load Plotly once for all charts. The head of the page has asked for it; a figure asks again if that failed. */
function load(address) {
  if (window.Plotly) return window.Plotly;
  library ??= new Promise((resolve, reject) => {
    const script = document.getElementById("opnb-plotly") ?? document.createElement("script");
    script.addEventListener("load", () => resolve(window.Plotly));
    script.addEventListener("error", () => {
      library = null;
      script.remove();
      reject(new Error("The part of the app that draws did not load. Reload the page."));
    });
    if (script.src) return;
    script.src = new URL(address, document.baseURI).href; // this module itself has no address
    document.head.append(script);
  });
  return library;
}

/** The first line says how the figure is shown, the second is the figure. */
function read(bytes) {
  const text = new TextDecoder().decode(bytes);
  const end = text.indexOf("\n");
  return { look: JSON.parse(text.slice(0, end)), source: text.slice(end + 1) };
}

function open(parent) {
  const host = document.createElement("div");
  host.className = "opnb-chart";
  parent.classList.add("opnb-place");
  parent.append(host);
  opened += 1;
  const chart = { host, id: `opnb-chart-${opened}`, plotly: null, drawn: null, wanted: null, busy: false, rows: [], pointer: [NaN, NaN], size: "", number: 0 };
  chart.observer = new ResizeObserver(() => resized(chart));
  chart.observer.observe(host);
  const page = host.closest('[data-testid="stMainBlockContainer"]');
  if (page) chart.observer.observe(page); // what comes above a chart moves it
  chart.window = () => resized(chart);
  window.addEventListener("resize", chart.window);
  chart.keyboard = new Keyboard(chart, (it, row) => select(it, [row]));
  charts.set(parent, chart);
  return chart;
}

/** The height of a chart: its own, or what the window has left below its place on the page. */
function heightOf({ host, look }) {
  if (!look?.least) return look?.height ?? host.clientHeight;
  const scrolled = host.closest('[data-testid="stMain"]')?.scrollTop ?? 0;
  const room = window.innerHeight - host.getBoundingClientRect().top - scrolled - BELOW;
  return Math.round(Math.min(look.height, Math.max(look.least, room)));
}

const sizeOf = (host) => `${host.clientWidth}x${host.clientHeight}`;

function setHeight(chart) {
  const height = heightOf(chart);
  chart.host.style.setProperty("--height", `${height}px`);
  return height;
}

function resized(chart) {
  setHeight(chart);
  if (chart.wanted) draw(chart); // it came while its place was hidden
  else if (chart.drawn && chart.host.clientWidth && sizeOf(chart.host) !== chart.size) {
    chart.size = sizeOf(chart.host);
    const done = () => chart.keyboard.refresh();
    chart.plotly.Plots.resize(chart.host).then(done, () => {}); // hidden meanwhile
  }
}

/** Draw what is wanted last; a figure that comes meanwhile is drawn after it. */
async function draw(chart) {
  if (chart.busy) return;
  chart.busy = true;
  try {
    while (chart.wanted && chart.host.isConnected && chart.host.clientWidth) {
      const wanted = chart.wanted;
      chart.wanted = null;
      try {
        chart.plotly = await load(wanted.look.plotly);
        await show(chart, wanted);
      } catch (error) {
        fail(chart, error);
      }
    }
  } finally {
    chart.busy = false;
  }
}

async function show(chart, { look, source }) {
  const { host, plotly, drawn } = chart;
  const { data, layout, frames = [] } = JSON.parse(source);
  if (!drawn) host.replaceChildren(); // the words of a failure
  // An old figure that plays is stopped; Plotly rejects what it interrupts.
  if (drawn?.frames) await plotly.animate(host, [null], { mode: "immediate" }).catch(() => {});
  // A title hangs some pixels below the edge, which it counts in parts of the height.
  if (layout.title?.yref === "container") layout.title.y = 1 - ((1 - layout.title.y) * look.height) / setHeight(chart);
  // The host has the size, so that the chart follows it. A figure that plays has a slider, which begins anew with it.
  delete layout.width;
  delete layout.height;
  chart.number += 1;
  Object.assign(layout, { autosize: true, selectionrevision: chart.number });
  layout.uirevision = frames.length ? chart.number : look.revision;
  if (look.selects) layout.clickmode = "event+select";
  chart.size = sizeOf(host);
  const setup = JSON.stringify(look.config);
  // An unchanged configuration is left out: Plotly would compare it, find our button new, and begin from nothing.
  const config = drawn?.setup === setup ? undefined : withFullScreen(look.config);
  await plotly.react(host, { data, layout, frames, config });
  if (!drawn) listen(chart);
  chart.drawn = { setup, frames: frames.length > 0 };
  if (chart.rows.length) await mark(chart);
  chart.keyboard.refresh();
}

/** Show the rows selected; a figure of the same rows has them at other places. */
function mark({ host, plotly, rows }) {
  const chosen = new Set(rows);
  const places = (trace) => Array.from(trace.customdata, (row, place) => (chosen.has(row) ? place : -1));
  const points = host._fullData.map((trace) => (trace.customdata ? places(trace).filter((place) => place >= 0) : null));
  return plotly.restyle(host, { selectedpoints: points });
}

/** Tell the page which rows are selected. */
function tellRows(chart, rows) {
  if (rows.join() === chart.rows.join()) return;
  chart.rows = rows;
  chart.tell("selected", { of: chart.look.selects, rows });
}

/** Select rows as a click does. */
function select(chart, rows) {
  tellRows(chart, rows);
  mark(chart);
}

/**
 * The new row whose mark the pointer is on. It lies above the other points, but Plotly takes the smaller of two marks for
 * the one that is meant. The numbers of new rows are not positive.
 */
function newRowAt({ host, pointer: [px, py] }) {
  const { left, top } = host.getBoundingClientRect();
  let nearest = Infinity, found;
  for (const { customdata, visible, marker, x, y, xaxis, yaxis } of host._fullData) {
    if (!customdata || visible !== true) continue;
    const [across, up] = [xaxis, yaxis].map((name) => host._fullLayout[`${name[0]}axis${name.slice(1)}`]);
    Array.from(customdata, (row, i) => {
      if (!(row <= 0)) return;
      const away = Math.hypot(left + across._offset + across.d2p(x[i]) - px, top + up._offset + up.d2p(y[i]) - py);
      if (away <= marker.size / 2 && away < nearest) [nearest, found] = [away, row];
    });
  }
  return found;
}

function listen(chart) {
  const tell = (points) => {
    if (!chart.look.selects || chart.busy) return; // Plotly also tells that a new figure has no selection
    tellRows(chart, points.map((point) => point.customdata).filter((row) => row !== undefined));
  };
  const selected = (event) => {
    const drawn = event?.range || event?.lassoPoints, row = drawn || !event ? undefined : newRowAt(chart);
    if (row === undefined || !chart.look.selects || chart.busy) tell(event?.points ?? []);
    else select(chart, [row]);
  };
  chart.host.addEventListener("pointerdown", ({ clientX, clientY }) => (chart.pointer = [clientX, clientY]), true);
  chart.host.on("plotly_relayout", () => chart.keyboard.refresh());
  chart.host.on("plotly_selected", selected);
  chart.host.on("plotly_deselect", () => tell([]));
}

const ARROWS = "M0 0h36v12H12v24H0zM64 0h36v36H88V12H64zM0 64h12v24h24v12H0zM88 64h12v36H64V88h24z";

function withFullScreen(config) {
  const click = (host) => (document.fullscreenElement ? document.exitFullscreen() : host.requestFullscreen());
  const button = { name: "Full screen", title: "Full screen", icon: { width: 100, height: 100, path: ARROWS }, click };
  return document.fullscreenEnabled ? { ...config, modeBarButtonsToAdd: [button] } : config;
}

function fail(chart, error) {
  console.error(error);
  if (chart.drawn) chart.plotly.purge(chart.host);
  chart.drawn = null;
  const words = document.createElement("p");
  words.setAttribute("role", "alert");
  words.textContent = `This chart could not be drawn. ${error.message}`;
  chart.host.replaceChildren(words);
}

export default function ({ data, parentElement, setStateValue }) {
  const chart = charts.get(parentElement) ?? open(parentElement);
  const { host } = chart;
  const { look, source } = read(data);
  // What is selected stays while the figures are of the same thing; the page knows it when the element is new.
  if (chart.look?.selects !== look.selects) chart.rows = chart.look ? [] : look.selected;
  Object.assign(chart, { look, tell: setStateValue });
  host.setAttribute("role", look.operable ? "figure" : "img");
  host.setAttribute("aria-label", look.alt);
  setHeight(chart);
  host.classList.toggle("opnb-old", look.old);
  if (source !== chart.source || chart.revision !== look.revision) {
    Object.assign(chart, { source, revision: look.revision, wanted: { look, source } });
    draw(chart);
  }
  return () => {
    if (host.isConnected) return; // Streamlit also ends the calls that a newer one has overtaken
    chart.observer.disconnect();
    window.removeEventListener("resize", chart.window);
    if (chart.drawn) chart.plotly.purge(host);
  };
}
