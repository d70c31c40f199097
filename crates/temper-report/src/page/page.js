"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const main = document.getElementById("main");

/** An element with attributes and children; texts are never markup. */
function make(name, attributes, ...children) {
  const svg = ["svg", "g", "rect", "line", "circle", "text", "title", "path"].includes(name);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

/** A text whose parts in backticks are code. */
function prose(text) {
  return text.split("`").map((part, at) => (at % 2 ? make("code", {}, part) : part));
}

function short(value) {
  if (value === null || value === undefined) return "none";
  if (value === 0 || (Math.abs(value) >= 1e-4 && Math.abs(value) < 1e6)) return String(Number(value.toPrecision(3)));
  return value.toExponential(2);
}

const percent = (share) => `${share > 0.99 && share < 1 ? Number((100 * share).toPrecision(6)) : short(100 * share)} %`;
const job = (command) => (command === "properties" ? "property tests" : `temper ${command}`);
const count = (number) => number.toLocaleString("en-US");
/** In units of a drawing: fewer on a phone, so that its texts stay readable. */
const drawingWidth = () => (matchMedia("(max-width: 40rem)").matches ? 380 : 720);
const place = (item) => `${item.path}:${item.line}${item.column ? `:${item.column}` : ""}`;
/** A path that may be broken after its folders. */
const broken = (path) => path.split("/").flatMap((part, at, all) => (at < all.length - 1 ? [`${part}/`, make("wbr")] : [part]));
const word = (item) => make("span", { class: `word ${item.known || (item.is_finding ? "found" : item.word.split(" ")[0])}` }, item.word, item.known ? ` (${item.known})` : "");

function pairs(rows) {
  const shown = rows.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return shown.length ? make("dl", {}, shown.map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])) : null;
}

/** A text with a button that copies it; `shown` is how it looks if not plain. */
function copied(text, label, shown) {
  const button = make("button", { type: "button", "aria-label": `Copy ${label}` }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = make("textarea", { "aria-label": "text to copy" });
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.textContent = "Copied";
  });
  return make("div", { class: "copy" }, shown || make("pre", { tabindex: 0 }, text), button);
}

function diff(text) {
  const mark = (line) => (line.startsWith("+") && !line.startsWith("+++") ? "add" : line.startsWith("-") && !line.startsWith("---") ? "del" : null);
  return make("pre", { tabindex: 0 }, text.trimEnd().split("\n").map((line) => [make("span", { class: mark(line) }, line), "\n"]));
}

function source(item) {
  const lines = (data.files[item.path] || []).filter(([line]) => Math.abs(line - item.line) <= data.around);
  if (!lines.length) return null;
  const shown = lines.map(([line, text]) => {
    const content = [make("span", { class: "number" }, String(line).padStart(5), "  "), text];
    return [line === item.line ? make("span", { class: "here" }, content, make("span", { class: "visually-hidden" }, " (here)")) : make("span", {}, content), "\n"];
  });
  return [make("h3", {}, "Source"), make("pre", { tabindex: 0, "aria-label": `source of ${place(item)}` }, shown)];
}

/** Ticks at round numbers. */
function ticks(low, high) {
  const raw = (high - low) / 6, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= raw);
  const out = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-9; at += step) out.push(Number(at.toPrecision(12)));
  return out;
}

const oneIn = (pass) => count(Math.round(1 / (1 - pass)));

/** Lines at quantiles, with their names where there is room. */
function quantileMarks(site, from, to, x, top, bottom) {
  let last = -Infinity;
  const inside = Object.entries(site.quantiles).filter(([, value]) => value !== null && value >= from && value <= to).sort((a, b) => a[1] - b[1]);
  return inside.map(([name, value]) => {
    const hasRoom = x(value) - last > (x(value) > x(to) - 40 ? 76 : 34);
    if (hasRoom) last = x(value);
    return make("g", {}, make("title", {}, `${name} ${short(value)}`), make("line", { class: "quantile", x1: x(value), x2: x(value), y1: top, y2: bottom }), hasRoom ? make("text", { class: "soft", x: x(value) + (x(value) > x(to) - 40 ? -3 : 3), y: top + 9, "text-anchor": x(value) > x(to) - 40 ? "end" : "start" }, name) : null);
  });
}

