// Puts a step on the page so that screen readers read each error once: an error that gets the
// focus, or belongs to a field that gets it, is not also an alert.

const shown = (e: HTMLElement) => !e.closest("[hidden]");

// arrive puts the step in place and moves the focus to its first error, to the first element that
// matches places, to the field that comes first on the step, or to its heading.
export function arrive(step: HTMLElement, put: () => void, places = "[data-cursor], [autofocus]"): void {
  const alerts = [...step.querySelectorAll<HTMLElement>("[role=alert]")].filter(shown);
  for (const a of alerts) a.removeAttribute("role");
  put();
  const find = (selector: string) => [...step.querySelectorAll<HTMLElement>(selector)].find(shown);
  const heading = find("h1");
  const target = find(":is(input, select, textarea)[aria-invalid=true]") ?? alerts[0] ?? find(places) ?? heading;
  if (!target) return;
  if (alerts.includes(target) || target.matches("h1, h2")) target.tabIndex = -1;
  if (target.matches("[data-cursor], [autofocus]")) introduce(target as HTMLInputElement, heading);
  target.focus();
}

// introduce makes screen readers say the step's heading before the label of a field that gets the
// focus, once.
function introduce(field: HTMLInputElement, heading: HTMLElement | undefined): void {
  heading?.scrollIntoView({ block: "nearest" });
  field.setAttribute("aria-label", `${heading?.textContent ?? ""}. ${field.labels?.[0]?.textContent?.trim() ?? ""}`);
  field.addEventListener("blur", () => field.removeAttribute("aria-label"), { once: true });
}
