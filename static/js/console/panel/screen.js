/**
 * Draws the command panel. Reads only its arguments; the elements are those of
 * templates/console/show.html.
 */

const byId = (id) => document.getElementById(id);

/** An element with attributes and children; strings become text. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false && value !== undefined)
      node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

/** Shows the panel, and the key map as buttons that can be touched. */
export function unveil(actions, press) {
  byId("entry").hidden = false;
  for (const list of [byId("keys"), byId("help-keys")]) {
    for (const [key, action] of Object.entries(actions)) {
      const inside = [el("kbd", {}, key), ` ${action.title.toLowerCase()}`];
      list.insertBefore(
        el(
          "li",
          {},
          list.id === "keys"
            ? el("button", { type: "button", "data-key": key }, ...inside)
            : el("span", {}, ...inside),
        ),
        list.querySelector(".is-last"),
      );
    }
  }
  document.addEventListener("click", (event) => {
    const button = /** @type {HTMLElement} */ (
      /** @type {Element} */ (event.target).closest("#entry [data-key]")
    );
    if (button) press(button.dataset.key);
  });
}

/**
 * @param {{mode: string, question: string, hint: string, trail: {label: string, value: string}[],
 *   tone: string,
 *          label: string, sentence: string, sure: boolean, warnings: string[], opens: string,
 *          consequences: {title: string, lines: string[]}[], next?: string}} view
 */
export function drawPrompt(view) {
  byId("mode").textContent = view.mode;
  byId("entry").dataset.tone = view.tone;
  byId("question").textContent = view.question;
  byId("hint").textContent = view.hint;
  byId("trail").replaceChildren(
    ...view.trail.map((step) =>
      el("li", {}, el("span", { class: "trail-label" }, step.label), el("strong", {}, step.value)),
    ),
  );
  byId("next").textContent = view.next ? `Next: ${view.next}` : "";
  byId("next").hidden = !view.next;
  byId("opens").textContent = view.opens;
  byId("opens").hidden = !view.opens;
  byId("sentence-label").textContent = view.label;
  byId("sentence-box").classList.toggle("is-sure", view.sure);
  byId("sentence-box").classList.toggle("is-empty", !view.sentence);
  byId("sentence").textContent = view.sentence;
  byId("cmd").classList.toggle("is-review", view.sure);
  byId("warnings").replaceChildren(...view.warnings.map((warning) => el("li", {}, warning)));
  byId("consequences").replaceChildren(
    ...view.consequences.flatMap(({ title, lines }) => [
      el("p", {}, title),
      lines.length ? el("ul", {}, ...lines.map((line) => el("li", {}, line))) : "",
    ]),
  );
}

/**
 * The mistake in a one-line entry: the line once more with its character marked, and what was
 * expected there.
 * @param {import("../line/view.js").Caret|null} caret
 */
export function drawCaret(caret) {
  const cmd = byId("cmd");
  byId("caret").hidden = !caret;
  if (!caret) {
    cmd.removeAttribute("aria-invalid");
    return;
  }
  const { text, at, words } = caret;
  cmd.setAttribute("aria-invalid", "true");
  byId("caret-line").replaceChildren(
    text.slice(0, at),
    el("mark", {}, text[at] ?? " "),
    `${text.slice(at + 1)}\n${" ".repeat(at)}▲`,
  );
  if (byId("caret-words").textContent !== words) byId("caret-words").textContent = words;
}

/**
 * @param {{label: string, key?: string, note?: string, position?: string}[]} offers
 * @param {number|null} pick
 */
export function drawOffers(offers, pick) {
  const list = byId("offers");
  list.replaceChildren(
    ...offers.map((offer, index) => {
      const chosen = pick === index || (pick === null && offer.note === "Enter");
      const parts = [
        offer.key ? el("kbd", {}, offer.key) : null,
        el("span", {}, offer.label),
        offer.position ? el("span", { class: "offer-position" }, offer.position) : null,
      ];
      if (chosen) parts.push(el("span", { class: "offer-note" }, "Enter"));
      return el(
        "li",
        {
          id: `offer-${index}`,
          role: "option",
          "aria-selected": chosen ? "true" : "false",
          "data-index": String(index),
        },
        ...parts,
      );
    }),
  );
  const chosen = list.querySelector('[aria-selected="true"]');
  const cmd = byId("cmd");
  cmd.setAttribute("aria-expanded", offers.length ? "true" : "false");
  if (chosen) cmd.setAttribute("aria-activedescendant", chosen.id);
  else cmd.removeAttribute("aria-activedescendant");
  list.hidden = !offers.length;
}

let turn = 0; // how often something was said

/** What just happened, in one line that is also read aloud. @param {"good"|"fault"|"plain"} tone */
export function say(text, tone = "plain") {
  const line = byId("said");
  line.textContent = text;
  line.dataset.tone = tone;
  turn += 1;
}

/**
 * Says what is under way, then how it ended, unless something else was said meanwhile. Faults are
 * always said.
 */
export async function sayOutcome(underWay, ended) {
  say(underWay);
  const ownTurn = turn;
  const { text, tone } = await ended;
  if (turn === ownTurn || tone === "fault") say(text, tone);
}

