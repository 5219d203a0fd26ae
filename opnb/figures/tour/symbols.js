// The symbols of the classes, the same as Plotly's in the still picture, as paths and as pixels.

const corners = (count, turn, inner = 1) =>
  Array.from({ length: inner === 1 ? count : 2 * count }, (_, i) => {
    const angle = turn + (Math.PI * (inner === 1 ? 2 : 1) * i) / count;
    const radius = inner !== 1 && i % 2 ? inner : 1;
    return [radius * Math.sin(angle), -radius * Math.cos(angle)];
  });
const plus = (w) => [[-w, -1], [w, -1], [w, -w], [1, -w], [1, w], [w, w], [w, 1], [-w, 1], [-w, w], [-1, w], [-1, -w], [-w, -w]];
const turned = (points, angle) =>
  points.map(([x, y]) => [x * Math.cos(angle) - y * Math.sin(angle), x * Math.sin(angle) + y * Math.cos(angle)]);
/** Four tips, joined by arcs of some radius that bend inwards. */
function starDiamond(tip, radius, steps = 6) {
  const away = tip / 2 + Math.sqrt((radius * radius - (tip * tip) / 2) / 2); // of an arc's middle, left and down
  const [from, to] = [Math.atan2(-away, away - tip), Math.atan2(tip - away, away)];
  const arc = Array.from({ length: steps }, (_, i) => {
    const angle = from + ((to - from) * i) / steps;
    return [radius * Math.cos(angle) - away, radius * Math.sin(angle) + away];
  });
  return [0, 1, 2, 3].flatMap((quarter) => turned(arc, (-Math.PI / 2) * quarter));
}
const SHAPES = {
  diamond: [[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]],
  square: [[-1, -1], [1, -1], [1, 1], [-1, 1]],
  "triangle-up": [[0, -1.2], [1.15, 0.8], [-1.15, 0.8]],
  "triangle-down": [[0, 1.2], [1.15, -0.8], [-1.15, -0.8]],
  cross: plus(0.42),
  x: turned(plus(0.42), Math.PI / 4),
  pentagon: corners(5, 0),
  star: corners(5, 0, 0.45).map(([x, y]) => [1.35 * x, 1.35 * y]),
  "star-diamond": starDiamond(1.4, 1.9),
  hexagram: corners(6, 0, 0.577).map(([x, y]) => [1.25 * x, 1.25 * y]),
};

/** Trace a symbol of some diameter around a place. */
export function trace(context, symbol, x, y, size) {
  context.beginPath();
  const radius = size / 2;
  if (!SHAPES[symbol]) context.arc(x, y, radius, 0, 2 * Math.PI);
  else SHAPES[symbol].forEach(([dx, dy], i) => context[i ? "lineTo" : "moveTo"](x + radius * dx, y + radius * dy));
  context.closePath();
}

/** Draw a symbol: filled with an outline, or open. */
export function draw(context, style, open, x, y, size, outline) {
  trace(context, style.symbol, x, y, open ? size - 0.8 : size);
  context.fillStyle = context.strokeStyle = style.colour;
  context.lineWidth = open ? 1.3 : 0.6;
  if (!open) {
    context.fill();
    context.strokeStyle = outline;
  }
  context.stroke();
}

/** Draw the mark of a new row in the colour of the class it is taken for: open with a dot if it is unlike the training rows. */
export function drawNewRow(context, colour, { size, line, opacity, unlike }, x, y, outline) {
  context.globalAlpha = opacity;
  trace(context, "star-diamond", x, y, size);
  context.lineWidth = line;
  context.fillStyle = colour;
  context.strokeStyle = unlike ? colour : outline;
  if (!unlike) context.fill();
  context.stroke();
  if (unlike) {
    trace(context, "circle", x, y, 1 + line);
    context.fill();
  }
  context.globalAlpha = 1;
}

/**
 * The pixels of a symbol: places relative to its middle in an image of some width, and colours.
 * `solid` are written as they are; `soft` are mixed with what is there, unless `hard` leaves only solid ones.
 */
export function pixels(drawing, size, scale, width, hard) {
  const across = 2 * Math.ceil(0.75 * size * scale + 2) + 1;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = across;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.scale(scale, scale);
  drawing(context, across / 2 / scale);
  const image = context.getImageData(0, 0, across, across).data;
  const solid = [], soft = [];
  for (let at = 0; at < across * across; at++) {
    const [r, g, b, alpha] = image.subarray(4 * at, 4 * at + 4);
    const place = (Math.floor(at / across) - (across >> 1)) * width + (at % across) - (across >> 1);
    if (alpha > 200 || (hard && alpha > 110)) solid.push(place, packed(r, g, b));
    else if (alpha > 24 && !hard) soft.push(place, r * alpha, g * alpha, b * alpha, 255 - alpha);
  }
  return { solid: Int32Array.from(solid), soft: Int32Array.from(soft), reach: across >> 1 };
}

/** A pixel as the image has it. */
export const packed = (r, g, b) => ((255 << 24) | (b << 16) | (g << 8) | r) | 0;

export function rgb(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

export const mixed = (colour, other, share) => rgb(colour).map((c, i) => Math.round(share * c + (1 - share) * rgb(other)[i]));
