// Advice on decisions of @TITLE@, as dig_envs gives it in Python: the best actions, each with the
// chance of winning and a reason in words.

import { GameError } from "./game.js";
import { Generator } from "./players.js";
import * as py from "./python.js";
import * as reasons from "./reasons.js";
import * as words from "./words.js";

/** A copy of the position with what the seat cannot know dealt anew, and the choices of others that it
 * cannot see as the scripted player makes them. */
function imagined(state, seat, seed) {
  const { game } = state;
  const own = state.copy();
  game._check(game.exports.imagine(game._enter(own), seat, BigInt(seed)));
  game._maskSeat = -1;
  return own;
}

/** The results of actions if the scripted player then plays on for everybody, on some deals of what
 * the seat cannot know: the sums of [share of victory, own score, best score of others] for each. */
function playOn(state, seat, actions, { deals, most, first }) {
  const { game } = state;
  const { cooperative } = game.description;
  const sums = actions.map(() => [0, 0, 0]);
  let [played, games] = [0, 0];
  for (; games < deals && played < most; games++) {
    const dealt = imagined(state, seat, first + games);
    for (const [k, action] of actions.entries()) {
      const own = dealt.copy().apply(action, seat);
      played += 1 + game._check(game.exports.play_out(game._enter(own)));
      game._maskSeat = -1;
      const { winners, scores } = own;
      const share = winners[seat] ? 1 / (cooperative ? 1 : winners.filter(Boolean).length) : 0;
      const others = [...scores].filter((_, number) => number !== seat);
      const found = [share, scores[seat], others.length ? Math.max(...others) : 0];
      found.forEach((number, place) => { sums[k][place] += number; });
    }
  }
  return { sums, games };
}

/** The same in parts, each of which has its share of the deals and actions. */
function inParts(state, seat, actions, { deals, most, first }) {
  const of = (number) => Math.max(1, Math.floor(number / reasons.PARTS));
  const parts = [];
  for (let next = first; parts.length < reasons.PARTS; next += parts.at(-1).games)
    parts.push(playOn(state, seat, actions, { deals: of(deals), most: of(most), first: next }));
  return parts;
}

/** What actions are ordered by: chances, in a cooperative game scores. */
function worthsOf(state, { sums, games }) {
  return sums.map((row) => row[state.game.description.cooperative ? 1 : 0] / games);
}

/** What a seat is told after an action, deal by deal: in the rest of its turn, by the others, and on
 * its next turn. The scripted player plays for everybody. */
function courses(state, seat, action) {
  const { game } = state;
  return Array.from({ length: reasons.DEALS_OF_REASONS }, (_, k) => {
    const own = imagined(state, seat, k + 1);
    const log = own.log();
    log.play(action, seat);
    const turn = own.read("turn");
    const goOn = (isOwn, at) => {
      for (let k = isOwn ? reasons.LONGEST_TURN : reasons.MOST_BETWEEN; k && !own.over; k--) {
        const mover = own.toMove;
        const mine = mover === seat && (!isOwn || own.read("turn") === at);
        if (mine !== isOwn) break;
        log.play(game._scripted(own, mover), mover);
      }
    };
    const ends = [0, log.length];
    goOn(true, turn);
    ends.push(log.length);
    goOn(false);
    ends.push(log.length);
    goOn(true, own.read("turn"));
    const told = ends.map((first) => log._told.told(seat, first));
    const part = (k) => told[k].slice(0, told[k].length - told[k + 1].length);
    return [part(0), part(1), told[3]];
  });
}

/** Some of the actions: the choices of the scripted player's styles, then random ones. */
function candidates(state, seat, others) {
  const styled = reasons.STYLES.map((weights) => state.game._styled(state, seat, weights));
  const generator = new Generator(BigInt(seat));
  const keys = new Map(others.map((action) => [action, generator.draw()]));
  const drawn = [...others].sort((one, other) => keys.get(one) - keys.get(other));
  return [...new Set([...styled, ...drawn])]
    .filter((action) => keys.has(action)).slice(0, reasons.CANDIDATES);
}

