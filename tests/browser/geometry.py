"""What is wrong with the layout of a page, asked of the browser: text that is cut, labels that overlap, a fold.

`troubles` looks at a page as it stands, `at_sizes` takes it through the sizes of screens. Text is the page's own and
that of charts; letters that a canvas draws are not seen.
"""

from collections.abc import Iterator, Sequence
from typing import Any

PHONE = (390, 844)
# A projector, a television, laptops, a desk and a wall.
LARGE = ((1024, 768), (1280, 720), (1366, 768), (1280, 800), (1440, 900), (1920, 1080))
SIZES = (PHONE, *LARGE)

_SETTLED = """async () => {
    const boxes = () => [...document.querySelectorAll("body *")].map((one) => {
        const { x, y, width, height } = one.getBoundingClientRect();
        return [x, y, width, height].map(Math.round).join();
    }).join(" ");
    const tick = () => new Promise((done) => setTimeout(done, 60));
    let before = "", same = 0;
    for (let tries = 0; tries < 80 && same < 4; tries++) {
        await tick();
        const now = boxes();
        same = now === before && !document.querySelector("[data-stale=true]") ? same + 1 : 0;
        before = now;
    }
}"""

_PROBE = """({ fold, ignore, slack }) => {
    const PAGE = "[data-testid=stMain], html, body";
    const found = [];
    const say = (what, text, ...where) => found.push(`${what}: ${[text.trim().slice(0, 60), ...where].join(" | ")}`);
    const [width, height] = [window.innerWidth, window.innerHeight];

    /** Whether a person could see an element at all. */
    const visible = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });

    /** The four corners of a box, turned as it is on the screen. */
    const corners = (box, matrix) => [[0, 0], [1, 0], [1, 1], [0, 1]].map(([u, v]) => {
        const [x, y] = [box.x + u * box.width, box.y + v * box.height];
        return matrix ? [matrix.a * x + matrix.c * y + matrix.e, matrix.b * x + matrix.d * y + matrix.f] : [x, y];
    });
    const bounds = (points) => {
        const [xs, ys] = [points.map((point) => point[0]), points.map((point) => point[1])];
        return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
    };
    /** A box of letters without the room above and below that most letters leave. */
    const inked = (box) => ({ x: box.x, y: box.y + 0.18 * box.height, width: box.width, height: 0.64 * box.height });

    /** One label: a line of text of the page, or a text of a chart. */
    const label = (element, text, box, matrix = null) => ({
        element, text, box: bounds(corners(box, matrix)), ink: corners(inked(box), matrix),
    });

    const pageLabels = () => {
        const labels = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const element = node.parentElement;
            if (!node.data.trim() || element.closest(`svg, script, style, ${ignore}`) || !visible(element)) continue;
            const range = document.createRange();
            range.selectNodeContents(node);
            for (const box of range.getClientRects()) {
                if (box.width > 1 && box.height > 1) labels.push(label(element, node.data, box));
            }
        }
        return labels;
    };
    const chartLabels = () => [...document.querySelectorAll("svg text")]
        .filter((text) => text.textContent.trim() && !text.closest(ignore) && visible(text))
        .flatMap((text) => {
            const lines = [...text.querySelectorAll("tspan.line")];
            const matrix = text.getScreenCTM(), whole = text.getBBox();
            if (!matrix || !whole.width) return [];
            if (!lines.length) return [label(text, text.textContent, whole, matrix)];
            // Every line of a text has a box of its own: the second may be the longer one.
            return lines.filter((line) => line.getNumberOfChars()).map((line) => {
                const from = line.getExtentOfChar(0), to = line.getExtentOfChar(line.getNumberOfChars() - 1);
                const box = { x: from.x, y: from.y, width: to.x + to.width - from.x, height: from.height };
                return label(text, line.textContent, box, matrix);
            });
        });

    /** The elements that cut what is in them, from the inside out, with the directions in which they do. */
    const cutters = (element) => {
        const cutting = [];
        for (let one = element; one; one = one.parentElement) {
            const { overflowX, overflowY, position } = getComputedStyle(one);
            if (overflowX !== "visible" || overflowY !== "visible") cutting.push({ one, overflowX, overflowY });
            if (position === "fixed") break;
        }
        return cutting;
    };
    const scrolls = (overflow) => overflow === "auto" || overflow === "scroll";
    const outside = (inner, outer, axis) => axis === "x"
        ? inner.left < outer.left - slack || inner.right > outer.right + slack
        : inner.top < outer.top - slack || inner.bottom > outer.bottom + slack;

    const cut = ({ element, text, box }) => {
        for (const { one, overflowX, overflowY } of cutters(element)) {
            const room = one.getBoundingClientRect();
            const sideways = scrolls(overflowX) && !one.matches(PAGE); // one can move such a box to read it
            if (!sideways && outside(box, room, "x")) return say("cut by its container", text, name(one));
            if (!scrolls(overflowY) && !one.matches(PAGE) && outside(box, room, "y")) {
                return say("cut by its container", text, name(one));
            }
            if (sideways || scrolls(overflowY)) box = within(box, room);
            if (!box) return;
        }
        if (box.left < -slack || box.right > width + slack) say("cut by the window", text);
    };
    const within = (box, room) => {
        const left = Math.max(box.left, room.left), right = Math.min(box.right, room.right);
        const top = Math.max(box.top, room.top), bottom = Math.min(box.bottom, room.bottom);
        return left < right && top < bottom ? { left, right, top, bottom } : null;
    };
    const name = (one) => one.dataset?.testid ?? (one.getAttribute("class") || one.tagName).slice(0, 40);

    /** Whether two turned boxes have a common part of more than a hair: no line lies between them. */
    const overlap = (a, b) => [a, b].every((box) => [0, 1].every((side) => {
        const [u, v] = [box[side], box[side + 1]], length = Math.hypot(v[0] - u[0], v[1] - u[1]) || 1;
        const across = (point) => ((v[0] - u[0]) * (point[0] - u[0]) + (v[1] - u[1]) * (point[1] - u[1])) / length;
        const [p, q] = [a.map(across), b.map(across)];
        return Math.min(Math.max(...p), Math.max(...q)) - Math.max(Math.min(...p), Math.min(...q)) > 1;
    }));
    /** What can be seen of a label in the box it is scrolled in; labels of one such box are compared as they lie. */
    const scroller = (element) => cutters(element).find(({ overflowX, overflowY }) =>
        scrolls(overflowX) || scrolls(overflowY))?.one ?? document.documentElement;
    const overlapping = (labels) => {
        const places = labels.map((one) => ({ ...one, scroller: scroller(one.element) }));
        places.sort((a, b) => a.box.top - b.box.top);
        places.forEach((a, number) => {
            for (let next = number + 1; next < places.length && places[next].box.top < a.box.bottom; next++) {
                const b = places[next];
                if (a.element === b.element || a.element.contains(b.element) || b.element.contains(a.element)) continue;
                if (a.scroller !== b.scroller && !(seen(a) && seen(b))) continue;
                if (overlap(a.ink, b.ink)) say("overlap", a.text, b.text.trim().slice(0, 60));
            }
        });
    };
    const seen = ({ box, scroller }) => {
        const room = scroller.getBoundingClientRect();
        return box.bottom <= room.bottom + slack && box.top >= room.top - slack;
    };

    /** Words for those who do not see the page lie in a box of one pixel. */
    const seeable = ({ element }) => cutters(element).every(({ one }) => {
        const { width, height } = one.getBoundingClientRect();
        return width >= 2 && height >= 2;
    });

    const labels = [...pageLabels(), ...chartLabels()].filter(seeable);
    labels.forEach(cut);
    overlapping(labels);
    for (const one of document.querySelectorAll(PAGE)) {
        if (one.scrollWidth > one.clientWidth + slack) {
            say("scrolls sideways", name(one), `${one.scrollWidth} > ${one.clientWidth}`);
        }
    }
    for (const selector of fold) {
        const all = [...document.querySelectorAll(selector)].filter(visible);
        if (!all.length) say("not on the page", selector);
        for (const one of all) {
            const box = one.getBoundingClientRect();
            const inside = box.top >= -slack && box.bottom <= height + slack
                && box.left >= -slack && box.right <= width + slack;
            if (!inside) {
                const ends = [box.left, box.right, box.top, box.bottom].map(Math.round).join(" ");
                say("not on the first screen", selector, `${ends} of ${width} x ${height}`);
            }
        }
    }
    return found;
}"""

