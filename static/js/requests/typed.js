/**
 * Keeps what was typed into a form while the way to the server fails: in this tab, for this member
 * and this page, until it is put back or was sent. Never passwords, codes, files or hidden fields.
 */
import { member } from "./session.js";

const UNSENT = "pressbox:unsent"; // the sign-in form is sent meanwhile
const SENT = "pressbox:sent";
const FIELDS =
  "input:not([type=hidden], [type=password], [type=file], [type=submit], [autocomplete=one-time-code]), select, textarea";

/**
 * @typedef {{name: string, value: string, checked: boolean, nth: number}} Field  `nth`: among those
 *   of the name and value
 */
/** @typedef {{member: string, page: string, saves: boolean, fields: Field[]}} Typed */
/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Control */

const page = () => location.pathname + location.search;
const isChoice = (control) => control.type === "checkbox" || control.type === "radio";
const sameKind = (name, value) => (control) =>
  control.name === name && (!isChoice(control) || control.value === value);

/** @type {(root: ParentNode) => Control[]} */
const controls = (root) =>
  [.../** @type {NodeListOf<Control>} */ (root.querySelectorAll(FIELDS))].filter(
    (control) => control.name,
  );

/** @type {(control: Control) => Field} */
function fieldOf(control) {
  const same = controls(document).filter(sameKind(control.name, control.value));
  return {
    name: control.name,
    value: control.value,
    checked: isChoice(control) && /** @type {HTMLInputElement} */ (control).checked,
    nth: same.indexOf(control),
  };
}

/**
 * @param {Element[]} roots  whose fields are kept
 * @param {{isSent?: boolean, saves?: boolean}} how  `isSent`: it is only put back if the reader
 *   comes back to the page without any answer; `saves`: the fields save themselves once they are
 *   put back
 */
export function keepTyped(roots, { isSent = false, saves = false } = {}) {
  const fields = roots.flatMap((root) => controls(root).map(fieldOf));
  try {
    if (fields.length)
      sessionStorage.setItem(
        isSent ? SENT : UNSENT,
        JSON.stringify({ member: member(), page: page(), saves, fields }),
      );
  } catch {
    // The browser stores nothing, so the texts exist only on this page.
  }
}

/**
 * Takes what is kept, if it is of this page and member.
 * @param {string} key
 * @returns {Typed | null}
 */
function take(key) {
  try {
    const typed = JSON.parse(sessionStorage.getItem(key) ?? "null");
    if (typed?.page !== page() || typed.member !== member()) return null;
    sessionStorage.removeItem(key);
    return typed;
  } catch {
    return null;
  }
}

/**
 * Puts back what was kept for this page and member.
 * @returns {"" | "put back" | "saves itself"}
 */
export function putBack() {
  const isError = document.querySelector("[data-error]");
  const [loading] = /** @type {PerformanceNavigationTiming[]} */ (
    performance.getEntriesByType("navigation")
  );
  // this page is the answer
  if (!isError && loading?.type !== "back_forward") sessionStorage.removeItem(SENT);
  const typed = isError ? null : (take(UNSENT) ?? take(SENT));
  if (!typed?.fields.filter(restore).length) return "";
  return typed.saves ? "saves itself" : "put back";
}

/** @type {(field: Field) => boolean} whether it was another value */
function restore({ name, value, checked, nth }) {
  const control = controls(document).filter(sameKind(name, value))[nth];
  if (!control) return false;
  if (isChoice(control)) {
    const choice = /** @type {HTMLInputElement} */ (control);
    if (choice.checked === checked) return false;
    choice.checked = checked;
  } else {
    if (control.value === value) return false;
    control.value = value;
  }
  control.dispatchEvent(new Event("input", { bubbles: true }));
  control.dispatchEvent(new Event("change", { bubbles: true }));
  return true;
}
