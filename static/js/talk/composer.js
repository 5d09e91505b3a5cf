// The form of a post: it grows, says when it is nearly full, offers members while a mention is being
// typed, names the chosen picture, and is sent by Enter where there is a keyboard. Without this file
// names are typed in full, and the browser stops at the longest text.
const MENTION = /(?:^|[^\p{L}\p{N}])@([\p{L}\p{N}][^@\n]{0,39})$/u;
const NEARLY_FULL = 100; // characters left from which the number is marked

/**
 * Whether a key sends: Enter alone, and not that of an input method or of a screen's keyboard.
 * @param {KeyboardEvent} event
 */
const isEnter = (event) =>
  event.key === "Enter" &&
  !event.shiftKey &&
  !event.isComposing &&
  matchMedia("(pointer: fine)").matches;

/** @param {HTMLFormElement} form */
function start(form) {
  const area = form.querySelector("textarea");
  const counter = /** @type {HTMLElement} */ (form.querySelector("[data-counter]"));
  const list = /** @type {HTMLElement} */ (form.querySelector("[data-mention-list]"));
  let asked = "";

  const picture = /** @type {HTMLInputElement|null} */ (form.querySelector("[type=file]"));
  const canGrow = CSS.supports("field-sizing", "content");

  const count = () => {
    const left = area.maxLength - area.value.length;
    const chosen = picture?.files?.[0]?.name ?? "";
    counter.textContent = left < NEARLY_FULL ? `${left} characters left.` : chosen;
    if (canGrow) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + 2}px`;
  };

  const offer = async () => {
    const typed = MENTION.exec(area.value.slice(0, area.selectionStart))?.[1] ?? "";
    if (typed === asked) return;
    asked = typed;
    if (!typed) {
      list.replaceChildren();
      return;
    }
    const address = `${form.dataset.members}?q=${encodeURIComponent(typed)}`;
    try {
      const answer = await fetch(address, { headers: { "HX-Request": "true" } });
      if (answer.ok && typed === asked) list.innerHTML = await answer.text();
    } catch {
      // Without the server the name can still be typed.
    }
  };

  /** @param {HTMLElement} button */
  const mention = (button) => {
    const end = area.selectionStart;
    const at = area.value.lastIndexOf("@", end - 1);
    area.setRangeText(`@${button.dataset.mention} `, at, end, "end");
    list.replaceChildren();
    asked = "";
    area.focus();
    count();
  };

  area.addEventListener("input", () => {
    count();
    void offer();
  });
  area.addEventListener("keydown", (event) => {
    const first = list.querySelector("button");
    if (event.key === "ArrowDown" && first) {
      event.preventDefault();
      first.focus();
    }
    if (event.key === "Escape") list.replaceChildren();
    if (isEnter(event) && form.matches(".talk .composer")) {
      event.preventDefault();
      if (first) first.click();
      else if (area.value.trim() || picture?.files?.length) form.requestSubmit();
    }
  });
  picture?.addEventListener("change", count);
  list.addEventListener("click", (event) => {
    const button = /** @type {Element} */ (event.target).closest("button");
    if (button) mention(button);
  });
  list.addEventListener("keydown", (event) => {
    const buttons = [...list.querySelectorAll("button")];
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape" || (step && at + step < 0)) area.focus();
    else if (step) buttons[at + step]?.focus();
    else return;
    event.preventDefault();
  });
  count();
}

for (const form of document.querySelectorAll("[data-composer]")) {
  start(/** @type {HTMLFormElement} */ (form));
}
