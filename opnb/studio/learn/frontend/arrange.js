// Where the panels of a story lie in the room that there is. Lengths are pixels; `unit` is the size of the letters.

const GAP = 0.9; // units between panels
const STRIPS = { plane: [0.75, 1.6], other: [0.9, 3] }; // narrowest and widest shape whose room is of use

/** Cut a length into parts by their shares, with gaps between them. */
function cut(length, shares, gap) {
  const room = length - gap * (shares.length - 1), sum = shares.reduce((one, other) => one + other, 0);
  let at = 0;
  return shares.map((share) => {
    const part = { at, size: (room * share) / sum };
    at += part.size + gap;
    return part;
  });
}

const equal = (count) => Array(count).fill(1);

/** Cells row by row; one alone in the last row takes all of it. */
function grid(count, { x, y, width, height }, columns, widths, heights, gap) {
  const rows = Math.ceil(count / columns);
  const across = cut(width, widths ?? equal(columns), gap), down = cut(height, heights ?? equal(rows), gap);
  return Array.from({ length: count }, (_, i) => {
    const column = i % columns, row = Math.floor(i / columns), alone = i === count - 1 && column === 0;
    const { at, size } = across[column];
    return { x: x + at, y: y + down[row].at, width: alone ? width : size, height: down[row].size, row };
  });
}

/** The first panel beside all others, as high as the room. */
function led(count, area, share, columns, gap) {
  const [left, right] = cut(area.width, [share, 1 - share], gap);
  const rest = grid(count - 1, { ...area, x: area.x + right.at, width: right.size }, columns, null, null, gap);
  return [{ ...area, width: left.size, row: 0 }, ...rest];
}

function candidates({ columns, widths, heights, panels }, area, gap) {
  const count = panels.length, own = (list) => (list.length ? list : null);
  const found = [grid(count, area, columns, own(widths), own(heights), gap)];
  for (let other = 1; other <= count; other++) found.push(grid(count, area, other, null, null, gap));
  // A picture larger than another would look like more; where there is one only, it may lead.
  if (count > 2 && panels[0].plane && panels.filter((panel) => panel.plane).length === 1)
    for (const share of [0.36, 0.42, 0.5, 0.58])
      for (const others of [1, 2]) found.push(led(count, area, share, others, gap));
  return found;
}

/** How much of its cell a panel can use; a picture of points counts twice. */
function worth(panel, cell, unit) {
  const [left, below] = [panel.left ?? 3 * unit, panel.below ?? 2.5 * unit];
  const width = Math.max(cell.width - left, 1), height = Math.max(cell.height - below - 1.7 * unit, 1);
  const [narrowest, widest] = panel.square ? [1, 1] : STRIPS[panel.plane ? "plane" : "other"];
  const used = Math.min(width, widest * height) * Math.min(height, width / narrowest);
  return (panel.plane ? 2 : 1) * Math.log(used);
}

/** Choose the cells in which the panels can use most of the room. */
export function arrange(story, width, height, unit) {
  const area = { x: 0, y: 0, width, height };
  const value = (cells) => cells.reduce((sum, cell, i) => sum + worth(story.panels[i], cell, unit), 0);
  const valued = candidates(story, area, GAP * unit).map((cells) => ({ cells, value: value(cells) }));
  return valued.reduce((best, other) => (other.value > best.value + 1e-6 ? other : best)).cells;
}

/** One panel below the other, for a phone, and the height of all. */
export function stack(story, width, unit) {
  let y = 0;
  const cells = story.panels.map((panel, row) => {
    const height = panel.bars.length ? (2.4 * panel.bars.length + 5) * unit : (panel.plane ? 0.85 : 0.72) * width;
    const cell = { x: 0, y, width, height, row };
    y += height + GAP * unit;
    return cell;
  });
  return { cells, height: y };
}

/** As many of some labels along a rail as fit: every second, every third, ..., counted from the first. */
export function thinned(widths, length, gap) {
  const last = widths.length - 1;
  const middle = (i) => Math.min(Math.max((length * i) / Math.max(last, 1), widths[i] / 2), length - widths[i] / 2);
  for (let every = 1; every <= last; every++) {
    const kept = widths.map((_, i) => i).filter((i) => i % every === 0);
    const fits = kept.every((i, k) => !k || middle(i) - middle(kept[k - 1]) >= (widths[i] + widths[kept[k - 1]]) / 2 + gap);
    if (fits) return kept;
  }
  return [0];
}
