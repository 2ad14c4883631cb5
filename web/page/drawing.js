// The board and all that is shown around it, drawn from the state in game.js.

const SPACING = 100;  // between two points, in units of the drawing

const place = (point) => ({x: SPACING * (point[1] - 1), y: SPACING * (point[0] - 1)});
const at = (point) => { const {x, y} = place(point); return `translate(${x} ${y})`; };

// An arrow between two points that leaves room for what stands there.
function arrow(from, to, name) {
  const a = place(from), b = place(to);
  const length = Math.hypot(b.x - a.x, b.y - a.y), ux = (b.x - a.x) / length, uy = (b.y - a.y) / length;
  const tip = {x: b.x - 12 * ux, y: b.y - 12 * uy}, neck = {x: tip.x - 20 * ux, y: tip.y - 20 * uy};
  const corner = (side) => `${neck.x - side * 11 * uy} ${neck.y + side * 11 * ux}`;
  return `<line class="${name}" x1="${a.x + 40 * ux}" y1="${a.y + 40 * uy}" x2="${neck.x}" y2="${neck.y}"/>`
    + `<path class="${name}-head" d="M${tip.x} ${tip.y}L${corner(1)}L${corner(-1)}Z"/>`;
}

const pill = (point, text) => `<g class="pill" transform="${at(point)}"><rect x="-28" y="22" width="56" height="26" rx="13"/><text y="36">${text}</text></g>`;
const badge = (point, value) => `<g class="badge ${value}" transform="${at(point)}"><circle cx="30" cy="-30" r="15"/><text x="30" y="-29">${value[0].toUpperCase()}</text></g>`;

// Moves by the point they are shown at: where a goat is put; where a piece stands; or, for the chosen
// piece, where it goes.
function byPoint(moves) {
  const groups = new Map();
  for (const move of moves) {
    if (chosen && move.from !== chosen) continue;
    const point = chosen || !move.from ? move.to : move.from;
    groups.set(point, [...(groups.get(point) || []), move]);
  }
  return groups;
}

function drawEvaluation() {
  if (!evaluation) return "";
  let drawn = "";
  if (evaluation.network && byId("show-network").checked)
    for (const [point, moves] of byPoint(evaluation.network.moves)) {
      const share = moves.reduce((sum, move) => sum + move.share, 0);
      if (share >= 0.005 || chosen) drawn += pill(point, Math.round(100 * share) + "%");
    }
  if (evaluation.perfect && byId("show-perfect").checked)
    for (const [point, moves] of byPoint(evaluation.perfect.moves)) {
      const values = moves.map((move) => move.value);
      const best = ["win", "draw", "loss"].find((value) => values.includes(value));
      if (best && !(best !== "win" && values.includes(null))) drawn += badge(point, best);
    }
  return drawn;
}

function drawBoard() {
  if (!byId("lines").childElementCount) drawLines();
  const last = lastMove();
  let under = "", over = "";
  if (last) {
    if (last.from) under += `<circle class="last-from" r="34" transform="${at(last.from)}"/>`;
    under += `<circle class="last-to" r="46" transform="${at(last.to)}"/>`;
  }
  if (byId("show-tigers").checked)
    for (const move of game.tiger_moves) {
      if (move.over) over += arrow(move.from, move.to, "jump");
      else {
        const a = place(move.from), b = place(move.to);
        under += `<line class="step" x1="${a.x}" y1="${a.y}" x2="${a.x + 0.8 * (b.x - a.x)}" y2="${a.y + 0.8 * (b.y - a.y)}"/>`;
      }
    }
  if (chosen) {
    under += `<circle class="chosen" r="44" transform="${at(chosen)}"/>`;
    for (const move of game.legal.filter((legal) => legal.from === chosen)) {
      over += `<circle class="target" r="13" transform="${at(move.to)}"/>`;
      if (move.over) over += `<circle class="threat" r="42" transform="${at(move.over)}"/>`;
    }
  }
  if (hinted) over += hinted.from ? arrow(hinted.from, hinted.to, "hinted")
    : `<circle class="hinted" r="30" transform="${at(hinted.to)}"/>`;
  const piece = (point, kind, classes) => `<use href="#${kind}" class="${classes}" x="-40" y="-40" width="80" height="80" transform="${at(point)}"/>`;
  byId("under").innerHTML = under;
  byId("pieces").innerHTML = game.goats.map((point) => piece(point, "goat", "")).join("")
    + game.tigers.map((point) => {
      const shut = game.immobile.includes(point);
      return piece(point, "tiger", shut ? "shut" : "")
        + (shut ? `<path class="bars" transform="${at(point)}" d="M-18-36V36M0-40V40M18-36V36"/>` : "");
    }).join("");
  byId("over").innerHTML = over + drawEvaluation();
  for (const element of byId("points").children) {
    const point = element.dataset.point;
    const what = pieceAt(point) || "empty";
    const can = chosen ? game.legal.some((move) => move.from === chosen && move.to === point) : false;
    element.setAttribute("aria-label", `${point}, ${what}${point === chosen ? ", chosen" : ""}${can ? ", can be reached" : ""}`);
  }
}