/** The distribution of the values, with axis, bounds, quantiles and single runs. */
function distribution(site) {
  const { low, high, counts } = site.bins || {};
  if (!counts) return null;
  const reach = (value) => Math.min(Math.max(value, low - 2 * (high - low)), high + 2 * (high - low));
  const bounds = [["old", "bound", site.bound], ["new", "proposed", site.new_bound]].filter(([, , value]) => value !== null && value !== undefined);
  const from = Math.min(low, ...bounds.map(([, , value]) => reach(value)));
  const to = Math.max(high, ...bounds.map(([, , value]) => reach(value)), ...(site.tails || []).slice(0, 1).map(([, estimate]) => reach(estimate)));
  const width = drawingWidth(), left = 44, bottom = 190, top = 40, most = Math.max(...counts);
  const x = (value) => left + ((value - from) / (to - from)) * (width - left - 12);
  const y = (number) => bottom - (number / most) * (bottom - top);
  const said = `${count(site.values)} values from ${short(low)} to ${short(high)}` + bounds.map(([, name, value]) => `; ${name} ${short(value)}`).join("");
  const step = (high - low) / counts.length;
  const svg = make("svg", { viewBox: `0 0 ${width} ${site.points ? 262 : 226}`, role: "img" }, make("title", {}, said));
  svg.append(
    ...counts.map((number, at) => number ? make("rect", { class: "bar", x: x(low + at * step), y: y(number), width: Math.max(x(low + (at + 1) * step) - x(low + at * step) - 0.5, 0.8), height: bottom - y(number) }, make("title", {}, `${number} between ${short(low + at * step)} and ${short(low + (at + 1) * step)}`)) : "").filter(Boolean),
    make("line", { class: "axis", x1: left, x2: width - 12, y1: bottom, y2: bottom }),
    make("line", { class: "axis", x1: left, x2: left, y1: top, y2: bottom }),
    make("text", { x: left - 4, y: y(most) + 4, "text-anchor": "end" }, count(most)),
    make("text", { x: left - 4, y: bottom, "text-anchor": "end" }, "0"),
    ...ticks(from, to).map((at) => make("g", {}, make("line", { class: "axis", x1: x(at), x2: x(at), y1: bottom, y2: bottom + 5 }), make("text", { x: x(at), y: bottom + 18, "text-anchor": "middle" }, short(at)))),
    ...quantileMarks(site, from, to, x, top, bottom),
    ...(site.tails || []).filter(([, estimate]) => estimate >= from && estimate <= to).slice(0, 1).map(([pass, estimate, limit]) => make("g", { class: "tail" },
      make("title", {}, `extrapolated from the tail: one run in ${oneIn(pass)} lies beyond ${short(estimate)}, at most beyond ${short(limit)}`),
      make("line", { x1: x(estimate), x2: x(Math.min(limit, to)), y1: bottom - 14, y2: bottom - 14 }),
      make("circle", { cx: x(estimate), cy: bottom - 14, r: 4 }),
      limit <= to ? make("line", { x1: x(limit), x2: x(limit), y1: bottom - 20, y2: bottom - 8 }) : null,
      make("text", { x: x(estimate), y: bottom - 24, "text-anchor": x(estimate) > width * 0.7 ? "end" : "start" }, `tail: 1 in ${oneIn(pass)}`))),
    ...bounds.map(([kind, name, value], at) => make("g", {},
      make("line", { class: kind, x1: x(reach(value)), x2: x(reach(value)), y1: 16 + 12 * at, y2: bottom }),
      make("text", { x: x(reach(value)), y: 12 + 12 * at, "text-anchor": x(reach(value)) > width / 2 ? "end" : "start" }, `${name} ${short(value)}${reach(value) === value ? "" : ", further out"}`))),
  );
  (site.points || []).forEach(([value, seed, out]) => svg.append(make("circle", { class: out ? "run out" : "run", cx: x(value), cy: 232 + (Number(String(seed).slice(-2)) % 7) * 3, r: out ? 3 : 2 }, make("title", {}, `${short(value)}, seed ${seed}`))));
  if (site.points) svg.append(make("text", { x: left, y: 224 }, site.points.length < site.values ? `runs: ${count(site.points.length)} of ${count(site.values)}, the most extreme among them` : "runs"));
  return svg;
}

