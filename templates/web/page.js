// Makes the pages of a board faster: links and forms load into the current page, arrow keys move between cells and moves,
// and new moves appear automatically. Everything also works without the script.
//
// The server joins several source files to one script. This file has the shared functions.
"use strict";

const main = () => document.getElementById("main");
const board = () => main().querySelector(".board");

// Announces a text to screen readers, in a region that is never replaced.
function say(text) {
  const region = document.getElementById("said");
  // Screen readers repeat a text only if the region was empty in between.
  region.textContent = "";
  requestAnimationFrame(() => (region.textContent = text.replace(/\s+/g, " ").trim()));
}

// Shows a message at the top of the board's side panel, and announces it.
function tell(text) {
  const message = document.createElement("p");
  message.className = "asked";
  message.textContent = text;
  board().querySelector(".side").prepend(message);
  say(text);
  return message;
}

const fields = () => [...main().querySelectorAll("form textarea, form input:not([type=hidden])")];
const act = (form) => (form.elements.do ? form.elements.do.value : "");
const key = (field) => act(field.form) + "/" + field.name;
// The typed, unsent text of each field.
const unsent = new Map();

// Restores the typed text of a field, and makes the field visible.
function write(field, text) {
  field.value = text;
  const folded = field.closest("details");
  if (folded) folded.open = true;
}

// Saves the unsent text of all forms except the sent one; returns a function that restores it on the next page. Text
// without a field there is shown in a message, but a move's comment is saved for the next picked move.
function written(update, sent = null) {
  // The text of a rejected form is unsent, too.
  const refused = board() && "refused" in board().dataset;
  for (const field of fields()) {
    const typed = field.value !== field.defaultValue || (refused && field.value);
    if (typed && field.form !== sent && (update || field.name !== "pick")) unsent.set(key(field), field.value);
  }
  const at = document.activeElement;
  const id = at && at.id;
  const typing = at && at.form && main().contains(at) && key(at);
  const selection = typing && typeof at.selectionStart === "number" && [at.selectionStart, at.selectionEnd];
  return () => {
    for (const field of fields()) {
      const name = key(field);
      if (unsent.has(name)) write(field, unsent.get(name));
      unsent.delete(name);
      if (name !== typing) continue;
      field.focus({ preventScroll: true });
      if (selection && !sent) field.setSelectionRange(...selection);
    }
    for (const [name, text] of unsent) {
      if (name.startsWith("move/") && main().querySelector(".sends")) continue;
      unsent.delete(name);
      if (!board()) continue;
      const left = tell("There is no longer a field for your unsent text: ");
      const kept = document.createElement("span");
      kept.className = "kept";
      kept.textContent = text;
      left.append(kept);
    }
    const again = id && document.getElementById(id);
    if (again) again.focus({ preventScroll: true });
  };
}

// A choice within a card selects the card.
addEventListener("input", (event) => {
  const card = event.target.closest(".choices label");
  if (card) card.querySelector("[type=radio]").checked = true;
});
