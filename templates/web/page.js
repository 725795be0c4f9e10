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

const STOPS = "a[href], button, summary, select, textarea, input:not([type=hidden]), [tabindex], .steps span";
// The field or the label of an element that can have the focus, and the address that it opens.
const label = (at) => at.id || (at.form ? key(at) : "") + (at.name || at.matches("pre") ? "" : at.getAttribute("aria-label") || at.textContent);
const address = (at) => at.getAttribute("href") || (at.form && at.form.getAttribute("action"));

// Replaces a part of the page by that of a loaded page. The same element keeps the focus.
function replace(old, next) {
  const at = document.activeElement;
  old.replaceWith(document.adoptNode(next));
  if (!old.contains(at)) return;
  const same = [...next.querySelectorAll(STOPS)].find((stop) => label(stop) === label(at) && address(stop) === address(at));
  if (same) same.focus({ preventScroll: true });
}

// Moves the focus to the state of the board.
function focusState() {
  const state = main().querySelector(".state");
  state.tabIndex = -1;
  state.focus({ preventScroll: true });
}

// Returns a function that restores the focus on the next page: to the same element, to another one with its label, or to
// the state of the board.
function focused(sent) {
  const at = document.activeElement;
  if (!main().contains(at)) return () => {};
  const [name, opens] = [label(at), address(at)];
  const selection = !sent && typeof at.selectionStart === "number" && [at.selectionStart, at.selectionEnd];
  return () => {
    const same = [...main().querySelectorAll(STOPS)].filter((stop) => label(stop) === name);
    const next = same.find((stop) => address(stop) === opens) || same[0];
    // A step that is not possible is not a link.
    if (next && next.matches("span")) next.tabIndex = -1;
    if (next) next.focus({ preventScroll: true });
    // A disabled or hidden element cannot have the focus.
    if (!next || document.activeElement !== next) focusState();
    else if (selection) next.setSelectionRange(...selection);
  };
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
  return () => {
    for (const field of fields()) {
      const name = key(field);
      if (unsent.has(name)) write(field, unsent.get(name));
      unsent.delete(name);
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
  };
}

// A choice within a card selects the card.
addEventListener("input", (event) => {
  const card = event.target.closest(".choices label");
  if (card) card.querySelector("[type=radio]").checked = true;
});
