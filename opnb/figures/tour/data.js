// What Python sends: the length of a header, the header as JSON, and arrays one after the other.

const KINDS = { f4: Float32Array, i4: Int32Array, u2: Uint16Array };

/** The header with its arrays. */
function unpacked(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(0, true);
  const data = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  let at = 4 + length;
  for (const [name, kind, count] of data.arrays) {
    const Kind = KINDS[kind];
    const size = count * Kind.BYTES_PER_ELEMENT;
    data[name] = new Kind(bytes.slice(at, at + size).buffer); // a copy begins where an array may
    at += size;
  }
  return data;
}

/** @param {Uint8Array} bytes of a tour */
export function read(bytes) {
  const data = unpacked(bytes);
  const rows = (name, q) =>
    Array.from({ length: data[name].length / q }, (_, i) => Float64Array.from(data[name].subarray(i * q, (i + 1) * q)));
  rows("vectors", data.q).forEach((vector, i) => (data.handles[i].vector = vector));
  const axes = rows("keyframes", data.q);
  for (const path of data.paths) path.keyframes = path.captions.map(() => [axes.shift(), axes.shift()]);
  return data;
}

/** New rows, from text in base 64; null without any. */
export function readNewRows(text) {
  return text ? unpacked(fromBase64(text)) : null;
}

export function fromBase64(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}
