// Filters a list of games by the words that are typed into the field above it.

function filter(field) {
  const finds = field.form.parentElement.querySelector(".finds");
  if (!finds) return;
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const item of finds.querySelectorAll("[data-words]")) {
    item.hidden = !words.every((word) => ` ${item.dataset.words}`.includes(` ${word}`));
    count += item.hidden ? 0 : 1;
  }
  for (const kind of finds.querySelectorAll(".kind")) kind.hidden = !kind.querySelector("[data-words]:not([hidden])");
  finds.querySelector(".nothing").hidden = count > 0;
  say(count === 1 ? "1 game" : `${count} games`);
}

document.addEventListener("input", (event) => {
  if (event.target.matches(".find input")) filter(event.target);
});

// With one game left, Enter opens it.
document.addEventListener("submit", (event) => {
  const finds = event.target.matches(".find") && event.target.parentElement.querySelector(".finds");
  const left = finds ? finds.querySelectorAll("[data-words]:not([hidden])") : [];
  if (left.length !== 1) return;
  event.preventDefault();
  left[0].querySelector("a").click();
});
