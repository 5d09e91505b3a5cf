// Replays a gameweek: the slider, the keys and automatic play. Without this file, the page's links
// do all of it.
import { Evening, points } from "./evening.js";

const film = document.getElementById("film");
const by = (id) => document.getElementById(id);
const CALM_MS = 1200; // between plays, for users who prefer reduced motion
const DECISIVE_MS = 2500; // on a decisive play: long enough to read it

const link = (evening, id, to) => {
  const there = by(id);
  if (to === undefined || to < 0 || to > evening.plays.length) {
    there.removeAttribute("href");
    there.setAttribute("aria-disabled", "true");
    there.setAttribute("role", "link");
    return;
  }
  there.setAttribute("href", evening.address(to, location.pathname));
  there.dataset.at = String(to);
  there.removeAttribute("aria-disabled");
  there.removeAttribute("role");
};

const showTable = (evening, rows) => {
  const body = by("film-rows");
  const table = evening.table();
  const order = table.map(({ index }) => rows[index]);
  for (const { id, index, total, rank, moved } of table) {
    const row = rows[index];
    row.querySelector(".rank").textContent = String(rank);
    row.querySelector(".now").textContent = points(total);
    row.querySelector(".delta").textContent = moved
      ? `${moved > 0 ? "+" : ""}${points(moved)}`
      : "";
    row.classList.toggle("moved", moved !== 0);
    row
      .querySelector("[data-sheet]")
      .setAttribute("href", evening.address(evening.at, `${location.pathname}/teams/${id}`));
  }
  // Rows are moved only if their order has changed, so that the keyboard focus stays where it is.
  if (order.some((row, place) => body.children[place] !== row)) {
    const focused = /** @type {HTMLElement} */ (document.activeElement);
    body.append(...order);
    if (body.contains(focused)) focused.focus();
  }
  evening.duels.forEach(([home, away], number) => {
    by(`duel-${number}`).textContent =
      `${points(evening.now[home][0])} – ${points(evening.now[away][0])}`;
  });
  const mine = by("my-duel");
  if (mine) {
    const { home, away } = mine.dataset;
    mine.textContent = `${points(evening.now[home][0])} – ${points(evening.now[away][0])}`;
  }
};

const showPlay = (evening) => {
  const { at, plays } = evening;
  const [, , where, score, words] = plays[at - 1] ?? [
    "",
    0,
    "Before the first play",
    "",
    "Before kickoff.",
  ];
  by("play-where").textContent = where;
  by("play-words").textContent = words;
  by("play-score").textContent = score;
  by("play-count").textContent = `Play ${at} of ${plays.length}`;
  const slider = /** @type {HTMLInputElement} */ (by("film-slider"));
  slider.value = String(at);
  slider.setAttribute("aria-valuetext", at ? `Play ${at}, ${where}` : where);
  const x = String(Math.round((10_000 * at) / plays.length) / 10);
  for (const end of ["x1", "x2"]) by("cursor").setAttribute(end, x);
};

const showLinks = (evening) => {
  const { at, turns } = evening;
  link(evening, "to-before", at - 1);
  link(evening, "to-next", at + 1);
  link(
    evening,
    "to-earlier",
    turns.findLast((turn) => turn < at),
  );
  link(
    evening,
    "to-later",
    turns.find((turn) => turn > at),
  );
  for (const turn of document.querySelectorAll(".turns [data-at]")) {
    if (Number(/** @type {HTMLElement} */ (turn).dataset.at) === at)
      turn.setAttribute("aria-current", "true");
    else turn.removeAttribute("aria-current");
  }
};

class Player {
  constructor(evening) {
    this.evening = evening;
    this.rows = evening.teams.map((_, index) => by(`row-${index}`));
    this.key = /** @type {HTMLButtonElement} */ (by("film-play"));
    this.speed = /** @type {HTMLSelectElement} */ (by("film-speed"));
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.timer = undefined;
  }

  show(to) {
    this.evening.go(to);
    showPlay(this.evening);
    showLinks(this.evening);
    showTable(this.evening, this.rows);
  }

  /** Shows a place that the user chose, which ends automatic play. */
  jump(to) {
    this.stop();
    this.show(to);
    history.replaceState(null, "", this.evening.address(to, location.pathname));
  }

  /** Whether only the plays are shown that changed who is in front. */
  get onlyDecisive() {
    return this.speed.value === "decisive";
  }

  wait() {
    const pace = this.onlyDecisive ? DECISIVE_MS : Number(this.speed.value);
    const least = this.calm.matches ? CALM_MS : 0;
    this.timer = setTimeout(() => this.step(), Math.max(pace, least));
  }

  step() {
    const { at, plays, turns } = this.evening;
    const next = this.onlyDecisive ? turns.find((turn) => turn > at) : at + 1;
    if (next === undefined || next > plays.length) {
      this.jump(at);
      return;
    }
    this.show(next);
    this.wait();
  }

  start() {
    // said when it stands still, not with every play that runs by
    by("now-playing").removeAttribute("role");
    this.key.textContent = "Pause";
    // What moves is under the film: on a phone everything above it gives way.
    if (matchMedia("(max-width: 46rem)").matches) film.scrollIntoView({ block: "start" });
    if (this.evening.at === this.evening.plays.length) this.show(0);
    this.wait();
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.key.textContent = "Play";
    by("now-playing").setAttribute("role", "status");
  }

  toggle() {
    if (this.timer === undefined) this.start();
    else this.jump(this.evening.at);
  }
}

const begin = (data) => {
  const player = new Player(new Evening(data));
  const slider = /** @type {HTMLInputElement} */ (by("film-slider"));
  player.key.addEventListener("click", () => player.toggle());
  slider.addEventListener("input", () => {
    player.stop();
    player.show(Number(slider.value));
  });
  slider.addEventListener("change", () => player.jump(Number(slider.value)));
  slider.addEventListener("keydown", (event) => {
    if (event.key !== " ") return;
    event.preventDefault();
    player.toggle();
  });
  by("main").addEventListener("click", (event) => {
    const there = /** @type {HTMLElement} */ (event.target).closest("a[data-at][href]");
    if (!(there instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    player.jump(Number(there.dataset.at));
  });
  player.show(Math.min(Number(film.dataset.at), data.plays.length));
  for (const id of ["slide", "film-play", "speed"]) by(id).hidden = false;
  film.classList.add("plays");
};

if (film) {
  const answer = await fetch(film.dataset.plays, { headers: { Accept: "application/json" } });
  if (answer.ok) begin(await answer.json());
}
