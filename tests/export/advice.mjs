// Prints the advice on decisions, each a view with its seat and a player.
// node advice.mjs FOLDER QUESTIONS.json
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [folder, path] = process.argv.slice(2);
const [name, questions] = JSON.parse(await readFile(path, "utf8"));
const { load } = await import(pathToFileURL(`${folder}/${name}.js`));
const { advise } = await import(pathToFileURL(`${folder}/advice.js`));
const game = await load();
const found = [];
for (const { view, player, ...settings } of questions) {
  await game.ready(player);
  found.push(advise(game, view, { player, ...settings }));
}
console.log(JSON.stringify(found));
