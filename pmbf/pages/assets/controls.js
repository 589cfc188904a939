// @ts-check
// Switches, buttons, keys, clicks, names, and the state in the address.
const on = (id, event, act) => document.getElementById(id)?.addEventListener(event, act);
const inFrame = window !== window.parent;

function remember() {
  const parts = [];
  if (state.two) parts.push("view=pair");
  if (state.passage) parts.push(`p=${state.passage}`);
  if (state.sourcesOff.size) parts.push(`off=${[...state.sourcesOff].join(".")}`);
  if (state.off.size) parts.push(`not=${[...state.off].map(encodeURIComponent).join(".")}`);
  if (state.least) parts.push(`least=${state.least}`);
  if (state.two && !state.tied) parts.push("tied=no");
  if (inFrame) return;
  try { history.replaceState(null, "", parts.length ? `#${parts.join("&")}` : location.pathname); } catch { /* a viewer that forbids it */ }
}

/** Take the state of the address; links without script look like #p12. */
function recall() {
  const told = location.hash.slice(1);
  const card = told.match(/^[pm](\d+)$/);
  const values = new URLSearchParams(card ? `p=${card[1]}` : told);
  const whole = (text) => /^\d+$/.test(text) ? Number(text) : 0;
  state.sourcesOff = new Set((values.get("off") || "").split(".").map(whole).filter((rank) => rank && rank <= given.sources));
  const known = new Set(switches.map((one) => one.dataset.filter));
  state.off = new Set((values.get("not") || "").split(".").filter((name) => known.has(name)));
  state.least = Math.min(whole(values.get("least") || ""), slider ? Number(slider.max) : 0);
  state.tied = values.get("tied") !== "no";
  for (const one of switches) one.checked = !state.off.has(one.dataset.filter);
  for (const one of sourceSwitches) one.checked = !state.sourcesOff.has(Number(one.dataset.source));
  if (slider) slider.value = String(state.least);
  tellLeast();
  const number = whole(values.get("p") || "");
  if (number && number <= given.passages.length) {
    active = activePassages();
    choose(number, { two: values.get("view") === "pair" });
  } else if (isApp.matches && given.passages.length) {
    active = activePassages();
    state.passage = 0;
    choose(walked()[0] || 1, { two: false, isOwn: true });
  } else if (state.sourcesOff.size || state.off.size || state.least) repaint();
  else paintChosen();
}

const switches = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll("[data-filter]")]);
const sourceSwitches = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll("[data-source]")]);
const slider = /** @type {HTMLInputElement | null} */ (document.getElementById("length"));

function tellLeast() {
  const least = document.getElementById("least");
  if (least) least.textContent = String(state.least);
}
function changed() {
  repaint();
  findAnchors();
  followSoon();
  remember();
}
for (const one of switches) one.addEventListener("change", () => {
  state.off[one.checked ? "delete" : "add"](one.dataset.filter || "");
  changed();
});
for (const one of sourceSwitches) one.addEventListener("change", () => {
  state.sourcesOff[one.checked ? "delete" : "add"](Number(one.dataset.source));
  changed();
});
slider?.addEventListener("input", () => {
  state.least = Number(slider.value);
  tellLeast();
  changed();
});
for (const [id, checked] of [["all", true], ["none", false]]) on(id, "click", () => {
  for (const one of sourceSwitches) {
    one.checked = checked;
    state.sourcesOff[checked ? "delete" : "add"](Number(one.dataset.source));
  }
  changed();
});

function view(two) {
  const first = state.passage || walked()[0];
  if (first) choose(first, { two });
  if (!two) { state.two = false; repaint(); remember(); }
}
function tie() {
  state.tied = !state.tied;
  if (state.tied) tieAgain();
  paintChosen();
  remember();
}
on("one", "click", () => view(false));
on("two", "click", () => view(true));
on("previous", "click", () => step(-1));
on("next", "click", () => step(1));
on("tie", "click", tie);
on("print", "click", () => print());
on("which", "change", () => {
  const rank = Number(which.value);
  const own = given.passages.map((_, i) => i + 1).filter((number) => rankOf(number) === rank);
  choose(own.find((number) => active[number]) || own[0], { two: true });
});

const KEYS = { j: () => step(1), k: () => step(-1), s: () => view(true), o: () => view(false), t: () => state.two && tie() };
addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || target.matches("select, input:not([type=checkbox])")) return;
  const act = KEYS[event.key];
  if (act) { event.preventDefault(); act(); }
});

addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  const sign = target.closest(".places button");
  if (sign) return void stepSign(sign);
  const beside = target.closest("button.beside");
  if (beside) return void choose(Number(beside.dataset.p), { two: true });
  const link = target.closest("a[href^='#']");
  const place = (link?.getAttribute("href") || "").match(/^#([pmg])(\d+)$/);
  if (place) {
    if (target.closest("#map")) return; // its own handler knows the height
    event.preventDefault();
    const number = Number(place[2]);
    if (place[1] === "g") light(document.getElementById(`g${number}`));
    else choose(number, { scroll: !link.matches(".b") });
    return;
  }
  const mark = target.closest("mark");
  if (!mark || !String(getSelection())) {
    if (mark && textPane.contains(mark)) choosePiece(marks.indexOf(mark), state.two);
    else if (mark && sourcePane.contains(mark)) chooseFromSource(sourceMarks[Number(mark.dataset.i)]);
  }
});
function chooseFromSource(piece) {
  const number = piece?.passages.find((one) => active[one]);
  if (number) choose(number);
}

on("map", "click", (event) => {
  event.preventDefault();
  const link = event.target.closest("a");
  if (link) return void choose(Number((link.getAttribute("href") || "").slice(2)));
  const box = document.getElementById("map").getBoundingClientRect();
  scrollTo((event.clientY - box.top) / box.height);
});
const seen = document.getElementById("seen");
let seenSoon = 0;
function showSeen() {
  seenSoon = 0;
  const app = isApp.matches || state.two;
  const height = textPane.scrollHeight || 1;
  const top = app ? textPane.scrollTop : Math.max(0, scrollY - textPane.offsetTop);
  seen?.setAttribute("y", String(1000 * top / height));
  seen?.setAttribute("height", String(1000 * Math.min(1, (app ? textPane.clientHeight : innerHeight) / height)));
}
const soon = () => { seenSoon = seenSoon || requestAnimationFrame(showSeen); };
textPane.addEventListener("scroll", soon, { passive: true });
addEventListener("scroll", soon, { passive: true });
addEventListener("resize", soon);

// Names: the page keeps them in memory, so that they can be shown again; a print or a picture has none.
const named = [...document.querySelectorAll(".name")].map((one) => [one, one.textContent, one.dataset.as]);
const options = [...which.options].map((one, i) => [one, one.textContent, `${i + 1} · Source ${i + 1}`]);
const title = document.title;
on("names", "click", () => {
  const button = document.getElementById("names");
  const hide = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", String(hide));
  for (const [one, name, alias] of [...named, ...options]) one.textContent = hide ? alias : name;
  for (const one of document.querySelectorAll(".private")) one.hidden = hide;
  document.title = hide ? "Shared passages" : title;
});

addEventListener("hashchange", recall);
recall();
soon();
