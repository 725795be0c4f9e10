// Makes the pages of a board faster: a clicked link is loaded into the page, a form is sent from it, arrow keys move between
// cells and moves, and new moves appear by themselves. Everything works without it, too.
//
// The script is one file for a browser and several here; this one holds what the others share.
"use strict";

const main = () => document.getElementById("main");
const board = () => main().querySelector(".board");

// Tells a screen reader: the region outlives the part of the page that is replaced.
function say(text) {
  const region = document.getElementById("said");
  // The same words again are told only when the region was empty between.
  region.textContent = "";
  requestAnimationFrame(() => (region.textContent = text.replace(/\s+/g, " ").trim()));
}

// Shows a message above the rest of a board's side, and tells it.
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
// Text that was typed and not sent, by its field.
const unsent = new Map();

// Writes what was typed earlier into a field, which must be seen then.
function write(field, text) {
  field.value = text;
  const folded = field.closest("details");
  if (folded) folded.open = true;
}

// Notes what is being written; returns what writes it again into the next page. A text that has no place there is
// shown, but a move's comment waits for the next move that is picked. What a form has just sent was not kept.
function written(update, sent = null) {
  // What the page of a refused form holds was not sent, either.
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
      const left = tell("What you were writing has no place here any more: ");
      const kept = document.createElement("span");
      kept.className = "kept";
      kept.textContent = text;
      left.append(kept);
    }
    const again = id && document.getElementById(id);
    if (again) again.focus({ preventScroll: true });
  };
}

// A choice within a card chooses the card.
addEventListener("input", (event) => {
  const card = event.target.closest(".choices label");
  if (card) card.querySelector("[type=radio]").checked = true;
});
