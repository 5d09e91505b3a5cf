/** A try for two points. Pure. */
import { equallyLikely, likelyOf } from "./shared/likely.js";
import { playerWords } from "./shared/naming.js";
import { snapClub, standing } from "./shared/parts.js";

export const conversion = {
  name: "conversion",
  title: "Two-point try",
  needsBall: true,
  isRuling: true,
  opensPlay: () => true,
  choice: /** @type {"two"} */ ("two"),
  steps(a, s) {
    /** @type {Step[]} */
    const steps = [
      {
        name: "kind",
        label: "How",
        kind: "choice",
        default: s.was?.kind ?? "pass",
        options: [
          { key: "p", value: "pass", label: "pass" },
          { key: "r", value: "rush", label: "run" },
          { key: "b", value: "return", label: "brought back by the defense" },
        ],
      },
    ];
    if (!a.kind) return steps;
    const club = scorers(a, s);
    if (a.kind === "pass")
      steps.push({
        name: "passer",
        label: `Passer (${club})`,
        kind: "player",
        club,
        default: standing(s, "passer", likelyOf("passer", club, s)),
        among: equallyLikely("passer", club, s),
      });
    steps.push(
      {
        name: "player",
        label: `${a.kind === "pass" ? "Meant for" : "Carried by"} (${club})`,
        kind: "player",
        club,
        default: s.was?.player,
      },
      {
        name: "good",
        label: "The try is",
        kind: "choice",
        default: s.was?.good ?? true,
        options: [
          { key: "g", value: true, label: "good" },
          { key: "n", value: false, label: "no good" },
        ],
      },
    );
    return steps;
  },
  build: (a, s) => [
    {
      type: "conversion",
      team: scorers(a, s),
      side: a.kind === "return" ? "defence" : "offence",
      kind: a.kind,
      good: a.good,
      passer: a.passer ?? null,
      player: a.player,
    },
  ],
  sentences: {
    conversion(b, s) {
      const pair =
        b.kind === "pass"
          ? `${playerWords(b.passer, b.team, s)} to ${playerWords(b.player, b.team, s)}`
          : playerWords(b.player, b.team, s);
      return `Two-point try (${b.side === "defence" ? "defense, " : ""}${b.kind}), ${pair}: ${b.good ? "GOOD" : "no good"}.`;
    },
  },
};

const scorers = (a, s) => (a.kind === "return" ? s.other(snapClub(s)) : snapClub(s));
