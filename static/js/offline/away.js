/**
 * Script of the page that is shown instead of one that is not kept: lists the kept pages, the last
 * seen first.
 */

const list = document.getElementById("kept");

export {}; // a module, because it uses await
for (const name of window.caches ? await caches.keys() : []) {
  if (!name.startsWith("pages:")) continue;
  const cache = await caches.open(name);
  for (const request of [...(await cache.keys())].reverse()) {
    const html = await (await cache.match(request)).text();
    const link = document.createElement("a");
    link.href = request.url;
    link.textContent = new DOMParser()
      .parseFromString(html, "text/html")
      .title.replace(/ · Pressbox$/, "");
    const item = document.createElement("li");
    item.append(link);
    list.append(item);
  }
}
document.getElementById("kept-pages").hidden = !list.children.length;
document.getElementById("again").addEventListener("click", () => location.reload());
window.addEventListener("online", () => location.reload());
