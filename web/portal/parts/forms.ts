// Goes to the forms of an application by keys: d to decide, a to assign, n to add a note. On the
// list, peek.ts does it for the application of its row. Ctrl+Enter or Cmd+Enter sends the form of the
// field; Enter alone is easily pressed by mistake, so in a decision it only shows the letter.

import { keysOff } from "../../ui/keys";

const goals: Record<string, string> = { d: ".decision-form", a: ".assignment .assign-open", n: "#note" };

// goalOf returns where a key leads; "" for another key, with a modifier, or while the user types.
export function goalOf(e: KeyboardEvent): string {
	const typing = (e.target as Element).closest("input:not([type=checkbox]), textarea, select, [popover], dialog");
	return e.ctrlKey || e.metaKey || e.altKey || e.shiftKey || e.isComposing || typing || keysOff() ? "" : (goals[e.key] ?? "");
}

// goTo puts the focus on a form of a part of the page, in view.
export function goTo(part: ParentNode, goal = goals.d!): void {
	const found = part.querySelector<HTMLElement>(goal);
	const choice = found?.querySelector<HTMLElement>("input:checked") ?? found?.querySelector<HTMLElement>("[type=radio]");
	const control = found?.matches("form") ? choice : found;
	control?.closest("details")?.setAttribute("open", "");
	found?.scrollIntoView({ block: found.offsetHeight < innerHeight ? "nearest" : "start" });
	control?.focus({ preventScroll: found !== control });
}

export function startFormKeys(): void {
	document.addEventListener("keydown", (e) => {
		const form = (e.target as Element).closest<HTMLFormElement>(".decision-form, #notes form");
		if (!form || e.key !== "Enter" || !(e.ctrlKey || e.metaKey) || e.isComposing || e.repeat) return;
		e.preventDefault();
		form.requestSubmit([...form.querySelectorAll<HTMLButtonElement>("button[type=submit], button:not([type])")].pop());
	});
	if (document.querySelector("[data-peek]")) return;
	document.addEventListener("keydown", (e) => {
		const goal = goalOf(e);
		if (!goal || !document.querySelector(goal)) return;
		e.preventDefault(); // not into the field
		goTo(document, goal);
	});
}
