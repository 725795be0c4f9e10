// Makes the pages of a board faster: a clicked link is loaded into the page, arrow keys move between cells and moves, and
// new moves appear by themselves. Everything works without it, too.
"use strict";
(() => {
  const main = () => document.getElementById("main");
  const board = () => main().querySelector(".board");
  let loading = 0;
  let source = null;

  // Loads a page of a board in place of this one, and keeps unsent text and the focus.
  async function show(url, push) {
    const mine = ++loading;
    let response, text;
    try {
      response = await fetch(url);
      text = await response.text();
    } catch {
      location.assign(url);
      return;
    }
    if (mine !== loading) return;
    const page = new DOMParser().parseFromString(text, "text/html");
    const next = page.getElementById("main");
    if (!next || !next.querySelector(".board")) {
      location.assign(response.url);
      return;
    }
    const focus = document.activeElement && document.activeElement.id;
    const written = [...main().querySelectorAll("textarea")].filter((area) => area.value !== area.defaultValue);
    const open = [...main().querySelectorAll("details[open] > summary")].map((summary) => summary.textContent);
    main().replaceWith(document.adoptNode(next));
    document.title = page.title;
    if (push) history.pushState(null, "", response.url);
    for (const area of written) {
      const act = area.form && area.form.elements.do && area.form.elements.do.value;
      const same = [...main().querySelectorAll("textarea")].find((other) =>
        other.name === area.name && other.form.elements.do.value === act);
      if (same) same.value = area.value;
    }
    for (const summary of main().querySelectorAll("summary")) {
      if (open.includes(summary.textContent)) summary.parentElement.open = true;
    }
    ready();
    const again = focus && document.getElementById(focus);
    if (again) again.focus({ preventScroll: true });
  }

  // The Tab key reaches one cell; the arrow keys move to the others.
  function rove() {
    const cells = [...main().querySelectorAll("svg a.open")];
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
    for (const other of main().querySelectorAll("svg a.open")) {
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
    const cell = at && at.closest && at.closest("svg a.open");
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
        show(step.href, true);
      }
    }
  });

  // The target of a link; in SVG, `href` is an object.
  const target = (link) => new URL(link.getAttribute("href"), location.href);

  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest(".board a[href]");
    if (!link || event.button || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const url = target(link);
    if (url.origin !== location.origin || !/^\/boards\/\d+(\/\d+(\/|$)|$)/.test(url.pathname)) return;
    event.preventDefault();
    show(url.href, true);
  });

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "get" || !form.closest(".board")) return;
    event.preventDefault();
    const url = new URL(form.action);
    url.search = new URLSearchParams(new FormData(form)).toString();
    show(url.href, true);
  });

  addEventListener("popstate", () => (board() ? show(location.href, false) : location.reload()));

  // New moves appear by themselves; a viewer of another position is told that the board has changed.
  function listen() {
    const at = board();
    const url = new URL(at.dataset.events, location.href).href;
    if (source && source.url === url && source.readyState !== EventSource.CLOSED) return;
    silence();
    source = new EventSource(url);
    for (const kind of ["now", "change"]) source.addEventListener(kind, heard);
  }

  // A hidden page needs no connection: a browser has six to a server, for all its windows.
  function silence() {
    if (source) source.close();
    source = null;
  }

  addEventListener("pagehide", silence);
  addEventListener("pageshow", () => board() && listen());
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) silence();
    else if (board()) listen();
  });

  function heard(event) {
    const at = board();
    if (!at || Number(event.lastEventId) <= Number(at.dataset.change)) return;
    if ("live" in at.dataset && !location.search) {
      show(location.href, false);
      return;
    }
    if (at.querySelector(".news")) return;
    const news = document.createElement("p");
    const link = document.createElement("a");
    news.className = "asked news";
    news.setAttribute("role", "status");
    link.href = at.dataset.events.replace(/\/events$/, "");
    link.textContent = "Show";
    news.append("The board has changed. ", link);
    at.querySelector(".side").prepend(news);
  }

  function ready() {
    rove();
    listen();
  }

  if (board()) ready();
})();
