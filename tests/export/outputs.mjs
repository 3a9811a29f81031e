// Prints what a policy says of states, whose bytes come in hexadecimal, a line each: logits and
// value. node outputs.mjs MODULE.js WEIGHTS STATES.txt
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [modulePath, weightsPath, statesPath] = process.argv.slice(2);
const { load } = await import(pathToFileURL(modulePath));
const game = await load();
await game.loadPolicy(pathToFileURL(weightsPath));
const results = [];
for (const line of (await readFile(statesPath, "utf-8")).trim().split("\n")) {
  const { logits, value } = game.evaluate(
    game.fromBytes(Uint8Array.from(Buffer.from(line, "hex"))));
  results.push({ logits: Array.from(logits), value });
}
console.log(JSON.stringify(results));
