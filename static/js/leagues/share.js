// Sharing a link: the device's own sharing where it has one, and copying. Without this file the
// field with the link is there to copy from, in a box that has one.
const absolute = (/** @type {string} */ address) => new URL(address, location.href).href;

for (const box of document.querySelectorAll("[data-share]")) {
  const status = box.querySelector(".share-said");
  const field = box.querySelector("input");
  const shareButton = /** @type {HTMLButtonElement} */ (box.querySelector("[data-share-button]"));
  const copyButton = /** @type {HTMLButtonElement} */ (box.querySelector("[data-copy-button]"));

  const selectField = () => {
    field?.select();
    status.textContent = field ? "Copy the link from the box." : "The link is under Settings.";
  };

  if (navigator.share) {
    shareButton.hidden = false;
    shareButton.addEventListener("click", async () => {
      const { title, url } = shareButton.dataset;
      try {
        await navigator.share({ title, url: absolute(url) });
      } catch (error) {
        if (/** @type {Error} */ (error).name !== "AbortError") selectField(); // else: changed mind
      }
    });
  }
  if (navigator.clipboard) {
    copyButton.hidden = false;
    copyButton.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(absolute(copyButton.dataset.url));
        status.textContent = "Link copied.";
      } catch {
        selectField();
      }
    });
  }
}
