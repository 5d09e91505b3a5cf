/**
 * Registers the worker that shows our pages without a network: the kept page, if the device may
 * keep it (app/offline/keeping.py), else a page that says so. Says when the shown page is the kept
 * one.
 */

import { clockTime } from "../clock.js";

const workers = navigator.serviceWorker; // none without https
const here = location.pathname + location.search;
const keptPage = document.documentElement.dataset.kept;
let isChanged = false;

if (workers) {
  const [loading] = /** @type {PerformanceNavigationTiming[]} */ (
    performance.getEntriesByType("navigation")
  );
  const isFromWorker = loading?.workerStart > 0; // the worker has kept it already
  if (!isFromWorker) workers.ready.then(keepAll);
  workers
    .register("/sw.js")
    .catch((error) => console.warn("Pages will not be kept for a dead network:", error));
}
if (keptPage) say(new Date(keptPage));

// The page as changed by polls is kept when the member looks away or the line goes down, because
// only then is it needed.
document.addEventListener("htmx:afterSettle", () => {
  isChanged = true;
});
document.addEventListener("visibilitychange", () => document.hidden && keepState());
window.addEventListener("offline", keepState);

/**
 * Requests the first page of this device and its files again, because they were loaded without the
 * worker.
 * @param {ServiceWorkerRegistration} registration
 */
function keepAll({ active }) {
  const kinds = ["link", "script", "css", "img", "other"]; // other: imports of modules
  const loaded = /** @type {PerformanceResourceTiming[]} */ (
    performance.getEntriesByType("resource")
  );
  const files = loaded
    .filter(
      (entry) => kinds.includes(entry.initiatorType) && entry.name.startsWith(location.origin),
    )
    .map((entry) => entry.name);
  active.postMessage({ keep: here, files });
}

function keepState() {
  if (!isChanged || keptPage) return;
  isChanged = false;
  workers?.ready.then(({ active }) =>
    active.postMessage({
      keep: here,
      html: `<!doctype html>\n${document.documentElement.outerHTML}`,
    }),
  );
}

/** @param {Date} at  when the page was as it is shown */
function say(at) {
  const note = document.createElement("p");
  note.className = "kept";
  note.setAttribute("role", "status");
  const time = `${at.toLocaleDateString("en-GB", { weekday: "short" })} ${clockTime(at)}`;
  note.append(
    `You're offline. This page is from ${time}. You can't save anything until you reconnect. `,
  );
  const again = document.createElement("a");
  again.href = here;
  again.textContent = "Try again";
  note.append(again);
  document.getElementById("main").before(note);
  window.addEventListener("online", () => location.reload());
}
