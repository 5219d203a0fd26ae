// The points of a tour, in an element of their own: Streamlit sends it once, however often the one that shows them changes.

const KEPT = 2;

export default function ({ data }) {
  const tours = (window.opnbTours ??= new Map());
  const end = data.indexOf(10);
  const id = new TextDecoder().decode(data.subarray(0, end));
  if (!tours.has(id)) {
    tours.set(id, data.slice(end + 1));
    for (const old of [...tours.keys()].slice(0, -KEPT)) tours.delete(old);
  }
  window.dispatchEvent(new Event("opnb-tour"));
}
