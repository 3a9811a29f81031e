// The rules of a game beside the board, in a few sentences, on one page, and all: Markdown of a few
// forms, made into elements.

import { button, el } from "./dom.js";
import { t } from "./words.js";

// The heading of a guide's last section, which explains the position as text. Here the position is
// a picture.
const AS_TEXT = "## The position as text";

/** Open the rules of a game, or close them if they are open. `read()` gives them as `guideOf`. */
export async function showGuide(title, read) {
  const open = document.getElementById("guide");
  if (open) {
    open.close();
    return;
  }
  const back = document.activeElement;
  const text = el(
    "div", { class: "guide-text", tabindex: "0", translate: "no" }, el("p", {}, t("Loading …")));
  const dialog = el("dialog", {
    id: "guide",
    "aria-label": `rules of ${title}`,
    onclose: () => {
      dialog.remove();
      back?.focus?.();
    }
  },
    button("Close", () => dialog.close(), { id: "closeguide", class: "plain" }), text);
  dialog.addEventListener("keydown", (event) => event.key === "Escape" && dialog.close());
  document.body.append(dialog);
  dialog.show();
  text.focus();
  try {
    const { short = "", lines, legend, all = [] } = await read();
    const end = lines.indexOf(AS_TEXT);
    const [title, ...page] = elements(end < 0 ? lines : lines.slice(0, end));
    text.replaceChildren(title, short ? el("p", { class: "short" }, ...inline(short)) : "", ...page,
      ...(legend ? [el("h3", {}, t("Signs in the picture")), el("div", { class: "legend" }, legend)]
                 : []),
      all.length ? el("details", {}, el("summary", {}, t("All rules")),
            el("div", { lang: "en" }, ...elements(all))) : "");
  } catch (error) {
    text.replaceChildren(el("p", { class: "trouble" }, error.message));
  }
}

/** Headings, paragraphs, lists and tables, each line a block. */
function elements(lines) {
  const made = [];
  const inside = (tag, row) => {
    if (made.at(-1)?.localName !== tag) made.push(el(tag));
    made.at(-1).append(row);
  };
  for (const line of lines) {
    const heading = line.match(/^(#+) (.*)/);
    const item = line.match(/^(?:-|\d+\.) (.*)/);
    if (heading) made.push(el(`h${Math.min(4, heading[1].length + 1)}`, {}, ...inline(heading[2])));
    else if (item) inside(line.startsWith("-") ? "ul" : "ol", el("li", {}, ...inline(item[1])));
    else if (/^\|[\s:|-]+\|$/.test(line)) continue;
    else if (line.startsWith("|"))
      inside("table",
        el("tr", {},
          line.slice(1, -1).split("|").map((cell) => el("td", {}, ...inline(cell.trim())))));
    else made.push(el("p", {}, ...inline(line)));
  }
  return made;
}

/** Text with **strong**, *stressed* and `code` words, **[remarks]**, and links as their words. */
function inline(linked) {
  const text = linked.replace(/\[([^\]]+)\]\([^)]+\)/g, "$1");
  return text.split(/(\*\*.+?\*\*|\*[^*]+?\*|`.+?`)/).filter(Boolean).map((part) => {
    if (part.startsWith("**[")) return el("span", { class: "quiet" }, part.slice(2, -2));
    if (part.startsWith("**")) return el("strong", {}, part.slice(2, -2));
    if (part.startsWith("*") && part.length > 2) return el("em", {}, part.slice(1, -1));
    return part.startsWith("`") ? el("code", {}, part.slice(1, -1)) : part;
  });
}