/** Two shares as bars with their intervals, as a model and its reference. */
function shares(rows) {
  const width = drawingWidth(), left = 150;
  const x = (share) => left + share * (width - left - 70);
  const svg = make("svg", { viewBox: `0 0 ${width} ${rows.length * 28 + 8}`, role: "img" }, make("title", {}, rows.map(([name, share]) => `${name} ${percent(share)}`).join(", ")));
  rows.forEach(([name, share, low, high], at) => {
    const y = 4 + at * 28;
    svg.append(make("text", { x: left - 8, y: y + 15, "text-anchor": "end" }, name), make("rect", { class: "bar", x: left, y, width: Math.max(x(share) - left, 1), height: 20 }), make("text", { x: Math.max(x(share), x(high || 0)) + 6, y: y + 15 }, percent(share)));
    if (low !== undefined) svg.append(make("line", { class: "axis", x1: x(low), x2: x(high), y1: y + 10, y2: y + 10 }));
  });
  return svg;
}

/** The colour of a cell with this difference of errors, from none to the greatest. */
const heat = (share) => `background:color-mix(in srgb, var(--bad) ${Math.round(70 * Math.min(Math.max(share, 0), 1))}%, transparent)`;

/** Errors by parts of two columns; the redder, the more often the model errs, or errs where its reference does not. */
function errorMap(map) {
  const rate = (table, i, j) => (map.rows[i][j] ? table[i][j] / map.rows[i][j] : 0);
  const more = (i, j) => rate(map.errors, i, j) - (map.reference_errors ? rate(map.reference_errors, i, j) : 0);
  const said = (i, j) => (map.rows[i][j] ? `${percent(rate(map.errors, i, j))}${map.reference_errors ? ` (reference ${percent(rate(map.reference_errors, i, j))})` : ""}, ${count(map.rows[i][j])} rows` : "no rows");
  return [
    make("h3", {}, "Errors around it"),
    make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "map of errors" }, make("table", { class: "map" },
      make("caption", {}, make("code", {}, map.columns[0]), " across, ", make("code", {}, map.columns[1]), " down: how often the model errs"),
      make("thead", {}, make("tr", {}, make("td", {}), map.across.map((words) => make("th", { scope: "col" }, words)))),
      make("tbody", {}, map.down.map((words, i) => make("tr", {}, make("th", { scope: "row" }, words), map.across.map((_, j) => make("td", { style: heat(more(i, j)) }, said(i, j)))))))),
  ];
}

/** The tree that tells rows that are wrong from the others, one line a node. */
function errorTree(nodes) {
  const line = (node) => make("tr", {},
    make("td", { style: `padding-left:${0.6 + 1.4 * node.depth}rem` }, make("code", {}, node.condition)),
    make("td", {}, count(node.rows)),
    make("td", { style: heat((node.errors - (node.reference_errors || 0)) / Math.max(node.rows, 1)) }, percent(node.errors / Math.max(node.rows, 1))),
    make("td", {}, node.reference_errors === undefined || node.reference_errors === null ? "" : percent(node.reference_errors / Math.max(node.rows, 1))));
  return [
    make("h3", {}, "Where errors lie, as a tree"),
    make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "tree of errors" }, make("table", { class: "errors" },
      make("thead", {}, make("tr", {}, ["rows with", "rows", "error", "of the reference"].map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, nodes.map(line)))),
  ];
}

function rowsTable(example) {
  const columns = Object.keys(example.input);
  const cell = (row, column) => (row[column] === null || row[column] === undefined ? "missing" : String(row[column]));
  return [
    make("h3", {}, "The input next to the nearest row"),
    make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "input and nearest row" }, make("table", {},
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "column"), make("th", { scope: "col" }, `answered ${example.predicted}`), make("th", { scope: "col" }, `row ${example.nearest_row}: ${example.expected}`))),
      make("tbody", {}, columns.map((column) => make("tr", { class: example.differs.includes(column) ? "word" : null }, make("th", { scope: "row" }, column), make("td", {}, cell(example.input, column)), make("td", {}, cell(example.nearest, column))))))),
  ];
}

/** A line with its mutant; `null` if the text is no longer what was changed. */
function mutatedLine(text, column, replaced, replacement) {
  const at = text.slice(column - 1).startsWith(replaced) ? column - 1 : text.indexOf(replaced);
  return at < 0 || replaced.includes("\n") ? null : text.slice(0, at) + replacement + text.slice(at + replaced.length);
}

