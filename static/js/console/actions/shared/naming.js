/** How the sentences of events name players and spots. Pure. */
import { atSpotWords, spotWords } from "../../entry/spots.js";

export const playerWords = (id, club, s) => s.roster.name(id) ?? `an unnamed player of ${club}`;

/** The same with the club, which the words for somebody without a name have already. */
export function playerAndClub(id, club, s) {
  const words = playerWords(id, club, s);
  return words.endsWith(` of ${club}`) ? words : `${words} (${club})`;
}

export const atSpotOf = (club, yard, s) => atSpotWords(club, yard, s.other(club));

export const spotOf = (club, yard, s) => spotWords(club, yard, s.other(club));

export const touchdownWords = (body) => (body.is_touchdown ? ", TOUCHDOWN" : "");
