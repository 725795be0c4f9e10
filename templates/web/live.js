// The connection by which a page hears that its board has changed.

let source = null;
// The last change of the board that was heard of. A page that was rendered before it can arrive after it.
let latest = 0;

// New moves appear by themselves; a viewer of another position is told that the board has changed.
function listen() {
  const at = board();
  const url = new URL(at.dataset.events, location.href).href;
  if (source && source.url === url && source.readyState !== EventSource.CLOSED) return;
  silence();
  latest = 0;
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
  latest = Math.max(latest, Number(event.lastEventId));
  connected();
  catchUp();
}

// Shows a change that this page lacks. The answer to a form that is being sent shows it, too.
function catchUp() {
  const at = board();
  if (!at || sending || latest <= Number(at.dataset.change)) return;
  if ("live" in at.dataset && !location.search) {
    show(location.href, { update: true });
    return;
  }
  if (at.querySelector(".changed")) return;
  const link = document.createElement("a");
  link.href = at.dataset.events.replace(/\/events$/, "");
  link.textContent = "Show";
  const news = tell("The board has changed. ");
  news.classList.add("news", "changed");
  news.append(link);
}
