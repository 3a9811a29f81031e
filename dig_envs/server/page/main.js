// Which page to show: a table if the address has a secret behind its #, the assistant by its name
// there, otherwise the form for a new table.

import { Assistant } from "./assistant.js";
import { el, say } from "./dom.js";
import { startPage } from "./board.js";
import { showSetup } from "./setup.js";
import { TablePage } from "./table.js";

const main = document.getElementById("main");
let page = null;

function show() {
  page?.leave();
  page = null;
  const token = location.hash.slice(1);
  document.getElementById("where").textContent = "";
  main.replaceChildren();
  if (/^[0-9a-f]{32}$/.test(token)) {
    page = new TablePage(main, token);
  } else if (token === "assistant") {
    page = new Assistant(main);
  } else {
    if (token && token !== "main") say("This link has no seat in it.", "error");
    main.append(el("p", { class: "quiet" }, "Loading …"));
    showSetup(main);
  }
}

document.getElementById("home").addEventListener("click", (event) => {
  event.preventDefault();
  if (location.hash) location.hash = "";
  else show();
});
addEventListener("hashchange", show);
startPage(main, () => page?.themeChanged());
show();
