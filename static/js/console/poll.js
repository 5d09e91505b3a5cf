/** The polled part of the page: what htmx asks for it, and what is learnt from the answer. */

/**
 * @param {string} consoleId  this browser's console, which keeps its lease by polling
 * @param {{shown: () => void, answered: (ok: boolean, xhr: XMLHttpRequest) => void}} on  `shown`: the new part is on the
 *        page; `answered`: after every poll, `ok` when the server answered
 */
export function listenToPolls(consoleId, on) {
  document.body.addEventListener("htmx:configRequest", (event) => {
    if (event.detail.elt.id === "live") event.detail.headers["X-Console"] = consoleId;
  });
  document.body.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target.id === "live" || /** @type {Element} */ (event.target).id === "live") on.shown();
  });
  document.body.addEventListener("htmx:afterRequest", (event) => {
    const { elt, xhr } = event.detail;
    if (elt.id === "live") on.answered(xhr.status >= 200 && xhr.status < 400, xhr);
  });
}

/**
 * An event that is older than the list, by its number.
 * @param {string} url  of the game's events
 * @param {number} number
 * @returns {Promise<{found: any, fault?: undefined}|{fault: string, found?: undefined}>}
 */
export async function readEvent(url, number) {
  try {
    const response = await fetch(`${url}/${number}`);
    if (response.ok) return { found: await response.json() };
    return { fault: response.status === 404 ? `There is no event ${number} in this game.` : `The server answered ${response.status}.` };
  } catch {
    return { fault: `Event ${number} cannot be read while the line is down; the last ones are in the list.` };
  }
}
