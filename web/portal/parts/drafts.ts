// What a reviewer types into a form is kept in this tab until the server has accepted
// it, so an expired session loses no text. A draft belongs to the reviewer who wrote
// it: it is deleted by the first page of another reviewer, by signing out, and after
// twelve hours.

const prefix = "vestibule-draft:";
const life = 12 * 3600_000;

interface Draft {
	reviewer: string;
	at: number;
	sent: boolean; // and not yet known to be taken
	fields: [name: string, value: string][];
}

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const { reviewer = "", done } = document.body.dataset;

function keyOf(form: HTMLFormElement): string {
	return prefix + new URL(form.action).pathname;
}

function isText(el: Element): el is HTMLInputElement | HTMLTextAreaElement {
	return el instanceof HTMLTextAreaElement || (el instanceof HTMLInputElement && /^(text|email|search|url|tel)$/.test(el.type));
}

function fieldsOf(form: HTMLFormElement): Field[] {
	return [...form.elements].filter((el): el is Field =>
		el.matches("input:not([type=hidden], [type=password], [readonly]), textarea, select"));
}

function keepsDraft(form: HTMLFormElement): boolean {
	return form.method === "post" && form.dataset.draft !== "off" && fieldsOf(form).some(isText);
}

function save(form: HTMLFormElement, sent: boolean): void {
	if (!reviewer || !keepsDraft(form)) return;
	const typed = fieldsOf(form).filter((el) => el.name &&
		(!(el instanceof HTMLInputElement) || !/^(radio|checkbox)$/.test(el.type) || el.checked));
	if (!typed.some((el) => isText(el) && el.value.trim() !== "")) {
		sessionStorage.removeItem(keyOf(form));
		return;
	}
	const draft: Draft = { reviewer, at: Date.now(), sent, fields: typed.map((el) => [el.name, el.value]) };
	sessionStorage.setItem(keyOf(form), JSON.stringify(draft));
}

function read(key: string): Draft | null {
	try {
		return JSON.parse(sessionStorage.getItem(key) ?? "null") as Draft | null;
	} catch {
		return null;
	}
}

function keys(): string[] {
	return Object.keys(sessionStorage).filter((key) => key.startsWith(prefix));
}

// restore fills in a form from its draft, unless the server has filled it in.
function restore(form: HTMLFormElement): void {
	const draft = read(keyOf(form));
	const fields = fieldsOf(form);
	if (!draft || fields.some((el) => isText(el) && el.value !== "")) return;
	for (const el of fields) {
		const values = draft.fields.filter(([name]) => name === el.name).map(([, value]) => value);
		if (el instanceof HTMLInputElement && /^(radio|checkbox)$/.test(el.type)) el.checked = values.includes(el.value);
		else if (values.length > 0) el.value = values[0]!;
	}
	const around = form.closest("details");
	if (around) around.open = true;
	save(form, false);
}

// restoreDrafts fills in the forms of a part that was put into the page.
export function restoreDrafts(part: Element): void {
	if (reviewer) for (const form of part.querySelectorAll("form")) if (keepsDraft(form)) restore(form);
}

// dropDraft deletes the draft of a form that the server accepted.
export function dropDraft(form: HTMLFormElement): void {
	sessionStorage.removeItem(keyOf(form));
}

// keepDrafts starts to save input on this page, and restores saved drafts.
export function keepDrafts(): void {
	if (!reviewer) return; // the sign-in page keeps drafts until a reviewer signs in
	for (const key of keys()) {
		const draft = read(key);
		const taken = draft?.sent && done !== undefined;
		if (!draft || draft.reviewer !== reviewer || Date.now() - draft.at > life || taken) sessionStorage.removeItem(key);
	}
	restoreDrafts(document.body);
	document.addEventListener("input", (e) => {
		const form = (e.target as Field).form;
		if (form) save(form, false);
	});
	document.addEventListener("submit", (e) => {
		const form = e.target as HTMLFormElement;
		if (new URL(form.action).pathname === "/review/sign-out") for (const key of keys()) sessionStorage.removeItem(key);
		else save(form, true);
	});
}
