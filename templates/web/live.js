// The event stream that reports changes of the board.

let source = null;
// The number of the last reported change. A page from before the change can arrive after it.
let latest = 0;

// Opens the stream. New moves appear automatically; on the page of another position, a message reports the change.
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

// Closes the stream of a hidden page, because a browser allows six connections to a server in all its windows.
function silence() {
  clearTimeout(retry);
  if (source) source.close();
  source = null;
}

// A browser does not reconnect after a response that is not a stream, such as a proxy's 502.
let retry = 0;
let failures = 0;

function interrupted() {
  silence();
  const wait = Math.min(60, 2 ** failures++) * (0.5 + Math.random());
  retry = setTimeout(() => board() && !document.hidden && listen(), 1000 * wait);
  if (failures > 1 && !main().querySelector(".interrupted")) {
    tell("Updates are interrupted. Trying to reconnect …").classList.add("interrupted");
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

// Shows a change that is not on this page yet. If a form is being sent, its response will show it.
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
