/**
 * Members' pages without a network: the last state of each page that the server marked
 * (app/offline/keeping.py), the files that it needs, and for all others a page that lists what is
 * kept. And what is pushed to this device. Entries of scorers have a worker of their own.
 *
 * The server puts VERSION, FIRST (what to fetch before it is needed) and ICON above these lines.
 * Any sign-in or sign-out empties what is kept.
 */
/* global VERSION, FIRST, ICON */

const PATIENCE_MS = 5000;
const PAGES = "pages:";
const FILES = `files:${VERSION}`;
const AWAY = FIRST[0];
const MOST = { pages: 40, files: 200 };
const KINDS = new Set(["style", "script", "image", "font"]);
const isPages = (name) => name.startsWith(PAGES);
const isOurs = (name) => isPages(name) || name.startsWith("files:");

self.addEventListener("install", (event) => {
  const first = FIRST.map((path) => new Request(path, { credentials: "omit", cache: "reload" }));
  event.waitUntil(
    caches
      .open(FILES)
      .then((cache) => cache.addAll(first))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    forget(
      (name) => isOurs(name) && name !== FILES && !name.startsWith(`${PAGES}${VERSION}:`),
    ).then(() => self.clients.claim()),
  );
});

/**
 * A page that was opened before this worker was there asks to be kept; one that a poll has changed
 * brings its state.
 */
self.addEventListener("message", (event) => {
  const { keep, files, html } = event.data;
  // kept at the next load
  event.waitUntil((html ? keepState(keep, html) : keepAll(keep, files)).catch(() => {}));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== location.origin) return;
  if (["/sign-in", "/sign-out"].includes(url.pathname)) event.waitUntil(forget(isPages));
  if (request.method !== "GET" || url.pathname.startsWith("/console/")) return;
  if (request.mode === "navigate") event.respondWith(page(event, url.pathname + url.search));
  else if (KINDS.has(request.destination)) event.respondWith(file(event));
});

/**
 * A notice of a member's (app/fantasy/notices/deliveries.py). One that is shown already is replaced
 * by its tag, silently.
 */
self.addEventListener("push", (event) => {
  const { title, body, tag, path } = event.data.json();
  event.waitUntil(
    self.registration.showNotification(title, {
      body,
      tag,
      data: { path },
      icon: ICON,
      badge: ICON,
    }),
  );
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPage(new URL(event.notification.data.path, location.origin)));
});

/**
 * Shows the page: in the window that has it already, else in a new one; nothing of another site.
 */
async function openPage(url) {
  if (url.origin !== location.origin) return null;
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const same = windows.find((window) => window.url === url.href);
  return same ? same.focus() : self.clients.openWindow(url.href);
}

/**
 * The page from the server; when there is no answer soon, or only that it is broken, the kept one.
 */
async function page(event, path) {
  const asked = fetch(event.request);
  // no network: nothing new to keep
  event.waitUntil(asked.then((response) => keepPage(path, response.clone())).catch(() => {}));
  const answer = await soon(asked);
  if (answer && answer.status < 500) return answer;
  const copy = await keptPage(path);
  return copy ?? answer ?? asked.catch(() => caches.match(AWAY));
}

async function keepAll(path, files) {
  for (const address of files) await put(FILES, address, await fetch(address), MOST.files);
  await keepPage(path, await fetch(path));
}

async function keptPage(path) {
  const copy = await caches.match(path);
  if (!copy?.headers.get("Pressbox-Keep")) return null;
  const html = await copy.text();
  const at = new Date(copy.headers.get("Date") ?? Date.now()).toISOString();
  return new Response(html.replace("<html", `<html data-kept="${at}"`), {
    status: 200,
    headers: copy.headers,
  });
}

/**
 * Keeps a marked page and forgets those of everybody else and of other releases; a page that is
 * gone is forgotten.
 */
async function keepPage(path, response) {
  if ([403, 404, 410].includes(response.status))
    for (const name of (await caches.keys()).filter(isPages))
      await (await caches.open(name)).delete(path);
  const mark = response.headers.get("Pressbox-Keep");
  if (response.status !== 200 || !mark || response.redirected) return;
  const name = PAGES + mark;
  await forget((other) => isPages(other) && other !== name);
  await put(name, path, response, MOST.pages);
}

/** The page as polls have left it, in the place of the one that was loaded. */
async function keepState(path, html) {
  for (const name of (await caches.keys()).filter(isPages)) {
    const copy = await (await caches.open(name)).match(path);
    if (!copy) continue;
    const headers = new Headers(copy.headers);
    headers.set("Date", new Date().toUTCString());
    await put(name, path, new Response(html, { headers }), MOST.pages);
  }
}

async function file(event) {
  const asked = fetch(event.request);
  event.waitUntil(
    asked
      .then((response) => response.ok && put(FILES, event.request, response.clone(), MOST.files))
      .catch(() => {}),
  ); // no network: nothing new to keep
  const answer = await soon(asked);
  if (answer && answer.status < 500) return answer;
  return (await caches.match(event.request, { cacheName: FILES })) ?? answer ?? asked;
}

/** Puts it last; the first ones go when there are more than `most`. */
async function put(name, key, response, most) {
  const cache = await caches.open(name);
  await cache.put(key, response); // in place of the one before: there is always one
  const keys = await cache.keys();
  await Promise.all(
    keys
      .slice(0, Math.max(0, keys.length - most))
      .filter((request) => !FIRST.includes(new URL(request.url).pathname))
      .map((request) => cache.delete(request)),
  );
}

/** What was asked for, or null when it fails or takes too long. */
function soon(asked) {
  return Promise.race([
    asked.catch(() => null),
    new Promise((resolve) => setTimeout(resolve, PATIENCE_MS, null)),
  ]);
}

async function forget(test) {
  await Promise.all((await caches.keys()).filter(test).map((name) => caches.delete(name)));
}
