// Submits the form that leads to the provider, or from a link to its application. Its button is
// for browsers without script, for applicants who return to this page, and for links that no
// page led to: programs that look at links run scripts, but press nothing.

import { seen } from "../ui/person";

const form = document.querySelector<HTMLFormElement>('form[data-vestibule="leave"]');
const navigation = performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming | undefined;
const waits = form?.hasAttribute("data-waits") && !document.referrer;
if (form && !waits && navigation?.type !== "back_forward") seen(() => form.submit());

// A pressed link is replaced in the history: Back leads to the page before it.
let sent = false;
form?.addEventListener("submit", (e) => {
  if (!form.action.startsWith(location.origin + "/")) return;
  e.preventDefault();
  if (sent) return;
  sent = true;
  const body = new URLSearchParams([...new FormData(form)] as string[][]);
  fetch(form.action, { method: "POST", body, redirect: "manual" }).then(
    (answer) => (answer.type === "opaqueredirect" ? location.replace(form.action) : form.submit()),
    () => form.submit(), // the page says why
  );
});
