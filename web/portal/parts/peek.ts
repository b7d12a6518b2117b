// Shows an application in a panel beside the list: the verdict, the facts and the state of its
// page. Space on a row's link or the row's button opens and closes the panel, j and k move it,
// Escape closes it. The focus stays in the list. On a phone the button opens the application.

import { keysOff } from "../../ui/keys";

const settle = 150; // rows that j and k only pass are not opened
const busy = "input:not([type=checkbox]), select, textarea, details[open], [popover], dialog"; // have their own Escape

// startPeek returns a function to call after the row of an application, or all rows, changed. It
// shows the application again, and closes the panel if its row is gone.
export function startPeek(say: (words: string) => void): (changed?: string) => void {
	const panel = document.querySelector<HTMLElement>("[data-peek]");
	const body = panel?.querySelector<HTMLElement>("[data-peek-body]");
	const title = panel?.querySelector<HTMLAnchorElement>("[data-peek-title]");
	if (!panel || !body || !title) return () => undefined;
	const room = matchMedia("(min-width: 44.01rem)");
	const beside = matchMedia("(min-width: 100rem)"); // otherwise the panel covers the search
	let id = "";
	let timer = 0;
	let running: AbortController | undefined;

	const rows = (): HTMLTableRowElement[] => [...document.querySelectorAll<HTMLTableRowElement>(".list tr[data-id]")];
	const linkOf = (row: Element | null | undefined): HTMLAnchorElement | null => row?.querySelector<HTMLAnchorElement>(".list-link") ?? null;
	const mark = (): void => rows().forEach((row) => row.toggleAttribute("data-peeked", row.dataset.id === id));
	const stop = (): void => {
		window.clearTimeout(timer);
		running?.abort();
	};
	const close = (): void => {
		stop();
		if (panel.contains(document.activeElement)) linkOf(rows().find((row) => row.dataset.id === id))?.focus();
		id = "";
		panel.hidden = true;
		body.replaceChildren();
		mark();
	};
	const load = async (link: HTMLAnchorElement): Promise<void> => {
		running = new AbortController();
		const answer = await fetch(link.href, { headers: { "Dashboard-Page": document.body.dataset.page ?? "" }, cache: "no-store",
			redirect: "manual", signal: running.signal });
		if (!answer.ok) return location.assign(link.href); // its page says why
		const part = new DOMParser().parseFromString(await answer.text(), "text/html").body;
		for (const a of part.querySelectorAll("a[href^='#']")) a.setAttribute("href", link.href + (a.getAttribute("href") ?? ""));
		title.textContent = link.textContent;
		title.href = link.href;
		body.replaceChildren(...part.childNodes);
		panel.hidden = false;
		panel.scrollTop = 0;
		say([title.textContent?.trim(), body.querySelector(".verdict .card-title")?.textContent?.trim()].join(": "));
	};
	const open = (row: HTMLTableRowElement | null | undefined, wait: number): void => {
		const link = linkOf(row);
		if (!row || !link) return;
		stop();
		id = row.dataset.id ?? "";
		mark();
		timer = window.setTimeout(() => {
			load(link).catch((e: unknown) => {
				if (!(e instanceof DOMException && e.name === "AbortError")) close();
			});
		}, wait);
	};
	const toggle = (row: HTMLTableRowElement): void => (row.dataset.id === id ? close() : open(row, 0));

	document.addEventListener("click", (e) => {
		const button = (e.target as Element).closest(".peek-open");
		const row = button?.closest("tr");
		if (!row || !room.matches || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
		e.preventDefault();
		linkOf(row)?.focus();
		toggle(row);
	});
	document.addEventListener("keydown", (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey || e.shiftKey || e.isComposing || e.defaultPrevented) return;
		const target = e.target as Element;
		if (e.key === "Escape" && id !== "" && !target.closest(busy)) {
			close();
		} else if (e.key === " " && target.matches(".list-link") && room.matches && !keysOff()) {
			e.preventDefault();
			const row = target.closest("tr");
			if (row) toggle(row);
		}
	});
	document.addEventListener("focusin", (e) => {
		const row = (e.target as Element).closest(".list-link")?.closest("tr");
		if (id !== "" && row && row.dataset.id !== id) open(row, settle);
		if (id !== "" && !beside.matches && (e.target as Element).closest(".list-search")) close();
	});
	panel.querySelector("[data-peek-close]")?.addEventListener("click", close);
	room.addEventListener("change", () => {
		if (!room.matches) close();
	});
	return (changed = id): void => {
		if (id === "" || changed !== id) return;
		const row = rows().find((r) => r.dataset.id === id);
		if (row) open(row, 0);
		else close();
	};
}
