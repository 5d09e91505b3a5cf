// The share button of a play: the device's own sharing where it has one, else the link is copied.
// Without this file the field with the link is there to copy from.
const shareButton = /** @type {HTMLButtonElement | null} */ (
  document.getElementById("share-button")
);
const shareSaid = document.getElementById("share-said");

const share = async () => {
  const { title, url } = shareButton.dataset;
  try {
    if (navigator.share) {
      await navigator.share({ title, url });
      return;
    }
    await navigator.clipboard.writeText(url);
    shareSaid.textContent = "The link is copied.";
  } catch (error) {
    if (/** @type {Error} */ (error).name === "AbortError") return; // they changed their mind
    /** @type {HTMLInputElement} */ (document.getElementById("share-address")).select();
    shareSaid.textContent = "Copy the link from the field.";
  }
};

if (shareButton && (navigator.share || navigator.clipboard)) {
  shareButton.hidden = false;
  if (!navigator.share) shareButton.textContent = "Copy link";
  shareButton.addEventListener("click", share);
}
