// One line for all: the slider says which pairs count; figures, charts and table follow.
const told = JSON.parse(document.getElementById("comparison").textContent);
const cut = document.getElementById("cut");

/** The highest share of a pair. */
const shareOf = ([, , a, b]) => Math.max(a, b);

const marks = told.pairs.map(() => []);
for (const mark of document.querySelectorAll("[data-pair]")) marks[mark.dataset.pair].push(mark);
const nodes = [...document.querySelectorAll(".graph [data-text]")];
const bins = [...document.querySelectorAll(".histogram [data-from]")];

/** Clusters of groups that the pairs from a share on connect: a number for each group, the largest cluster first. */
function clustersFrom(least) {
  const parent = new Map();
  const find = (group) => {
    while (parent.get(group) !== group) group = parent.get(group);
    return group;
  };
  for (const pair of told.pairs) {
    if (!pair[4] || shareOf(pair) < least) continue;
    const [one, other] = [told.groups[pair[0]], told.groups[pair[1]]];
    for (const group of [one, other]) if (!parent.has(group)) parent.set(group, group);
    parent.set(find(one), find(other));
  }
  const members = new Map();
  for (const group of parent.keys()) members.set(find(group), [...(members.get(find(group)) || []), group]);
  const ranked = [...members.values()].sort((a, b) => b.length - a.length || Math.min(...a) - Math.min(...b));
  return new Map(ranked.flatMap((groups, number) => groups.map((group) => [group, number])));
}

function moveLine() {
  const percent = Number(cut.value);
  const least = percent / 100;
  const kept = told.pairs.map((pair) => shareOf(pair) >= least);
  const paired = new Set();
  told.pairs.forEach((pair, i) => {
    if (kept[i]) paired.add(pair[0]).add(pair[1]);
    for (const mark of marks[i]) mark.classList.toggle("off", !kept[i]);
  });
  const clusters = clustersFrom(least);
  for (const node of nodes) node.classList.toggle("off", !paired.has(Number(node.dataset.text)));
  for (const bin of bins) bin.classList.toggle("below", Number(bin.dataset.from) < percent);
  const line = document.querySelector(".histogram .cut");
  const x = String(Number(line.dataset.width) * least);
  line.setAttribute("x1", x);
  line.setAttribute("x2", x);
  document.getElementById("cut-shown").textContent = `${percent} %`;
  document.getElementById("n-pairs").textContent = kept.filter(Boolean).length.toLocaleString("en");
  document.getElementById("n-clusters").textContent = new Set(clusters.values()).size.toLocaleString("en");
  drawMatrix(least);
}

/** A matrix of more texts than SVG is quick for. */
function drawMatrix(least) {
  const canvas = document.querySelector("canvas.matrix");
  if (!canvas) return;
  const pen = canvas.getContext("2d");
  const at = new Map(told.order.map((text, i) => [text, i]));
  pen.clearRect(0, 0, canvas.width, canvas.height);
  const colours = getComputedStyle(canvas);
  pen.fillStyle = colours.color;
  told.order.forEach((_, i) => pen.fillRect(i, i, 1, 1));
  pen.fillStyle = colours.borderColor;
  for (const pair of told.pairs) {
    if (shareOf(pair) < least) continue;
    const [row, column] = [at.get(pair[0]), at.get(pair[1])];
    for (const [x, y, share] of [[column, row, pair[2]], [row, column, pair[3]]]) {
      pen.globalAlpha = 0.25 + 0.75 * share;
      pen.fillRect(x, y, 1, 1);
    }
  }
  pen.globalAlpha = 1;
}

function swapNames() {
  const hide = document.getElementById("hide");
  const hidden = hide.getAttribute("aria-pressed") !== "true";
  hide.setAttribute("aria-pressed", String(hidden));
  for (const element of document.querySelectorAll("[data-as]")) {
    const shown = element.textContent;
    element.textContent = element.dataset.as;
    element.dataset.as = shown;
  }
}

/** A mark of a chart leads to the row of its pair. */
function lead(event) {
  const mark = event.target.closest("svg [data-pair]");
  if (!mark) return;
  const row = document.getElementById(`row-${Number(mark.dataset.pair) + 1}`);
  for (const lit of document.querySelectorAll("tr.lit")) lit.classList.remove("lit");
  row.classList.add("lit");
  row.scrollIntoView({ block: "center" });
}

/** A link to a pair on this page opens its passages. */
function openTarget() {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) target.open = true;
}

cut.addEventListener("input", moveLine);
document.getElementById("hide").addEventListener("click", swapNames);
document.addEventListener("click", lead);
addEventListener("hashchange", openTarget);
new MutationObserver(() => drawMatrix(Number(cut.value) / 100)).observe(document.documentElement, { attributes: true });
moveLine();
openTarget();
