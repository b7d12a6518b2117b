// The list of applications: searches while the user types, selects rows, and updates the
// list while it is open. Changed rows are replaced where they are; new applications do not
// appear by themselves, because they would move the row that the user is about to click:
// a link beside the title shows them. All of it works without script by forms
// and by loading the page again.

import { released } from "../ui/press";
import { startScroll } from "../ui/scroll";
import { startPeek } from "./parts/peek";

const pause = 5_000; // between two questions for changes
const maxPause = 60_000; // after failures
const typingPause = 300;

interface Changes {
	rows?: { id: string; html: string }[];
	deleted?: string[];
	new: number;
	queues: Record<string, string>;
}

let peekAgain: ReturnType<typeof startPeek> = () => undefined;
let askNow = (): void => undefined;

function list(): HTMLElement | null {
	return document.querySelector<HTMLElement>("[data-part=list]");
}

function announce(text: string): void {
	const status = document.querySelector("[data-list-status]");
	if (status && text) status.textContent = text;
}

function countText(n: number, one = "", many = ""): string {
	return n === 1 ? one : many.replace("{n}", String(n));
}

function rowOf(id: string): HTMLTableRowElement | null {
	return document.querySelector<HTMLTableRowElement>(`tr[data-id="${CSS.escape(id)}"]`);
}

// show replaces the parts of the page by those of another page of the list.
function show(page: Document): void {
	for (const old of document.querySelectorAll<HTMLElement>("[data-part]")) {
		const fresh = page.querySelector<HTMLElement>(`[data-part=${old.dataset.part ?? ""}]`);
		if (fresh) old.replaceWith(document.importNode(fresh, true));
	}
	const link = document.querySelector<HTMLElement>("[data-list-new]");
	if (link) link.hidden = true;
	startScroll();
	startChoice();
	peekAgain();
}

// search shows what the form finds, without leaving the page.
async function search(form: HTMLFormElement, signal: AbortSignal): Promise<void> {
	const fields = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
	fields.set("live", "1");
	const answer = await fetch(form.action, { method: "POST", body: fields, headers: { Accept: "text/html" }, signal });
	if (!answer.ok || new URL(answer.url).pathname !== "/review") return; // the button says why
	const page = new DOMParser().parseFromString(await answer.text(), "text/html");
	await released();
	if (signal.aborted) return;
	show(page);
	history.replaceState(null, "", answer.url);
	announce(list()?.dataset.found ?? "");
}

function startSearch(form: HTMLFormElement): void {
	let timer = 0;
	let running: AbortController | undefined;
	const later = (ms: number): void => {
		window.clearTimeout(timer);
		running?.abort();
		timer = window.setTimeout(() => {
			running = new AbortController();
			search(form, running.signal).catch(() => undefined);
		}, ms);
	};
	form.addEventListener("input", (e) => {
		if (e.target instanceof HTMLInputElement && e.target.name === "query") {
			const letters = e.target.value.trim().length;
			if (letters === 0 || letters > 1) later(typingPause);
		}
	});
	form.addEventListener("change", (e) => {
		if (!(e.target instanceof HTMLInputElement && e.target.name === "query")) later(0);
	});
	form.addEventListener("submit", () => {
		window.clearTimeout(timer);
		running?.abort();
	});
}

// startChoice lets one box select all rows, and counts the selected ones.
function startChoice(): void {
	const form = document.querySelector<HTMLFormElement>(".list-form");
	const box = form?.querySelector<HTMLElement>("[data-choose-all]");
	const all = box?.querySelector("input");
	if (!form || !box || !all) return;
	box.hidden = false;
	const boxes = (): HTMLInputElement[] => [...form.querySelectorAll<HTMLInputElement>("input[name=id]")];
	const count = (): void => {
		const n = boxes().filter((b) => b.checked).length;
		all.checked = n > 0 && n === boxes().length;
		all.indeterminate = n > 0 && !all.checked;
		const shown = form.querySelector("[data-chosen]");
		if (shown) shown.textContent = String(n);
	};
	form.addEventListener("change", (e) => {
		if (e.target === all) for (const b of boxes()) b.checked = all.checked;
		count();
	});
	count();
}

