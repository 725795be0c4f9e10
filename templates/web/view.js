// How a board is looked at: names, sides, zoom; and how pieces move.

// How the board is looked at is kept: names for all boards, the other side for this one, and the zoom for this page.
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

// Notes the zoom, what is seen of the board and which tab is open; returns what restores them in the next page.
function viewed() {
  const zoomed = document.getElementById("view-zoom").checked;
  const hidden = [...main().querySelectorAll(".levels input:not(:checked)")].map(({ id }) => id);
  const { scrollLeft, scrollTop } = main().querySelector(".pan");
  const tab = main().querySelector(".tabs input:checked");
  return () => {
    const again = tab && document.getElementById(tab.id);
    if (again && !("refused" in board().dataset)) again.checked = true;
    document.getElementById("view-zoom").checked = zoomed;
    for (const id of hidden) if (document.getElementById(id)) document.getElementById(id).checked = false;
    main().querySelector(".pan").scrollTo(scrollLeft, scrollTop);
  };
}

// The least side of a cell that a finger finds (WCAG 2, 2.5.8).
const FINGER = 24;

// The first tap on a board whose cells are too small for a finger zooms to where it was.
function zooms(event) {
  const ground = event.pointerType !== "mouse" && event.target.closest(".cells") && main().querySelector(".cells title + *");
  const box = document.getElementById("view-zoom");
  if (!ground || box.checked) return false;
  const cells = [...main().querySelectorAll(".cells title + *")].slice(0, 12).map((cell) => cell.getBoundingClientRect());
  if (Math.min(...cells.map(({ width, height }) => Math.min(width, height))) >= FINGER) return false;
  const pan = main().querySelector(".pan");
  const frame = pan.getBoundingClientRect();
  const [x, y] = [(event.clientX - frame.x) / frame.width, (event.clientY - frame.y) / frame.height];
  box.checked = true;
  pan.scrollTo(x * pan.scrollWidth - frame.width / 2, y * pan.scrollHeight - pan.clientHeight / 2);
  return true;
}

// The pieces of the board by their cells: light or dark.
function standing() {
  const uses = [...main().querySelectorAll(".cells > * > use:not([class])")];
  const pieces = uses.map((use) => [use.parentElement.id, use.getAttribute("href").match(/^#(light|dark)/)?.[1], use]);
  return new Map(pieces.filter(([, colour]) => colour).map(([id, colour, use]) => [id, { colour, use }]));
}

// Shows how the pieces came from where they stood before to where they stand now.
function moves(before) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
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
