// A game of dig_envs for boardgame.io. `rules` is what `await load()` of an exported package gives.

import { Bot } from "boardgame.io/dist/cjs/ai.js"; // bundlers find "boardgame.io/ai", too
import { INVALID_MOVE } from "boardgame.io/dist/cjs/core.js";

/** The game. A client has as `G` its seat as `viewer` (null: it only watches), the view of this seat
 * as `position`, and what the seat was told of the last move as `told`. */
export function createGame(rules, options = {}) {
  // boardgame.io sends what `setup` returns to all clients unfiltered, so this move deals the cards.
  function deal({ G, ctx, events }) {
    if (G.position !== null) return INVALID_MOVE;
    const state = rules.deal({ ...options, numPlayers: ctx.numPlayers });
    events.endTurn({ next: String(state.toMove) });
    return { position: state.toJson(), told: [], mustDecide: state.mustDecide };
  }

  function play({ G, events, log, playerID }, action) {
    try {
      const next = rules.next(G.position, Number(playerID), action);
      log.setMetadata(next.events.map((event) => event.text)); // what everybody is told
      if (!next.over) events.endTurn({ next: String(next.toMove) });
      return { position: next.json, told: next.told, mustDecide: next.mustDecide };
    } catch {
      return INVALID_MOVE; // such as before the deal
    }
  }

  function onBegin({ G, events }) {
    if (G.position === null) return;
    events.setActivePlayers({ value: Object.fromEntries(G.mustDecide.map((seat) => [seat, null])) });
  }

  const onServer = { client: false, redact: true, undoable: false };
  return {
    name: rules.name,
    maxPlayers: rules.description.max_players,
    setup: () => ({ position: null }),
    moves: { deal: { move: deal, ...onServer }, play: { move: play, ...onServer } },
    turn: { onBegin },
    playerView: (asked) => viewOf(rules, asked),
    endIf: ({ G: { position } }) => position?.phase === "over"
      ? { winners: position.winners, scores: position.scores } : undefined,
    ai: { enumerate: (G, ctx, playerID) => movesOf(rules, { G, ctx, playerID }) },
  };
}

function viewOf(rules, { G, ctx, playerID }) {
  if (G.position === null || "viewer" in G) return G; // clients filter again what they got
  const viewer = ctx.playOrder.includes(playerID) ? Number(playerID) : null;
  return { viewer, position: rules.view(G.position, viewer), told: G.told[viewer] ?? [] };
}

function movesOf(rules, asked) {
  const { viewer, position } = viewOf(rules, asked);
  if (position === null) return [{ move: "deal", args: [] }];
  return rules.choices(position, viewer).map(({ action }) => ({ move: "play", args: [action] }));
}

/** A class of bots that choose from the view of their seat, such as "search:sims=200". Before it,
 * `await rules.ready(player, options)` loads what the player needs. */
export function createBot(rules, player = "heuristic") {
  return class extends Bot {
    async play({ G, ctx }, playerID) {
      const { viewer, position } = viewOf(rules, { G, ctx, playerID });
      const moves = this.enumerate(G, ctx, playerID);
      if (position === null) return { action: moves[0] };
      const chosen = rules.choose(position, player, { seat: viewer });
      return { action: moves.find((move) => move.payload.args[0] === chosen) };
    }
  };
}
