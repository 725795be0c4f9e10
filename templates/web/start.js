// Initialization of a loaded page.

function ready() {
  rove();
  views();
  scrollMoves();
  listen();
}

readMoves();
if (board()) ready();

// Updates the live board on the home page.
function watch() {
  const live = main().querySelector(".live[data-events]");
  if (!live || !live.querySelector(".card")) return;
  const events = new EventSource(live.dataset.events);
  const heard = async (event) => {
    if (Number(event.lastEventId) <= Number(live.dataset.change)) return;
    events.close();
    const response = await fetch("/").catch(() => null);
    const page = response && new DOMParser().parseFromString(await response.text(), "text/html");
    const next = page && page.querySelector(".live[data-events]");
    if (next) replace(live, next);
    watch();
  };
  for (const kind of ["now", "change"]) events.addEventListener(kind, heard);
  addEventListener("pagehide", () => events.close());
}

watch();

for (const button of document.querySelectorAll("button[data-copies]")) {
  const field = document.getElementById(button.dataset.copies);
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    // Browsers offer this interface only to pages over HTTPS.
    if (navigator.clipboard) await navigator.clipboard.writeText(field.value).catch(() => null);
    else document.execCommand("copy");
    button.textContent = "✓ Copied";
    say("The link is copied.");
  });
}
