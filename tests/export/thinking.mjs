// Prints what thinking.js says. node thinking.mjs MODULE.js
import { pathToFileURL } from "node:url";
import { thinking } from "./thinking.js";

const { load } = await import(pathToFileURL(process.argv[2]));
console.log(JSON.stringify(await thinking(load)));
