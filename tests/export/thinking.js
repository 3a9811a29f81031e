// Lets players think, and says how that went; for Node and browsers.
export async function thinking(load) {
  const game = await load();
  const state = game.deal({}, 7n);
  const before = state.bytes.join();
  const said = {};
  const began = performance.now();
  const shares = [];
  const by_time = await game.think(state, { ms: 300, progress: (share) => shares.push(share) });
  said.time = performance.now() - began;
  said.shares = shares;
  said.legal = state.legal().includes(by_time.action);
  said.simulations = by_time.found.simulations;
  said.agent = by_time.agent;
  // the same simulations in steps and at once, while the program plays on
  const settings = { player: "search:sims=3000", seed: 5 };
  const later = game.think(state, settings);
  const played = state.copy().apply(state.legal()[0]);
  const at_once = game.choose(state, settings.player, { seed: 5 });
  said.same = (await later).action === at_once
    && JSON.stringify((await later).found.visits) === JSON.stringify(game.found.visits);
  said.others = (await Promise.all(
    ["best", "heuristic", "go_dig/policy:sample"].map((player) => game.think(state, { player, seed: 1 })),
  )).map(({ agent }) => agent);
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 100);
  const stopped = performance.now();
  said.aborted = await game.think(state, { ms: 60_000, signal: stop.signal })
    .then(() => "done", (error) => error.name);
  said.aborted_after = performance.now() - stopped;
  said.aborted_before = await game.think(state, { signal: stop.signal })
    .then(() => "done", (error) => error.name);
  said.refused = await game.think(state, { player: "oracle" })
    .then(() => "done", (error) => error.name);
  said.thrown = await game.think(state, { ms: 2000, progress: () => { throw new Error("mine"); } })
    .then(() => "done", (error) => error.message);
  said.unchanged = state.bytes.join() === before && played.bytes.join() !== before;
  return said;
}
