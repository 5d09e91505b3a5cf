/** The scorer's abbreviations on the page of the keys (templates/console/keys.html). */
import { listOf, parseMacros } from "./line/macros.js";
import { Settings } from "./settings.js";

const form = document.getElementById("macros");
const list = /** @type {HTMLTextAreaElement} */ (document.getElementById("macro-list"));
const outcome = document.getElementById("macro-said");
const settings = new Settings(form.dataset.scorerMacros);

list.value = listOf(settings.macros);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const { macros, error } = /** @type {any} */ (parseMacros(list.value));
  list.setAttribute("aria-invalid", error ? "true" : "false");
  if (!error) settings.set({ macros });
  outcome.textContent = error ?? "Kept. Consoles that are open use them after a reload.";
});
