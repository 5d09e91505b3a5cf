// Buttons that create a passkey or sign in with one. Each has data-passkey (register or sign-in),
// data-options and data-send (addresses), and data-csrf. Errors are shown in the element that
// data-said names.

import { postJson } from "../requests/post_json.js";

const NOT_USED = "No passkey was used. Try again, or use your password.";

/** @param {string} text base64url */
const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) =>
    letter.charCodeAt(0),
  );

/** @param {ArrayBuffer} bytes */
const textOf = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/** @param {any} options */
async function createCredential(options) {
  options.challenge = bytesOf(options.challenge);
  options.user.id = bytesOf(options.user.id);
  for (const credentialId of options.excludeCredentials || [])
    credentialId.id = bytesOf(credentialId.id);
  /** @type {any} */
  const credential = await navigator.credentials.create({ publicKey: options });
  const { clientDataJSON, attestationObject } = credential.response;
  return {
    id: credential.id,
    rawId: textOf(credential.rawId),
    type: credential.type,
    response: {
      clientDataJSON: textOf(clientDataJSON),
      attestationObject: textOf(attestationObject),
    },
  };
}

/** @param {any} options */
async function signed(options) {
  options.challenge = bytesOf(options.challenge);
  /** @type {any} */
  const credential = await navigator.credentials.get({ publicKey: options });
  const { clientDataJSON, authenticatorData, signature, userHandle } = credential.response;
  return {
    id: credential.id,
    rawId: textOf(credential.rawId),
    type: credential.type,
    response: {
      clientDataJSON: textOf(clientDataJSON),
      authenticatorData: textOf(authenticatorData),
      signature: textOf(signature),
      userHandle: userHandle ? textOf(userHandle) : null,
    },
  };
}

/** @param {HTMLButtonElement} button */
async function press(button) {
  const { passkey, options, send: address, csrf, said: statusId } = button.dataset;
  const place = document.getElementById(statusId || "");
  button.disabled = true;
  try {
    const publicKey = await postJson(options || "", csrf || "", {});
    const credential = await (passkey === "register"
      ? createCredential(publicKey)
      : signed(publicKey));
    const done = await postJson(address || "", csrf || "", credential);
    location.assign(done.next);
  } catch (error) {
    const reason =
      error instanceof Error && !(error instanceof DOMException) ? error.message : NOT_USED;
    if (place) place.textContent = reason;
    button.disabled = false;
  }
}

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (
  document.querySelectorAll("button[data-passkey]")
)) {
  if (!window.PublicKeyCredential) continue;
  button.hidden = false;
  button.addEventListener("click", () => press(button));
}
