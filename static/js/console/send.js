/** The way to the server: one entry, one POST, and what its answer means for the queue. */

const PATIENCE_MS = 8000;

/** The fault of an entry that did not reach the server. */
export const CUT = "no connection";

/**
 * Sends an entry. Never throws: a lost line, a sleeping server or an old sign-in means ‘try again’.
 * @param {{enterUrl: string, pageUrl: string, scorer: string}} setup  of the page
 * @param {{key: string, entries: object[]}} item
 * @returns {Promise<{ok: true, answer: object}|{ok: false, refused: boolean, fault: string}>}
 */
export async function sendEntry(setup, { key, entries }) {
  let response;
  try {
    response = await fetch(setup.enterUrl, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": token() },
      body: JSON.stringify({ key, entries, scorer: setup.scorer }),
      signal: AbortSignal.timeout(PATIENCE_MS),
      redirect: "error",
    });
    if (response.ok) return { ok: true, answer: await response.json() };
    if (response.status === 422) return { ok: false, refused: true, fault: (await response.json()).error };
  } catch {
    return { ok: false, refused: false, fault: CUT };
  }
  const name = response.status === 400 ? await renewToken(setup) : { 403: OTHER, 404: NOBODY }[response.status];
  if (name) return { ok: false, refused: false, fault: name };
  return { ok: false, refused: false, fault: `the server answered ${response.status}` };
}

const NOBODY = "you are signed out: sign in as a scorer in another tab, this one goes on by itself";
const OTHER = "somebody else is signed in now: sign in with your own name in another tab, this one goes on by itself";

const meta = () => document.querySelector('meta[name="csrf-token"]');
const token = () => meta()?.content ?? "";

/**
 * After a new sign-in the old token is worth nothing: the console's own page has the new one. Only if it is the same
 * scorer's: nobody's entries go under another name. Gives what stands in the way, or nothing.
 */
async function renewToken({ pageUrl, scorer }) {
  try {
    const answer = await fetch(pageUrl, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (!answer.ok) return NOBODY;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector('meta[name="csrf-token"]');
    if (!fresh) return NOBODY;
    if (JSON.parse(page.getElementById("setup").textContent).scorer !== scorer) return OTHER;
    meta().content = fresh.content;
    return undefined;
  } catch {
    return undefined; // the line went down meanwhile: the next try will tell
  }
}
