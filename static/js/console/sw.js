/**
 * Keeps the console of a game usable when the page is reloaded without a network: the last good
 * page of each game and the files that it needs. Never an entry, a fragment or anything of another
 * scorer; a sign-out empties it (leave.js).
 *
 * The server puts VERSION (the release, which is part of each address in FILES) and FILES above
 * these lines (scorer_console/offline/service_worker.py); a page is kept only beside files of its
 * own version, so that page and scripts always fit.
 */
/* global VERSION, FILES */

const PATIENCE_MS = 3000;
const PAGES = "console-page:";
const FILES_HERE = `console-files:${VERSION}`;
const isGame = (path) => /^\/console\/[^/]+(\/spotter)?$/.test(path);

/**
 * pages shown from here: their scripts and styles come from here too, without asking a dead line
 * first
 */
const shownFromHere = new Set();

self.addEventListener("install", (event) => {
  const fresh = FILES.map((path) => new Request(path, { cache: "reload" }));
  event.waitUntil(
    caches
      .open(FILES_HERE)
      .then((cache) => cache.addAll(fresh))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    forget((name) => name.startsWith("console-") && !name.endsWith(`:${VERSION}`)).then(() =>
      self.clients.claim(),
    ),
  );
});

/** A page that was opened before this worker existed asks to be kept. */
self.addEventListener("message", (event) => {
  const { keep } = event.data;
  if (keep && isGame(keep))
    event.waitUntil(
      fetch(keep)
        .then((response) => keepPage(keep, response))
        .catch(() => {}),
    ); // kept at the next load
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (request.mode === "navigate" && isGame(url.pathname))
    event.respondWith(page(event, url.pathname));
  else if (FILES.includes(url.pathname)) event.respondWith(file(event, url.pathname));
});

/**
 * The page from the server; when there is no answer soon, or only that it is broken, the kept one.
 */
async function page(event, path) {
  const asked = fetch(event.request);
  // without a network there is nothing new to keep
  event.waitUntil(asked.then((response) => keepPage(path, response.clone())).catch(() => {}));
  const answer = await soon(asked);
  if (answer && answer.status < 500) return answer;
  const copy = await caches.match(path);
  if (!copy) return answer ?? asked.catch(() => nothingKept());
  shownFromHere.add(event.resultingClientId);
  const html = await copy.text();
  return new Response(html.replace("<html", "<html data-kept"), {
    status: 200,
    headers: copy.headers,
  });
}

/**
 * Keeps a good page of a signed-in scorer and forgets those of everybody else; a page that is gone
 * is forgotten.
 */
async function keepPage(path, response) {
  const [version, scorer] = (response.headers.get("Pressbox-Keep") ?? "").split(":");
  if (response.status === 404)
    await Promise.all(
      (await caches.keys())
        .filter(isPages)
        .map(async (name) => (await caches.open(name)).delete(path)),
    );
  if (response.status !== 200 || !scorer) return;
  await forget((name) => isPages(name) && !name.startsWith(`${PAGES}${scorer}:`));
  if (version === VERSION)
    await (await caches.open(`${PAGES}${scorer}:${VERSION}`)).put(path, response);
  else await self.registration.update();
}

const isPages = (name) => name.startsWith(PAGES);

async function file(event, path) {
  const copy = await caches.match(path, { cacheName: FILES_HERE });
  if (copy && shownFromHere.has(event.clientId)) return copy;
  const asked = fetch(event.request);
  const answer = await soon(asked);
  if (answer && answer.status < 500) return answer;
  return copy ?? answer ?? asked;
}

/** The response, or null if the request fails or takes too long. */
function soon(asked) {
  return Promise.race([
    asked.catch(() => null),
    new Promise((resolve) => setTimeout(resolve, PATIENCE_MS, null)),
  ]);
}

async function forget(test) {
  await Promise.all((await caches.keys()).filter(test).map((name) => caches.delete(name)));
}

function nothingKept() {
  const text =
    "You’re offline, and this browser has no saved console for this game. Try again when you’re back online.";
  return new Response(text, {
    status: 503,
    headers: { "Content-Type": "text/plain; charset=utf-8" },
  });
}
