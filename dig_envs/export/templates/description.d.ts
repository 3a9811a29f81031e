import type { Description } from "./@NAME@.js";

/** Everything there is to know of the game without playing it. */
declare const description: Description;
export default description;