// Lines, coordinates and what can be touched: once.
function drawLines() {
  const points = new Set(game.lines.flat());
  let lines = "";
  for (const line of game.lines) {
    const a = place(line[0]), b = place(line[line.length - 1]);
    lines += `<line x1="${a.x}" y1="${a.y}" x2="${b.x}" y2="${b.y}"/>`;
  }
  for (const point of points) {
    lines += `<circle r="6" transform="${at(point)}"/>`;
    if (point[0] === "1") lines += `<text x="${place(point).x}" y="-58">${point[1]}</text>`;
    if (point[1] === "1") lines += `<text x="-58" y="${place(point).y}">${point[0]}</text>`;
  }
  byId("lines").innerHTML = lines;
  byId("points").innerHTML = [...points].sort().map((point) =>
    `<g class="point" role="button" tabindex="${point === "33" ? 0 : -1}" data-point="${point}" transform="${at(point)}"><circle r="47"/></g>`).join("");
}

function lastMove() {
  if (!game.moves.length) return null;
  const digits = game.moves[game.moves.length - 1].replace(/\D/g, "");
  return {from: digits.length > 2 ? digits.slice(0, 2) : null, to: digits.slice(-2)};
}

function drawMoves() {
  const rows = [];
  let number = game.start.goat_moves;
  let side = game.start.side;
  for (const move of game.moves) {
    if (side === "goat" || !rows.length) rows.push([side === "goat" ? ++number : number, "", ""]);
    rows[rows.length - 1][side === "goat" ? 1 : 2] = move;
    side = side === "goat" ? "tiger" : "goat";
  }
  const list = byId("moves");
  list.replaceChildren(...rows.map((row, index) => {
    const item = document.createElement("li");
    const isLast = index === rows.length - 1;
    row.forEach((text, column) => {
      const cell = document.createElement("span");
      cell.textContent = column ? text : text + ".";
      if (isLast && column && text && !(column === 1 && row[2])) cell.className = "last";
      item.append(cell);
    });
    return item;
  }));
  list.scrollTop = list.scrollHeight;
}

function drawVerdicts() {
  const network = byId("network-verdict");
  const shown = evaluation && evaluation.network && byId("show-network").checked;
  network.hidden = !shown;
  if (shown) {
    const parts = ["goats", "draw", "tigers"].map((name) => evaluation.network[name]);
    network.querySelectorAll("i").forEach((bar, index) => { bar.style.width = 100 * parts[index] + "%"; });
    const [goats, even, tigers] = parts.map((share) => Math.round(100 * share));
    network.querySelector("p").textContent = `Network: goats ${goats} %, draw ${even} %, tigers ${tigers} %`;
  }
  const perfect = byId("perfect-verdict");
  perfect.hidden = !(evaluation && evaluation.perfect && byId("show-perfect").checked);
  if (!perfect.hidden) {
    const {result, plies} = evaluation.perfect;
    const words = {goats_win: "the goats win", tigers_win: "the tigers win", draw: "a draw"};
    perfect.textContent = "Perfect play: " + (words[result] || "not known here") + (plies ? ` in ${plies} plies` : "");
  }
}

function fillForm(values) {
  for (const [name, value] of Object.entries(values)) {
    const field = form.elements[name];
    const wanted = String(value);
    if (field.options && ![...field.options].some((option) => option.value === wanted))
      field.add(new Option(name === "visits" ? `${wanted} simulations` : `${wanted} seconds`, wanted));
    field.value = wanted;
  }
}

function draw() {
  drawBoard();
  drawMoves();
  drawVerdicts();
  byId("engine").textContent = "against " + game.engine;
  byId("turn").textContent = game.end ? "nobody" : NAMES[game.side_to_move] + (isYours(game.side_to_move) ? "" : " (engine)");
  byId("hand").textContent = game.goats_in_hand;
  byId("captured").textContent = `${game.captured} of ${game.rules.captures_to_win}`;
  const jumps = game.tiger_moves.filter((move) => move.over).length;
  const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
  byId("tigers").textContent = `${count(game.tiger_moves.length - jumps, "step")}, ${count(jumps, "capture")}`
    + (game.immobile.length ? `; ${game.immobile.length} shut in` : "");
  byId("undo").disabled = !game.moves.length;
  byId("hint").disabled = Boolean(game.end) || game.engine_to_move;
  byId("flip").disabled = game.settings.side === "both";
  byId("label-network").hidden = !game.network;
  byId("label-perfect").hidden = !game.solved;
  byId("text").value = game.text;
  byId("fen").value = game.fen;
}
