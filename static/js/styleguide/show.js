/** Shows pictures of states: of what stands in templates, and of what is drawn on the stage. */
import { pictureOf } from "./picture.js";

/** Adds what stands in the page's templates to the states of its component. */
export function showTemplates() {
  for (const template of document.querySelectorAll("template"))
    if (template.dataset.of)
      show(template.dataset.of, template.dataset.title, template.content.firstElementChild);
}

/**
 * Draws each state on the stage, and shows it. The stage goes when all are shown.
 * @param {import("./states/state.js").State[]} states
 * @param {() => void} drawRest  before each of them
 */
export async function showStates(states, drawRest) {
  const stage = document.getElementById("stage");
  for (const { of, title, draw, element = "#entry", parts } of states) {
    drawRest();
    await draw();
    // a signed-in scorer's page has the dialog of leaving outside the stage
    const component = stage.querySelector(element) ?? document.querySelector(element);
    show(of, title, component, parts);
    if (component instanceof HTMLDialogElement) component.close();
  }
  stage.remove();
  document.addEventListener("submit", stay);
  document.addEventListener("click", stay);
}

/**
 * Adds a picture to the states of its component.
 * @param {string} of @param {string} title @param {Element} component @param {string[]} [parts]
 */
function show(of, title, component, parts) {
  const section = /** @type {HTMLElement} */ (document.querySelector(`[data-component="${of}"]`));
  const heading = section.querySelector("h2").textContent;
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  const frame = document.createElement("div");
  caption.textContent = title;
  frame.className = section.dataset.frame;
  frame.append(pictureOf(component, `${heading}, ${title}`, parts));
  figure.append(caption, frame);
  section.querySelector(".states").append(figure);
}

/** Links and forms in a picture lead nowhere. @param {Event} event */
function stay(event) {
  if (/** @type {Element} */ (event.target).closest(".states :is(a, form)")) event.preventDefault();
}
