/**
 * What an entry would change (statistics, points, score, league totals): the server is asked while
 * the scorer reads the sentence.
 */
import { lean } from "../actions/shared/parts.js";
import { post } from "../queue/send.js";

const UNKNOWN = [{ title: "Changes can’t be shown while you are offline", lines: [] }];

/**
 * What the entry would move, by the server's answer.
 * @param {{response?: {ok: boolean, status: number}|null, answer?: any}} posted
 * @returns {import("./consequences.js").Consequence[]}
 */
export function movedBy({ response, answer }) {
  if (response?.ok && answer) return answer.moved;
  if (response?.status === 422) return [{ title: "Would be refused", lines: [answer.error] }];
  return UNKNOWN;
}

export class Preview {
  /** the entry that was asked about last, as text */
  #asked = "";
  /** @type {import("./consequences.js").Consequence[]} */
  #moved = [];
  #stopping = new AbortController();

  /**
   * @param {{eventUrl: string}} setup  of the page
   * @param {() => void} onAnswer  the answer is there
   */
  constructor(setup, onAnswer) {
    this.url = setup.eventUrl.replace(/events$/, "preview");
    this.came = onAnswer;
  }

  /**
   * The view of an entry, with what it would move once its sentence is whole. Nothing waits for the
   * answer, and a question that another entry or Enter has overtaken is ended: the server would answer
   * it about a record that has moved on.
   * @param {import("../panel/views.js").View} view
   * @param {import("./entry.js").Entry} entry
   * @param {number} unsent  with unsent entries before it, nobody knows
   */
  shown(view, entry, unsent) {
    if (entry.step || unsent) {
      this.#asked = "";
      this.#stopping.abort();
      return view;
    }
    const entries = entry.bodies.map((body) => ({
      body: lean(body),
      play_number: entry.playNumber,
    }));
    const asked = JSON.stringify(entries);
    if (asked !== this.#asked) {
      this.#asked = asked;
      this.#moved = [];
      this.#ask(entries);
    }
    return { ...view, consequences: [...view.consequences, ...this.#moved] };
  }

  async #ask(entries) {
    const asked = this.#asked;
    this.#stopping.abort();
    this.#stopping = new AbortController();
    const posted = await post(this.url, { entries }, this.#stopping);
    if (this.#asked !== asked) return;
    this.#moved = movedBy(posted);
    this.came();
  }
}
