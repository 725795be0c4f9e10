// Picking a move: the page contains the legal moves, so a click marks a cell immediately and the next click continues the
// move. On a board, the server's page for the pick is loaded, too; it describes the effects of the move.

// The legal moves, and the picked cells in the order of the clicks.
let legal = [];
// The maximum number of cells of a move, in games whose moves are sets of cells.
let most = 0;
let picked = [];
let clicked = null;

const picking = () => main().querySelector("template.picking");
const nameOf = (cell) => cell.id.split(".")[0];
const cellAt = (element) => element && element.closest && element.closest(".cells > [id]");

function readMoves() {
  const at = picking();
  [legal, most, picked] = [[], 0, []];
  if (!at) return;
  const { moves: written, separators, pick } = at.dataset;
  const cells = (text) => [...text].map((letter) => (separators.includes(letter) ? " " : letter)).join("").split(" ").filter(Boolean);
  let first = "";
  const texts = written.split(" ").filter(Boolean).map((text) => {
    if (separators.includes(text[0])) return first + text;
    first = cells(text)[0];
    return text;
  });
  const all = texts.length ? texts : [...main().querySelectorAll(".cells a")].map(nameOf);
  legal = all.map((text) => ({ text, cells: cells(text), unordered: text.includes(",") }));
  most = Number(at.dataset.most);
  picked = cells(pick);
  dragging();
}

// Whether the cells are the beginning of a move, or all of it.
const starts = (move, cells) => cells.every((cell, i) => (move.unordered ? move.cells.includes(cell) : move.cells[i] === cell));
const wholeMove = (cells) => (most ? wholeSet(cells) : legal.find((move) => move.cells.length === cells.length && starts(move, cells)));
const leadsOn = (move, cells) => move.cells.length > cells.length && starts(move, cells);

// Returns the move of a set of cells, in board order.
function wholeSet(cells) {
  const inOrder = legal.map((move) => move.text).filter((cell) => cells.includes(cell));
  return inOrder.length && inOrder.length === cells.length ? { text: inOrder.join(","), cells: inOrder } : undefined;
}

// Returns the cells that can continue a pick.
function further(cells) {
  if (most) return new Set(cells.length < most ? legal.map((move) => move.text).filter((cell) => !cells.includes(cell)) : []);
  const next = (move) => (move.unordered ? move.cells.filter((cell) => !cells.includes(cell)) : [move.cells[cells.length]]);
  return new Set(legal.filter((move) => leadsOn(move, cells)).flatMap(next));
}

// Returns the pick after a click on a cell, or null if the cell cannot be clicked.
function pickWith(cell) {
  // An arrow may be shot at the square that its piece has left.
  if (picked.length && further(picked).has(cell)) return [...picked, cell];
  if (picked.includes(cell)) return most ? picked.filter((other) => other !== cell) : [];
  return further([]).has(cell) ? [cell] : null;
}

// Marks the picked cells and those that can continue the move. In a stack, only the top space is a link.
function mark() {
  const next = picked.length ? further(picked) : new Set();
  for (const cell of main().querySelectorAll(".cells > [id]")) {
    const [name, top] = [nameOf(cell), cell.matches("a") || !cell.id.includes(".")];
    cell.classList.toggle("picked", top && picked.includes(name));
    cell.classList.toggle("target", top && next.has(name));
  }
  putDown();
}

function choose(cells) {
  picked = cells;
  mark();
  const move = wholeMove(cells);
  const text = move ? move.text : cells.join(",");
  if (board()) {
    fillBar(text, move);
    const url = new URL(location.pathname + (text && `?pick=${text}`), location.href).href;
    // Change the URL before the page is loaded, because an update in between would undo the pick.
    history.pushState(null, "", url);
    show(url, { update: true });
  } else if (move && !further(cells).size) {
    location.assign(picking().dataset.onward + text);
  } else {
    fillTry(text, move);
  }
}

// Fills in the form for sending the pick.
function fillBar(text, move) {
  const empty = picking().content.querySelector(".bar");
  if (!empty) return;
  let bar = main().querySelector(".side .bar");
  if (!bar) {
    bar = empty.cloneNode(true);
    picking().after(bar);
    // Restore the comment for the next move.
    const { say } = bar.elements;
    if (unsent.has(key(say))) write(say, unsent.get(key(say)));
    unsent.delete(key(say));
  }
  if (!text && bar.contains(document.activeElement)) focusState();
  // Hide the form instead of removing it, to keep an unfinished comment.
  bar.hidden = !text;
  bar.elements.move.value = move ? move.text : "";
  bar.querySelector("strong").textContent = text;
  bar.querySelector(".effects").textContent = move ? "" : " … ";
  fillMissing(bar, move);
  const [button, explore] = [bar.querySelector("button.main"), bar.querySelector(".explore")];
  button.disabled = !move;
  button.textContent = move ? `Send ${text}` : "Send";
  explore.hidden = !move;
  explore.href = picking().dataset.onward + text;
}

// Says which cell an incomplete move lacks.
function fillMissing(words, move) {
  words.querySelector(".partial").hidden = Boolean(move) || picked.length > 1;
  words.querySelector(".shot").hidden = Boolean(move) || picked.length < 2;
}

// Fills in the links for the pick in a lesson or a puzzle.
function fillTry(text, move) {
  const status = main().querySelector("[role=status]");
  const words = picking().content.querySelector(".try").cloneNode(true);
  for (const old of status.querySelectorAll(".try")) old.remove();
  for (const old of status.children) old.hidden = Boolean(text);
  if (!text) return;
  words.querySelector("strong").textContent = text;
  words.querySelector(".complete").hidden = !move;
  fillMissing(words, move);
  const play = words.querySelector("a.main");
  play.hidden = !move;
  play.textContent = `Play ${text}`;
  play.href = picking().dataset.onward + text;
  status.append(words);
}

// Sends the picked move, or tries it.
function finish() {
  const button = main().querySelector(".side .bar:not([hidden]) button.main, .try a.main:not([hidden])");
  if (button && !button.disabled) button.click();
  else if (!main().querySelector(".sends") && board() && wholeMove(picked)) show(picking().dataset.onward + wholeMove(picked).text, { push: true });
}

// Handles a click; returns whether it changed the pick.
function picks(event) {
  if (endsDrag(event)) return true;
  if (picking() && event.target.closest("a.cancel")) {
    choose([]);
    return true;
  }
  const cell = cellAt(event.target);
  if (!cell || !picking()) return false;
  if (zooms(event)) return true;
  const name = nameOf(cell);
  if (!cell.matches("a, .target, .picked") || !pickWith(name)) return false;
  // A double click counts once.
  const again = event.detail > 1 && clicked === name;
  clicked = name;
  if (!again && !sending) choose(pickWith(name));
  return true;
}

document.addEventListener("keydown", (event) => {
  if (!picked.length || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const at = document.activeElement || document.body;
  const cell = cellAt(at);
  // The field for a typed move is empty on the page of a complete pick.
  const ends = at.matches("body, .state") || (at.name === "pick" && !at.value && !at.defaultValue);
  if (event.key === "Escape" && !at.matches("input, textarea, select")) {
    choose([]);
  } else if (event.key === "Enter" && (cell ? event.repeat || picked.includes(nameOf(cell)) : ends)) {
    // Ignore the repetitions of a key that is held down.
    event.preventDefault();
    if (!event.repeat) finish();
  }
});
