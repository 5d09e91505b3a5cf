/** A credit: pass broken up, hit on the passer, tackle for loss. Pure. */
import { playerWords } from "./shared/naming.js";
import { clubStep } from "./shared/parts.js";

const CREDIT_WORDS = {
  pass_defended: "Pass defended",
  qb_hit: "Hit on the passer",
  tackle_for_loss: "Tackle for loss",
};

export const credit = {
  name: "credit",
  title: "Credit",
  needsBall: true,
  isRuling: true,
  isLate: true,
  steps(a, s) {
    /** @type {Step[]} */
    const steps = [
      {
        name: "kind",
        label: "Credit for",
        kind: "choice",
        default: s.was?.kind ?? "pass_defended",
        options: [
          { key: "p", value: "pass_defended", label: "pass defended" },
          { key: "h", value: "qb_hit", label: "hit on the passer" },
          { key: "l", value: "tackle_for_loss", label: "tackle for loss" },
        ],
      },
      clubStep("team", "Which club?", s, s.was?.team ?? s.other(s.snap?.possession ?? s.ball.team)),
    ];
    if (a.team)
      steps.push({
        name: "player",
        label: `To (${a.team})`,
        kind: "player",
        club: a.team,
        default: s.was?.player,
      });
    return steps;
  },
  build: (a) => [{ type: "credit", team: a.team, player: a.player, kind: a.kind }],
  sentences: {
    credit: (b, s) => `${CREDIT_WORDS[b.kind]}: ${playerWords(b.player, b.team, s)}.`,
  },
};