/** The mutants of a test in the source: each below the line that it changes, with how often the assertion notices it. */
function mutantsInSource(mutants) {
  if (!mutants.length) return null;
  const files = new Map();
  for (const mutant of mutants) files.set(mutant[0], [...(files.get(mutant[0]) || []), mutant]);
  const fate = (before, after) => (before >= 0.5 ? (after >= 0.5 ? "killed" : "lost") : after >= 0.5 ? "won" : "survives");
  const lost = mutants.filter((mutant) => fate(mutant[5], mutant[6]) === "lost").length, won = mutants.filter((mutant) => fate(mutant[5], mutant[6]) === "won").length;
  const killed = [5, 6].map((at) => mutants.filter((mutant) => mutant[at] >= 0.5).length);
  const shown = [...files].sort().map(([path, all]) => {
    const lines = data.files[path] || [], numbers = new Set(all.flatMap((mutant) => [mutant[1] - 1, mutant[1], mutant[1] + 1]));
    let before = 0;
    const rows = lines.filter(([line]) => numbers.has(line)).flatMap(([line, text]) => {
      const gap = before && line > before + 1 ? [make("span", { class: "number" }, "    …"), "\n"] : [];
      before = line;
      const own = all.filter((mutant) => mutant[1] === line).flatMap(([, , column, replaced, replacement, first, then]) => {
        const word = fate(first, then);
        const changed = mutatedLine(text, column, replaced, replacement) || `${replaced} → ${replacement}`;
        return [make("span", { class: `mutant ${word}` }, make("span", { class: "number" }, "    +  "), changed, make("span", { class: "fate" }, `   ${word}: ${percent(first)}${first === then ? "" : ` → ${percent(then)}`}`)), "\n"];
      });
      return [...gap, make("span", {}, make("span", { class: "number" }, String(line).padStart(5), "  "), text), "\n", ...own];
    });
    return make("details", { open: files.size < 3 }, make("summary", {}, make("code", {}, path), `: ${count(all.length)} ${all.length === 1 ? "mutant" : "mutants"}`), rows.length ? make("pre", { tabindex: 0, "aria-label": `mutants of ${path}` }, rows) : make("ul", {}, all.map(([, line, , replaced, replacement]) => make("li", {}, `line ${line}: `, make("code", {}, `${replaced} → ${replacement}`)))));
  });
  return [make("h3", {}, "Mutants in the source"), make("p", {}, `${killed[0]} of ${count(mutants.length)} shown are killed in most of their runs today, ${killed[1]} with the change: ${lost} lost, ${won} won. A share is of a mutant's runs in which the assertion fails; mutants that do not change its value survive.`), shown];
}

/** How the best utility rose from test to test. */
function climb(search) {
  const steps = search.climb || [];
  if (steps.length < 2) return null;
  const width = drawingWidth(), left = 64, bottom = 150, top = 14;
  const values = steps.map(([, value]) => value), low = Math.min(...values), high = Math.max(...values);
  const last = Math.max(search.tests, steps[steps.length - 1][0], 1);
  const x = (test) => left + (test / last) * (width - left - 12);
  const y = (value) => bottom - ((value - low) / (high - low || 1)) * (bottom - top);
  let path = `M${x(steps[0][0])} ${y(values[0])}`;
  for (const [test, value] of steps.slice(1)) path += `H${x(test)}V${y(value)}`;
  const said = `best utility from ${short(values[0])} to ${short(values[values.length - 1])} in ${count(search.tests)} tests`;
  return make("svg", { viewBox: `0 0 ${width} 190`, role: "img" }, make("title", {}, said),
    make("line", { class: "axis", x1: left, x2: width - 12, y1: bottom, y2: bottom }), make("line", { class: "axis", x1: left, x2: left, y1: top, y2: bottom }),
    make("text", { x: left - 6, y: top + 4, "text-anchor": "end" }, short(high)), make("text", { x: left - 6, y: bottom, "text-anchor": "end" }, short(low)),
    ...ticks(0, last).map((at) => make("g", {}, make("line", { class: "axis", x1: x(at), x2: x(at), y1: bottom, y2: bottom + 5 }), make("text", { x: x(at), y: bottom + 18, "text-anchor": "middle" }, count(at)))),
    make("text", { class: "soft", x: width - 12, y: bottom + 34, "text-anchor": "end" }, "tests"),
    make("path", { class: "climb", d: `${path}H${x(last)}` }),
    ...steps.map(([test, value]) => make("circle", { class: "step", cx: x(test), cy: y(value), r: 2.5 }, make("title", {}, `test ${count(test)}: ${short(value)}`))));
}

