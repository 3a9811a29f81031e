// Prints for each question of a file, one in a line as JSON, what a player chooses, or why it is
// refused. node players.mjs MODULE.js QUESTIONS
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [modulePath, path] = process.argv.slice(2);
const { GameError, load } = await import(pathToFileURL(modulePath));
const game = await load();
for (const name of game.players().filter((one) => one.includes("/"))) await game.loadPolicy(name);

async function answer({ position, seat, name, seed, memory }) {
  const state = game.fromJson(position);
  const before = Buffer.from(state.bytes);
  try {
    const found = game.choose(state, name, { seat, seed, memory });
    const offered = game.players(state.view(null).options).includes(name);
    const said = { action: found.action, memory: found.memory, offered };
    if (name.includes("search"))
      said.agent = (await game.think(state, { player: name, seat, seed, memory })).agent;
    return said;
  } catch (error) {
    if (!(error instanceof GameError)) throw error;
    return { refused: error.message, code: error.code };
  } finally {
    if (Buffer.compare(before, Buffer.from(state.bytes))) throw new Error("the state has changed");
  }
}

const results = [];
for (const line of (await readFile(path, "utf-8")).trim().split("\n"))
  results.push(await answer(JSON.parse(line)));
console.log(JSON.stringify(results));
