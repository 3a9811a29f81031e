import { Bot } from "boardgame.io/dist/cjs/ai.js"; // bundlers find "boardgame.io/ai"
import { INVALID_MOVE } from "boardgame.io/dist/cjs/core.js";

// What a player or a spectator may know; a client asks about what it has got, too.
const partOf = (G, ctx, id) => G.seen?.at(ctx.playOrder.indexOf(id)) ?? G;

/** The game. `rules`: what `await load()` gives. `G` of a client: its part of `seen`. */
export function createGame(rules, options = {}) {
  function play({ G, ctx, log, playerID }, action) {
    if (!partOf(G, ctx, playerID).legal.includes(action)) return INVALID_MOVE;
    if (!G.seen) return rules.first({ ...options, numPlayers: ctx.numPlayers });
    const next = rules.next(G.json, Number(playerID), action);
    log.setMetadata(next.seen.at(-1).told.map(({ text }) => text)); // for everybody
    return next;
  }
  return {
    name: rules.name, maxPlayers: rules.description.max_players,
    setup: () => ({ legal: ["deal"] }), // everybody gets this, so the first move deals
    moves: { play: { move: play, client: false, redact: true, undoable: false } },
    turn: {
      onBegin: ({ G, events }) => G.seen && events.setActivePlayers([...G.mustDecide]),
      onMove: ({ G, events }) => events.endTurn({ next: String(G.toMove) }),
    },
    playerView: ({ G, ctx, playerID }) => partOf(G, ctx, playerID),
    endIf: ({ G }) => (G.over ? G.seen.at(-1).view : undefined),
    ai: { enumerate: (G, ctx, playerID) => partOf(G, ctx, playerID).legal.map(moveOf) },
  };
}
const moveOf = (action) => ({ move: "play", args: [action] });

/** A class of bots: the player of this name, who sees the view of its seat. */
export const createBot = (rules, player = "heuristic") => class extends Bot {
  async play({ G, ctx }, playerID) {
    const { seat, view, legal } = partOf(G, ctx, playerID);
    const asked = { player, seat, memory: this.memory ?? "" };
    const chosen = view ? await rules.think(view, asked) : { action: "deal" };
    this.memory = chosen.memory;
    return { action: this.enumerate(G, ctx, playerID)[legal.indexOf(chosen.action)] };
  }
};