# Letters of icons are names of pictures; a side bar that is closed lies beside the window.
_IGNORED = "[data-testid=stIconMaterial], [data-testid=stSidebar][data-collapsed=true]"


def troubles(page: Any, fold: Sequence[str] = (), *, ignore: Sequence[str] = (), slack: float = 1.5) -> list[str]:
    """Say what is wrong with the layout of a page as it stands.

    Parameters
    ----------
    page : playwright.sync_api.Page
    fold : sequence of str
        Selectors of what must be on the screen without scrolling.
    ignore : sequence of str
        Selectors of elements whose text is not looked at.
    slack : float
        Pixels that do not count.

    Returns
    -------
    list of str
        A sentence for every trouble; empty where nothing is cut, nothing overlaps, nothing scrolls sideways and all
        that is named is above the fold.
    """
    asked = {"fold": list(fold), "ignore": ", ".join([_IGNORED, *ignore]), "slack": slack}
    found: list[str] = page.evaluate(_PROBE, asked)
    return found


def settled(page: Any) -> None:
    """Wait until nothing on the page has moved for a quarter of a second."""
    page.evaluate(_SETTLED)


def at_sizes(page: Any, sizes: Sequence[tuple[int, int]] = SIZES) -> Iterator[tuple[int, int]]:
    """Show a page at one size after the other, each time until it has settled."""
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        settled(page)
        yield width, height
