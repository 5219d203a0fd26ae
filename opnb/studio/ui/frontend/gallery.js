// Small pictures that can be picked, each a button with its words below.

function tile({ id, source, words, said, chosen }, pick) {
  const button = document.createElement("button");
  button.type = "button";
  button.setAttribute("aria-label", said);
  button.setAttribute("aria-pressed", String(chosen));
  const picture = document.createElement("img");
  Object.assign(picture, { src: source, alt: "", loading: "lazy" });
  const below = document.createElement("span");
  below.textContent = words;
  button.append(picture, below);
  button.addEventListener("click", () => pick(id));
  return button;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const { label, tiles } = JSON.parse(new TextDecoder().decode(data));
  let host = parentElement.querySelector(".opnb-gallery");
  if (!host) {
    host = document.createElement("div");
    host.className = "opnb-gallery";
    host.setAttribute("role", "group");
    parentElement.append(host);
  }
  const focused = [...host.children].indexOf(document.activeElement);
  host.setAttribute("aria-label", label);
  host.replaceChildren(...tiles.map((one) => tile(one, (id) => setTriggerValue("picked", id))));
  if (focused >= 0) host.children[focused]?.focus();
}
