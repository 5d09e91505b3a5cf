/**
 * Whether this browser may score the game, as the server says: one scorer at a time. All tabs of a
 * browser are one console and share one queue. Nothing is drawn here.
 */
import { hindrance, post } from "./send.js";
import { uuid } from "./uuid.js";

const PLACE = "pressbox-console";

/** The name of this browser, made once. */
export function consoleId() {
  try {
    const known = localStorage.getItem(PLACE) ?? uuid();
    localStorage.setItem(PLACE, known);
    return known;
  } catch {
    return uuid(); // without storage, this page is a separate console
  }
}

/**
 * @typedef {{epoch: number, console: string, holder: string, since: number, live: boolean}} Held
 */

export class Lease {
  /** @type {Held|null} */
  #held = null;
  #hadIt = false;
  /** @type {Promise<{ok: boolean, fault: string}>|null} */
  #asking = null;

  /**
   * @param {{leaseUrl: string, member: string, pageUrl: string}} setup  of the page; `member`:
   *   the scorer who is signed in
   * @param {(situation: object) => void} learn  takes the situation that came with an answer
   */
  constructor(setup, learn) {
    this.setup = setup;
    this.id = consoleId();
    this.own = `${setup.member}:${this.id}`;
    this.learn = learn;
  }

  /** @returns {"mine"|"lost"|"theirs"|"free"} lost: it was ours, now somebody else has it */
  get state() {
    const isHolder = this.#held?.console === this.own;
    if (!this.#held?.live) return isHolder && this.#hadIt ? "mine" : "free";
    if (isHolder) return "mine";
    return this.#hadIt ? "lost" : "theirs";
  }

  /** Whether entries may be made: nobody else is scoring. */
  get open() {
    return this.state === "mine" || this.state === "free";
  }

  get holder() {
    return this.#held?.holder ?? "";
  }

  /** When the holder took the game, in 24 hours like every time of the console. */
  get since() {
    return this.#held
      ? new Date(this.#held.since).toLocaleTimeString("en-GB", {
          hour: "2-digit",
          minute: "2-digit",
        })
      : "";
  }

  /**
   * Learns the lease from the server. A lease of ours that expired unnoticed (on a dead line) is
   * taken again at once.
   */
  see(lease) {
    this.#held = lease;
    if (lease?.live && lease.console === this.own) this.#hadIt = true;
    else if (this.state === "mine") this.take(false);
  }

  /** Takes a free game. Empty unless it stays free: then what stands in the way. */
  async hold() {
    const { fault } = this.state === "free" ? await this.take(false) : { fault: "" };
    return this.state === "free" ? fault || "the game can’t be taken over" : "";
  }

  /**
   * Asks for the game. `over`: away from whoever has it.
   * @returns {Promise<{ok: boolean, fault: string}>}
   */
  take(takeOver) {
    this.#asking ??= this.#ask(takeOver).finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #ask(takeOver) {
    const { response, answer } = await post(this.setup.leaseUrl, {
      console: this.id,
      over: takeOver,
    });
    if (answer?.situation) this.learn(answer.situation);
    if (response?.ok) return { ok: true, fault: "" };
    return {
      ok: false,
      fault: response?.status === 409 ? answer.error : await hindrance(this.setup, response),
    };
  }

  /**
   * Takes the game, from another scorer too: one deliberate key, which the other one sees.
   * @param {(words: string, tone: "good"|"fault") => void} say
   */
  async takeOver(say) {
    const { ok, fault } = await this.take(true);
    if (ok) say("You have the game.", "good");
    else if (fault)
      say(`The game can’t be taken over: ${fault}${fault.endsWith(".") ? "" : "."}`, "fault");
  }
}
