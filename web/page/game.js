"use strict";

// The state of the page, talking to the program, and what a person's touch means. drawing.js and
// input.js follow in the same script.

const NAMES = {goat: "goats", tiger: "tigers"};
const byId = (id) => document.getElementById(id);
const form = byId("new-game");

let game = null;        // what the program says of the game, see web/board_json.h
let chosen = null;      // the point of the piece that is to move
let evaluation = null;  // of the game as it is shown, once it has arrived
let hinted = null;      // a move to point out
let thinking = false;

// ---------------------------------------------------------------------------------------------
// Talking to the program

async function ask(name, body = {}, triesLeft = 5) {
  let response, answer;
  try {
    response = await fetch("/api/" + name, {
      method: "POST",
      headers: {"Content-Type": "application/json"},
      body: JSON.stringify(body),
    });
    answer = await response.json();
  } catch {
    throw Object.assign(new Error("The program does not answer. Does it still run?"), {status: 0});
  }
  const retryAfter = response.headers.get("Retry-After");
  if (retryAfter && triesLeft > 1) {
    await new Promise((resolve) => setTimeout(resolve, 1000 * retryAfter));
    return ask(name, body, triesLeft - 1);
  }
  if (!response.ok) throw Object.assign(new Error(sentence(answer.error)), {status: response.status});
  return answer;
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

function say(text, isFault = false) {
  byId("message").textContent = text || "\u00a0";
  byId("message").classList.toggle("fault", isFault);
}

// What went wrong; where this page was behind, it catches up.
async function recover(error) {
  say(error.message, true);
  if (error.status !== 409 && error.status !== 410) return;
  const text = game.text;
  game = await ask("game");
  // The program has started anew or has dropped this game, but the page still knows it.
  if (error.status === 410) game = await ask("import", {version: game.version, text});
  chosen = hinted = evaluation = null;
  draw();
}

async function change(name, body = {}) {
  try {
    game = await ask(name, {version: game.version, ...body});
  } catch (error) {
    await recover(error).catch((again) => say(again.message, true));
    return false;
  }
  chosen = hinted = evaluation = null;
  draw();
  fillForm({...game.settings, ...(name === "new" ? game.rules : {})});
  say(describeState());
  evaluate();
  answerIfDue();
  return true;
}

async function answerIfDue() {
  if (!game.engine_to_move || thinking) return;
  thinking = true;
  const version = game.version;
  try {
    const next = await ask("reply", {version});
    if (game.version === version) {
      game = next;
      chosen = hinted = evaluation = null;
    }
  } catch (error) {
    // What was asked before an undo or a new game is of no interest any more.
    if (game.version === version) {
      thinking = false;
      await recover(error).catch((again) => say(again.message, true));
      return;
    }
  }
  thinking = false;
  draw();
  say(describeState());
  evaluate();
  answerIfDue();
}

async function evaluate() {
  const wanted = (byId("show-network").checked && game.network) || (byId("show-perfect").checked && game.solved);
  if (!wanted || evaluation || game.end) return;
  const version = game.version;
  try {
    const answer = await ask("evaluation", {version});
    if (game.version !== version) return;
    evaluation = answer;
    draw();
  } catch (error) {
    if (game.version === version) say(error.message, true);
  }
}

async function hint() {
  const version = game.version;
  say("Looking for a good move …");
  try {
    const answer = await ask("hint", {version});
    if (game.version !== version) return;
    hinted = game.legal.find((move) => move.move === answer.best);
    const line = answer.lines[0];
    const share = (x) => Math.round(100 * x) + " %";
    const outlook = line.proof === "win" || line.proof === "loss" ? `${line.proof} in ${line.proof_plies} plies`
      : line.proof === "draw" ? "a draw"
      : `win ${share(line.wdl[0])}, draw ${share(line.wdl[1])}, loss ${share(line.wdl[2])}`;
    draw();
    say(`The engine would play ${answer.best}: ${outlook}.`);
  } catch (error) {
    if (game.version === version) await recover(error).catch((again) => say(again.message, true));
  }
}

// ---------------------------------------------------------------------------------------------
// What a person does

const isYours = (side) => game.settings.side === "both" || game.settings.side === side;
const pieceAt = (point) => game.tigers.includes(point) ? "tiger" : game.goats.includes(point) ? "goat" : null;

function moveText(from, to) {
  if (game.side_to_move === "goat") return "G" + (from || "") + to;
  const far = Math.max(Math.abs(from[0] - to[0]), Math.abs(from[1] - to[1])) === 2;
  return (far ? "Bx" : "B") + from + to;
}

function touch(point) {
  if (!game) return;
  if (game.end) return say("The game is over: take back with Undo, or begin a new one.", true);
  if (game.engine_to_move) return say("It is the engine’s turn; it is thinking.", true);
  const side = game.side_to_move;
  const piece = pieceAt(point);
  if (point === chosen) {
    chosen = null;
    draw();
    return say(describeState());
  }
  if (piece === side) {
    const placing = side === "goat" && game.goats_in_hand > 0;
    if (placing) return say("Goats move only after all of them have been placed: choose an empty point.", true);
    if (!game.legal.some((move) => move.from === point))
      return say(`The ${piece} on ${point} cannot move.`, true);
    chosen = point;
    draw();
    return say(`${piece === "goat" ? "Goat" : "Tiger"} on ${point}: choose where it goes.`);
  }
  if (piece) {
    if (chosen) return change("move", {move: moveText(chosen, point)});
    return say(`It is the ${NAMES[side]}’ turn, and a ${piece} stands on ${point}.`, true);
  }
  const placing = side === "goat" && game.goats_in_hand > 0;
  if (!placing && !chosen) return say(`Choose the ${side} that is to move first.`, true);
  change("move", {move: moveText(chosen, point)});
}

function describeState() {
  if (game.end) {
    const who = {goats_win: "The goats win", tigers_win: "The tigers win", draw: "A draw"}[game.end.result];
    return `${who}: ${game.end.why}.`;
  }
  const last = game.moves.length ? `${game.moves[game.moves.length - 1]} was played. ` : "";
  if (game.engine_to_move) return `${last}The engine thinks …`;
  const what = game.side_to_move === "tiger" ? "move a tiger"
    : game.goats_in_hand ? "place a goat" : "move a goat";
  return `${last}${game.settings.side === "both" ? sentence(NAMES[game.side_to_move]).slice(0, -1) : "Your turn"}: ${what}.`;
}
