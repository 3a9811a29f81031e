// One seat's page. It gets what this seat sees and is told, and nothing else.

const { main } = await (await fetch("/game/package.json")).json();
const { load } = await import(`/game/${main}`);
const game = await load();
const place = `/seat/${location.hash.slice(1)}`;
const [picture, headline, choices, hint, log] = ["picture", "headline", "choices", "hint", "log"]
  .map((id) => document.getElementById(id));

let seat, names, state;
const source = new EventSource(place);
source.onmessage = ({ data }) => show(JSON.parse(data));
source.onerror = () => (headline.textContent = "There is no connection to such a seat.");

function show(news) {
  ({ seat, names } = news);
  state = game.fromView(news.view, seat, 0); // one of the positions that agree with the view

  headline.textContent = state.headline(seat, { names });
  const layout = innerWidth < 800 ? "column" : "wide";
  const svg = state.picture(seat, { names, layout });
  picture.replaceChildren(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement);

  const legal = state.choices({ seat, names });
  list(legal);
  hint.disabled = legal.length === 0;
  for (const thing of picture.querySelectorAll("[data-thing]")) {
    const fitting = legal.filter(({ things }) => things.includes(thing.dataset.thing));
    if (fitting.length === 0) continue;
    thing.classList.add("open");
    thing.onclick = () => (fitting.length === 1 ? play(fitting[0]) : list(fitting));
  }

  if (news.anew) log.replaceChildren();
  log.append(...news.told.map(({ text }) => element("li", { textContent: text })));
  log.scrollTop = log.scrollHeight;
}

function list(legal) {
  choices.replaceChildren(...legal.map((choice) => {
    const made = { textContent: choice.label, onclick: () => play(choice) };
    made.id = `action-${choice.action}`;
    return element("button", made);
  }));
}

async function play({ action, warning }) {
  if (warning && !confirm(warning)) return;
  const answer = await fetch(place, { method: "POST", body: JSON.stringify(action) });
  if (!answer.ok) headline.textContent = await answer.text();
}

hint.onclick = () => {
  const action = game.choose(state, "search:sims=300", { seat });
  list(state.choices({ seat, names }));
  const button = document.getElementById(`action-${action}`);
  button.classList.add("hint");
  button.scrollIntoView({ block: "nearest" });
};

function element(name, properties) {
  return Object.assign(document.createElement(name), properties);
}
