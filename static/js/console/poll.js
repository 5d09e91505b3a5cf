/**
 * The polled part of the page: the parameters of htmx's requests, and the processing of answers.
 */

/**
 * @param {string} consoleId  this browser's console, which keeps its lease by polling
 * @param {{shown: () => void, answered: (ok: boolean, xhr: XMLHttpRequest) => void}} on  `shown`:
 *   the new part is on the page; `answered`: after every poll, `ok` when the server answered
 */
export function listenToPolls(consoleId, on) {
  document.body.addEventListener("htmx:configRequest", (event) => {
    if (event.detail.elt.id === "live") event.detail.headers["X-Console"] = consoleId;
  });
  document.body.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target.id === "live" || /** @type {Element} */ (event.target).id === "live")
      on.shown();
  });
  document.body.addEventListener("htmx:afterRequest", (event) => {
    const { elt, xhr } = event.detail;
    if (elt.id === "live") on.answered(xhr.status >= 200 && xhr.status < 400, xhr);
  });
}

/**
 * The answer to a question that named an event or a play by its number, or that asks for people.
 * @param {{eventUrl: string, keys: Record<string, string>}} setup  of the page
 * @param {{fetch: any, of?: string}} asked  `of`: "plays", "footballers" (a page of a search),
 *   "naming" (the events that name somebody), else an event
 * @param {Step} step  the question
 * @returns {Promise<{answer?: any, fault?: string}>}
 */
async function lookedUp(setup, { fetch: number, of }, step) {
  if (of === "footballers") return searched(setup, number);
  if (of === "events") return foundEvents(setup, number);
  if (of === "naming") return eventsNaming(setup, number);
  if (of === "plays") {
    const { value: play, fault } = await readOne(
      setup.eventUrl.replace(/events$/, `plays/${number}`),
      `play ${number}`,
    );
    return {
      fault,
      answer: play && { ...play, label: number ? `play ${number}` : "before the first play" },
    };
  }
  const { value: event, fault } = await readOne(
    `${setup.eventUrl}/${number}`,
    `event ${number}`,
    "; the list shows the last ones",
  );
  if (fault) return { fault };
  if (step.fetch === "entry" && !event.undo.length)
    return {
      fault: `Nothing of event ${number} counts anymore. ${setup.keys.overturn} brings an event back with a new ruling.`,
    };
  return { answer: { ...event, label: `#${number}`, numbers: [number] } };
}

/**
 * Reads an answer and takes it, if its question is still open; what is typed meanwhile waits for
 * it.
 * @param {import("./entry/ahead.js").TypeAhead} ahead
 * @param {{isAsked: () => boolean, take: (answer: any) => void}} on
 * @returns {Promise<string>}  what went wrong, in words; "" for nothing
 */
export async function answeredLater(ahead, setup, asked, step, on) {
  let refusal = "";
  const untyped = await ahead.during(async () => {
    const { answer, fault } = await lookedUp(setup, asked, step);
    if (!on.isAsked()) return false;
    refusal = fault ?? "";
    if (!fault) on.take(answer);
    return !fault;
  });
  return refusal && untyped ? `${refusal} Not used from what you typed ahead: ${untyped}` : refusal;
}

async function searched(setup, { name, page }) {
  const asked = new URLSearchParams({ name, page: String(page) });
  const { value: footballers, fault } = await readOne(
    `${setup.eventUrl.replace(/events$/, "footballers")}?${asked}`,
    `page of footballers`,
  );
  if (fault) return { fault };
  if (!footballers.rows.length)
    return {
      fault: `No player’s name contains ‘${name}’. Try another part of it, or press Esc and n for a new player.`,
    };
  return {
    answer: { ...footballers, name, label: `‘${name}’${page > 1 ? `, page ${page}` : ""}` },
  };
}

async function eventsNaming(setup, { id, label, ...footballer }) {
  const { value: naming, fault } = await readOne(
    setup.eventUrl.replace(/events$/, `footballers/${encodeURIComponent(id)}/events`),
    `event of ${label}`,
  );
  if (fault) return { fault };
  if (!naming.count)
    return { fault: `No event of this game names ${label}, so there is nothing to move.` };
  return { answer: { ...naming, ...footballer, label } };
}

async function foundEvents(setup, text) {
  const { value: events, fault } = await readOne(
    `${setup.eventUrl}?${new URLSearchParams({ find: text })}`,
    "list of events",
  );
  if (fault) return { fault };
  if (!events.rows.length)
    return {
      fault: `No events match ‘${text}’. Try a player’s name, p12 for a play, q3 for a quarter, or a combination.`,
    };
  return { answer: { ...events, label: `‘${text}’${events.more ? ", the last of more" : ""}` } };
}

/** @returns {Promise<{value?: any, fault?: string}>} */
async function readOne(url, what, instead = "") {
  try {
    const response = await fetch(url);
    if (response.ok) return { value: await response.json() };
    return {
      fault:
        response.status === 404
          ? `There is no ${what} in this game.`
          : `The server answered ${response.status}.`,
    };
  } catch {
    return {
      fault: `${what[0].toUpperCase()}${what.slice(1)} cannot be loaded while you are offline${instead}.`,
    };
  }
}
