// Each step that the applicant goes to has a separate entry in the browser's history.
// Back leads to the previous step, as far as the service allows it; from the first
// step, and after the visit, it leaves the page.

export type Place = { run: string; n: number };

// place is what a history state records of its step.
export function place(state: unknown): Place | undefined {
  const p = (state as { visit?: Partial<Place> } | null)?.visit;
  return p && typeof p.run === "string" && Number.isInteger(p.n) && p.n! >= 0 ? (p as Place) : undefined;
}

export function mark(p: Place, way: "pushState" | "replaceState"): void {
  history[way]({ visit: p }, "");
}

// leaves reports whether only the page that led to the visit is before a step.
export function leaves(step: HTMLElement): boolean {
  const { step: name, end, poll, over } = step.dataset;
  return name === "consent" || !!(end || poll || over);
}

// goBack asks the service for the previous step, once per entry that the applicant went
// back, and shows the answer. ask posts a form and returns undefined without an answer.
export async function goBack(
  times: number,
  ask: (form: URLSearchParams) => Promise<Response | undefined>,
  show: (answer: Response | undefined) => Promise<void>,
): Promise<void> {
  for (; times > 0; times--) {
    const step = document.getElementById("step")!;
    if (leaves(step)) return;
    const answer = await ask(new URLSearchParams({ action: "back", nonce: step.dataset.nonce ?? "" }));
    await show(answer);
    if (!answer?.ok) return;
  }
}

// arrow makes the button that goes a step back press the browser's Back, where an entry is behind.
export function arrow(behind: () => number): void {
  addEventListener("submit", (e) => {
    if (!(e.target as Element).matches("[data-back]") || behind() < 1) return;
    e.preventDefault();
    e.stopImmediatePropagation();
    history.back();
  });
}