/** Leaves as the tree that they are of: a split is a column and a number that no leaf crosses. */
function splitLeaves(leaves) {
  if (leaves.length < 2) return { leaves };
  const range = (leaf, column) => leaf.conditions.find(([name]) => name === column) || [column, null, null];
  const side = (leaf, [column, at]) => { const [, above, upTo] = range(leaf, column); return upTo !== null && upTo <= at ? 0 : above !== null && above >= at ? 1 : 2; };
  let best = null;
  const seen = new Set();
  for (const [column, above, upTo] of leaves.flatMap((leaf) => leaf.conditions)) for (const at of [above, upTo]) {
    if (at === null || seen.has(`${column} ${at}`)) continue;
    seen.add(`${column} ${at}`);
    const sides = [0, 0, 0];
    for (const leaf of leaves) sides[side(leaf, [column, at])] += 1;
    if (!sides[2] && sides[0] && sides[1] && (!best || Math.min(sides[0], sides[1]) > best.least)) best = { column, at, least: Math.min(sides[0], sides[1]) };
  }
  if (!best) return { leaves };
  const parts = [0, 1].map((wanted) => leaves.filter((leaf) => side(leaf, [best.column, best.at]) === wanted));
  return { column: best.column, at: best.at, parts: parts.map(splitLeaves), leaves };
}

function leafTree(leaves, marked) {
  const failing = (all) => all.filter((leaf) => leaf.is_finding).length;
  const bad = (all) => { const [inputs, failures] = [all.reduce((sum, leaf) => sum + leaf.inputs, 0), all.reduce((sum, leaf) => sum + leaf.failures, 0)]; return `${count(failures)} of ${count(inputs)} inputs contradict`; };
  const leafLine = (leaf) => make("li", { class: leaf.id === marked ? "here" : null }, leaf.is_finding && leaf.id !== marked ? make("a", { href: `#${leaf.id}` }, leaf.class) : make("b", {}, leaf.class), ` ${bad([leaf])}, ${count(leaf.rows)} rows`, leaf.is_finding ? make("span", { class: "word found" }, leaf.id === marked ? " this leaf" : " found") : "");
  const node = (tree, words) => {
    if (!tree.parts) return tree.leaves.length === 1 ? make("ul", {}, make("li", {}, make("code", {}, words), make("ul", {}, leafLine(tree.leaves[0])))) : make("ul", {}, make("li", {}, make("code", {}, words), make("ul", {}, tree.leaves.map(leafLine))));
    const isOpen = tree.leaves.some((leaf) => (marked ? leaf.id === marked : leaf.is_finding));
    const found = failing(tree.leaves);
    return make("ul", {}, make("li", {}, make("details", { open: isOpen || words === "all rows" }, make("summary", {}, make("code", {}, words), ` ${count(tree.leaves.length)} leaves, ${bad(tree.leaves)}`, found ? make("span", { class: "word found" }, ` ${found} found`) : ""), ["≤", ">"].map((sign, at) => node(tree.parts[at], `${tree.column} ${sign} ${short(tree.at)}`)))));
  };
  return make("div", { class: "tree" }, node(splitLeaves(leaves), "all rows"));
}

const leavesOf = () => data.parts.map((part) => part.leaves || []).find((leaves) => leaves.length) || [];

