// Readies players for games with options, lets them choose, and prints how often they were refused,
// and in what words: node ready.mjs MODULE.js [[PLAYER, OPTIONS], …]
import { pathToFileURL } from "node:url";

const [modulePath, asked] = process.argv.slice(2);
const { GameError, load } = await import(pathToFileURL(modulePath));
const results = [];
for (const [player, options] of JSON.parse(asked)) {
  const game = await load();
  try {
    await game.ready(player, options);
    results.push(game.choose(game.deal(options, 1n), player, { memory: "" }).action >= 0);
  } catch (error) {
    if (!(error instanceof GameError)) throw error;
    results.push(error.message);
  }
}
console.log(JSON.stringify(results));
