/** How the sentences of events name players and spots. Pure. */
import { spotWords } from "../../entry/spots.js";

export const playerWords = (id, club, s) => s.roster.name(id) ?? `${club}, an unnamed player,`;

/** The same before a colon or the end of a sentence. */
export const playerWordsLast = (id, club, s) => playerWords(id, club, s).replace(/,$/, "");

export const spotOf = (club, yard, s) => spotWords(club, yard, s.other(club));

export const touchdownWords = (body) => (body.is_touchdown ? ", TOUCHDOWN" : "");
