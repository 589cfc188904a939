// @ts-check
// From passage to passage: by key, by button, by a click in the text, the map or the list.
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const isApp = matchMedia("(min-width: 861px)");

/** The passages that next and previous go through: all that count; side by side, those of the source. */
function walked() {
  const rank = state.two ? shownRank || (state.passage ? rankOf(state.passage) : 0) : 0;
  return given.passages.map((_, i) => i + 1).filter((number) => (active[number] || !given.passages[number - 1][3]) && (!rank || rankOf(number) === rank));
}

/** Bring a mark to the line of its pane. */
function bring(pane, mark, name, times = 3) {
  if (!mark) return;
  if (!state.two && !isApp.matches) {
    mark.scrollIntoView({ block: "start" });
    return;
  }
  const line = state.two ? lineY()[name] : pane.getBoundingClientRect().top + LINE * pane.clientHeight;
  const moved = topOf(mark) - line;
  if (Math.abs(moved) < 0.5) return;
  pane.scrollTop += moved;
  if (times > 1) requestAnimationFrame(() => bring(pane, mark, name, times - 1)); // sections were laid out meanwhile
}

/** Show a passage; `isOwn`: the page chose it as it opened, so the address says nothing of it. */
async function choose(number, { two = state.two, scroll = true, isOwn = false } = {}) {
  if (!number || number > given.passages.length) return;
  state.passage = number;
  state.two = two;
  paintChosen();
  if (two) await showSource(rankOf(number));
  if (two && !isApp.matches) main.scrollIntoView();
  repaint();
  distance = 0;
  findAnchors();
  leader = textPane;
  if (scroll) bring(textPane, marks[firstMark.get(number)], "text");
  if (two) bring(sourcePane, sourceMarks[firstSourceMark.get(number)]?.mark, "source");
  if (two) followSoon();
  if (!isOwn) remember();
}

function step(by) {
  const shown = walked();
  if (!shown.length) return;
  const place = shown.indexOf(state.passage);
  if (place >= 0) choose(shown[(place + by + shown.length) % shown.length]);
  else if (by > 0) choose(shown.find((number) => number > state.passage) || shown[0]);
  else choose(shown.filter((number) => number < state.passage).pop() || shown[shown.length - 1]);
}

/** The passage of a piece to show: another one with each click. */
function choosePiece(i, scroll) {
  const shown = given.pieces[i][2].filter((number) => active[number] && (!state.two || rankOf(number) === shownRank));
  const all = shown.length ? shown : given.pieces[i][2].filter((number) => active[number]);
  if (all.length) choose(all[(all.indexOf(state.passage) + 1) % all.length], { scroll });
}

/** Scroll the text to a share of its length, 0 to 1. */
function scrollTo(share) {
  leader = textPane;
  if (isApp.matches || state.two) textPane.scrollTop = share * textPane.scrollHeight - LINE * textPane.clientHeight;
  else window.scrollTo(0, textPane.offsetTop + share * textPane.scrollHeight - LINE * innerHeight);
}

/** Go to the next place of a sign, or the one before. */
function stepSign(button) {
  const pager = button.closest(".places");
  const places = [...textPane.querySelectorAll(`.g.${pager.dataset.kind}[id]`)];
  const at = (Number(pager.dataset.at ?? (button.dataset.by > 0 ? -1 : 0)) + Number(button.dataset.by) + places.length) % places.length;
  pager.dataset.at = String(at);
  pager.querySelector("[role=status]").textContent = `${at + 1} of ${places.length.toLocaleString("en")}`;
  light(places[at]);
}

function light(place) {
  place.scrollIntoView({ block: "center", behavior: "auto" });
  place.classList.remove("lit");
  if (!calm.matches) requestAnimationFrame(() => place.classList.add("lit"));
}

