// Prints for each position of a file, one in a line as JSON, a SHA-256 of the state that is read
// from it, or why it is refused. node positions.mjs MODULE.js POSITIONS
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [modulePath, path] = process.argv.slice(2);
const { GameError, load } = await import(pathToFileURL(modulePath));
const game = await load();
const results = (await readFile(path, "utf-8")).trim().split("\n").map((line) => {
  try {
    return {
      sha256:
        createHash("sha256").update(game.fromJson(JSON.parse(line)).bytes.subarray(8)).digest("hex")
    };
  } catch (error) {
    if (!(error instanceof GameError) || error.code !== -20) throw error;
    return { refused: error.message };
  }
});
console.log(JSON.stringify(results));
