// Lists that update themselves: the player's boards, and the open challenges.

const list = () => main().querySelector("[data-list]");
// The event stream of a list, and the timer for reconnecting after an error.
let changes = null;
let again = 0;
let errors = 0;
// The number of the last reported change, and whether the list is loading.
let newest = 0;
let refreshing = false;
// The minimum time between two loads, in milliseconds, which combines changes in quick succession.
const BETWEEN = 2000;

function follow() {
  unfollow();
  if (!list() || document.hidden) return;
  changes = new EventSource(list().dataset.list);
  for (const kind of ["now", "change"]) changes.addEventListener(kind, refresh);
  changes.addEventListener("open", () => (errors = 0));
  changes.addEventListener("error", () => {
    unfollow();
    again = setTimeout(follow, 1000 * Math.min(60, 2 ** errors++) * (0.5 + Math.random()));
  });
}

function unfollow() {
  clearTimeout(again);
  if (changes) changes.close();
  changes = null;
}

async function refresh(event) {
  newest = Math.max(newest, Number(event.lastEventId));
  if (refreshing) return;
  refreshing = true;
  while (list() && newest > Number(list().dataset.change)) {
    const upTo = newest;
    const response = await fetch(location.href).catch(() => null);
    const page = response && new DOMParser().parseFromString(await response.text(), "text/html");
    const next = page && page.querySelector("#main [data-list]");
    // The next event or connection retries.
    if (!next) break;
    renew(page, next, upTo);
    await new Promise((resolve) => setTimeout(resolve, BETWEEN));
  }
  refreshing = false;
}

// Replaces the list by that of a loaded page, and keeps the focus. Does nothing while a form is being sent.
function renew(page, next, upTo) {
  const old = list();
  if (old.querySelector("[aria-busy]")) return;
  const heading = () => (list().querySelector("h1") || list()).textContent;
  const before = heading();
  const known = [...old.querySelectorAll(".offers .name a")].map((link) => link.href);
  next.dataset.change = Math.max(upTo, Number(next.dataset.change));
  replace(old, next);
  document.title = page.title;
  const links = document.querySelector("header nav");
  if (!links.contains(document.activeElement)) links.replaceWith(document.adoptNode(page.querySelector("header nav")));
  if (list().querySelector("h1") && heading() !== before) say(heading());
  const names = [...list().querySelectorAll(".offers .name")];
  const fresh = names.filter((name) => !known.includes(name.querySelector("a").href));
  if (fresh.length) say(fresh.map((name) => `${list().dataset.said} ${name.textContent.trim()}.`).join(" "));
}

addEventListener("pagehide", unfollow);
addEventListener("pageshow", follow);
document.addEventListener("visibilitychange", follow);
