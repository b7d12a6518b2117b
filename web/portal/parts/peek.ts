// Shows an application in a panel beside the list: the verdict, the facts, the state and the forms
// of its page. Space on a row's link or the row's button opens and closes the panel, j and k move
// it, d, a and n go to its forms, Escape returns to the list and then closes the panel. A form is
// sent without leaving the list. On a phone the button opens the application.

import { bodyOf } from "../../ui/body";
import { keysOff } from "../../ui/keys";
import { hasOpenPopover } from "../../ui/menus";
import { startScroll } from "../../ui/scroll";
import { dropDraft, restoreDrafts } from "./drafts";
import { goalOf, goTo } from "./forms";
import { startLetter } from "./letter";

const settle = 150; // rows that j and k only pass are not opened
const fields = "input:not([type=checkbox]), select, textarea";
const busy = `${fields}, details[open], [popover], dialog`; // have their own Escape

// startPeek returns a function to call after the row of an application, or all rows, changed. It
// shows the application again, unless the user is working in the panel, and closes the panel if
// its row is gone. refresh asks for the changes of the list.
export function startPeek(say: (words: string) => void, refresh: () => void): (changed?: string) => void {
	const panel = document.querySelector<HTMLElement>("[data-peek]");
	const body = panel?.querySelector<HTMLElement>("[data-peek-body]");
	const title = panel?.querySelector<HTMLAnchorElement>("[data-peek-title]");
	const unsent = panel?.querySelector<HTMLElement>("[data-peek-unsent]");
	if (!panel || !body || !title || !unsent) return () => undefined;
	const decide = panel.querySelector<HTMLElement>("[data-peek-decide]");
	const wide = matchMedia("(min-width: 44.01rem)");
	const beside = matchMedia("(min-width: 75rem)"); // otherwise the panel covers the search
	const headers = { "Dashboard-Page": document.body.dataset.page ?? "" };
	let id = ""; // of the application that is shown, or will be
	let shown = "";
	let answered = ""; // the application whose answer to a form is shown: it stays until the user goes on
	let timer = 0;
	let running: AbortController | undefined;
	let sending = false;

	const rows = (): HTMLTableRowElement[] => [...document.querySelectorAll<HTMLTableRowElement>(".list tr[data-id]")];
	const linkOf = (row: Element | null | undefined): HTMLAnchorElement | null => row?.querySelector<HTMLAnchorElement>(".list-link") ?? null;
	const current = (): HTMLTableRowElement | undefined => rows().find((row) => row.dataset.id === id);
	const reveal = (on: boolean): void => {
		panel.hidden = !on;
		panel.parentElement?.toggleAttribute("data-peeking", on);
	};
	const mark = (): void => rows().forEach((row) => row.toggleAttribute("data-peeked", row.dataset.id === id));
	const stop = (): void => {
		window.clearTimeout(timer);
		running?.abort();
	};
	const close = (): void => {
		stop();
		if (panel.contains(document.activeElement)) linkOf(current())?.focus();
		id = shown = answered = "";
		reveal(false);
		body.replaceChildren();
		mark();
	};

	// show puts fragments of an application's page into the panel. It returns false if the answer is
	// another page, which the user has to see.
	const show = (html: string, link: string): boolean => {
		const part = new DOMParser().parseFromString(html, "text/html").body;
		if (!part.querySelector(".case-about")) return false;
		for (const a of part.querySelectorAll("a[href^='#']")) a.setAttribute("href", link + (a.getAttribute("href") ?? ""));
		body.replaceChildren(...part.childNodes);
		unsent.hidden = true;
		restoreDrafts(body);
		startLetter(body);
		startScroll();
		return true;
	};
	const load = async (link: HTMLAnchorElement, goal: string): Promise<void> => {
		const of = id;
		running = new AbortController();
		const answer = await fetch(link.href, { headers, cache: "no-store", redirect: "manual", signal: running.signal });
		const html = await answer.text();
		if (shown === of && inUse()) return; // the user went to it meanwhile
		if (!answer.ok || !show(html, link.href)) return location.assign(link.href); // its page says why
		shown = of;
		answered = "";
		body.inert = false;
		title.textContent = link.textContent;
		title.href = link.href;
		reveal(true);
		panel.scrollTop = 0;
		say([title.textContent?.trim(), body.querySelector(".verdict .card-title")?.textContent?.trim()].join(": "));
		if (goal) goTo(body, goal);
	};
	// open shows the application of a row, and goes to one of its forms.
	const open = (row: HTMLTableRowElement | null | undefined, wait: number, goal = ""): void => {
		const link = linkOf(row);
		if (!row || !link) return;
		stop();
		id = row.dataset.id ?? "";
		mark();
		body.inert = id !== shown; // what it shows is of another row
		timer = window.setTimeout(() => {
			load(link, goal).catch((e: unknown) => {
				if (!(e instanceof DOMException && e.name === "AbortError")) close();
			});
		}, wait);
	};
	const toggle = (row: HTMLTableRowElement): void => (row.dataset.id === id ? close() : open(row, 0));

	// send sends a form of the panel and shows the answer, with the focus where the user goes on: on the
	// link to the next application, on the refused field, or on the same form.
	const send = async (form: HTMLFormElement, button: HTMLElement | null): Promise<void> => {
		const of = id;
		const link = title.href;
		const action = button?.getAttribute("formaction") ?? form.action;
		const answer = await fetch(action, { method: "POST", body: bodyOf(form, button), headers, cache: "no-store" });
		const html = await answer.text();
		if (answer.ok) dropDraft(form);
		refresh();
		if (id !== of) return;
		if (!show(html, link)) return location.assign(link); // signed out, or the application is gone
		answered = of;
		const same = [...body.querySelectorAll("form")].find((f) => f.action === form.action);
		const next = body.querySelector<HTMLElement>("[data-next]") ?? same?.querySelector<HTMLElement>("[aria-invalid=true]") ??
			same?.querySelector<HTMLElement>("input:checked, textarea, button") ?? title;
		next.focus();
		const words = body.querySelector<HTMLElement>("[role=alert], [role=status]");
		words?.scrollIntoView({ block: "nearest" });
		say(words?.textContent?.trim() ?? "");
	};
	panel.addEventListener("submit", (e) => {
		const form = e.target as HTMLFormElement;
		e.preventDefault();
		if (sending) return;
		sending = true;
		const button = e.submitter;
		button?.setAttribute("data-busy", "");
		send(form, button).catch(() => {
			unsent.textContent = unsent.dataset.peekUnsent ?? "";
			unsent.hidden = false;
			unsent.scrollIntoView({ block: "nearest" });
		}).finally(() => {
			sending = false;
			button?.removeAttribute("data-busy");
		});
	});

	const plain = (e: MouseEvent): boolean => !e.ctrlKey && !e.metaKey && !e.shiftKey && !e.altKey;
	document.addEventListener("click", (e) => {
		const button = (e.target as Element).closest(".peek-open");
		const row = button?.closest("tr");
		if (!row || !wide.matches || !plain(e)) return;
		e.preventDefault();
		const closes = row.dataset.id === id; // before the focus opens it
		linkOf(row)?.focus();
		if (closes) close();
		else open(row, 0);
	});
	panel.addEventListener("click", (e) => {
		const next = (e.target as Element).closest<HTMLAnchorElement>("[data-next]");
		const row = rows().find((r) => next && linkOf(r)?.pathname === next.pathname);
		if (!row || !plain(e)) return; // it is on another page of the list
		e.preventDefault();
		linkOf(row)?.focus();
		open(row, 0);
	});
	document.addEventListener("keydown", (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey || e.shiftKey || e.isComposing || e.defaultPrevented) return;
		const target = e.target as Element;
		const inside = panel.contains(target);
		const goal = goalOf(e);
		if (e.key === "Escape" && id !== "") {
			if (hasOpenPopover() || document.querySelector("dialog[open]")) return;
			if (inside && target.matches(fields)) linkOf(current())?.focus();
			else if (inside || !target.closest(busy)) close();
		} else if (e.key === " " && target.matches(".list-link") && wide.matches && !keysOff()) {
			e.preventDefault();
			const row = target.closest("tr");
			if (row) toggle(row);
		} else if (goal && decide && wide.matches) {
			const row = target.closest<HTMLTableRowElement>(".list tr[data-id]") ?? current();
			if (!row) return;
			e.preventDefault(); // not into the field
			if (row.dataset.id === shown && shown === id) goTo(body, goal);
			else open(row, 0, goal);
		}
	});
	document.addEventListener("focusin", (e) => {
		const row = (e.target as Element).closest(".list-link")?.closest("tr");
		if (id !== "" && row && row.dataset.id !== id) open(row, settle);
		if (id !== "" && !beside.matches && (e.target as Element).closest(".list-search")) close();
	});
	decide?.addEventListener("click", () => goTo(body));
	panel.querySelector("[data-peek-close]")?.addEventListener("click", close);
	wide.addEventListener("change", () => {
		if (!wide.matches) close();
	});

	// inUse reports whether the user reads an answer, has the focus in the panel or has filled in any of its forms.
	const inUse = (): boolean => sending || answered === id || panel.contains(document.activeElement) ||
		[...body.querySelectorAll("textarea")].some((t) => t.value !== t.defaultValue) ||
		[...body.querySelectorAll<HTMLInputElement>("input[type=radio], input[type=checkbox]")].some((i) => i.checked !== i.defaultChecked);
	return (changed = id): void => {
		if (id === "" || changed !== id) return;
		const row = current();
		mark();
		if (!row) close();
		else if (!inUse()) open(row, 0);
	};
}
