// Advice on decisions of @TITLE@; it takes about a second, so ask for it in a worker.

import { Game, Json, Names, Seed, State } from "./@NAME@.js";

export interface Advice {
  action: number;
  /** Its notation, and the same in plain English. */
  text: string;
  label: string;
  /** Of winning in per cent, if the scripted player plays on for everybody; of k winners each has a
   * share of 1/k. In a cooperative game that all win. */
  chance: number;
  /** The seat's mean score at the end of these games. */
  score: number;
  /** On how many deals of what the seat cannot know they were played. */
  games: number;
  /** A sentence or two that speak for it; "" if none is known. */
  reason: string;
  /** What it is ordered by, in words. */
  worth: string;
  /** Whether it is what the player chooses. */
  choice: boolean;
}

/**
 * The best actions for a decision: what the player chooses, then by its own ranking (a policy's
 * probabilities, a search's visits), else by their chances. They are ordered by their chances, but
 * the choice comes first unless another is better by more than chance. Grave actions, and those
 * that the game says are of no use, are left out. `given`, `seat` and `player` are as for
 * `Game.choose`, the policies that the player needs must have been loaded (`Game.ready`).
 *
 * @param settings.top how many, 1 to 20; 3 by default.
 */
export function advise(game: Game, given: State | Json, settings?: {
  player?: string; seat?: number; seed?: Seed; memory?: string; names?: Names; top?: number;
}): Advice[];
