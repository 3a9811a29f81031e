// Deals a game for each of the options that come as JSON, and prints the state in hexadecimal, or
// the error. node options.mjs MODULE.js OPTIONS.json
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [modulePath, optionsPath] = process.argv.slice(2);
const { load } = await import(pathToFileURL(modulePath));
const game = await load();
const results = JSON.parse(await readFile(optionsPath, "utf-8")).map((options) => {
  try {
    return Buffer.from(game.deal(options, 7).bytes).toString("hex");
  } catch (error) {
    if (game.deal({}, 7).toJson().over) throw new Error("the game is broken");
    return [error.code, error.message];
  }
});
console.log(JSON.stringify(results));
