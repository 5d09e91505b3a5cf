// Bids of an auction: what the buttons beside the field make of it.

/**
 * The bid after a press of +1 or +5: that much more than what is typed, or than the price if that is
 * higher. It never exceeds what the team can bid.
 * @param {string} typed
 * @param {number} price
 * @param {number} step
 * @param {number} most
 */
export function raised(typed, price, step, most) {
  const bid = /^\d+$/.test(typed.trim()) ? Number(typed) : 0;
  return Math.max(1, Math.min(Math.max(bid, price) + step, most));
}
