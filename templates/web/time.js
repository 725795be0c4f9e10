// Shows times in the browser's time zone, unless the reader has set another one.

const localTimes = document.documentElement.dataset.times === "local";
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const writtenTime = /\d{4}-\d\d-\d\d( \d\d:\d\d)?( (UTC|[A-Z]\w*\/[\w\/+-]+))?/;

function showTimes() {
  for (const time of document.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (isNaN(at)) continue;
    const two = (number) => String(number).padStart(2, "0");
    const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
    const minute = `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
    const by = (text, full) => text.replace(writtenTime, (_, clock) => (clock ? full : day));
    if (time.title) time.title = by(time.title, `${minute} ${zone}`);
    const texts = document.createTreeWalker(time, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const shown = by(text.data, minute);
      if (shown !== text.data) text.data = shown;
    }
  }
}

if (localTimes) {
  showTimes();
  // Other scripts replace parts of the page.
  new MutationObserver(showTimes).observe(document.body, { childList: true, subtree: true });
}

// Proposes the browser's time zone if none is chosen yet.
for (const field of document.querySelectorAll("select[name=zone][data-proposed]")) {
  if ([...field.options].some((option) => option.value === zone)) field.value = zone;
}
