// Puts a step on the page so that screen readers read each error once: an error that gets the
// focus, or belongs to a field that gets it, is not also an alert.

const shown = (e: HTMLElement) => !e.closest("[hidden]");

// A link of the summary focuses its field without an entry in the window's history.
addEventListener("click", (e) => {
  const link = (e.target as Element).closest?.<HTMLAnchorElement>(".summary a");
  if (!link) return;
  e.preventDefault();
  document.getElementById(link.hash.slice(1))?.focus();
});

// arrive puts the step in place and moves the focus to its summary, to its first error, to the first
// element that matches places, or to its heading.
export function arrive(step: HTMLElement, put: () => void, places = "h1"): void {
  const alerts = [...step.querySelectorAll<HTMLElement>("[role=alert]")].filter(shown);
  for (const a of alerts) a.removeAttribute("role");
  put();
  const find = (selector: string) => [...step.querySelectorAll<HTMLElement>(selector)].find(shown);
  const target = find(".summary") ?? find(":is(input, select, textarea)[aria-invalid=true]") ?? alerts[0] ?? find(places) ?? find("h1");
  if (target && (alerts.includes(target) || target.matches("h1, h2"))) target.tabIndex = -1;
  target?.focus();
}
