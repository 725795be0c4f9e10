// The connection by which a page hears that its board has changed.

let source = null;

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
  if (sending) {
    behind = Number(event.lastEventId);
    return;
  }
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
