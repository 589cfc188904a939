// @ts-check
// What is counted: passages of sources that are on, of kinds that are on; each character once, excluded ones never.
// The numbers of sources and passages begin with 1, as on the page.
const given = JSON.parse(document.getElementById("evidence")?.textContent || "{}");
const QUOTATION = 1, BIBLIOGRAPHY = 2, EXCLUDED = 4;
/** @type {{off: Set<string>, sourcesOff: Set<number>, least: number, passage: number, two: boolean, tied: boolean}} */
const state = { off: new Set(), sourcesOff: new Set(), least: 0, passage: 0, two: false, tied: true };

const rankOf = (number) => given.passages[number - 1][0];

/** For each piece: may its characters count? */
function countable(flags) {
  return !(flags & EXCLUDED || (flags & QUOTATION && state.off.has("quotation")) ||
    (flags & BIBLIOGRAPHY && state.off.has("bibliography")));
}

/** Which passages count, by number. */
function activePassages() {
  const length = new Array(given.passages.length + 1).fill(0), counted = length.slice();
  for (const [n, flags, passages] of given.pieces) {
    const counts = countable(flags);
    for (const number of passages) {
      length[number] += n;
      if (counts) counted[number] += n;
    }
  }
  const active = [false];
  given.passages.forEach(([rank, kind, certainty, counts], i) => {
    const all = length[i + 1], left = counted[i + 1];
    active.push(Boolean(counts) && !state.sourcesOff.has(rank) && !state.off.has(kind) && !state.off.has(certainty) &&
      left >= state.least && (left === all || left >= given.least));
  });
  return active;
}

/** Shares of the characters that count: of the text, of each source, of each source in the stacked bar. */
function shares(active) {
  let total = 0;
  const own = new Array(given.sources + 1).fill(0), first = own.slice();
  for (const [n, flags, passages] of given.pieces) {
    if (!countable(flags)) continue;
    const ranks = new Set();
    for (const number of passages) if (active[number]) ranks.add(rankOf(number));
    if (!ranks.size) continue;
    total += n;
    first[Math.min(...ranks)] += n;
    for (const rank of ranks) own[rank] += n;
  }
  const all = given.n[(state.off.has("quotation") ? QUOTATION : 0) + (state.off.has("bibliography") ? BIBLIOGRAPHY : 0)] || 1;
  return { total: total / all, own: own.map((n) => n / all), first: first.map((n) => n / all) };
}

function percent(share) {
  if (share === 0 || share === 1) return `${100 * share} %`;
  if (share < 0.0005) return "<0.1 %";
  return share > 0.9995 ? ">99.9 %" : `${(100 * share).toFixed(1)} %`;
}

/** What is switched off, in words; empty if everything counts. */
function leftOut() {
  const words = { quotation: "quotations", bibliography: "the bibliography" };
  const told = [...state.off].map((name) => words[name] || `${name} passages`);
  const ranks = [...state.sourcesOff].sort((a, b) => a - b);
  if (ranks.length) told.unshift(`source${ranks.length > 1 ? "s" : ""} ${ranks.join(", ")}`);
  if (state.least) told.push(`passages under ${state.least} characters`);
  return told.join("; ");
}

