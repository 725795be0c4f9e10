// Loading other pages of a board into the current page.

let loading = 0;

// Whether a button or finger is down. Replacing the page between press and release would lose the click.
let pressed = false;
const onRelease = [];

addEventListener("pointerdown", (event) => (pressed = event.button === 0), true);
for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, release, true);

// The click event follows shortly after the release.
function release() {
  setTimeout(() => {
    pressed = false;
    for (const goOn of onRelease.splice(0)) goOn();
  }, 50);
}

// Replaces this page by another page of a board, and keeps unsent text and the focus. Does not leave the page if an update
// fails, because an update only shows another user's change, or a pick that is already visible.
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
  const news = put(page, { update });
  if (!update) say(board().dataset.said);
  else if (news) say(news);
}

// Returns a function that returns what is new on the next page of a board, in words from the pages: sentences, messages
// of other players, or the end of a proposal.
function compared() {
  const sentences = () => board().dataset.said.split("\n").map((line) => line.trim());
  const messages = () => [...main().querySelectorAll(".chat .said p")];
  const proposal = () => main().querySelector("[data-closed]");
  const [said, count, proposed] = [sentences(), messages().length, proposal()];
  return () => {
    const fresh = sentences().filter((line) => !said.includes(line));
    for (const message of messages().slice(count)) {
      if (!message.matches(".own")) fresh.push(`${message.firstChild.textContent}: ${message.lastChild.textContent}`);
    }
    return fresh.join(" ").trim() || (proposed && !proposal() ? proposed.dataset.closed : "");
  };
}

// Replaces this page by a loaded one, and returns what is new on it.
function put(page, { update = false, sent = null } = {}) {
  const restore = written(update, sent);
  const refocus = focused(sent);
  const news = board() ? compared() : () => "";
  // Do not animate a dragged piece, which is already in its place.
  const before = main().querySelector(".dragged") ? null : standing();
  const seen = board() ? viewed(sent) : () => {};
  const open = [...main().querySelectorAll("details[open] > summary")].map((summary) => summary.textContent);
  main().replaceWith(document.adoptNode(page.getElementById("main")));
  // The title and the navigation show the number of boards awaiting a move.
  document.title = page.title;
  const links = document.querySelector("header nav");
  if (!links.contains(document.activeElement)) links.replaceWith(document.adoptNode(page.querySelector("header nav")));
  for (const summary of main().querySelectorAll("summary")) {
    if (open.includes(summary.textContent)) summary.parentElement.open = true;
  }
  if (update) failures = 0;
  if (!board()) {
    silence();
    return "";
  }
  restore();
  readMoves();
  ready();
  seen();
  refocus();
  moves(before);
  catchUp();
  return news();
}

// Returns the target of a link. The property `href` of an SVG link is an object, so read the attribute.
const target = (link) => new URL(link.getAttribute("href"), location.href);

document.addEventListener("click", (event) => {
  if (event.button || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (picks(event)) {
    event.preventDefault();
    return;
  }
  const link = event.target.closest(".board a[href]");
  if (!link) return;
  if (link.matches(".skip")) {
    event.preventDefault();
    document.getElementById("side").focus();
    return;
  }
  const url = target(link);
  if (url.origin !== location.origin || !/^\/boards\/\d+(\/\d+(\/|$)|$)/.test(url.pathname)) return;
  event.preventDefault();
  show(url.href, { push: true });
});

addEventListener("popstate", () => (board() ? show(location.href) : location.reload()));
