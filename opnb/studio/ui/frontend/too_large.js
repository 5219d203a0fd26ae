// Says in our own words that a file is too large. The box refuses such a file in the browser, so no page ever hears of it.

const inWords = (bytes) => `${Number((bytes / 2 ** 20).toPrecision(3))} MB`;

export default function ({ data, parentElement }) {
  let place = parentElement.querySelector(".opnb-too-large");
  if (!place) {
    place = document.createElement("p");
    place.className = "opnb-too-large";
    place.setAttribute("role", "alert");
    parentElement.append(place);
  }
  const look = (event) => {
    if (!event.target.closest?.(`.st-key-${data.box}`)) return;
    const files = [...(event.dataTransfer?.files ?? event.target.files ?? [])];
    const large = files.find((file) => file.size > data.limit);
    place.textContent = large
      ? `${large.name} has ${inWords(large.size)}, more than the limit of ${inWords(data.limit)}. ${data.advice}`
      : "";
  };
  document.addEventListener("change", look, true);
  document.addEventListener("drop", look, true);
  return () => {
    document.removeEventListener("change", look, true);
    document.removeEventListener("drop", look, true);
  };
}
