// Shows the letter of a decision while the reviewer chooses it. Without script the button
// "Preview" asks the server for it.

import { bodyOf } from "../../ui/body";

// startLetter starts the decision form of a page or of a part that was put into it.
export function startLetter(part: ParentNode = document): void {
	const box = part.querySelector<HTMLElement>("[data-preview]");
	const form = box?.closest("form");
	if (!box || !form) return;
	form.querySelector<HTMLElement>("#preview-letter")!.hidden = true;
	let timer = 0;
	let asked = 0;
	const show = async (): Promise<void> => {
		const body = bodyOf(form);
		body.set("part", "letter");
		const mine = ++asked;
		try {
			const answer = await fetch(box.dataset.preview!, { method: "POST", body });
			const html = answer.ok && !answer.redirected ? await answer.text() : "";
			if (mine !== asked) return;
			const open = box.querySelector("details")?.open ?? true;
			box.innerHTML = html; // made by the server, which escapes what people typed
			const details = box.querySelector("details");
			if (details) details.open = open;
		} catch {
			if (mine === asked) box.textContent = "";
		}
	};
	const later = (wait: number): void => {
		window.clearTimeout(timer);
		timer = window.setTimeout(() => void show(), wait);
	};
	form.addEventListener("change", () => later(0));
	form.addEventListener("input", (e) => {
		if (e.target instanceof HTMLTextAreaElement) later(400);
	});
	if (new FormData(form).get("decision")) later(0);
}
