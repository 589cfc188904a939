// @ts-check
// Progress, and buttons that are off: each form and page works without this script.
"use strict";

/** Shows how much of a form's files has been sent. @param {HTMLFormElement} form */
function withProgress(form) {
  const bar = /** @type {HTMLProgressElement | null} */ (form.querySelector("progress"));
  if (!bar) return;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const request = new XMLHttpRequest();
    request.upload.addEventListener("progress", (one) => { if (one.lengthComputable) bar.value = one.loaded / one.total; });
    request.addEventListener("load", () => {
      if (request.responseURL && new URL(request.responseURL).pathname !== location.pathname) location.assign(request.responseURL);
      else { document.open(); document.write(request.responseText); document.close(); }
    });
    request.addEventListener("error", () => form.submit());
    request.open("POST", form.action);
    bar.hidden = false;
    request.send(new FormData(form));
  });
}

/** Follows the first job that is not over; the server words the page anew when it changes. A browser has six
    connections to a host: if more jobs were followed at once, then no link would answer. */
function followJobs() {
  const one = /** @type {HTMLElement | null} */ (
    document.querySelector('[data-job]:not([data-state="done"]):not([data-state="failed"])'));
  if (!one) return;
  const source = new EventSource(`/v1/jobs/${one.dataset.job}/events`);
  source.addEventListener("message", (event) => {
    if (JSON.parse(event.data).state === one.dataset.state) return;
    source.close();
    location.reload();
  });
}

/** Lets a decision be saved only after something is chosen or changed. @param {HTMLFormElement} form */
function withChoice(form) {
  const button = form.querySelector("button");
  const saved = () => new URLSearchParams(/** @type {any} */ (new FormData(form))).toString();
  const first = saved();
  const look = () => { if (button) button.disabled = saved() === first || !form.checkValidity(); };
  form.addEventListener("input", look);
  addEventListener("pageshow", look);
  look();
}

document.querySelectorAll("form").forEach(withProgress);
document.querySelectorAll("form.decide").forEach(withChoice);
followJobs();