/** What is shown of each kind of evidence: one function a kind. */
const evidence = {
  site(item) {
    const site = item.site;
    const rate = site.share === undefined ? "" : `: ${percent(site.share)} (${percent(site.low)} to ${percent(site.high)})`;
    return [
      pairs([
        ["test", site.test && make("code", {}, site.test)],
        ["runs", `${count(site.runs)}, ${count(site.failures)} failed${site.failures ? rate : ""}`],
        ["kill score", site.kill_score],
        ["tail", site.tail],
        ["extrapolated", (site.tails || []).map(([pass, estimate, limit]) => `1 in ${oneIn(pass)} beyond ${short(estimate)}, at most ${short(limit)}`).join(" · ")],
      ]),
      make("h3", {}, "Distribution"), distribution(site) || make("p", {}, "The values do not differ, or there are too few."),
      make("p", {}, Object.entries(site.quantiles).filter(([, value]) => value !== null).map(([name, value]) => `${name} ${short(value)}`).join(" · ")),
      item.said && item.said.length ? [make("h3", {}, "What is said about it"), make("pre", { tabindex: 0, class: "said" }, item.said.join("\n"))] : null,
      site.levels && site.levels.length ? [make("h3", {}, "Other choices"), make("table", {}, make("thead", {}, make("tr", {}, ["passes in", "bound", "of further runs beyond it"].map((name) => make("th", { scope: "col" }, name)))), make("tbody", {}, site.levels.map(([pass, text, fresh]) => make("tr", {}, make("td", {}, percent(pass)), make("td", {}, make("code", {}, text)), make("td", {}, fresh === null ? "not tried" : String(fresh))))))] : null,
      site.mutants && site.mutants.length ? [make("h3", {}, "Mutants that a tighter bound would kill"), site.mutants.map((mutant) => [make("p", {}, make("code", {}, mutant.place), `, killed in ${mutant.killed}`), diff(`-${mutant.old}\n+${mutant.new}`)])] : null,
      site.opposite ? make("p", {}, prose(site.opposite)) : null,
    ];
  },
  call(item) {
    const call = item.call_evidence;
    return [
      item.exception ? make("p", {}, make("code", {}, item.exception)) : null,
      item.call ? [make("h3", {}, "The call"), copied((call.import ? `${call.import}\n` : "") + item.call, "the call")] : null,
      pairs([["line", call.source && make("code", {}, call.source)], ["through", call.through && make("code", {}, call.through)], ["inputs", `${count(call.drawn)} valid, ${count(call.rejected)} rejected, ${count(call.count)} ended here`], ["again in a fresh process", call.recurs === null ? "not tried" : call.recurs ? "yes" : "no: it depends on the calls before it"]]),
      item.reached && item.reached.length ? [make("h3", {}, "Reached"), shares(item.reached.map(([name, part, all]) => [`${part} of ${all} ${name}`, all ? part / all : 0]))] : null,
    ];
  },
  test(item) {
    const test = item.test_evidence;
    return [item.exception ? make("pre", { tabindex: 0 }, item.exception) : null, pairs([["runs", `${count(test.runs)}, ${count(test.failures)} failed: ${percent(test.failure_rate.share)} (${percent(test.failure_rate.low)} to ${percent(test.failure_rate.high)})`], ["green because of seed", test.green_seed]])];
  },
  measured(item) {
    const found = item.measured;
    return [
      make("p", {}, "Region: ", make("code", {}, found.condition), `, ${percent(found.affected)} of all rows`),
      pairs([
        ["measured", `${short(found.measured[1])} (${short(found.measured[0])} to ${short(found.measured[2])})`],
        ["compared with", short(found.expected)],
        ...(found.elsewhere === undefined || found.elsewhere === null ? [] : [["elsewhere", short(found.elsewhere)]]),
        ["rows", count(found.rows)],
        ["chance if nothing were wrong", short(found.p_value)],
      ]),
      found.example ? rowsTable(found.example) : null,
    ];
  },
  region(item) {
    const region = item.region;
    return [
      make("p", {}, "Region: ", make("code", {}, region.condition), `, ${percent(region.affected)} of all rows`),
      shares([["model", region.error[1], region.error[0], region.error[2]], ["reference", region.rows ? region.reference_errors / region.rows : 0], ...(region.elsewhere === undefined || region.elsewhere === null ? [] : [["model elsewhere", region.elsewhere]])]),
      pairs([["rows", `${count(region.rows)}, of which the model gets ${count(region.errors)} wrong`], ["chance if nothing were wrong", short(region.p_value)]]),
      region.map ? errorMap(region.map) : null,
      item.tree ? errorTree(item.tree) : null,
      region.example ? rowsTable(region.example) : null,
    ];
  },
  leaf(item) {
    const leaf = item.leaf;
    return [make("p", {}, make("code", {}, leaf.property)), shares([["agrees", leaf.pass_rate[1], leaf.pass_rate[0], leaf.pass_rate[2]]]), pairs([["inputs", `${count(leaf.inputs)}, ${count(leaf.failures)} contradict`]]), leaf.closest ? rowsTable(leaf.closest) : null, leavesOf().length ? [make("h3", {}, "Where it is in the tree"), leafTree(leavesOf(), item.id)] : null];
  },
  property(item) {
    const found = item.property;
    return [make("p", {}, make("code", {}, found.property), `: broken by ${count(found.broken)} of ${count(found.pairs)} pairs of inputs`), rowsTable(found.example)];
  },
  search(item) {
    const search = item.search, steps = search.climb || [];
    return [
      item.exception ? make("p", {}, make("code", {}, item.exception)) : null,
      item.call ? [make("h3", {}, "The call"), copied(item.call, "the call")] : null,
      pairs([["tests", `${count(search.tests)}${search.rejected ? `, ${count(search.rejected)} of them rejected` : ""}${search.exhausted ? ": all inputs there are" : ""}`], ["best utility", steps.length ? short(steps[steps.length - 1][1]) : null], ["its utility", search.utility === undefined ? null : short(search.utility)]]),
      climb(search) ? [make("h3", {}, "The climb"), climb(search)] : null,
      search.said && search.said.length ? [make("h3", {}, "What the test said"), make("pre", { tabindex: 0 }, search.said.join("\n"))] : null,
    ];
  },
  subject(item) {
    return [item.reason ? make("p", {}, prose(item.reason)) : null, item.hint ? make("p", {}, "Hint: ", prose(item.hint)) : null, item.figures ? pairs(item.figures) : null, item.reached && item.reached.length ? shares(item.reached.map(([name, part, all]) => [`${part} of ${all} ${name}`, all ? part / all : 0])) : null, item.tree ? errorTree(item.tree) : null];
  },
};

