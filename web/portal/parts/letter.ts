// Shows the letter of a decision in a dialog. Without script the button asks the server for the page with it.

import { bodyOf } from "../../ui/body";

// startLetter starts the button "Preview" of a page or of a part that was put into it. The message to the
// applicant comes before the reasons where it says what is missing.
export function startLetter(part: ParentNode = document): void {
	const box = part.querySelector<HTMLDialogElement>("dialog[data-preview]");
	const button = part.querySelector<HTMLButtonElement>("#preview-letter");
	const form = button?.form;
	if (!box || !button || !form) return;
	const show = async (): Promise<void> => {
		const body = bodyOf(form);
		body.set("part", "letter");
		const answer = await fetch(box.dataset.preview!, { method: "POST", body });
		const html = answer.ok && !answer.redirected ? await answer.text() : "";
		if (!html) throw new Error("no letter");
		box.innerHTML = html; // made by the server, which escapes what people typed
		box.close();
		box.showModal();
	};
	const message = form.querySelector("[name=text]")!.closest(".field")!, place = message.previousElementSibling!;
	const arrange = (): void => {
		const asks = form.querySelector('[value="moreAsked"]:checked');
		(asks ? form.querySelector("[role=radiogroup]")! : place).after(message);
	};
	form.addEventListener("change", arrange);
	arrange();
	button.addEventListener("click", (e) => {
		e.preventDefault();
		if (form.reportValidity()) show().catch(() => form.requestSubmit(button)); // the page says why
	});
	box.addEventListener("click", (e) => {
		if (e.target === box || (e.target as Element).closest("[data-close]")) box.close();
	});
}
