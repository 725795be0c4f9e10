// Keyboard control of a board.

// The Tab key reaches one cell; the arrow keys move to the others.
function rove() {
  const cells = [...main().querySelectorAll(".cells a")];
  const first = cells.find((cell) => cell.classList.contains("picked")) || cells[0];
  for (const cell of cells) cell.setAttribute("tabindex", cell === first ? "0" : "-1");
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function middle(cell) {
  const box = cell.querySelector("title + *").getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

// Returns the nearest cell in a direction.
function neighbour(cell, [dx, dy]) {
  const [x, y] = middle(cell);
  let best = null, least = Infinity;
  for (const other of main().querySelectorAll(".cells a")) {
    const [ox, oy] = middle(other);
    const along = (ox - x) * dx + (oy - y) * dy;
    const across = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
    if (other === cell || along < 1 || across > 2 * along) continue;
    const far = along + 2 * across;
    if (far < least) [best, least] = [other, far];
  }
  return best;
}

document.addEventListener("keydown", (event) => {
  const way = ARROWS[event.key];
  if (!way || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !board()) return;
  const at = document.activeElement;
  if (at && at.matches("input, textarea, select")) return;
  const cell = at && at.closest && at.closest(".cells a");
  if (cell) {
    const next = neighbour(cell, way);
    if (next) {
      cell.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus({ preventScroll: true });
    }
    event.preventDefault();
  } else if (way[0]) {
    const step = main().querySelector(way[0] < 0 ? ".steps [rel=prev]" : ".steps [rel=next]");
    if (step) {
      event.preventDefault();
      show(step.href, { push: true });
    }
  }
});
