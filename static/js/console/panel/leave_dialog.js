/** Asks before a scorer signs out while entries are not sent (templates/console/_leave.html). */

/** @param {number} count  entries that are not sent @param {boolean} isAway  there is no network */
export function askToLeave(count, isAway) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("leave"));
  dialog.querySelector("p").textContent = isAway
    ? "You’re offline, so we can’t sign you out. Your entries stay in this browser."
    : `${entriesWords(count)} sent when you sign in here again and open the game.`;
  /** @type {HTMLElement} */ (dialog.querySelector("[value=leave]")).hidden = isAway;
  dialog.showModal();
}

const entriesWords = (count) =>
  count === 1
    ? "1 entry hasn’t been sent yet. It stays in this browser and is"
    : `${count} entries haven’t been sent yet. They stay in this browser and are`;