// update replaces the cells of a row that changed. The cell of the box stays, so that a
// selected row stays selected, and so does a link with the focus.
function update(row: HTMLTableRowElement, html: string): void {
	const table = document.createElement("table");
	table.innerHTML = html;
	const fresh = table.querySelector("tr");
	if (!fresh || fresh.cells.length !== row.cells.length) return;
	row.dataset.stamp = fresh.dataset.stamp;
	row.className = fresh.className;
	[...fresh.cells].forEach((cell, i) => {
		const old = row.cells[i];
		if (!old || old.classList.contains("list-choose") || old.innerHTML === cell.innerHTML) return;
		const focused = old.contains(document.activeElement);
		old.innerHTML = cell.innerHTML;
		if (focused) old.querySelector<HTMLElement>("a")?.focus({ preventScroll: true });
	});
	row.classList.add("list-changed");
}

function apply(part: HTMLElement, changes: Changes): void {
	for (const [name, count] of Object.entries(changes.queues)) {
		const shown = document.querySelector(`[data-queue="${CSS.escape(name)}"]`);
		if (shown && shown.textContent !== count) shown.textContent = count;
	}
	const said: string[] = [];
	let changed = 0;
	for (const { id, html } of changes.rows ?? []) {
		const row = rowOf(id);
		if (!row) continue;
		update(row, html);
		peekAgain(id);
		changed++;
	}
	for (const id of changes.deleted ?? []) {
		const row = rowOf(id);
		const about = row?.querySelector(".list-about");
		if (!row || !about || row.dataset.deleted !== undefined) continue;
		row.dataset.deleted = "";
		row.classList.add("list-gone");
		const word = document.createElement("strong");
		word.textContent = part.dataset.gone ?? "";
		about.append(" · ", word);
		changed++;
	}
	const { changedOne, changedMany, newOne, newMany, show = "" } = part.dataset;
	if (changed > 0) said.push(countText(changed, changedOne, changedMany));
	const link = document.querySelector<HTMLAnchorElement>("[data-list-new]");
	const words = changes.new > 0 ? show.replace("{n}", String(changes.new)) : "";
	if (link && (link.hidden ? "" : link.textContent) !== words) {
		link.textContent = words;
		link.href = location.href;
		link.hidden = words === "";
		if (words) said.push(countText(changes.new, newOne, newMany));
	}
	announce(said.join(". "));
}

// fetchChanges asks once for changes. It returns false if asking again is useless.
async function fetchChanges(): Promise<boolean> {
	const part = list();
	if (part?.dataset.filter === undefined) return true; // an ended search
	const body = new URLSearchParams(part.dataset.filter);
	for (const row of document.querySelectorAll<HTMLElement>("tr[data-id]")) {
		if (row.dataset.deleted === undefined) body.append("row", `${row.dataset.id ?? ""}.${row.dataset.stamp ?? ""}`);
	}
	const answer = await fetch("/review/live", { method: "POST", body, headers: { Accept: "application/json" }, cache: "no-store" });
	if (answer.redirected) return false; // signed out
	if (!answer.ok) {
		if (answer.status >= 500 || answer.status === 429) throw new Error(String(answer.status));
		return answer.status === 404; // a search that ended; the user may start another
	}
	const changes = (await answer.json()) as Changes;
	await released();
	if (list() === part) apply(part, changes);
	return true;
}

function follow(): void {
	let timer = 0;
	let wait = pause;
	let running = false;
	let again = false;
	const next = (ms: number): void => {
		window.clearTimeout(timer);
		if (document.visibilityState === "visible") timer = window.setTimeout(() => void step(), ms);
	};
	const step = async (): Promise<void> => {
		if (running) {
			again = true;
			return;
		}
		running = true;
		try {
			if (!(await fetchChanges())) return;
			wait = pause;
		} catch {
			wait = Math.min(wait * 2, maxPause);
		} finally {
			running = false;
		}
		next(again ? 0 : wait);
		again = false;
	};
	askNow = () => next(0);
	document.addEventListener("visibilitychange", () => next(0)); // a hidden tab asks nothing
	next(pause);
}

export function startList(): void {
	const form = document.querySelector<HTMLFormElement>(".list-search");
	if (!form || !list()) return;
	startSearch(form);
	startChoice();
	peekAgain = startPeek(announce, () => askNow());
	follow();
}
