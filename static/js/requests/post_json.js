const PATIENCE_MS = 15_000;

/**
 * Send JSON and return the answer. Used by buttons that a form without a script cannot stand for.
 *
 * Rejects with an Error whose message is a sentence for the member: why it did not work and what to
 * do next.
 * @param {string} address
 * @param {string} csrf
 * @param {object} body
 * @returns {Promise<any>}
 */
export async function postJson(address, csrf, body) {
  let response;
  try {
    response = await fetch(address, {
      method: "POST",
      headers: {
        Accept: "application/json",
        "Content-Type": "application/json",
        "X-CSRFToken": csrf,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
  } catch {
    throw new Error("No connection to Pressbox. Try again when you are back online.");
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw new Error(answer.detail || "That didn't work. Reload the page and try again.");
}
