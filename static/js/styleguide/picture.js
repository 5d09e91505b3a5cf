/**
 * Pictures of components: copies that can stand beside each other in one page. Ids, and what refers
 * to them, are made unique, and landmarks get the state into their names.
 */

const REFERENCES = [
  "for",
  "list",
  "aria-controls",
  "aria-describedby",
  "aria-labelledby",
  "aria-activedescendant",
];
const LANDMARKS = "section, header, form, [role=region], [role=search]";

let count = 0;

/**
 * @param {Element} component
 * @param {string} state  in words
 * @param {string[]} parts  which of the component's children are shown; empty: all
 * @returns {HTMLElement}
 */
export function pictureOf(component, state, parts = []) {
  const copy = /** @type {HTMLElement} */ (component.cloneNode(true));
  copy.hidden = false;
  if (parts.length)
    for (const child of [...copy.children])
      if (!child.matches(["h2", ...parts].join())) child.remove();
  const elements = [copy, ...copy.querySelectorAll("*")];
  for (const element of elements)
    if (element.matches(LANDMARKS)) nameLandmark(element, copy, state);
  count += 1;
  makeUnique(elements, `-state-${count}`);
  return copy;
}

/** @param {Element} element @param {Element} copy @param {string} state */
function nameLandmark(element, copy, state) {
  const labelledBy = element.getAttribute("aria-labelledby");
  const name = labelledBy
    ? copy.querySelector(`#${labelledBy}`)?.textContent.trim()
    : element.getAttribute("aria-label");
  if (!name && !element.matches("[role=search]")) return;
  element.removeAttribute("aria-labelledby");
  element.setAttribute("aria-label", `${name ?? "Search"}: ${state}`);
}

/** @param {Element[]} elements @param {string} suffix */
function makeUnique(elements, suffix) {
  const ids = new Set(elements.map((element) => element.id).filter(Boolean));
  for (const element of elements) {
    if (element.id) element.id += suffix;
    for (const name of REFERENCES) {
      const known = (element.getAttribute(name) ?? "").split(" ").filter((id) => ids.has(id));
      if (known.length) element.setAttribute(name, known.map((id) => id + suffix).join(" "));
      else element.removeAttribute(name);
    }
  }
}
