// A program that plays with a package, bundled by esbuild or Vite; places.js says
// where its files are.
import { load } from "dig-envs-go-dig";
import description from "dig-envs-go-dig/description.js";
import { places } from "./places.js";

async function play() {
  const game = await load(places.game);
  await game.loadPolicy(places.policy);
  const state = game.deal({}, 7n);
  const log = state.log();
  while (!state.over) log.play(game.choose(state, state.toMove ? "heuristic" : "policy"));
  const thought = await game.think(game.deal({}, 7n), { player: "search:sims=500" });
  const drawn = game.picture(state.view(0), 0) === state.picture(0);
  return [description.title, log.length, ...state.returns, thought.action, drawn].join(" ");
}

play().then((said) => said, (error) => `${error.name}: ${error.message}`).then((said) => {
  globalThis.said = said;
  console.log(said);
});
