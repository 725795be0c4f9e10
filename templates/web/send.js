// Sending forms once, with a progress text on the button and, on a board's page, a confirmation.

// The original texts of the buttons of forms that are being sent.
const busy = new Map();

function begin(form, button) {
  form.setAttribute("aria-busy", "true");
  if (!button) return;
  busy.set(button, button.textContent);
  // A disabled button would lose the focus.
  button.setAttribute("aria-disabled", "true");
  button.textContent = "Sending …";
}

function end() {
  for (const form of document.querySelectorAll("form[aria-busy]")) form.removeAttribute("aria-busy");
  for (const [button, words] of busy) {
    button.removeAttribute("aria-disabled");
    button.textContent = words;
  }
  busy.clear();
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  const onBoard = form.closest(".board");
  if (form.method === "get") {
    if (!onBoard) return;
    event.preventDefault();
    const url = new URL(form.action);
    url.search = new URLSearchParams(new FormData(form)).toString();
    show(url.href, { push: true });
    return;
  }
  if (form.hasAttribute("aria-busy")) {
    event.preventDefault();
    return;
  }
  if (onBoard) {
    event.preventDefault();
    send(form, event.submitter);
  } else {
    begin(form, event.submitter);
  }
});

// The user has gone back to a page that had sent a form.
addEventListener("pageshow", end);

// Whether a form on a board's page is being sent.
let sending = false;

async function send(form, button) {
  const what = act(form);
  const body = new URLSearchParams(new FormData(form));
  begin(form, button);
  sending = true;
  // Ignore a page that is still loading, because it would show the board before the action.
  loading++;
  let response, text;
  try {
    response = await fetch(form.action, { method: "POST", body });
    text = await response.text();
  } catch {
    end();
    sending = false;
    tell("This was not sent, because the server did not answer. Please try again.");
    return;
  }
  end();
  sending = false;
  const page = new DOMParser().parseFromString(text, "text/html");
  if (!page.getElementById("main")) {
    tell(text);
    return;
  }
  const same = new URL(response.url).pathname === location.pathname;
  history[same ? "replaceState" : "pushState"](null, "", response.url);
  const news = put(page, { sent: form });
  if (!board()) {
    say(main().textContent.trim());
    return;
  }
  const kept = "refused" in board().dataset;
  const done = kept ? "" : what === "chat" ? "Message sent." : what === "note" ? "Note saved." : "";
  say(`${done} ${kept || !same ? board().dataset.said : news}`.trim() || "Sent.");
  if (!kept) confirmSent(what);
}

// Shows a temporary confirmation next to the sent form, or next to the state if the form no longer exists.
function confirmSent(what) {
  const field = main().querySelector(`form input[name=do][value="${CSS.escape(what)}"]`);
  const button = field && field.form.querySelector("button");
  const note = document.createElement("span");
  note.className = "sent";
  note.textContent = what === "note" ? "✓ Saved" : "✓ Sent";
  if (button) button.after(note);
  else main().querySelector(".state").append(note);
  if (document.activeElement === document.body) focusState();
}
