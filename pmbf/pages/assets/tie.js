// @ts-check
// Both panes tied: where a passage stands near the line, its beginnings stand at the same height; between passages
// the other pane moves evenly from one to the next. The pane that was touched last leads.
const LINE = 0.3, HOLD = 0.34;
/** Untied and tied again, the panes keep the distance that they have then. */
let distance = 0;
let leader = textPane;
let followed = 0;

const isTied = () => state.two && state.tied && sourceMarks.length > 0;

/** The ends of each passage of the pair, as [element, element] in the text and in the source, in the order of each. */
const anchors = { text: [], source: [] };
function findAnchors() {
  anchors.text = [];
  given.passages.forEach(([rank], i) => {
    const number = i + 1;
    if (rank !== shownRank || !active[number] || !firstSourceMark.has(number)) return;
    const ours = firstMark.get(number), theirs = firstSourceMark.get(number);
    let ourEnd = ours, theirEnd = theirs;
    while (ourEnd + 1 < given.pieces.length && given.pieces[ourEnd + 1][2].includes(number)) ourEnd++;
    while (theirEnd + 1 < sourceMarks.length && sourceMarks[theirEnd + 1].passages.includes(number)) theirEnd++;
    anchors.text.push({ text: [marks[ours], marks[ourEnd]],
      source: [sourceMarks[theirs].mark, sourceMarks[theirEnd].mark], order: theirs });
  });
  anchors.source = [...anchors.text].sort((a, b) => a.order - b.order);
}

const topOf = (mark) => (mark.getClientRects()[0] || mark.getBoundingClientRect()).top;
const bottomOf = (mark) => mark.getBoundingClientRect().bottom;
function lineY() {
  const a = textPane.getBoundingClientRect(), b = sourcePane.getBoundingClientRect();
  const apart = a.bottom <= b.top + 1; // one pane above the other, on a narrow screen
  const height = Math.min(a.height, b.height);
  return { text: (apart ? a.top : Math.max(a.top, b.top)) + LINE * height,
    source: (apart ? b.top : Math.max(a.top, b.top)) + LINE * height, height };
}

/** Where the other pane's line should be: y of the point there that belongs to the line here. */
function counterpart(here, there, line) {
  const sorted = anchors[here];
  let low = 0, high = sorted.length; // the last passage that begins at or above the line
  while (low < high) {
    const middle = (low + high) >> 1;
    if (topOf(sorted[middle][here][0]) <= line[here] + 0.5) low = middle + 1; else high = middle;
  }
  const before = sorted[low - 1], after = sorted[low];
  const pad = HOLD * line.height;
  if (!before && !after) return line[there];
  if (!before) return topOf(after[there][0]) + (line[here] - topOf(after[here][0]));
  const start = topOf(before[here][0]), end = bottomOf(before[here][1]);
  const mine = topOf(before[there][0]), mineEnd = bottomOf(before[there][1]);
  const isLong = end - start + mineEnd - mine > 4 * pad; // on average; so it is long whichever pane leads
  if (line[here] <= end && isLong) // its parts move together
    return mine + (line[here] - start) * Math.min(4, Math.max(0.25, (mineEnd - mine) / (end - start)));
  if (!after) return mine + (line[here] - start);
  const [from, y0] = isLong ? [end, mineEnd] : [start, mine];
  const gap = Math.max(1, topOf(after[here][0]) - from), y1 = topOf(after[there][0]);
  const hold = Math.min(pad, 0.35 * gap), left = line[here] - from;
  if (left <= hold) return y0 + left;
  if (left >= gap - hold) return y1 - (gap - left);
  return y0 + hold + ((left - hold) / (gap - 2 * hold)) * (y1 - hold - (y0 + hold));
}

/** Move the other pane. Laying out sections that come into sight moves them, so it is looked at again. */
function follow(times = 3) {
  followed = 0;
  if (!isTied()) return;
  const [here, there, other] = leader === textPane ? ["text", "source", sourcePane] : ["source", "text", textPane];
  const line = lineY();
  const wanted = counterpart(here, there, line) - line[there] + distance * (leader === textPane ? 1 : -1);
  if (Math.abs(wanted) < 0.5) return;
  other.scrollTop += wanted;
  if (times > 1) followed = requestAnimationFrame(() => follow(times - 1));
}

function followSoon() {
  if (!followed) followed = requestAnimationFrame(() => follow());
}

function tieAgain() {
  distance = 0;
  const line = lineY();
  if (isTied()) distance = -(counterpart("text", "source", line) - line.source);
}

for (const pane of [textPane, sourcePane]) {
  for (const touched of ["wheel", "pointerdown", "touchstart", "keydown"])
    pane.addEventListener(touched, () => { leader = pane; }, { passive: true });
  pane.addEventListener("scroll", () => { if (pane === leader) followSoon(); }, { passive: true });
}
addEventListener("resize", followSoon);