/**
 * @param {{cells: Record<string, string>, changed: string[], ball: string, mode: string, note:
 *   string}} strip
 */
export function drawStrip({ cells, changed, ball, mode, note }) {
  const cell = (name) => document.querySelector(`[data-strip="${name}"]`);
  for (const [name, words] of Object.entries({ ...cells, mode, note })) {
    const box = cell(name);
    if (box.textContent !== words) box.textContent = words;
    box.classList.toggle("is-unsent", changed.includes(name));
  }
  for (const side of ["home", "away"]) {
    /** @type {HTMLElement} */ (cell(`${side}-ball`)).hidden = ball !== side;
    cell(side).parentElement.classList.toggle("has-ball", ball === side);
  }
  /** @type {HTMLElement} */ (cell("note")).hidden = !note;
}

/** @param {{state: string, words: string}} line */
export function drawLine(line) {
  const badge = byId("line");
  if (badge.textContent !== line.words) badge.textContent = line.words;
  badge.dataset.state = line.state;
}

/** What else there is to know about this browser, a sentence each. @param {string[]} notices */
export function drawNotices(notices) {
  const box = byId("notices");
  if (box.textContent !== notices.join(""))
    box.replaceChildren(...notices.map((words) => el("p", {}, words)));
  box.hidden = !notices.length;
}

/**
 * Who scores, and the button that takes the game.
 * @param {{state: string, words: string, take: string}} view
 */
export function drawLease(view) {
  const box = byId("lease");
  if (box.dataset.state !== view.state || byId("lease-words").textContent !== view.words) {
    box.dataset.state = view.state;
    byId("lease-words").textContent = view.words;
  }
  byId("take-words").textContent = view.take;
  byId("take").hidden = !view.take;
}

const STATES = {
  keeping: "Saving here",
  waiting: "Saved here",
  sending: "Sending",
  retrying: "Not sent, retrying",
  refused: "Refused",
  held: "To compare",
};

/** Entries that the server has not accepted yet, oldest first. */
export function drawUnsent(items) {
  byId("unsent").replaceChildren(
    ...items.map((item, index) =>
      el(
        "li",
        { "data-state": item.state },
        el(
          "strong",
          { class: "state" },
          index && item.state !== "keeping" ? "Waiting its turn" : STATES[item.state],
        ),
        el("span", {}, item.words),
        item.fault ? el("span", { class: "why" }, item.fault) : null,
      ),
    ),
  );
  byId("unsent-box").hidden = !items.length;
}

/**
 * @param {{event_number: number, play_number: number, repeated?: boolean}[]} accepted  the events
 *   of one entry
 * @param {boolean} changed  its scorer changed it since it was refused or held
 */
export function sayRecorded(accepted, changed = false) {
  const [first, last] = [accepted[0], accepted.at(-1)];
  const range =
    accepted.length > 1
      ? `#${first.event_number} to #${last.event_number}`
      : `#${first.event_number}`;
  const recorded = `Recorded as ${range}, play ${last.play_number}`;
  // The entry keeps one key, so it is recorded only once no matter who sent it first.
  if (changed && accepted.every(({ repeated }) => repeated))
    say(`${recorded} before this was sent. Check whether it fits your change.`, "fault");
  else say(`${recorded}.`, "good");
}

/**
 * Says that the server refused an entry, or wants it compared first. If the one before it was
 * recorded a moment ago, that stays in view: both answers come within one round trip.
 * @param {import("../queue/queue.js").Item} item
 */
export function sayRefused({ state, fault }) {
  const line = byId("said");
  const before = line.dataset.tone === "good" ? `${line.textContent} The next one: ` : "";
  const words =
    state === "held"
      ? `Not sent: ${fault}`
      : `Refused: ${fault} Press a to correct it, z to drop it. Later entries wait.`;
  say(before + words, "fault");
}

/**
 * what hindered the first entry when it was last said, so that it is said once, not at every try
 */
let lastHindrance = "";

/**
 * Says why the first entry was not sent.
 * @param {import("../queue/queue.js").Item|undefined} first
 * @param {boolean} busy  something is being entered: what is said then stays
 */
export function sayHindrance(first, busy) {
  const hindered = first?.state === "retrying" ? `${first.key} ${first.fault}` : "";
  if (hindered && hindered !== lastHindrance && !busy)
    say(`Not sent (${first.fault}). It is saved here and retried every 2 seconds.`, "fault");
  if (!first || hindered) lastHindrance = hindered;
}

/**
 * Says that an entry is being taken out of the queue, then what came of it.
 * @param {string} underWay
 * @param {Promise<boolean>} isOut  whether it is out
 * @param {string} done
 * @param {() => void} failed  runs before the failure is said
 */
export function sayTakenOut(underWay, isOut, done, failed) {
  return sayOutcome(
    underWay,
    isOut.then((out) => {
      if (out) return { text: done, tone: "plain" };
      failed();
      return {
        text: "The last entry could not be removed. Another tab may have been faster. It is either unsent or recorded.",
        tone: "fault",
      };
    }),
  );
}

export function openHelp() {
  /** @type {HTMLDialogElement} */ (byId("help")).showModal();
}
