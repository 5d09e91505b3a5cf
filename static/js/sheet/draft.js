// Keeps an unsaved team in this browser, by member, team rules and gameweek. A member who returns
// is asked whether to continue with it, leaving the page warns, Save waits for a change, and a second
// tab learns what the first one did. The draft is the page's own address; the server builds the team from it and
// decides what may be saved.
const editor = () => document.getElementById("editor");
const key = () => `pressbox:draft:${editor()?.dataset.draft}`;

/** @type {(id: string) => HTMLElement} */
const part = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

function shownSheet() {
  const form = new FormData(/** @type {HTMLFormElement} */ (document.getElementById("sheet")));
  return {
    gameweek: String(form.get("gameweek")),
    picks: form.getAll("p").map(String),
    captain: String(form.get("captain") ?? "0"),
    vice: String(form.get("vice_captain") ?? "0"),
    view: form.getAll("view").map(String),
    version: String(form.get("version") ?? "0"),
    base: String(form.get("base") ?? ""),
  };
}

const line = ({ picks, captain, vice }) => `${picks.join(",")}|${captain}|${vice}`;
const isChanged = () => {
  const page = editor();
  return (
    Boolean(page) && page.dataset.closed === undefined && line(shownSheet()) !== page.dataset.saved
  );
};

function address() {
  const { gameweek, picks, captain, vice, view, version, base } = shownSheet();
  const pairs = [["gameweek", gameweek], ...picks.map((pick) => ["p", pick])];
  pairs.push(
    ...view.map((value) => ["view", value]),
    ["captain", captain],
    ["vice_captain", vice],
    ["version", version],
    ["base", base],
  );
  return `${editor()?.dataset.here}?${new URLSearchParams(pairs)}`;
}

function stored() {
  try {
    const draft = JSON.parse(localStorage.getItem(key()) ?? "null");
    return draft && draft.line !== line(shownSheet()) ? draft : null;
  } catch {
    return null;
  }
}

/** Without a change there is nothing to save or reset. */
function showChanged() {
  part("reset")?.toggleAttribute("hidden", !isChanged());
  part("save")?.toggleAttribute("disabled", !isChanged());
}

function keep() {
  const page = editor();
  if (!page) return;
  showChanged();
  try {
    if (isChanged()) {
      localStorage.setItem(key(), JSON.stringify({ line: line(shownSheet()), address: address() }));
    } else {
      localStorage.removeItem(key());
    }
  } catch {
    // The browser stores nothing, but the draft is still in the address.
  }
}

function say(words, go, leads) {
  const note = part("draft-note");
  if (!note) return;
  part("draft-said").textContent = words;
  const link = /** @type {HTMLAnchorElement} */ (part("draft-go"));
  link.textContent = go;
  link.href = leads;
  note.hidden = false;
}

let leaving = false; // by a link or button that says what happens to the draft

document.addEventListener("click", (event) => {
  const target =
    event.target instanceof Element
      ? event.target.closest("#draft-drop, #draft-go, #reset, #load-saved")
      : null;
  if (!target) return;
  leaving = target.id !== "draft-drop";
  if (target.id !== "draft-go") localStorage.removeItem(key());
  if (target.id === "draft-drop") part("draft-note").hidden = true;
});

document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target.id === "editor") keep();
});

// Signed out meanwhile: return to the draft itself after the sign-in.
document.addEventListener("pressbox:sign-in", (event) => {
  if (!isChanged()) return;
  leaving = true;
  Object.assign(event.detail, { next: address(), isKept: true });
});

window.addEventListener("beforeunload", (event) => {
  if (!leaving && isChanged()) event.preventDefault();
});

window.addEventListener("storage", (event) => {
  if (event.key !== key()) return;
  const draft = stored();
  if (draft) {
    say("This team was changed in another tab.", "Show changes", draft.address);
  } else if (event.newValue === null && isChanged()) {
    const here = editor()?.dataset.here ?? "";
    say("This team was saved or reset in another tab. Save to add your changes.", "Reload", here);
  }
});

const draft = stored();
if (draft && !isChanged() && editor()?.dataset.closed === undefined) {
  say("You have unsaved changes.", "Keep editing", draft.address);
  showChanged();
} else {
  keep();
}
