/** The key map: one key an action. The page's list and the help are made from it. */
import { interception, fumble, loose, pass, run, sack, snap } from "./scrimmage.js";
import { conversion, kick, safety } from "./kicks.js";
import { challenge, credit, game, penalty, period, tackle, timeout } from "./officials.js";
import { overturnOf, undo } from "./corrections.js";

const RULINGS = { s: snap, p: pass, r: run, x: sack, k: kick, i: interception, f: fumble, v: loose, c: conversion, y: safety, t: tackle, d: credit, n: penalty };

export const ACTIONS = {
  ...RULINGS,
  g: challenge,
  o: timeout,
  e: period,
  b: game,
  u: undo,
  w: overturnOf(RULINGS),
};