/** What a player chooses, and its rating of each action, if it has one. */
function preferences(state, player, { seat, seed, memory }) {
  const { game } = state;
  const steps = game._asking(state, player, { seat, seed, memory, neverGrave: false });
  let step = steps.next();
  while (!step.done) step = steps.next();
  const { action, found } = step.value;
  const { kind, policy: name } = game._parsed(state, player);
  if (kind !== "policy") return [action, found?.visits];
  const policy = game._players.policy(name);
  const numbers = game._players.remembered(name, policy.remembers, memory);
  return [action, game._evaluate(state, seat, policy, numbers).logits];
}

/** The position with all in sight that a player with a memory remembers. */
function inMind(state, player, { seat, memory }) {
  const { game } = state;
  const { kind, who } = game._parsed(state, player);
  const size = kind === "scripted" ? game._players.memoryOf(who) : 0;
  return size ? game._remembered(state, seat, game._players.remembered(who, size, memory)) : state;
}

/** The best actions for a decision, best first; `advice.d.ts` explains it. */
export function advise(game, given, settings = {}) {
  const shown = game._asked(given, settings);
  const { player, top, names, ...asked } = {
    player: "heuristic", seat: shown.toMove, top: 3, seed: 0n, memory: "", ...settings };
  const { seat } = asked;
  if (!Number.isInteger(top) || top < 1 || top > reasons.MOST_ENTRIES)
    throw new GameError(`top is from 1 to ${reasons.MOST_ENTRIES}, not ${top}`, -18);
  const [first, liking] = preferences(shown, player, asked);
  const state = inMind(shown, player, asked);
  const grave = game._grave(state, seat);
  const positions = game._positions;
  const [ground, view] = [reasons.grounds, positions._view(state, seat)];
  let others = reasons.useful(
    words.game, ground.own, view, seat, state.legal(seat).filter((action) => !grave[action]));
  const begin = others.includes(first) ? [first] : [];
  others = others.filter((action) => action !== first);
  if (liking) {
    others.sort((one, other) => liking[other] - liking[one] || one - other);
  } else if (begin.length + others.length > top || !begin.length) {
    others = candidates(state, seat, others);
    const worths = worthsOf(state, playOn(state, seat, others, {
      deals: reasons.FIRST_DEALS, most: reasons.FIRST_ACTIONS, first: reasons.DEALS + 1 }));
    const worth = new Map(others.map((action, k) => [action, worths[k]]));
    others.sort((one, other) => worth.get(other) - worth.get(one));
  }
  const some = [...begin, ...others].slice(0, top);
  const parts = inParts(
    state, seat, some, { deals: reasons.DEALS, most: reasons.ACTIONS, first: 1 });
  const games = parts.reduce((sum, part) => sum + part.games, 0);
  const sums = some.map((_, k) => [0, 1, 2].map(
    (place) => parts.reduce((sum, part) => sum + part.sums[k][place], 0)));
  const places = reasons.in_order(worthsOf(state, { sums, games }),
    parts.map((part) => worthsOf(state, part)), begin.length > 0);
  const chosen = places.map((place) => some[place]);
  const means = places.map((place) => sums[place].map((sum) => sum / games));
  const why = reasons.reasons_of(words.game, ground, view, seat, chosen,
    chosen.map((action) => courses(state, seat, action)), positions._names(names));
  return chosen.map((action, k) => {
    const [chance, score] = [py.b.round(100 * means[k][0], 1), py.b.round(means[k][1], 2)];
    return {
      action,
      text: game.actions[action],
      label: positions.ownLabel(state, action, seat, names),
      chance,
      score,
      games,
      reason: why[k],
      worth: reasons.worth_words(game.description.cooperative, chance, score),
      choice: action === first,
    };
  });
}
