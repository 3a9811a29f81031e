// Prints for each question of a file, one in a line as JSON, what a player chooses, or why it is
// refused. The memory "=" is that of the last answer for the seat.
// node players.mjs MODULE.js QUESTIONS
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [modulePath, path] = process.argv.slice(2);
const { GameError, load } = await import(pathToFileURL(modulePath));
const game = await load();
const policies = game.players().filter((one) => one.includes("/"));
for (const name of policies) await game.loadPolicy(name);

const kept = [];

// Whether a view is enough, and what the policy says that was loaded last.
function check(state, name, asked, found) {
  const other = game.choose(state.view(asked.seat), name, asked);
  const said = name === policies.at(-1) ? game.evaluate(state, asked) : found;
  if (other.action !== found.action || [other, said].some(({ memory }) => memory !== found.memory))
    throw new Error("it remembers something else");
}

async function answer({ position, seat, name, seed, memory: given }) {
  const state = game.fromJson(position);
  const before = Buffer.from(state.bytes);
  const memory = given === "=" ? kept[seat] : given;
  try {
    const found = game.choose(state, name, { seat, seed, memory });
    kept[seat] = found.memory;
    if (given === "=" && seed % 8 === 0) check(state, name, { seat, memory }, found);
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
