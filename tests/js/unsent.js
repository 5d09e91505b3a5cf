/**
 * Puts unsent entries on top of a situation, as the console does: a line {"server", "items",
 * "clubs", "rules"} comes in, the situation goes out (tests/console/test_same_situation.py).
 */
import { createInterface } from "node:readline";
import process from "node:process";

import { Roster } from "../../static/js/console/roster.js";
import { withUnsent } from "../../static/js/console/situation.js";

for await (const line of createInterface({ input: process.stdin })) {
  const { server, items, clubs, rules } = JSON.parse(line);
  const other = (club) => (club === clubs.home ? clubs.away : clubs.home);
  process.stdout.write(
    `${JSON.stringify(withUnsent(server, items, { clubs, rules, other, roster: new Roster([]) }))}\n`,
  );
}
