// @TITLE@ (@ENVIRONMENT@): rules, observations and players in WebAssembly, for browsers, Node and
// workers. The types and what each function does are in @NAME@.d.ts.

import { GameError, open } from "./game.js";

export { Batch, description, Game, GameError, Log, State } from "./game.js";

const THREADS = "node:worker_threads";

// The file beside this module, in a form that bundlers know: they put it beside the bundle.
function ownFile() {
  try {
    return new URL("./@NAME@.wasm", import.meta.url);
  } catch {
    throw new GameError(
      "this bundle is no module: load(...) must say where @NAME@.wasm is", -18);
  }
}

async function thinker() {
  // bundlers for browsers have no such module, and leave an import alone whose name they do not know
  const { Worker } = globalThis.Worker ? globalThis
    : await import(/* @vite-ignore */ /* webpackIgnore: true */ THREADS);
  return new Worker(new URL("./thinker.js", import.meta.url), { type: "module" });
}

/** Load the game; `source` says where @NAME@.wasm is, or what is in it. By default it lies beside
 * this module. */
export async function load(source = ownFile()) {
  return open(source, thinker);
}
