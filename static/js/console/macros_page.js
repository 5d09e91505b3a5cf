/** The scorer's abbreviations on the page of the keys (templates/console/keys.html). */
import { drawKept } from "./line/kept.js";
import { listOf, parseMacros } from "./line/macros.js";
import { Settings } from "./settings.js";

const form = document.getElementById("macros");
const list = /** @type {HTMLTextAreaElement} */ (document.getElementById("macro-list"));
const settings = new Settings(form.dataset.scorerMacros);

list.value = listOf(settings.macros);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const { macros, error } = /** @type {any} */ (parseMacros(list.value));
  if (!error) settings.set({ macros });
  drawKept(error);
});
