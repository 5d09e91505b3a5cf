// Puts the initials of a team's name on the crests to choose from while the name is typed. Without
// this file they have those of the name that the page began with.
const nameField = /** @type {HTMLInputElement | null} */ (document.getElementById("team_name"));
const letters = document.querySelector(".team-colors symbol text");

const initials = (/** @type {string} */ name) => {
  const firsts = name
    .split(/\s+/)
    .map((word) => word.match(/[\p{L}\p{N}]/u)?.[0])
    .filter(Boolean);
  return [...firsts.slice(0, 1), ...firsts.slice(1).slice(-1)].join("");
};

if (nameField && letters) {
  nameField.addEventListener("input", () => {
    letters.textContent = initials(nameField.value).toUpperCase() || "?";
  });
}
