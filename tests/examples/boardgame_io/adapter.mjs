// A game of dig_envs for boardgame.io. `rules` is what `await load()` of an exported package gives.

import { Bot } from "boardgame.io/dist/cjs/ai.js"; // bundlers find "boardgame.io/ai", too
import { INVALID_MOVE } from "boardgame.io/dist/cjs/core.js";

/**
 * The game. On the server `G.position` is the complete position as JSON, `G.told` what each seat
 * was told of the last move, and `G.undoable` whether that move may be undone. A client has the
 * view of its seat as `G.position`, what it was told as `G.told`, and its seat as `G.viewer`.
 */
export function createGame(rules, options = {}) {
  // boardgame.io sends what `setup` returns to all clients unfiltered, so this move deals the cards.
  function deal({ G, ctx, events }) {
    if (G.position !== null) return INVALID_MOVE;
    const state = rules.deal({ ...options, numPlayers: ctx.numPlayers });
    events.endTurn({ next: String(state.toMove) });
    return { position: state.toJson(), told: [], undoable: false };
  }

  function play({ G, ctx, events, log, playerID }, action) {
    if (G.position === null) return INVALID_MOVE;
    const [before, seat] = [rules.fromJson(G.position), Number(playerID)];
    if (!before.legal(seat).includes(action)) return INVALID_MOVE;
    const state = before.copy();
    const happened = state.log().play(action, seat);
    log.setMetadata(happened.told().map((event) => event.text)); // what everybody is told
    const next = String(state.toMove);
    if (next === ctx.currentPlayer) events.setActivePlayers(deciding(state));
    else if (!state.over) events.endTurn({ next });
    const told = ctx.playOrder.map((_, viewer) => happened.told(viewer));
    return { position: state.toJson(), told, undoable: toldNothing(before, action, seat, state) };
  }

  const deciding = (state) => ({
    value: Object.fromEntries(state.mustDecide.map((seat) => [seat, null])),
  });

  // Whether an action has the same result in other positions that agree with what the seat knew.
  function toldNothing(before, action, seat, after) {
    const seen = JSON.stringify(after.view(seat));
    return [1, 2, 3, 4, 5, 6].every((seed) => {
      const other = before.copy().determinize(seat, seed).apply(action, seat);
      return JSON.stringify(other.view(seat)) === seen;
    });
  }

  function playerView({ G, ctx, playerID }) {
    if (G.position === null || "viewer" in G) return G; // clients filter again what they got
    const viewer = ctx.playOrder.includes(playerID) ? Number(playerID) : null; // who only watches
    return { viewer, position: rules.fromJson(G.position).view(viewer), told: G.told[viewer] ?? [] };
  }

  function enumerate(G, ctx, playerID) {
    if (G.position === null) return [{ move: "deal", args: [] }];
    const { viewer, position } = playerView({ G, ctx, playerID });
    const legal = rules.fromView(position, viewer, 0).legal(viewer);
    return legal.map((action) => ({ move: "play", args: [action] }));
  }

  return {
    name: rules.name,
    maxPlayers: rules.description.max_players,
    setup: () => ({ position: null }),
    moves: {
      // only the server runs them, and no other client gets the arguments
      deal: { move: deal, client: false, undoable: false },
      play: { move: play, client: false, redact: true, undoable: ({ G }) => G.undoable },
    },
    turn: {
      onBegin: ({ G, events }) => {
        if (G.position !== null) events.setActivePlayers(deciding(rules.fromJson(G.position)));
      },
    },
    playerView,
    endIf: ({ G: { position } }) =>
      position?.phase === "over"
        ? { winners: position.winners, scores: position.scores }
        : undefined,
    ai: { enumerate },
  };
}

/** A class of bots that choose from the view of their seat, such as "search:sims=200". */
export function createBot(rules, player = "heuristic") {
  return class extends Bot {
    constructor(settings) {
      super(settings);
      this.game = settings.game;
    }

    async play({ G, ctx }, playerID) {
      const moves = this.enumerate(G, ctx, playerID);
      if (G.position === null) return { action: moves[0] };
      const { viewer, position } = this.game.playerView({ G, ctx, playerID });
      const chosen = rules.choose(rules.fromView(position, viewer, 0), player, { seat: viewer });
      return { action: moves.find((move) => move.payload.args[0] === chosen) };
    }
  };
}
