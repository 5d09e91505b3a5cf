/** The way to the server: one POST, its answer, and what an entry's answer means for the queue. */

const PATIENCE_MS = 8000;

/**
 * Sends values as JSON. Never throws: `response` null means that the line is down.
 * @returns {Promise<{response: Response|null, answer: any}>}
 */
export async function post(url, values) {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": token() },
      body: JSON.stringify(values),
      signal: AbortSignal.timeout(PATIENCE_MS),
      redirect: "error",
    });
    const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
    return { response, answer: isJson ? await response.json() : null };
  } catch {
    return { response: null, answer: null };
  }
}

/** @typedef {{ok: true, answer: object}|{ok: false, refused: boolean, fault: string, situation?: object}} Sent */

/**
 * Sends an entry. A lost line, a sleeping server, a lost lease or an old sign-in means ‘try again’.
 * @param {string} url
 * @param {{key: string, entries: object[]}} item
 * @param {string} console  the name of this browser
 * @returns {Promise<Sent>}
 */
export async function sendEntry(url, { key, entries }, console) {
  const { response, answer } = await post(url, { key, entries, console });
  if (!response) return { ok: false, refused: false, fault: "no connection" };
  if (response.ok && answer) return { ok: true, answer };
  if (response.status === 422) return { ok: false, refused: true, fault: answer.error };
  if (response.status === 409) return { ok: false, refused: false, fault: answer.error, situation: answer.situation };
  const signedOut = response.status === 404 || (response.status === 400 && !(await renewToken()));
  if (signedOut) return { ok: false, refused: false, fault: "you are signed out: sign in as a scorer in another tab, this one goes on by itself" };
  return { ok: false, refused: false, fault: `the server answered ${response.status}` };
}

const meta = () => document.querySelector('meta[name="csrf-token"]');
const token = () => meta()?.content ?? "";

/** After a new sign-in the old token is worth nothing: the page's own address has the new one; false: signed out. */
async function renewToken() {
  try {
    const answer = await fetch(location.href);
    if (!answer.ok) return false;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector('meta[name="csrf-token"]');
    if (fresh && meta()) meta().content = fresh.content;
    return Boolean(fresh);
  } catch {
    return true; // the line went down meanwhile: the next try will tell
  }
}
