// Dragging a piece to another cell, with the mouse or a finger, picks both cells.

// The held piece and its cell. Dragging starts after a movement of SLOP pixels.
const SLOP = 6;
let held = null;
let dropped = false;

const movable = (name) => legal.some((move) => !move.unordered && move.cells.length > 1 && move.cells[0] === name);

document.addEventListener("pointerdown", (event) => {
  dropped = false;
  held = null;
  const cell = cellAt(event.target);
  if (!cell || event.button || !event.isPrimary || sending || !movable(nameOf(cell))) return;
  const { width, height } = cell.querySelector("title + *").getBoundingClientRect();
  if (event.pointerType !== "mouse" && Math.min(width, height) < FINGER) return;
  const use = cell.querySelector('use[href^="#light"], use[href^="#dark"]');
  if (use) held = { cell, use, x: event.clientX, y: event.clientY, pointer: event.pointerId, piece: null };
});

document.addEventListener("pointermove", (event) => {
  if (!held || event.pointerId !== held.pointer) return;
  const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
  if (!held.piece && Math.hypot(dx, dy) < SLOP) return;
  if (!held.cell.isConnected) {
    held = null;
    return;
  }
  if (!held.piece) lift();
  const svg = held.cell.ownerSVGElement;
  const { width, height } = svg.getBoundingClientRect();
  const units = Math.max(svg.viewBox.baseVal.width / width, svg.viewBox.baseVal.height / height);
  const flipped = board() && document.getElementById("view-flip").checked ? -1 : 1;
  held.piece.setAttribute("transform", `translate(${dx * units * flipped} ${dy * units * flipped})`);
});

// A finger that drags a piece must not scroll the page. Two fingers zoom as usual.
function holdStill(event) {
  if (held && event.touches.length > 1) letGo();
  else if (held && event.cancelable) event.preventDefault();
}

// Only on boards with movable pieces, because this listener delays scrolling.
function dragging() {
  const svg = main().querySelector(".pan svg");
  if (svg && legal.some((move) => movable(move.cells[0]))) svg.addEventListener("touchmove", holdStill, { passive: false });
}

// Lifts a piece off its cell, above all other elements.
function lift() {
  // Ignore a page that is still loading, because it would replace the board.
  loading++;
  picked = [nameOf(held.cell)];
  mark();
  held.piece = held.use.cloneNode();
  held.piece.setAttribute("class", "dragged");
  held.cell.classList.add("lifted");
  held.cell.ownerSVGElement.append(held.piece);
}

function putDown() {
  for (const piece of main().querySelectorAll(".dragged")) piece.remove();
  for (const cell of main().querySelectorAll(".lifted")) cell.classList.remove("lifted");
}

document.addEventListener("pointerup", (event) => {
  const drag = held;
  held = null;
  if (!drag || !drag.piece || event.pointerId !== drag.pointer || !drag.piece.isConnected) return;
  dropped = true;
  const onto = cellAt(document.elementFromPoint(event.clientX, event.clientY));
  const from = nameOf(drag.cell);
  if (!onto || !further([from]).has(nameOf(onto))) {
    choose([from]);
    return;
  }
  choose([from, nameOf(onto)]);
  // Show the piece here until the loaded page does.
  drag.cell.classList.add("lifted");
  drag.cell.ownerSVGElement.append(drag.piece);
});

function letGo() {
  if (held && held.piece) choose([nameOf(held.cell)]);
  held = null;
}

document.addEventListener("pointercancel", letGo);

// Prevent the browser from dragging the link.
document.addEventListener("dragstart", (event) => {
  if (cellAt(event.target)) event.preventDefault();
});

// Returns whether this is the click that a browser sends after a drag.
function endsDrag(event) {
  const ends = dropped && event.detail > 0;
  dropped = false;
  return ends;
}
