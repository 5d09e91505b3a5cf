/**
 * Plays the newest gameweek again in the table that visitors see (templates/home/_table.html), once,
 * unless they prefer no motion. The key pauses it and plays it again.
 */

export {}; // a module, so that its names are private

/** @typedef {[team: number, name: string, rank: number, points: string, gained: string]} Row */
/** @typedef {[play: string, where: string, words: string, rows: Row[]]} Frame */

const FRAME_MS = 1800;
const MOVE_MS = 500;

const by = (/** @type {string} */ id) => document.getElementById(id);
const data = by("replay-frames");
if (data) begin(JSON.parse(data.textContent));

/** @param {Frame[]} frames */
function begin(frames) {
  const key = /** @type {HTMLButtonElement} */ (by("replay-key"));
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let at = frames.length - 1;
  let timer = 0;

  const stop = () => {
    clearInterval(timer);
    timer = 0;
    key.textContent = at === frames.length - 1 ? "Play again" : "Play";
  };
  const step = () => {
    if (!key.isConnected) return clearInterval(timer); // a game has begun, and the table is live
    at += 1;
    show(frames[at], calm);
    return at === frames.length - 1 && stop();
  };
  const start = () => {
    if (at === frames.length - 1) at = -1;
    key.textContent = "Pause";
    timer = window.setInterval(step, FRAME_MS);
    step();
  };
  key.addEventListener("click", () => (timer ? stop() : start()));
  key.hidden = frames.length < 2;
  stop();
  if (!calm && frames.length > 1) start();
}

/** @param {Frame} frame */
function show([play, where, words, rows], calm) {
  /** @type {HTMLAnchorElement} */ (by("replay-play")).href = play;
  by("replay-where").textContent = where;
  by("replay-words").textContent = words;
  const body = by("replay-rows");
  const lines = /** @type {HTMLTableRowElement[]} */ ([...body.children]);
  const before = new Map(lines.map((line) => [line.dataset.team, line.offsetTop]));
  const teams = rows.map((row) => {
    const line =
      lines.find((other) => other.dataset.team === String(row[0])) ??
      /** @type {HTMLTableRowElement} */ (lines[0].cloneNode(true));
    write(line, row);
    return line;
  });
  body.replaceChildren(...teams);
  if (calm) return;
  for (const line of teams) {
    const moved = (before.get(line.dataset.team) ?? line.offsetTop) - line.offsetTop;
    if (moved)
      line.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], {
        duration: MOVE_MS,
        easing: "ease-out",
      });
  }
}

/**
 * @param {HTMLTableRowElement} line
 * @param {Row} row
 */
function write(line, [team, name, rank, points, gained]) {
  line.dataset.team = String(team);
  line.querySelector(".rank").textContent = String(rank);
  line.querySelector(".team bdi").textContent = name;
  line.querySelector(".total").textContent = points;
  line.querySelector(".gained").textContent = gained;
  line.classList.toggle("moved", gained !== "");
}
