// @ts-check
// The pane of one source. Its text is unpacked when it is first asked for, and built from text alone, never from HTML.
const sourcePane = document.getElementById("source");
const which = /** @type {HTMLSelectElement} */ (document.getElementById("which"));
/** @type {Promise<Record<string, any[]>> | undefined} */
let unpacked;
let shownRank = 0;
/** @type {{mark: HTMLElement, passages: number[], edits: [number, string][]}[]} */
let sourceMarks = [];
/** The first mark of each passage in the source. */
const firstSourceMark = new Map();

function unpack() {
  const packed = Uint8Array.from(atob(document.getElementById("sources").textContent), (char) => char.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

/** Show a source; the promise is kept when its text stands in the pane. */
async function showSource(rank) {
  if (shownRank === rank) return;
  unpacked = unpacked || unpack();
  const sections = (await unpacked)[rank];
  shownRank = rank;
  which.value = String(rank);
  sourceMarks = [];
  firstSourceMark.clear();
  sourcePane.replaceChildren(...(sections ? sections.flatMap(sectionOf) :
    [element("p", "faint", given.missing[rank])]));
  sourcePane.scrollTop = 0;
  paintSource();
}

function sectionOf([skipped, paragraphs]) {
  const gap = skipped ? [element("div", "gap", `… ${skipped.toLocaleString("en")} characters …`)] : [];
  if (!paragraphs.length) return gap;
  const section = element("div", "sec", "");
  for (const [wrapped, pieces] of paragraphs) {
    const paragraph = element("p", wrapped ? "w" : "", "");
    paragraph.dir = "auto";
    paragraph.append(...pieces.map(pieceOf));
    section.append(paragraph);
  }
  return [...gap, section];
}

function pieceOf(piece) {
  if (typeof piece === "string") return piece;
  const [text, passages, edits = []] = piece;
  const mark = element("mark", "", text);
  for (const number of passages) if (!firstSourceMark.has(number)) firstSourceMark.set(number, sourceMarks.length);
  mark.dataset.i = String(sourceMarks.length);
  sourceMarks.push({ mark, passages, edits });
  return mark;
}

function paintSource() {
  for (const { mark, passages, edits } of sourceMarks) {
    const shown = passages.filter((number) => active[number]);
    const edit = edits.find(([number]) => active[number]);
    const now = passages.includes(state.passage) ? " now" : "";
    const look = shown.length ? `s${shownRank}${now}${edit ? ` ${edit[1]}` : ""}` : "off";
    if (mark.className !== look) mark.className = look;
  }
}

