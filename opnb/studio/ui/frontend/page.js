// What every page does for people who use the keyboard or do not see it: the focus stays where it was when the page
// puts another widget in the place of the focused one, and what happens is said.

const PATIENCE = 15_000; // milliseconds that a widget may be away
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

let focused = null; // {element, name, since}: what has the focus, or lost it by being taken away

document.addEventListener("focusin", ({ target }) => {
  focused = { element: target, name: signature(target), away: null };
});
document.addEventListener("pointerdown", () => {
  if (focused && !focused.element.isConnected) focused = null; // the visitor goes elsewhere
});
document.addEventListener("focusout", ({ target }) => {
  setTimeout(() => {
    const left = target.isConnected && document.activeElement === document.body;
    if (left && focused?.element === target) focused = null;
  });
});

function giveBackFocus() {
  if (!focused?.name || focused.element.isConnected || document.activeElement !== document.body) return;
  focused.away ??= performance.now();
  if (performance.now() - focused.away > PATIENCE) focused = null;
  else {
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
new MutationObserver(() => {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    giveBackFocus();
    say();
  });
}).observe(document.documentElement, { childList: true, subtree: true, characterData: true });
addEventListener("DOMContentLoaded", () => document.body.append(status));
