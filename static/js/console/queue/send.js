/** Sends to the server: one POST, its answer, and what the answer means for the queue. */

const PATIENCE_MS = 8000;

/** The fault of an entry that did not reach the server. */
export const CUT = "no connection";

/**
 * Sends values as JSON. Never throws: `response` null means that the line is down.
 * @param {string} url @param {object} values
 * @param {AbortController} stopping  with which the caller may end it
 * @returns {Promise<{response: Response|null, answer: any}>}
 */
export async function post(url, values, stopping = new AbortController()) {
  const timer = setTimeout(() => stopping.abort(), PATIENCE_MS);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": token() },
      body: JSON.stringify(values),
      signal: stopping.signal,
      redirect: "error",
    });
    const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
    return { response, answer: isJson ? await response.json() : null };
  } catch {
    return { response: null, answer: null };
  } finally {
    clearTimeout(timer);
  }
}

/** @typedef {{ok: boolean, answer?: any, refused?: boolean, fault?: string, held?: boolean, situation?: any}} Sent  `answer` when it was
 *           accepted, else the `fault`; `held`: another scorer has or had the game since it was
 *           made */
/** @typedef {{enterUrl: string, pageUrl: string, member: string}} Setup  of the page */

/**
 * Sends an entry. It is tried again if the line, the server, the lease or the sign-in is lost.
 * @param {Setup} setup
 * @param {{key: string, entries: object[], made?: import("./handover.js").Made}} item
 * @param {string} console  the name of this browser
 * @returns {Promise<Sent>}
 */
export async function sendEntry(setup, { key, entries, made }, console) {
  const { response, answer } = await post(setup.enterUrl, {
    key,
    entries,
    console,
    scorer: setup.member,
    made_under: made?.epoch ?? 0,
  });
  if (response?.ok && answer) return { ok: true, answer };
  if (response?.status === 422) return { ok: false, refused: true, fault: answer.error };
  if (response?.status === 409)
    return {
      ok: false,
      refused: false,
      held: Boolean(answer.held),
      fault: answer.error,
      situation: answer.situation,
    };
  return { ok: false, refused: false, fault: await hindrance(setup, response) };
}

/**
 * How the queue sends. The server is asked even while somebody else has the game, because only it
 * knows whether the entry was accepted before. If it was not, the server refuses it, and it is
 * never sent again by itself (decision 8).
 * @param {Setup} setup @param {import("./lease.js").Lease} lease
 * @param {(situation: object) => void} learn  takes the situation that came with a refusal
 */
export const sender = (setup, lease, learn) => async (item) => {
  const fault = await lease.hold();
  if (fault) return { ok: false, refused: false, fault };
  const sent = await sendEntry(setup, item, lease.id);
  if (sent.situation) learn(sent.situation);
  return sent;
};

/**
 * Why a POST failed; an old token is renewed on the way.
 */
export async function hindrance(setup, response) {
  if (!response) return CUT;
  const who =
    response.status === 400
      ? await renewToken(setup)
      : { 403: OTHER, 404: NOBODY }[response.status];
  return who ?? `the server answered ${response.status}`;
}

const NOBODY =
  "you are signed out. Sign in as a scorer in another tab, and this one continues automatically";
const OTHER =
  "someone else is signed in. Sign in with your own name in another tab, and this one continues automatically";

/** @returns {HTMLMetaElement|null} */
const meta = (page = document) => page.querySelector('meta[name="csrf-token"]');
const token = () => meta()?.content ?? "";

/**
 * After a new sign-in the old token is void; the console's own page has the new one. It is taken
 * only if the same scorer signed in, so that no entry is sent under another name. Returns what
 * hinders it, or nothing.
 */
async function renewToken({ pageUrl, member }) {
  try {
    const answer = await fetch(pageUrl, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (!answer.ok) return NOBODY;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = meta(page);
    if (!fresh) return NOBODY;
    if (JSON.parse(page.getElementById("own").textContent).member !== member) return OTHER;
    meta().content = fresh.content;
    return undefined;
  } catch {
    return undefined; // the line went down meanwhile; the next try will notice
  }
}
