// Viewing options of a board (names, flip, zoom), and the animation of moves.

// Stored options: cell names for all boards, and the flip for each board. The zoom is not stored.
const VIEWS = {
  "view-names": () => "names",
  "view-flip": () => "flip" + board().dataset.events,
};

function views() {
  for (const [id, name] of Object.entries(VIEWS)) {
    const box = document.getElementById(id);
    box.checked = localStorage.getItem(name()) === "1";
    box.addEventListener("change", () => localStorage.setItem(name(), box.checked ? "1" : "0"));
  }
}

// Scrolls the list of moves to the current one, without scrolling the page.
function scrollMoves() {
  const current = main().querySelector(".moves [aria-current]");
  if (!current) return;
  const list = current.closest(".scroll");
  const [frame, move] = [list, current].map((element) => element.getBoundingClientRect());
  if (move.top < frame.top || move.bottom > frame.bottom) list.scrollTop += (move.top + move.bottom - frame.top - frame.bottom) / 2;
}

// Returns the current move in the list, with its number.
const currentMove = () => main().querySelector(".moves [aria-current]")?.closest("li").textContent;

// Returns the cells of the last move.
const lastCells = () => [...main().querySelectorAll(".cells .last")];

// Scrolls a zoomed board to the last move if it is not visible.
function followMove() {
  const pan = main().querySelector(".pan");
  const frame = pan.getBoundingClientRect();
  for (const cell of lastCells()) {
    const box = cell.getBoundingClientRect();
    const [x, y] = [(box.left + box.right) / 2 - frame.left, (box.top + box.bottom) / 2 - frame.top];
    if (x < 0 || y < 0 || x > frame.width || y > frame.height) pan.scrollBy(x - frame.width / 2, y - frame.height / 2);
  }
}

// Whether a tap has zoomed the board.
let tapped = false;

// Saves the zoom, the scroll positions of the board and the moves, and the open tab; returns a function that restores them
// on the next page. Sending a move ends the zoom by a tap. Otherwise, a zoomed board scrolls to the last move.
function viewed(sent) {
  const zoomed = document.getElementById("view-zoom").checked;
  const hidden = [...main().querySelectorAll(".levels input:not(:checked)")].map(({ id }) => id);
  const { scrollLeft, scrollTop } = main().querySelector(".pan");
  const tab = main().querySelector(".tabs input:checked");
  const last = lastCells().map(({ id }) => id).join();
  const move = currentMove();
  const list = main().querySelector(".scroll").scrollTop;
  return () => {
    const refused = "refused" in board().dataset;
    const again = tab && document.getElementById(tab.id);
    if (again && !refused) again.checked = true;
    for (const id of hidden) if (document.getElementById(id)) document.getElementById(id).checked = false;
    if (move === currentMove()) main().querySelector(".scroll").scrollTop = list;
    const back = tapped && sent && act(sent) === "move" && !refused;
    tapped = tapped && zoomed && !back;
    document.getElementById("view-zoom").checked = zoomed && !back;
    if (!zoomed || back) return;
    main().querySelector(".pan").scrollTo(scrollLeft, scrollTop);
    if (last !== lastCells().map(({ id }) => id).join()) followMove();
  };
}

// The minimum size of a touch target in pixels (WCAG 2, 2.5.8).
const FINGER = 24;

// Handles a tap: on a board with cells below this size, the first tap zooms in on its place. Returns whether it zoomed.
function zooms(event) {
  const box = document.getElementById("view-zoom");
  if (!box || box.checked || event.pointerType === "mouse" || !event.target.closest(".cells")) return false;
  const cells = [...main().querySelectorAll(".cells title + *")].slice(0, 12).map((cell) => cell.getBoundingClientRect());
  if (Math.min(...cells.map(({ width, height }) => Math.min(width, height))) >= FINGER) return false;
  const pan = main().querySelector(".pan");
  const frame = pan.getBoundingClientRect();
  const [x, y] = [(event.clientX - frame.x) / frame.width, (event.clientY - frame.y) / frame.height];
  box.checked = tapped = true;
  pan.scrollTo(x * pan.scrollWidth - frame.width / 2, y * pan.scrollHeight - pan.clientHeight / 2);
  return true;
}

// Returns the pieces on the board by cell: light or dark.
function standing() {
  const uses = [...main().querySelectorAll(".cells > * > use:not([class])")];
  const pieces = uses.map((use) => [use.parentElement.id, use.getAttribute("href").match(/^#(light|dark)/)?.[1], use]);
  return new Map(pieces.filter(([, colour]) => colour).map(([id, colour, use]) => [id, { colour, use }]));
}

// Animates the pieces from their previous places to the current ones.
function moves(before) {
  if (!before || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const now = standing();
  const left = [...before].filter(([id]) => !now.has(id));
  const come = [...now].filter(([id]) => !before.has(id));
  for (const [, { colour, use }] of come.length <= 4 ? come : []) {
    const from = left.filter(([, piece]) => piece.colour === colour);
    const place = (piece, axis) => Number(piece.getAttribute(axis));
    const away = from.length === 1 && come.length === 1 && ["x", "y"].map((axis) => place(from[0][1].use, axis) - place(use, axis));
    const start = away ? { transform: `translate(${away[0]}px, ${away[1]}px)` } : { opacity: 0 };
    use.animate([start, {}], { duration: 180, easing: "ease-out" });
  }
}
