// Makes the pages of a board faster: a clicked link is loaded into the page, arrow keys move between cells and moves, and
// new moves appear by themselves. Everything works without it, too.
"use strict";
(() => {
  const main = () => document.getElementById("main");
  const board = () => main().querySelector(".board");
  let loading = 0;
  let source = null;

  // Loads a page of a board in place of this one, and keeps unsent text and the focus. An update is a page that nobody
  // has clicked for: when it cannot be loaded, this one stays.
  async function show(url, { push = false, update = false } = {}) {
    const mine = ++loading;
    let response, text;
    try {
      response = await fetch(url);
      text = await response.text();
    } catch {
      if (update) interrupted();
      else location.assign(url);
      return;
    }
    if (mine !== loading) return;
    const page = new DOMParser().parseFromString(text, "text/html");
    const next = page.getElementById("main");
    if (!next || !next.querySelector(".board")) {
      if (update) interrupted();
      else location.assign(response.url);
      return;
    }
    const restore = written(update);
    const before = standing();
    const seen = viewed();
    const open = [...main().querySelectorAll("details[open] > summary")].map((summary) => summary.textContent);
    main().replaceWith(document.adoptNode(next));
    document.title = page.title;
    if (push) history.pushState(null, "", response.url);
    for (const summary of main().querySelectorAll("summary")) {
      if (open.includes(summary.textContent)) summary.parentElement.open = true;
    }
    if (update) failures = 0;
    restore();
    ready();
    seen();
    moves(before);
  }

  const fields = () => [...main().querySelectorAll("form textarea, form input:not([type=hidden])")];
  const key = (field) => (field.form.elements.do ? field.form.elements.do.value : "") + "/" + field.name;
  // Text that was typed and not sent, by its field.
  const unsent = new Map();

  // Notes what is being written; returns what writes it again into the next page. A text that has no place there is
  // shown, but a move's comment waits for the next move that is picked.
  function written(update) {
    // What the page of a refused form holds was not sent, either.
    const refused = "refused" in board().dataset;
    for (const field of fields()) {
      const typed = field.value !== field.defaultValue || (refused && field.value);
      if (typed && (update || field.name !== "pick")) unsent.set(key(field), field.value);
    }
    const at = document.activeElement;
    const id = at && at.id;
    const typing = at && at.form && main().contains(at) && key(at);
    const selection = typing && typeof at.selectionStart === "number" && [at.selectionStart, at.selectionEnd];
    return () => {
      for (const field of fields()) {
        const name = key(field);
        if (unsent.has(name)) field.value = unsent.get(name);
        unsent.delete(name);
        if (name !== typing) continue;
        field.focus({ preventScroll: true });
        if (selection) field.setSelectionRange(...selection);
      }
      for (const [name, text] of unsent) {
        if (name.startsWith("move/") && main().querySelector(".sends")) continue;
        unsent.delete(name);
        const left = tell("What you were writing has no place here any more: ");
        const kept = document.createElement("span");
        kept.className = "kept";
        kept.textContent = text;
        left.append(kept);
      }
      const again = id && document.getElementById(id);
      if (again) again.focus({ preventScroll: true });
    };
  }

  // Shows a message above the rest, in a live region.
  function tell(text) {
    const message = document.createElement("p");
    message.className = "asked";
    message.setAttribute("role", "status");
    message.textContent = text;
    board().querySelector(".side").prepend(message);
    return message;
  }

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

  // Notes the zoom and what is seen of the board; returns what restores them in the next page.
  function viewed() {
    const zoomed = document.getElementById("view-zoom").checked;
    const { scrollLeft, scrollTop } = main().querySelector(".pan");
    return () => {
      document.getElementById("view-zoom").checked = zoomed;
      main().querySelector(".pan").scrollTo(scrollLeft, scrollTop);
    };
  }

  // The least side of a cell that a finger finds (WCAG 2, 2.5.8).
  const FINGER = 24;

  // The first tap on a board whose cells are too small for a finger zooms to where it was.
  function zooms(event) {
    const path = event.pointerType !== "mouse" && event.target.closest(".cells") && main().querySelector(".cells path");
    const box = document.getElementById("view-zoom");
    if (!path || box.checked) return false;
    const cells = [...main().querySelectorAll(".cells path")].slice(0, 12).map((cell) => cell.getBoundingClientRect());
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

  // The Tab key reaches one cell; the arrow keys move to the others.
  function rove() {
    const cells = [...main().querySelectorAll(".cells a")];
    const first = cells.find((cell) => cell.classList.contains("picked")) || cells[0];
    for (const cell of cells) cell.setAttribute("tabindex", cell === first ? "0" : "-1");
  }

  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  function middle(cell) {
    const box = cell.querySelector("path").getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  }

  // The nearest cell in that direction.
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

  // The target of a link; in SVG, `href` is an object.
  const target = (link) => new URL(link.getAttribute("href"), location.href);

  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest(".board a[href]");
    if (!link || event.button || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (zooms(event)) {
      event.preventDefault();
      return;
    }
    const url = target(link);
    if (url.origin !== location.origin || !/^\/boards\/\d+(\/\d+(\/|$)|$)/.test(url.pathname)) return;
    event.preventDefault();
    show(url.href, { push: true });
  });

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "get" || !form.closest(".board")) return;
    event.preventDefault();
    const url = new URL(form.action);
    url.search = new URLSearchParams(new FormData(form)).toString();
    show(url.href, { push: true });
  });

  addEventListener("popstate", () => (board() ? show(location.href) : location.reload()));

  // New moves appear by themselves; a viewer of another position is told that the board has changed.
  function listen() {
    const at = board();
    const url = new URL(at.dataset.events, location.href).href;
    if (source && source.url === url && source.readyState !== EventSource.CLOSED) return;
    silence();
    source = new EventSource(url);
    for (const kind of ["now", "change"]) source.addEventListener(kind, heard);
    source.addEventListener("error", interrupted);
  }

  // A hidden page needs no connection: a browser has six to a server, for all its windows.
  function silence() {
    clearTimeout(retry);
    if (source) source.close();
    source = null;
  }

  // After an answer that is no stream, such as a proxy's 502, a browser does not try again by itself.
  let retry = 0;
  let failures = 0;

  function interrupted() {
    silence();
    const wait = Math.min(60, 2 ** failures++) * (0.5 + Math.random());
    retry = setTimeout(() => board() && !document.hidden && listen(), 1000 * wait);
    if (failures > 1 && !main().querySelector(".interrupted")) {
      tell("Updates are interrupted; this page tries to connect again.").classList.add("interrupted");
    }
  }

  function connected() {
    failures = 0;
    for (const message of main().querySelectorAll(".interrupted")) message.remove();
  }

  addEventListener("pagehide", silence);
  addEventListener("pageshow", () => board() && listen());
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) silence();
    else if (board()) listen();
  });

  function heard(event) {
    const at = board();
    if (!at) return;
    if (Number(event.lastEventId) <= Number(at.dataset.change)) {
      connected();
      return;
    }
    if ("live" in at.dataset && !location.search) {
      show(location.href, { update: true });
      return;
    }
    connected();
    if (at.querySelector(".changed")) return;
    const link = document.createElement("a");
    link.href = at.dataset.events.replace(/\/events$/, "");
    link.textContent = "Show";
    const news = tell("The board has changed. ");
    news.classList.add("news", "changed");
    news.append(link);
  }

  function ready() {
    rove();
    views();
    listen();
  }

  if (board()) ready();
})();
