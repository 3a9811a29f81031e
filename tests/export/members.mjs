// Prints what a module has: for each class the public names of its objects, for other values null.
// node members.mjs MODULE.js
import { pathToFileURL } from "node:url";

const module = await import(pathToFileURL(process.argv[2]));
const game = await module.load();
const state = game.deal({}, 7n);
const objects = [game, state, state.log(), game.batch(1), new module.GameError("none", 0)];

function namesOf(object, own) {
  const names = [...Object.keys(object), ...Object.getOwnPropertyNames(own.prototype)];
  const known = object instanceof Error ? Error.prototype : {}; // with `constructor`
  return names.filter((name) => !name.startsWith("_") && !(name in known)).sort();
}

console.log(JSON.stringify(Object.fromEntries(Object.entries(module).map(([name, value]) => {
  const object = objects.find((one) => one.constructor === value);
  return [name, object === undefined ? null : namesOf(object, value)];
}))));
