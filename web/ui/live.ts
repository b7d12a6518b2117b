// Keeps a list or a state current while the page is visible, and shows what a search finds
// while the user types. Both ask for the part of a page with the id "live-part" and put it
// in place; without script there are a link and a button.

import { copying } from "../../ui/copy";
import { released } from "../../ui/press";

const wait = 5_000;
const longest = 60_000;

// ask requests the part of a page. The header, from the page itself, tells the dashboard
// that its own script asks.
function ask(url: string, init: RequestInit = {}): Promise<Response | undefined> {
	const headers = { ...(init.headers as Record<string, string>), "Dashboard-Page": document.body.dataset.page ?? "" };
	return fetch(url, { ...init, headers, mode: "same-origin", cache: "no-store", redirect: "error" }).catch(() => undefined);
}

function say(words: string | undefined): void {
	const live = document.getElementById("live");
	if (live && words) live.textContent = words;
}

// keys lists the rows of a part with their text, without the times relative to now.
function keys(part: HTMLElement): string {
	const copy = part.cloneNode(true) as HTMLElement;
	for (const el of copy.querySelectorAll("[data-relative]")) el.remove();
	return copy.textContent ?? "";
}

// put shows a part in place of the page's. The focus stays on the same link. It returns
// whether anything but relative times changed.
async function put(html: string): Promise<boolean> {
	const next = new DOMParser().parseFromString(html, "text/html").getElementById("live-part");
	await released();
	const part = document.getElementById("live-part");
	if (!next || !part || !(getSelection()?.isCollapsed ?? true)) return false;
	const changed = keys(part) !== keys(next);
	const focused = part.contains(document.activeElement) ? document.activeElement?.getAttribute("href") : null;
	for (const name of ["data-found", "data-changed"]) part.setAttribute(name, next.getAttribute(name) ?? "");
	part.replaceChildren(...next.childNodes);
	copying(part);
	if (focused) part.querySelector<HTMLElement>(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
	return changed;
}

export function startLive(): void {
	const part = document.getElementById("live-part");
	if (!part || !document.body.dataset.page) return;
	const form = document.querySelector<HTMLFormElement>("form[role=search]");
	const query = form?.querySelector<HTMLInputElement>("[name=query]");
	let searching = Boolean(query?.value);
	let tag = "";
	let pause = wait;
	let timer = 0;

	const poll = async (): Promise<void> => {
		if (document.visibilityState === "visible" && !searching) {
			const answer = await ask(location.href, tag ? { headers: { "If-None-Match": tag } } : {});
			if (answer?.status === 403) return; // signed out
			const good = answer?.ok || answer?.status === 304;
			pause = good ? wait : Math.min(2 * pause, longest);
			// What the user has opened in the part stays open.
			if (answer?.ok && !searching && !part.querySelector("details[open]")) {
				const first = tag === "";
				tag = answer.headers.get("ETag") ?? "";
				if ((await put(await answer.text())) && !first) say(part.dataset.changed);
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
		const body = new URLSearchParams({ query: words });
		const answer = await (searching ? ask(form.action, { method: "POST", body }) : ask(location.href));
		if (!answer?.ok || query.value.trim() !== words) return;
		await put(await answer.text());
		say(part.dataset.found);
	};
}
