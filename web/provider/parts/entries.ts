// Each step that the applicant goes to has an entry of its own in the browser's history.
// Back then leads to the step before, as far as the service allows it; from the first
// step, and when the visit is over, it leaves.

type Place = { run: string; n: number };

// place is what a state of the history says of its step.
export function place(state: unknown): Place | undefined {
  const p = (state as { visit?: Partial<Place> } | null)?.visit;
  return p && typeof p.run === "string" && Number.isInteger(p.n) && p.n! >= 0 ? (p as Place) : undefined;
}

export function mark(p: Place, way: "pushState" | "replaceState"): void {
  history[way]({ visit: p }, "");
  remember(p);
}

const name = "vestibule-entry";

// remember keeps for the tab where the visit is in its history.
export function remember(p: Place): void {
  try {
    sessionStorage.setItem(name, JSON.stringify(p));
  } catch {} // it may be blocked
}

// remembered is the number of the entry that a visit was at in this tab, if it is known.
export function remembered(run: string): number | undefined {
  try {
    const p = place({ visit: JSON.parse(sessionStorage.getItem(name)!) });
    return p?.run === run ? Math.min(p.n, 50) : undefined;
  } catch {
    return undefined;
  }
}

// leaves reports whether nothing lies before a step but the page that led to it.
export function leaves(step: HTMLElement): boolean {
  const { step: name, end, poll, over } = step.dataset;
  return name === "consent" || !!(end || poll || over);
}

// goBack asks the service for the step before, as often as the applicant went back, and
// shows what it answers. ask posts a form and is undefined when no answer came.
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
