/** Who is signed in in this browser, by the server's answer, against whose page this is. */

const PATIENCE_MS = 8000;

/** The member whose page this is; "" for nobody's. */
export const member = () => document.body.dataset.member ?? "";

/** @typedef {"same" | "signed out" | "another member" | "no connection"} State */

/**
 * Compares who is signed in now with whose page this is. If it is the same, the page's forms get a
 * token that is valid now; one of a former session is refused.
 * @returns {Promise<State>}
 */
export async function checkSession() {
  try {
    const response = await fetch("/session", {
      cache: "no-store",
      redirect: "error",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (!response.ok) return "no connection";
    const session = await response.json();
    if (session.member !== member() && member())
      return session.member ? "another member" : "signed out";
    for (const field of /** @type {NodeListOf<HTMLInputElement | HTMLButtonElement>} */ (
      document.querySelectorAll("[name=csrf_token]")
    )) {
      field.value = session.csrf_token;
    }
    return "same";
  } catch {
    return "no connection";
  }
}

const RETURNING = "pressbox:returning";

/**
 * Leads to the sign-in page and from there back here. A script that keeps what was typed by itself
 * hears `pressbox:sign-in` first, gives the address to come back to in `detail.next`, and sets
 * `detail.isKept`.
 * @param {() => void} keep  keeps what was typed, if no script does
 */
export function signIn(keep = () => {}) {
  const leaving = new CustomEvent("pressbox:sign-in", {
    detail: { next: location.pathname + location.search, isKept: false },
  });
  document.dispatchEvent(leaving);
  if (!leaving.detail.isKept) keep();
  try {
    sessionStorage.setItem(RETURNING, member());
  } catch {
    // Nothing needs to be said on the way back.
  }
  location.assign(signInAddress(leaving.detail.next));
}

/** @param {string} [next] */
export const signInAddress = (next = location.pathname + location.search) =>
  `/sign-in?next=${encodeURIComponent(next)}`;

/** Whether this is the page to which the sign-in led this member back. */
export function isBack() {
  if (!member() || sessionStorage.getItem(RETURNING) === null) return false;
  const isSame = sessionStorage.getItem(RETURNING) === member();
  sessionStorage.removeItem(RETURNING);
  return isSame;
}
