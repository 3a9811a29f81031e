// How a game has ended, in words for who plays or watches.

/** How it ended, for who plays or watches: "You lost by 4: Bob has 25." */
export function outcome({ seats, seat, won, cooperative, by_score: byScore }) {
  if (cooperative)
    return seat === null ? (won.length ? "Won together." : "Lost together.")
      : won.length       ? "You won together!"
                         : "You lost together.";
  const names = won.map((number) => (number === seat ? "you" : seats[number].name));
  const best = Math.max(...won.map((number) => seats[number].score));
  if (!byScore && won.length) { // by something else than the score, such as a treasure
    if (won.includes(seat)) return "You won!";
    return `${seat === null ? "" : "You lost: "}${list(names)} won.`;
  }
  if (seat === null) return won.length ? `${list(names)} won with ${best}.` : "Nobody won.";
  const [own, others] = [seats[seat].score, seats.filter((_, number) => number !== seat)];
  const second = Math.max(...others.map(({ score }) => score));
  if (won.includes(seat)) {
    if (won.length > 1)
      return `You share the win with ${list(names.filter((name) => name !== "you"))}.`;
    return own > second ? `You won by ${own - second}!` : "You won: the tie is broken for you.";
  }
  if (!won.length) return "Nobody won.";
  return best > own
    ? `You lost by ${best - own}: ${list(names)} ${names.length > 1 ? "have" : "has"} ${best}.`
    : `You lost: the tie is broken for ${list(names)}.`;
}

function list(names) {
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`
                          : names[0] ?? "Nobody";
}
