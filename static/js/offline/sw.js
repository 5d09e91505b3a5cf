/**
 * Members' pages without a network: the last state of each page that the server marked
 * (app/offline/keeping.py), the files that it needs, and for other pages one that lists the kept
 * ones. It also shows push messages. Entries of scorers have a separate worker.
 *
 * The server puts VERSION, FIRST (files to fetch in advance) and ICON above these lines. Every
 * sign-in or sign-out deletes the kept pages.
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
 * Keeps a page that was opened before this worker existed, or the state of one that a poll has
 * changed.
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
 * Shows a notice (app/fantasy/notices/deliveries.py). A notice with the same tag is replaced
 * silently.
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

/** Shows the page in the window that has it already, else in a new one. Other sites are ignored. */
async function openPage(url) {
  if (url.origin !== location.origin) return null;
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const same = windows.find((window) => window.url === url.href);
  return same ? same.focus() : self.clients.openWindow(url.href);
}

/** The page from the server; the kept one if there is no answer soon, or a server error. */
async function page(event, path) {
  const asked = fetch(event.request);
  // without a network there is nothing new to keep
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
 * Keeps a marked page and deletes those of other members and releases. A page that is gone is
 * deleted.
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

/** Replaces the kept page by its state after polls. */
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
  ); // without a network there is nothing new to keep
  const answer = await soon(asked);
  if (answer && answer.status < 500) return answer;
  return (await caches.match(event.request, { cacheName: FILES })) ?? answer ?? asked;
}

/** Adds the entry as the last one, and deletes the first ones if there are more than `most`. */
async function put(name, key, response, most) {
  const cache = await caches.open(name);
  await cache.put(key, response); // replaces the previous one, so that there is always one
  const keys = await cache.keys();
  await Promise.all(
    keys
      .slice(0, Math.max(0, keys.length - most))
      .filter((request) => !FIRST.includes(new URL(request.url).pathname))
      .map((request) => cache.delete(request)),
  );
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
