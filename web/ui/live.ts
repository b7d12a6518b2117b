// Keeps a list or a state current while the page is visible, and shows what a search finds
// while the user types. Both ask for the part of a page with the id "live-part" and put it
// in place; without script there are a link and a button.

import { copying } from "./copy";
import { released } from "./press";
import { startScroll } from "./scroll";

const wait = 5_000;
const longest = 60_000;

// request requests the part of a page. The header, from the page itself, tells the dashboard
// that its own script asks.
function request(url: string, init: RequestInit = {}): Promise<Response | undefined> {
	const headers = { ...(init.headers as Record<string, string>), "Dashboard-Page": document.body.dataset.page ?? "" };
	return fetch(url, { ...init, headers, mode: "same-origin", cache: "no-store", redirect: "manual" }).catch(() => undefined);
}

function announce(words: string | undefined): void {
	const live = document.getElementById("live");
	if (live && words) live.textContent = words;
}

// keys lists the rows of a part with their text, without the times relative to now, and with moments as the server has them.
function keys(part: HTMLElement): string {
	const copy = part.cloneNode(true) as HTMLElement;
	for (const el of copy.querySelectorAll("[data-relative]")) el.remove();
	for (const el of copy.querySelectorAll<HTMLTimeElement>("time[data-local]")) el.textContent = el.dateTime;
	return copy.textContent ?? "";
}

// inUse reports whether the user has opened, selected or changed anything in a part. The page
// itself opens details with data-opened.
function inUse(part: HTMLElement): boolean {
	const changed = (s: HTMLSelectElement): boolean =>
		s.selectedIndex !== Math.max([...s.options].findIndex((o) => o.defaultSelected), 0);
	return [...part.querySelectorAll("select")].some(changed) || part.querySelector("details[open]:not([data-opened])") !== null ||
		!(getSelection()?.isCollapsed ?? true) ||
		part.contains(document.activeElement?.closest("input, select, textarea") ?? null);
}

// controls are what can have the focus while a part is replaced.
const controls = "a[href], button, summary";

// controlID identifies a control of a part by its address, or by its name and form.
const controlID = (el: Element): string => {
	const name = el.getAttribute("href") ?? el.getAttribute("aria-label") ?? el.textContent;
	return [el.tagName, name, el.closest("form")?.getAttribute("action")].join(" ");
};

// replacePart shows a part in place of the page's, unless it is in use and may wait. The focus stays
// on the same control. It returns whether anything but relative times changed; undefined if
// it waits.
async function replacePart(html: string, mayWait: boolean): Promise<boolean | undefined> {
	const next = new DOMParser().parseFromString(html, "text/html").getElementById("live-part");
	await released();
	const part = document.getElementById("live-part");
	if (!next || !part || (mayWait && inUse(part))) return undefined;
	const changed = keys(part) !== keys(next);
	const focused = part.contains(document.activeElement) ? document.activeElement : null;
	for (const name of ["data-found", "data-changed"]) part.setAttribute(name, next.getAttribute(name) ?? "");
	part.replaceChildren(...next.childNodes);
	copying(part);
	startScroll();
	if (focused) {
		const same = [...part.querySelectorAll<HTMLElement>(controls)].filter((el) => controlID(el) === controlID(focused));
		if (same.length === 1 || focused.hasAttribute("href")) same[0]?.focus({ preventScroll: true });
	}
	return changed;
}

// next is the wait before the next request, shorter while the part waits for an answer.
function next(part: HTMLElement): number {
	return part.querySelector("[data-soon]") ? 1_000 : wait;
}

export function startLive(): void {
	const part = document.getElementById("live-part");
	if (!part || !document.body.dataset.page) return;
	const form = document.querySelector<HTMLFormElement>("form[role=search]");
	const query = form?.querySelector<HTMLInputElement>("[name=query]");
	let searching = Boolean(query?.value);
	let tag = "";
	let pause = next(part);
	let timer = 0;

	const poll = async (): Promise<void> => {
		if (document.visibilityState === "visible" && !searching) {
			const answer = await request(location.href, tag ? { headers: { "If-None-Match": tag } } : {});
			if (answer?.status === 403 || answer?.type === "opaqueredirect") return; // signed out
			const good = answer?.ok || answer?.status === 304;
			pause = good ? next(part) : Math.min(2 * pause, longest);
			if (answer?.ok && !searching) {
				const changed = await replacePart(await answer.text(), true);
				if (changed && tag !== "") announce(part.dataset.changed);
				if (changed !== undefined) tag = answer.headers.get("ETag") ?? "";
				pause = next(part);
			}
		}
		later();
	};
	const later = (): void => {
		clearTimeout(timer);
		timer = window.setTimeout(() => void poll(), pause);
	};
	if (part.dataset.poll !== undefined) {
		later();
		document.addEventListener("visibilitychange", () => {
			if (document.visibilityState === "visible") void poll();
		});
	}

	if (!form || !query) return;
	let typed = 0;
	query.addEventListener("input", () => {
		clearTimeout(typed);
		typed = window.setTimeout(() => void find(), 250);
	});
	const find = async (): Promise<void> => {
		const words = query.value.trim();
		searching = words !== "";
		tag = "";
		const body = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
		const answer = await (searching ? request(form.action, { method: "POST", body }) : request(form.dataset.list ?? location.href));
		if (!answer?.ok || query.value.trim() !== words) return;
		await replacePart(await answer.text(), false);
		announce(part.dataset.found);
	};
}
