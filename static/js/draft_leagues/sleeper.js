// Fetches the public documents of a Sleeper league in the member's own browser, and sends them as
// one file through the form for files. The form with the league's number is shown by this script,
// because it does nothing without it.

const LONGEST_SEASON = 18;

/** Why a league cannot be fetched, in a sentence for the member. */
export class NoLeagueError extends Error {}

/**
 * The number of a league: typed, or in the address of one of its pages.
 *
 * @param {string} typed
 */
export function leagueNumber(typed) {
  return /\d{6,25}/.exec(typed)?.[0] ?? "";
}

/**
 * The documents of a league, as one that the import reads.
 *
 * @param {string} number
 * @param {(path: string) => Promise<any>} get The JSON at this path below the address of Sleeper.
 * @param {(said: string) => void} say Tells the member how far it is.
 */
export async function collect(number, get, say) {
  say("Fetching the league …");
  const league = await get(`league/${number}`);
  if (!league) throw new NoLeagueError("Sleeper has no league with this ID.");
  const [users, rosters, tradedPicks] = await Promise.all(
    ["users", "rosters", "traded_picks"].map((part) => get(`league/${number}/${part}`)),
  );
  say("Fetching the results …");
  const playoffs = league.settings?.playoff_week_start || LONGEST_SEASON + 1;
  const weeks = Array.from({ length: Math.min(playoffs - 1, LONGEST_SEASON) }, (_, at) => at + 1);
  const games = await Promise.all(weeks.map((week) => get(`league/${number}/matchups/${week}`)));
  say("Fetching the players, about 15 MB …");
  const players = await get("players/nfl");
  const rosteredIds = new Set(
    rosters.flatMap((roster) =>
      ["players", "reserve", "taxi"].flatMap((spot) => roster[spot] ?? []),
    ),
  );
  return {
    league,
    users,
    rosters,
    traded_picks: tradedPicks,
    matchups: Object.fromEntries(weeks.map((week, at) => [week, games[at]])),
    players: Object.fromEntries(Object.entries(players).filter(([key]) => rosteredIds.has(key))),
  };
}

/** @param {HTMLFormElement} form */
function start(form) {
  const number = /** @type {HTMLInputElement} */ (form.elements.namedItem("number"));
  const status = /** @type {HTMLElement} */ (form.querySelector("[role=status]"));
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("button"));
  const files = /** @type {HTMLInputElement} */ (document.getElementById("files"));
  const say = (text) => void (status.textContent = text);
  const get = async (path) => {
    const answer = await fetch(`${form.dataset.sleeper}/${path}`, { credentials: "omit" });
    if (answer.status === 404) return null;
    if (!answer.ok) throw new Error(`Sleeper answered ${answer.status}`);
    return answer.json();
  };
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const league = leagueNumber(number.value);
    if (!league) return say("Enter your league ID. It's in your league page's web address.");
    button.disabled = true;
    try {
      const documents = await collect(league, get, say);
      const file = new File([JSON.stringify(documents)], `sleeper-${league}.json`);
      const transfer = new DataTransfer();
      transfer.items.add(file);
      files.files = transfer.files;
      say("Reading the league …");
      files.form?.requestSubmit();
    } catch (error) {
      say(
        error instanceof NoLeagueError
          ? error.message
          : "We can't reach Sleeper. Try again, or save its pages and choose the files below.",
      );
    }
    button.disabled = false;
  });
}

if (globalThis.document) {
  for (const form of document.querySelectorAll("form[data-sleeper]")) {
    start(/** @type {HTMLFormElement} */ (form));
  }
}