/** To the list, and to the findings before and after this one. */
function steps(item) {
  const all = data.items.filter((each) => each.is_finding), at = all.indexOf(item);
  const link = (other, words) => (other ? make("a", { href: `#${other.id}` }, words) : null);
  return make("nav", { "aria-label": "findings" }, make("a", { href: "#" }, "All results"), at < 0 ? null : [link(all[at - 1], "Previous finding"), link(all[at + 1], "Next finding")]);
}

function detail(item) {
  const isTest = item.evidence === "search";
  const commands = [...(isTest && item.search.reproduce ? [item.search.reproduce] : item.is_finding ? [`temper replay ${item.id}`] : []), ...(item.patch ? [`temper apply ${item.id}`] : []), ...(item.is_finding && !item.known && !isTest ? [`temper accept ${item.id} --reason "..."`] : [])];
  main.replaceChildren(
    steps(item),
    make("h2", {}, word(item), " ", make("code", {}, place(item)), item.is_finding ? ` ${item.id}` : ""),
    make("p", {}, prose(item.message || item.what)),
    ...(item.is_finding ? [make("p", {}, prose(data.meanings[item.word]))] : []),
    ...(item.accepted ? [make("p", {}, `Accepted: ${item.accepted.reason}${item.accepted.until ? `, until ${item.accepted.until}` : ""} (${item.accepted.place})`)] : []),
    ...[evidence[item.evidence](item)].flat(3).filter(Boolean),
    ...[source(item)].flat().filter(Boolean),
    ...(item.patch ? [make("h3", {}, "The patch"), copied(item.patch, "the patch", diff(item.patch))] : []),
    ...(commands.length ? [make("h3", {}, "Commands"), ...commands.map((command) => copied(command, `the command ${command}`))] : []),
    ...[mutantsInSource(item.mutants_in_source || [])].flat(3).filter(Boolean),
  );
  document.title = `${item.word} ${place(item)}`;
  main.focus();
}

function cost() {
  const tests = new Map();
  for (const item of data.items) if (item.rate) tests.set(item.test || item.id, Math.max(tests.get(item.test || item.id) || 0, item.rate));
  if (!tests.size) return [];
  const red = 1 - [...tests.values()].reduce((green, rate) => green * (1 - rate), 1);
  const answer = make("output", { for: "runs minutes" });
  const field = (id, label, value) => make("label", {}, label, make("input", { id, type: "number", min: 0, value, style: "width:6rem", oninput: () => show() }));
  const form = make("form", { class: "filter" }, field("runs", "CI runs a month", 600), field("minutes", "minutes lost by a red one", 15), answer);
  const show = () => {
    const [runs, minutes] = ["runs", "minutes"].map((id) => Number(form.querySelector(`#${id}`).value) || 0);
    answer.textContent = `${short(runs * red)} of them red by chance, ${short((runs * red * minutes) / 60)} hours`;
  };
  show();
  return [make("h2", {}, "What chance costs"), make("p", {}, `At the rates seen here, ${percent(red)} of all runs of these tests fail by chance alone, if the tests fail independently of each other.`), form];
}

