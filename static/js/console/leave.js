/**
 * Signing out on a scorer's browser, on every page: warns when entries are not sent yet, and clears
 * the pages that were kept for them. On any page of a scorer it also clears those of the previous
 * scorer.
 */
import { askToLeave } from "./panel/leave_dialog.js";
import { countWaiting, forgetLives } from "./queue/store.js";

const form = /** @type {HTMLFormElement} */ (document.querySelector("form[data-scorer]"));
const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("leave"));
const scorer = form.dataset.scorer;

/** Forgets the kept pages of all scorers but one. */
async function clear(but) {
  if (!window.caches) return;
  const names = (await caches.keys()).filter(
    (name) => name.startsWith("console-page:") && !name.startsWith(`console-page:${but}:`),
  );
  await Promise.all(names.map((name) => caches.delete(name)));
}

async function leave() {
  await clear(null);
  await forgetLives(scorer).catch((error) =>
    console.warn("This scorer’s data could not be removed:", error),
  );
  form.submit();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  // a browser that keeps nothing has nothing that waits
  const count = await countWaiting(scorer).catch(() => 0);
  const away = !navigator.onLine;
  if (!count && !away) return leave();
  askToLeave(count, away);
  return undefined;
});
dialog.addEventListener("close", () => dialog.returnValue === "leave" && leave());
clear(scorer);
