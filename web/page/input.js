// Mouse, fingers and keys; what begins when the page has loaded.

function focusPoint(point) {
  for (const element of byId("points").children) {
    element.tabIndex = element.dataset.point === point ? 0 : -1;
    if (element.dataset.point === point) element.focus();
  }
}

byId("points").addEventListener("click", (event) => {
  const element = event.target.closest(".point");
  if (element) touch(element.dataset.point);
});

byId("points").addEventListener("keydown", (event) => {
  const [row, column] = event.target.dataset.point;
  const steps = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key];
  if (steps) {
    const next = `${Number(row) + steps[0]}${Number(column) + steps[1]}`;
    if (byId("points").querySelector(`[data-point="${next}"]`)) focusPoint(next);
  } else if (event.key === "Enter" || event.key === " ") {
    touch(row + column);
  } else {
    return;
  }
  event.preventDefault();
});

const newGame = () => form.reportValidity() && change("new", readForm(["side", "visits", "seconds", "goats", "captures_to_win", "repetition"]));

function readForm(names) {
  const textual = ["side", "repetition"];
  return Object.fromEntries(names.map((name) => {
    const value = form.elements[name].value;
    return [name, textual.includes(name) ? value : Number(value)];
  }));
}

const toggle = (id) => { byId(id).click(); };
const keys = {
  u: () => byId("undo").click(),
  h: () => byId("hint").click(),
  n: newGame,
  t: () => toggle("show-tigers"),
  v: () => game.network && toggle("show-network"),
  p: () => game.solved && toggle("show-perfect"),
  Escape: () => { if (chosen) touch(chosen); },
};
document.addEventListener("keydown", (event) => {
  if (!game || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input:not([type=checkbox]), select, textarea")) return;
  const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action) return;
  action();
  event.preventDefault();
});

byId("undo").addEventListener("click", () => change("undo"));
byId("hint").addEventListener("click", hint);
byId("flip").addEventListener("click", () => change("settings", {side: game.settings.side === "goat" ? "tiger" : "goat"}));
form.addEventListener("submit", (event) => { event.preventDefault(); newGame(); });
form.addEventListener("change", (event) => {
  if (["side", "visits", "seconds"].includes(event.target.name)) change("settings", readForm([event.target.name]));
});
for (const id of ["show-tigers", "show-network", "show-perfect"])
  byId(id).addEventListener("change", () => { draw(); evaluate(); });

byId("import").addEventListener("click", async () => {
  if (await change("import", {text: byId("text").value})) say("Taken over. " + describeState());
});
byId("file").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  event.target.value = "";
  if (file && await change("import", {text: await file.text()})) say("Taken over. " + describeState());
});
byId("save").addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([game.text + "\n"], {type: "text/plain"}));
  link.download = "bagh-chal.txt";
  link.click();
  URL.revokeObjectURL(link.href);
});

// Drawings that take time to draw come after the board: the first answer has all that it needs.
ask("game").then((answer) => {
  game = answer;
  draw();
  fillForm({...game.settings, ...game.rules});
  say(describeState());
  answerIfDue();
}).catch((error) => say(error.message, true));
