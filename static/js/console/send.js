/** The way to the server: one entry, one POST, and what its answer means for the queue. */

const PATIENCE_MS = 8000;

/**
 * Sends an entry. Never throws: a lost line, a sleeping server or an old sign-in means ‘try again’.
 * @param {string} url
 * @param {{key: string, entries: object[]}} item
 * @returns {Promise<{ok: true, answer: object}|{ok: false, refused: boolean, fault: string}>}
 */
export async function sendEntry(url, { key, entries }) {
  let response;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": token() },
      body: JSON.stringify({ key, entries }),
      signal: AbortSignal.timeout(PATIENCE_MS),
      redirect: "error",
    });
    if (response.ok) return { ok: true, answer: await response.json() };
    if (response.status === 422) return { ok: false, refused: true, fault: (await response.json()).error };
  } catch {
    return { ok: false, refused: false, fault: "no connection" };
  }
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
