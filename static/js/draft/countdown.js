// The clock of a draft. The server's time counts: the page knows how far its own differs.

const LOW_SECONDS = 10;
const HOUR = 3600;

const two = (/** @type {number} */ number) => String(number).padStart(2, "0");

/**
 * `0:42`, `12:05`, or `5 h 12 min`.
 * @param {number} seconds
 */
export function timeLeft(seconds) {
  const left = Math.max(0, Math.ceil(seconds));
  if (left < HOUR) return `${Math.floor(left / 60)}:${two(left % 60)}`;
  return `${Math.floor(left / HOUR)} h ${Math.floor((left % HOUR) / 60)} min`;
}

export class Countdown {
  /** @param {number} serverNow  the server's time in milliseconds when the page was made */
  constructor(serverNow) {
    this.ahead = serverNow - Date.now();
    window.setInterval(() => this.show(), 250);
    this.show();
  }

  /** @param {number} serverNow */
  adjust(serverNow) {
    // What was under way for longer would set the clock back.
    this.ahead = Math.max(this.ahead, serverNow - Date.now());
    this.show();
  }

  show() {
    const clock = /** @type {HTMLElement | null} */ (document.querySelector(".turn-clock"));
    if (!clock) return;
    const { deadline, remaining } = clock.dataset;
    if (!deadline) {
      if (remaining) clock.textContent = timeLeft(Number(remaining));
      return;
    }
    const seconds = (Number(deadline) - Date.now() - this.ahead) / 1000;
    clock.textContent = timeLeft(seconds);
    clock.classList.toggle("is-low", seconds <= LOW_SECONDS);
  }
}
