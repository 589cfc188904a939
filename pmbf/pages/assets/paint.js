// @ts-check
// The page as the state says: marks, badges, map, figures. A piece is touched only if it looks different.
const main = document.querySelector("main");
const textPane = document.getElementById("text");
const marks = [...textPane.querySelectorAll("mark")];
const badges = new Map();
const mapBars = [...document.querySelectorAll("#map a rect")];
const stackBars = [...document.querySelectorAll("#stack rect")];
const everything = { share: document.getElementById("share").textContent, told: document.getElementById("full").textContent };
const cards = new Map([...document.querySelectorAll(".card")].map((card) => [Number(card.dataset.p), card]));
/** The first mark of each passage. */
const firstMark = new Map();
let active = activePassages();

given.pieces.forEach(([, , passages], i) => {
  const before = marks[i].previousElementSibling;
  if (before && before.className === "b" && before.nextSibling === marks[i]) badges.set(i, before);
  for (const number of passages) if (!firstMark.has(number)) firstMark.set(number, i);
});

function ranksOf(passages) {
  return [...new Set(passages.filter((number) => active[number]).map(rankOf))].sort((a, b) => a - b);
}

/** The numbers on a badge; of more than four sources the first three, and how many more. */
function numbersOf(ranks) {
  return ranks.length <= 4 ? ranks.join("·") : `${ranks.slice(0, 3).join("·")} +${ranks.length - 3}`;
}

/** Of which passages words that differ are shown: of the chosen one; side by side, of its source's. */
function compared(number) {
  return number === state.passage || (state.two && state.passage > 0 && rankOf(number) === rankOf(state.passage));
}

function lookOf(piece) {
  const ranks = ranksOf(piece[2]);
  if (!ranks.length) return "off";
  const edit = piece[3].find(([number]) => compared(number));
  const chosen = piece[2].includes(state.passage);
  const rank = chosen && active[state.passage] ? rankOf(state.passage) : ranks[0];
  return `s${rank}${chosen ? " now" : ""}${edit ? ` ${edit[1]}` : ""}`;
}

function paintText() {
  given.pieces.forEach((piece, i) => {
    const look = lookOf(piece);
    if (marks[i].className !== look) marks[i].className = look;
  });
  for (const [i, badge] of badges) {
    const ranks = numbersOf(ranksOf(given.pieces[i][2]));
    if (badge.textContent !== ranks) badge.textContent = ranks;
    if (badge.hidden === Boolean(ranks)) badge.hidden = !ranks;
    badge.classList.toggle("now", firstMark.get(state.passage) === i);
  }
}

function paintFigures() {
  const found = shares(active), out = leftOut();
  document.getElementById("share").textContent = out ? percent(found.total) : everything.share;
  const full = document.getElementById("full");
  full.textContent = out ? `${everything.share} with everything counted. Not counted: ${out}.` : everything.told;
  full.classList.toggle("changed", Boolean(out));
  for (const shown of document.querySelectorAll("[data-share]")) {
    const rank = Number(shown.dataset.share);
    if (!state.sourcesOff.has(rank)) shown.textContent = percent(found.own[rank]);
    shown.closest("li").classList.toggle("off", state.sourcesOff.has(rank));
  }
  let x = 0;
  stackBars.forEach((bar, i) => {
    bar.setAttribute("x", String(1000 * x));
    bar.setAttribute("width", String(1000 * found.first[i + 1]));
    x += found.first[i + 1];
  });
  given.runs.forEach((first, i) => {
    const [rank] = ranksOf(given.pieces[first][2]);
    mapBars[i].setAttribute("class", rank ? `s${rank}` : "off");
  });
}

function paintChosen() {
  for (const [number, card] of cards) {
    card.classList.toggle("now", number === state.passage);
    card.classList.toggle("left", !active[number]);
  }
  const shown = walked(), place = shown.indexOf(state.passage) + 1;
  document.getElementById("where").textContent = `${place || "–"} of ${shown.length}`;
  main.classList.toggle("two", state.two);
  main.classList.toggle("one", !state.two);
  document.getElementById("one").setAttribute("aria-pressed", String(!state.two));
  document.getElementById("two").setAttribute("aria-pressed", String(state.two));
  document.getElementById("tie").setAttribute("aria-pressed", String(state.tied));
  document.getElementById("tie").textContent = state.tied ? "Tied" : "Tie";
}

/** Paint everything that a switch changes. */
function repaint() {
  active = activePassages();
  paintText();
  paintFigures();
  paintChosen();
  paintSource();
}