function trend() {
  if (data.history.length < 2) return [];
  const most = Math.max(1, ...data.history.map((run) => run.findings)), width = drawingWidth(), step = Math.min(40, width / data.history.length);
  const svg = make("svg", { viewBox: `0 0 ${width} 70`, role: "img" }, make("title", {}, `findings of the last ${data.history.length} runs: ${data.history.map((run) => run.findings).join(", ")}`));
  data.history.forEach((run, at) => svg.append(make("rect", { class: "bar", x: at * step, y: 60 - (50 * run.findings) / most, width: step * 0.8, height: Math.max((50 * run.findings) / most, 1) }, make("title", {}, `${run.day}, ${run.command}: ${run.findings} findings of ${run.subjects}`))));
  return [make("h2", {}, "Findings of earlier runs"), svg, make("p", {}, `From ${data.history[0].day} to ${data.history[data.history.length - 1].day}; one bar a run.`)];
}

const columns = [["verdict", (item) => item.rank], ["where", (item) => `${item.path}:${String(item.line).padStart(6, "0")}`], ["what", (item) => item.what], ["fails", (item) => -(item.rate || 0)]];
const state = { text: "", word: "", command: "", column: 0, up: true };

function list() {
  const rows = data.items.map((item) => ({ item, text: `${item.id} ${item.word} ${place(item)} ${item.what} ${item.test || ""}`.toLowerCase(), row: make("tr", {}, make("td", {}, word(item)), make("td", {}, make("a", { href: `#${item.id}` }, make("code", {}, broken(place(item))))), make("td", {}, prose(item.what)), make("td", { class: "rate" }, item.rate ? percent(item.rate) : "")) }));
  const body = make("tbody", {}), said = make("p", { role: "status" });
  const heads = columns.map(([name], at) => make("th", { scope: "col" }, make("button", { type: "button", onclick: () => { state.up = state.column === at ? !state.up : true; state.column = at; sort(); } }, name)));
  const sort = () => {
    const key = columns[state.column][1], turn = state.up ? 1 : -1;
    rows.sort((a, b) => { const [left, right] = [key(a.item), key(b.item)]; return turn * (left < right ? -1 : left > right ? 1 : 0); });
    heads.forEach((head, at) => head.setAttribute("aria-sort", at === state.column ? (state.up ? "ascending" : "descending") : "none"));
    body.append(...rows.map((each) => each.row));
  };
  const filter = () => {
    const wanted = state.text.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const each of rows) {
      each.row.hidden = !((!state.word || each.item.word === state.word) && (!state.command || each.item.command === state.command) && wanted.every((part) => each.text.includes(part)));
      shown += each.row.hidden ? 0 : 1;
    }
    said.textContent = `${count(shown)} of ${count(rows.length)} shown`;
  };
  const choice = (name, label, values) => make("label", {}, label, make("select", { id: name, onchange: (event) => { state[name] = event.target.value; filter(); } }, make("option", { value: "" }, "all"), values.map((value) => make("option", { value, selected: state[name] === value }, value))));
  const unique = (key) => [...new Set(data.items.map((item) => item[key]))];
  const search = make("input", { id: "search", type: "search", value: state.text, oninput: (event) => { state.text = event.target.value; filter(); } });
  sort();
  filter();
  return [make("h2", {}, "Results"), make("form", { class: "filter", onsubmit: (event) => event.preventDefault() }, make("label", {}, "Search", search), choice("word", "Verdict", unique("word")), choice("command", "Job", unique("command"))), said, make("table", { class: "list" }, make("thead", {}, make("tr", {}, heads)), body)];
}

function overview() {
  main.replaceChildren(
    make("h2", {}, "Overview"),
    make("ul", { class: "cards" }, data.parts.map((part) => make("li", { class: part.findings ? "has" : "none" }, make("b", {}, count(part.findings), part.findings === 1 ? " finding" : " findings"), make("span", { class: "job" }, job(part.command)), part.counts))),
    ...(data.items.length ? list() : []), ...cost(), ...trend(),
    ...(leavesOf().length ? [make("h2", {}, "The leaves of the model"), leafTree(leavesOf())] : []),
    ...data.parts.filter((part) => part.text).flatMap((part) => [make("details", { open: !data.items.length }, make("summary", {}, `${job(part.command)}, as printed`), make("pre", { tabindex: 0 }, part.text))]),
  );
  document.title = data.title;
}

function route() {
  const id = decodeURIComponent(location.hash.slice(1));
  const item = data.items.find((each) => each.id === id);
  item ? detail(item) : overview();
}

document.getElementById("facts").textContent = data.facts;
document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
addEventListener("hashchange", route);
route();
