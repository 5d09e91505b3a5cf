// The form of a post: counts characters, and offers members while a mention is being typed. Without
// this file names are typed in full, and the browser stops at the longest text.
const MENTION = /(?:^|[^\p{L}\p{N}])@([\p{L}\p{N}][^@\n]{0,39})$/u;
const NEARLY_FULL = 100; // characters left from which the number is marked

/** @param {HTMLFormElement} form */
function start(form) {
  const area = form.querySelector("textarea");
  const counter = /** @type {HTMLElement} */ (form.querySelector("[data-counter]"));
  const list = /** @type {HTMLElement} */ (form.querySelector("[data-mention-list]"));
  let asked = "";

  const count = () => {
    const left = area.maxLength - area.value.length;
    counter.textContent = `${left.toLocaleString("en-US")} characters left.`;
    counter.classList.toggle("counter-over", left < NEARLY_FULL);
    // A screen reader hears it only when it matters.
    counter.setAttribute("aria-live", left < NEARLY_FULL ? "polite" : "off");
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
  });
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
