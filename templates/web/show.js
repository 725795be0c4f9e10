// Loading the pages of a board in place of each other.

let loading = 0;

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
  if (!page.querySelector("#main .board")) {
    if (update) interrupted();
    else location.assign(response.url);
    return;
  }
  if (push) history.pushState(null, "", response.url);
  put(page, { update });
  say(board().dataset.said);
}

// Puts a page that was loaded in place of this one.
function put(page, { update = false, sent = null } = {}) {
  const restore = written(update, sent);
  const before = standing();
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
  ready();
  seen();
  moves(before);
}

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

addEventListener("popstate", () => (board() ? show(location.href) : location.reload()));
