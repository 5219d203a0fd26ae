// What a browser remembers of a visit: a tab the id of its workspace, and all tabs the beginnings of the ids that were
// opened here. The beginning alone opens nothing. Other sites can read neither.

const WORKSPACE = "opnb-workspace";
const KNOWN = "opnb_known";
const MOST_KNOWN = 50;
// Streamlit takes on the colours of the system by itself, but figures have theirs from the server.
const dark = window.matchMedia("(prefers-color-scheme: dark)");
let tell = () => {};
dark.addEventListener("change", () => tell("scheme", dark.matches ? "dark" : "light"));
let program = null; // that of the server when this page was loaded

/** Storage may be switched off; then the address alone names the workspace. */
function stored(change) {
  try {
    change?.(window.sessionStorage);
    return window.sessionStorage.getItem(WORKSPACE) ?? "";
  } catch {
    return "";
  }
}

function know(mark) {
  const cookie = document.cookie.split("; ").find((part) => part.startsWith(`${KNOWN}=`)) ?? "";
  const marks = cookie.slice(KNOWN.length + 1).split(".").filter((other) => other && other !== mark);
  const kept = [...marks, mark].slice(-MOST_KNOWN).join(".");
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${KNOWN}=${kept}; SameSite=Strict; path=/; max-age=31536000${secure}`;
}

export default function ({ data, setStateValue }) {
  program ??= data.program;
  tell = setStateValue;
  if (data.workspace) {
    stored((storage) => storage.setItem(WORKSPACE, data.workspace));
    know(data.mark);
  } else if (data.left) stored((storage) => storage.getItem(WORKSPACE) === data.left && storage.removeItem(WORKSPACE));
  const workspace = data.workspace ? "" : stored();
  const updated = program !== data.program;
  // Nothing is told, and the page does not run again, where there is nothing to tell.
  if ((workspace && workspace !== data.told) || (updated && !data.updated))
    setStateValue("remembered", { workspace, updated });
}
