// What every page does for people who use the keyboard or do not see it: the focus stays where it was when the page
// puts another widget in the place of the focused one, and what happens is said.

const PATIENCE = 15_000; // milliseconds that a widget may be away
const AGAIN = 200; // milliseconds between two looks for it
const WIDGET = '[data-testid="stElementContainer"]';
const FOCUSABLE = "input, textarea, select, button, a[href], [tabindex]";

/** Tell a widget by its words and the place in it: its id changes with what it is about. */
function signature(element) {
  const widget = element.closest(WIDGET);
  if (!widget) return null;
  const label = widget.querySelector('[data-testid="stWidgetLabel"]') ?? element;
  const place = [...widget.querySelectorAll(FOCUSABLE)].indexOf(element);
  return [element.tagName, label.textContent.trim(), place].join("\n");
}

let focused = null; // {element, name, taken, away}: what has the focus, or lost it by what the page did

document.addEventListener("focusin", ({ target }) => {
  // A list that drops down says that its options have the focus, while the field keeps it.
  if (target !== document.activeElement) return;
  focused = { element: target, name: signature(target), taken: false, away: null };
});
let stays = false; // whether what the visitor did last leaves the focus where it is: a key that does not go elsewhere
document.addEventListener("keydown", ({ key }) => { stays = key !== "Tab" && key !== "Escape"; }, true);
document.addEventListener("pointerdown", () => {
  stays = false;
  if (isLost()) focused = null; // the visitor goes elsewhere
});
document.addEventListener("focusout", ({ target }) => {
  setTimeout(() => {
    if (focused?.element !== target || document.activeElement !== document.body) return;
    // A widget may be closed or hidden, and lose the focus, a moment before it is taken away.
    if (isLost() || stays) focused.taken = true;
    else focused = null; // the visitor left it
    lookSoon();
  });
});

/** Whether the page has taken the focus away: another widget came in the place of this one, or it was moved or closed. */
function isLost() {
  return focused !== null && (focused.taken || focused.element.disabled || !focused.element.isConnected);
}

/** An element that is moved loses the focus, too, and is in its place again before anyone can look. */
function noteWhatIsTaken(changes) {
  if (focused && changes.some(({ removedNodes }) => [...removedNodes].some((one) => one.contains(focused.element)))) {
    focused.taken = document.activeElement !== focused.element;
  }
}

function giveBackFocus() {
  if (!isLost() || document.activeElement !== document.body) return;
  focused.away ??= performance.now();
  if (performance.now() - focused.away > PATIENCE) focused = null;
  else if (focused.element.isConnected) focused.element.focus({ preventScroll: true });
  else if (focused.name) {
    const tag = focused.element.tagName.toLowerCase();
    const twin = [...document.querySelectorAll(`${WIDGET} ${tag}`)].find((one) => signature(one) === focused.name);
    twin?.focus({ preventScroll: true });
  }
}

const status = document.createElement("div");
status.className = "opnb-unseen";
status.setAttribute("role", "status");

/** A region that is there before its words is read out; one that comes with them is not. */
function say() {
  const words = [...document.querySelectorAll('[class*="st-key-said-"]')].map((one) => one.textContent).join(" ");
  if (words && words !== status.textContent) status.textContent = words;
}

let asked = false;
function lookSoon() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    giveBackFocus();
    say();
    // What comes back may be hidden at first, and no change of the page tells when it is seen.
    if (isLost() && document.activeElement === document.body) setTimeout(lookSoon, AGAIN);
  });
}
new MutationObserver((changes) => {
  noteWhatIsTaken(changes);
  lookSoon();
}).observe(document.documentElement, { childList: true, subtree: true, characterData: true, attributeFilter: ["disabled"] });
addEventListener("DOMContentLoaded", () => document.body.append(status));
