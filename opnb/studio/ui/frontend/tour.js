// A tour in the app. While it moves a canvas draws it; when it rests, the page makes the usual chart of the same axes,
// which is laid over the canvas until it moves again. `Tour`, `read` and `chartElement` come before this in one script.

const NARROWEST = 700; // CSS pixels of a window whose page need not be scrolled
const SLIDER = 36; // CSS pixels below the picture
const LEAST = 240; // CSS pixels: with less, it is a tour farther down the page
const elements = new WeakMap(); // the element that Streamlit gives -> what we know of the tour in it

/** What the window has left for the picture and the slider below it; nothing is said where the page must be scrolled. */
function room(stage) {
  const scrolled = stage.closest('[data-testid="stMain"]')?.scrollTop ?? 0;
  const left = window.innerHeight - stage.getBoundingClientRect().top - scrolled - SLIDER;
  return window.innerWidth < NARROWEST || left < LEAST ? undefined : left;
}

/** The first line says how it is shown, the rest is what a chart gets. */
function split(bytes) {
  const end = bytes.indexOf(10);
  return { look: JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))), figure: bytes.slice(end + 1) };
}

function openElement(parent) {
  const host = document.createElement("div"), still = document.createElement("div");
  still.className = "still";
  parent.append(host);
  const element = { host, still, tour: null, id: null, at: 0, close: () => {} };
  element.arrived = () => begin(element);
  element.observer = new ResizeObserver(() => {
    const { tour } = element;
    tour.resize(); // what comes above it moves it
    still.style.height = `${tour.parts.stage.clientHeight}px`;
  });
  window.addEventListener("opnb-tour", element.arrived);
  elements.set(parent, element);
  return element;
}

/** Make the tour once its points are there. Other ways through the same fit keep the place. */
function begin(element) {
  const { look, host } = element, bytes = window.opnbTours?.get(look.id);
  if (!bytes || element.id === look.id) return;
  const before = element.fit === look.fit ? element.tour : null;
  element.tour?.destroy();
  const data = read(bytes);
  element.tour = new Tour(host, data, {
    theme: look.theme,
    height: look.height,
    extent: look.extent,
    room,
    newRows: look.newRows,
    axes: before?.axes ?? look.axes?.map((axis) => Float64Array.from(axis)),
    moved: () => hide(element),
    rested: (tour) => rest(element, tour),
  });
  host.tour = element.tour;
  Object.assign(element, { id: look.id, fit: look.fit });
  element.tour.parts.stage.after(element.still);
  element.observer.disconnect();
  element.observer.observe(element.tour.parts.stage);
  const page = host.closest('[data-testid="stMainBlockContainer"]');
  if (page) element.observer.observe(page);
  if (!before) element.told = element.tour.axes; // it stands where the page has put it
  if (look.way !== null && (before ? look.way !== element.way : !look.axes)) {
    element.tour.follow(data.paths.length - 1);
    element.tour.toggle("path");
  } else showStill(element);
  element.way = look.way;
}

function hide(element) {
  element.still.classList.remove("shown");
}

/** Tell the page where the tour stands. */
function rest(element, tour) {
  if (tour.axes === element.told) return showStill(element);
  element.told = tour.axes;
  element.at += 1;
  element.tell("plane", { of: element.look.fit, at: element.at, axes: tour.axes.map((axis) => [...axis]) });
}

/** Wait until the next frame is on the screen. */
function onceSeen(act) {
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(act)));
}

/** Lay the chart over the canvas, if it is of what the tour shows. */
function showStill(element) {
  const { tour, look, still, figure } = element;
  if (!tour || tour.moving || tour.ring.dragged || !figure.length || look.at !== element.at) return;
  if (tour.painter.hidden.size) return; // the chart shows every class
  if (!tour.painted) return onceSeen(() => showStill(element)); // a chart takes its time, the canvas does not
  if (element.drawn !== figure) {
    element.drawn = figure;
    element.close = chartElement({ data: figure, parentElement: still, setStateValue: element.tell });
  }
  still.classList.add("shown");
}

export default function ({ data, parentElement, setStateValue }) {
  const element = elements.get(parentElement) ?? openElement(parentElement);
  const { look, figure } = split(data);
  if (element.look && element.look.fit !== look.fit) Object.assign(element, { at: 0, told: element.tour?.axes });
  if (element.at === 0) element.at = look.at; // the page remembers more than a new element
  Object.assign(element, { look, figure, tell: setStateValue });
  begin(element);
  if (element.tour && element.id === look.id) {
    if (look.theme !== element.tour.options.theme) element.tour.dress(look.theme);
    element.tour.take(look.newRows);
    showStill(element);
  }
  return () => {
    if (element.host.isConnected) return; // Streamlit also ends the calls that a newer one has overtaken
    window.removeEventListener("opnb-tour", element.arrived);
    element.observer.disconnect();
    element.tour?.destroy();
    element.close();
  };
}
