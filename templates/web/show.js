// Loading the pages of a board in place of each other.

let loading = 0;

// Whether a button or a finger is down: a page that came between press and release would swallow the click.
let pressed = false;
const onRelease = [];

addEventListener("pointerdown", (event) => (pressed = event.button === 0), true);
for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, release, true);

// The click comes a little after the release.
function release() {
  setTimeout(() => {
    pressed = false;
    for (const goOn of onRelease.splice(0)) goOn();
  }, 50);
}

// Replaces this page by another page of a board, and keeps unsent text and the focus. If an update cannot be loaded, this
// page stays: it is a change by someone else, or a pick that the page shows already.
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
  if (pressed) await new Promise((goOn) => onRelease.push(goOn));
  if (mine !== loading) return;
  const page = new DOMParser().parseFromString(text, "text/html");
  if (!page.querySelector("#main .board")) {
    if (update) interrupted();
    else location.assign(response.url);
    return;
  }
  if (push) history.pushState(null, "", response.url);
  else if (response.redirected) history.replaceState(null, "", response.url);
  put(page, { update });
  say(board().dataset.said);
}

// Puts a page that was loaded in place of this one.
function put(page, { update = false, sent = null } = {}) {
  const restore = written(update, sent);
  // A piece that was dragged is where it belongs.
  const before = main().querySelector(".dragged") ? null : standing();
  const seen = board() ? viewed(sent) : () => {};
  const open = [...main().querySelectorAll("details[open] > summary")].map((summary) => summary.textContent);
  main().replaceWith(document.adoptNode(page.getElementById("main")));
  // The number of boards that wait is in the title, and above the page.
  document.title = page.title;
  const links = document.querySelector("header nav");
  if (!links.contains(document.activeElement)) links.replaceWith(document.adoptNode(page.querySelector("header nav")));
  for (const summary of main().querySelectorAll("summary")) {
    if (open.includes(summary.textContent)) summary.parentElement.open = true;
  }
  if (update) failures = 0;
  if (!board()) {
    silence();
    return;
  }
  restore();
  readMoves();
  ready();
  seen();
  moves(before);
  catchUp();
}

// The target of a link; in SVG, `href` is an object.
const target = (link) => new URL(link.getAttribute("href"), location.href);

document.addEventListener("click", (event) => {
  if (event.button || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (picks(event)) {
    event.preventDefault();
    return;
  }
  const link = event.target.closest(".board a[href]");
  if (!link) return;
  const url = target(link);
  if (url.origin !== location.origin || !/^\/boards\/\d+(\/\d+(\/|$)|$)/.test(url.pathname)) return;
  event.preventDefault();
  show(url.href, { push: true });
});

addEventListener("popstate", () => (board() ? show(location.href) : location.reload()));
