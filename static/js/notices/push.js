/**
 * Enables push messages for this browser. The permission is only requested when the member taps.
 * The form beside it, which needs no script, chooses what is pushed.
 */

import { postJson } from "../requests/post_json.js";

const place = /** @type {HTMLElement} */ (document.getElementById("this-device"));
const button = /** @type {HTMLButtonElement} */ (document.getElementById("push-on"));
const IOS =
  /iPhone|iPad|iPod/.test(navigator.userAgent) ||
  (navigator.platform === "MacIntel" && navigator.maxTouchPoints > 1);
const WORDS = {
  unsupported: "This browser does not support push notifications.",
  ios: "On an iPhone or iPad, install the app first: tap Share, then Add to Home Screen, and come back here in the app.",
  denied:
    "Your browser is blocking notifications from Pressbox. Allow them in its settings for this site, then reload this page.",
  off: "Push notifications are off on this device.",
  on: "Push notifications are on for this device.",
  asking: "Allow notifications in the browser prompt.",
};

/** @param {keyof typeof WORDS | string} state */
function say(state) {
  const status = /** @type {HTMLElement} */ (document.getElementById("push-said"));
  status.textContent = WORDS[/** @type {keyof typeof WORDS} */ (state)] ?? state;
  button.hidden = state !== "off" && state in WORDS;
}

/** @param {string} text base64url */
const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) =>
    letter.charCodeAt(0),
  );

async function stateNow() {
  if (!("serviceWorker" in navigator && "PushManager" in window && "Notification" in window))
    return IOS ? "ios" : "unsupported";
  if (Notification.permission === "denied") return "denied";
  const registration = await navigator.serviceWorker.getRegistration("/");
  const subscription = await registration?.pushManager.getSubscription();
  return subscription && place.dataset.here && Notification.permission === "granted" ? "on" : "off";
}

/** A subscription under our current key. One under an older key is ended. */
async function subscribed() {
  const { pushManager } = await worker();
  const options = { userVisibleOnly: true, applicationServerKey: bytesOf(place.dataset.key ?? "") };
  try {
    return await pushManager.subscribe(options);
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== "InvalidStateError") throw error;
    await (await pushManager.getSubscription())?.unsubscribe();
    return pushManager.subscribe(options);
  }
}

async function worker() {
  await navigator.serviceWorker.register("/sw.js");
  return navigator.serviceWorker.ready;
}

async function switchOn() {
  button.disabled = true;
  say("asking");
  try {
    if ((await Notification.requestPermission()) !== "granted") return say(await stateNow());
    const subscription = await subscribed().catch((error) => {
      console.warn("Not switched on:", error);
      throw new Error("Your browser's push service did not answer. Try again in a minute.");
    });
    const answer = await postJson(place.dataset.send ?? "", place.dataset.csrf ?? "", subscription);
    return location.assign(answer.next);
  } catch (error) {
    return say(error instanceof Error ? error.message : `${error}`);
  } finally {
    button.disabled = false;
  }
}

button.addEventListener("click", switchOn);
say(await stateNow());
