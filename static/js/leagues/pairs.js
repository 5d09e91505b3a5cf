// Founding a league and its settings: hides scoring rules under which a place of the chosen team
// could never score, and tie rules that the chosen table does not have. Without this file the
// server refuses the combination with a message at the field.
const format = /** @type {HTMLSelectElement | null} */ (document.getElementById("format"));
const rules = /** @type {HTMLSelectElement | null} */ (document.getElementById("rules"));
const statusLine = document.getElementById("pair-said");
const mode = /** @type {HTMLSelectElement | null} */ (document.getElementById("mode"));
const ties = /** @type {HTMLSelectElement | null} */ (document.getElementById("ties"));

const offer = () => {
  for (const option of rules.options) {
    option.disabled = option.hidden = !option.dataset.formats.split(" ").includes(format.value);
  }
};

const changed = () => {
  const before = rules.selectedOptions[0];
  offer();
  if (!before?.disabled) {
    statusLine.textContent = "";
    return;
  }
  rules.value = [...rules.options].find((option) => !option.disabled)?.value ?? "";
  statusLine.textContent = `Scoring is now ${rules.selectedOptions[0]?.text}: with ${before.text}, a slot in this format would score nothing.`;
};

if (format && rules && statusLine) {
  format.addEventListener("change", changed);
  offer();
}

const offerTies = () => {
  for (const option of ties.options) {
    option.disabled = option.hidden = (option.dataset.mode ?? mode.value) !== mode.value;
  }
  if (ties.selectedOptions[0]?.disabled) ties.value = ties.options[0].value;
};

if (mode && ties) {
  mode.addEventListener("change", offerTies);
  offerTies();
}
