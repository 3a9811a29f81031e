// What can be done, as buttons: by what they are about, with their costs; where there are many of a
// kind, in small steps.

import { button, el } from "./dom.js";
import { NARROW, named } from "./picture.js";
import { t } from "./words.js";

const LOOSE =
  /(\s+(the|a|an|to the|the \w+'s|as|for|with|in|part|card))?[\s:]*$/; // with which no heading ends
// words that have a number after them
const NUMBERED = /^(Player|part|piece|card|model|joker|row)$/;
const NOTE = / \([^(]*\)$/; // what a label says besides
const MANY = 8; // actions of a kind, from which on they are chosen step by step

/** The actions of a decision. `act(legal)` is called with the one that was chosen. */
export class Choices {
  constructor(picture, act) {
    this.picture = picture;
    this.act = act;
    // of an action that is chosen step by step: its group, then what is chosen already
    this.path = [];
    this.unfolded = false; // whether somebody wants the list of what is in the picture, too
    this.list = el("div", { class: "list" });
    this.foot = el("div", { class: "foot" }); // always in sight, however long the list is
    this.element = el("div", { class: "actions", id: "actions" }, this.list, this.foot);
  }

  /** Show these actions; those only that have a text in them, if it is not empty. */
  show(legal, wanted) {
    this.legal = legal;
    if (wanted) {
      const found = legal.filter(
        (one) => `${t(named(one))}\n${one.text}`.toLowerCase().includes(wanted));
      this.fill([found.length ? this.row("found", found.map((one) => this.button(one, named(one))))
                              : el("p", { class: "quiet" }, "no action has this in it")]);
      return;
    }
    const groups = [...Map.groupBy(legal, (one) => one.group)].map(([, actions]) => actions);
    const open = groups.find(([first]) => first.group === this.path[0]);
    if (open) {
      this.fill([this.steps(open)]);
      return;
    }
    this.path = [];
    const single = groups.filter((actions) => actions.length === 1).map(([one]) => one);
    const several = groups.filter((actions) => actions.length > 1);
    const calm = single.filter((one) => !one.warning), final = single.filter((one) => one.warning);
    const [there, nowhere] = [true, false].map(
      (is) => calm.filter((one) => this.picture.has(one) === is));
    const rows = (name, actions) => (
      actions.length ? [this.row(name, actions.map((one) => this.button(one, named(one))))] : []);
    const has = (actions) => actions.every((one) => this.picture.has(one));
    const seen = several.filter(has).concat(there.length ? [there] : []);
    this.fill([...this.folded(several.filter(has).map((actions) => this.kind(actions))
      .concat(rows("besides", there)), seen.flat()),
    ...several.filter((actions) => !has(actions)).map((actions) => this.kind(actions))], [
      ...rows("belongs to nothing in the picture", nowhere),
      ...final.flatMap((one) => rows("for good", [one]))
    ]);
  }

  /** On a narrow screen, where the board needs the room, what can be touched in the picture is
   * listed on demand. */
  folded(rows, actions) {
    this.isFolded = NARROW.matches && actions.length > 1 && !this.unfolded;
    if (!NARROW.matches || actions.length < 2) return rows;
    return [el("details", { class: "fold", open: !this.isFolded, ontoggle: (event) => {
      this.unfolded = event.target.open;
    } }, el("summary", {}, `Touch what is marked, or see the list (${actions.length})`),
    ...rows)];
  }

  fill(list, foot = []) {
    this.list.replaceChildren(...list);
    this.foot.replaceChildren(...foot);
  }

  /** Several actions of a kind: a heading, what they have in common, and a button for each; or the
   * first step. */
  kind(actions) {
    if (actions.length > MANY && actions.every((one) => one.steps.length > 1))
      return this.steps(actions);
    const lead = common(actions.map((one) => one.label));
    const words = actions.map(
      (one) => this.button(one, bare(one.label.slice(lead.length)) || one.label));
    return el("div", { class: "kind", role: "group", "aria-label": lead, "data-said": true },
      this.heading(lead, actions), ...words);
  }

  heading(lead, [{ cost }]) {
    return el("p", { class: "lead", "data-said": true }, bare(lead).replace(LOOSE, "") || "Choose",
      cost ? el("span", { class: "cost" }, cost) : null);
  }

  /** The next step: what the actions that are left differ in next. */
  steps(actions) {
    const chosen = this.path[0] === actions[0].group ? this.path.slice(1) : [];
    const left = actions.filter(({ steps }) => chosen.every((word, at) => steps[at] === word));
    const lead = common(actions.map((one) => one.label)) || actions[0].label;
    const next = Map.groupBy(left, ({ steps }) => steps[chosen.length] ?? "");
    const buttons = [...next].map(([word, some]) => {
      const pointing = this.picture.pointing(...some.map((one) => one.action));
      if (some.length === 1 && some[0].steps.length <= chosen.length + 1)
        return this.button(
          some[0], word ? `${word}${some[0].label.match(NOTE)?.[0] ?? ""}` : some[0].label);
      return button(word, () => this.go([actions[0].group, ...chosen, word]), {
        class: "action step",
        "data-actions": some.map((one) => one.action).join(" "),
        "data-said": true,
        ...pointing
      });
    });
    const trail = chosen.map(
      (word, at) => button(`${word} ×`, () => this.go([actions[0].group, ...chosen.slice(0, at)]),
        { class: "trail", "data-said": true, "aria-label": `${word}: choose again` }));
    const back = chosen.length
      ? button("back", () => this.go(chosen.length > 1 ? this.path.slice(0, -1) : []),
          { class: "plain", id: "stepback" })
      : null;
    return el("div", { class: "kind", role: "group", "aria-label": [lead, ...chosen].join(" ") },
      this.heading(lead, actions),
      trail.length ? el("p", { class: "trails" }, ...trail, back) : null, ...buttons);
  }

  go(path) {
    this.path = path;
    this.show(this.legal, "");
    (this.element.querySelector("[data-actions], [data-action]:not(.trail)")
      ?? this.element.querySelector("button"))
      ?.focus();
  }

  row(name, buttons) {
    return el("div", { class: "kind", role: "group", "aria-label": name }, ...buttons);
  }

  /** A button that does an action; while it is looked at, the picture shows to which things the
   * action belongs. */
  button(legal, words) {
    return button(words, () => this.act(legal), {
      "data-action": legal.action,
      class: "action",
      "aria-label": named(legal),
      title: legal.text,
      "data-said": true,
      ...this.picture.pointing(legal.action)
    });
  }
}

/** A part of a text without quotation marks, where it is in them, or has one of two. */
function bare(text) {
  return /^"[^"]*"$/.test(text) || text.split('"').length % 2 === 0 ? text.replaceAll('"', "")
                                                                    : text;
}

/** The words with which all texts begin; nothing where too little of a text would be left. */
function common(texts) {
  const words = texts.map((text) => text.split(" "));
  let count = 0;
  while (words.every((some) => some.length > count + 1 && some[count] === words[0][count]))
    count += 1;
  // the number belongs to it
  if (NUMBERED.test(words[0][count - 1]) && words.every((some) => /^\d/.test(some[count])))
    count -= 1;
  const lead = words[0].slice(0, count).join(" ");
  return lead ? `${lead} ` : "";
}
