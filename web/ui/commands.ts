// The menu of commands: pages, lists, and the marked buttons and links of the page, chosen by
// typing. It opens by a button, Ctrl+K or Cmd+K, and can search with the dashboard's own
// search. The text field is an ARIA combobox with the commands as its list.

import { fold } from "./fold";
import { keysOff } from "./keys";

interface Command {
	text: string;
	kind: string; // shown beside the text, and searched
	run: () => void;
}

const typingPause = 400;
const minLetters = 3; // of a search while typing
const maxFound = 5;

const textOf = (el: Element | null | undefined): string => el?.textContent?.replace(/\s+/g, " ").trim() ?? "";

// press does what a click on an element of the page does.
function press(el: HTMLElement): void {
	el.closest("details")?.setAttribute("open", "");
	el.click();
	if (!(el instanceof HTMLInputElement)) return;
	el.focus({ preventScroll: true });
	el.scrollIntoView({ block: "center" });
}

// ofPage lists the marked buttons, links and choices of the page.
function ofPage(selector: string, kind: string): Command[] {
	return [...document.querySelectorAll<HTMLElement>(selector)].map((el) => {
		const choice = el instanceof HTMLInputElement;
		const text = !choice ? textOf(el)
			: `${textOf(el.closest("fieldset")?.querySelector("legend"))}: ${textOf(el.closest("label")?.querySelector(".choice-label"))}`;
		return { text, kind, run: () => press(el) };
	});
}

const leadTo = (url: string | null, text: string, kind: string): Command => ({ text, kind, run: () => location.assign(url ?? "") });

export function startCommands(): void {
	const template = document.querySelector<HTMLTemplateElement>("template[data-commands]");
	const opener = document.querySelector<HTMLButtonElement>("[data-commands-open]");
	const dialog = template?.content.querySelector("dialog");
	const form = dialog?.querySelector("form");
	const input = dialog?.querySelector("input");
	const list = dialog?.querySelector("ul");
	const status = dialog?.querySelector("[role=status]");
	if (!template || !opener || !dialog || !form || !input || !list || !status) return;
	const words = { ...dialog.dataset };
	const lists = [...template.content.querySelectorAll("a")].map((a) => leadTo(a.getAttribute("href"), textOf(a), words.lists ?? ""));
	const key = opener.querySelector("kbd");
	if (key && /Mac|iP/.test(navigator.platform)) key.textContent = "⌘ K";
	opener.hidden = false;
	const finds = form.hasAttribute("action");

	let all: Command[] = [];
	let found: Command[] = [];
	let shown: Command[] = [];
	let chosen = 0;
	let timer = 0;
	let running: AbortController | undefined;

	const choose = (n: number): void => {
		chosen = shown.length === 0 ? 0 : (n + shown.length) % shown.length;
		[...list.children].forEach((li, i) => li.setAttribute("aria-selected", String(i === chosen)));
		const current = list.children[chosen];
		input.setAttribute("aria-activedescendant", current?.id ?? "");
		current?.scrollIntoView({ block: "nearest" });
	};
	const run = (c: Command | undefined): void => {
		if (!c) return;
		dialog.close();
		c.run();
	};
	const show = (): void => {
		const typed = input.value.trim();
		const parts = fold(typed).split(/\s+/).filter(Boolean);
		shown = all.filter((c) => parts.every((p) => fold(`${c.text} ${c.kind}`).includes(p)));
		if (finds && typed) {
			shown.push(...found, { text: (words.find ?? "").replace("{text}", typed), kind: "", run: () => form.submit() });
		}
		list.replaceChildren(...shown.map((c, i) => {
			const li = document.createElement("li");
			li.id = `command-${i}`;
			li.setAttribute("role", "option");
			const kind = document.createElement("span");
			kind.className = "command-kind";
			kind.textContent = c.kind;
			li.append(c.text, " ", kind);
			li.addEventListener("click", () => run(c));
			return li;
		}));
		choose(0);
		status.textContent = shown.length === 1 ? (words.one ?? "") : (words.many ?? "").replace("{n}", String(shown.length));
	};
	// search adds what the dashboard's search finds.
	const search = async (): Promise<void> => {
		running = new AbortController();
		const headers = { Accept: "text/html", "Dashboard-Page": document.body.dataset.page ?? "" };
		const body = new URLSearchParams({ query: input.value.trim(), live: "1" });
		const answer = await fetch(form.action, { method: "POST", body, headers, signal: running.signal });
		if (!answer.ok) return;
		const page = new DOMParser().parseFromString(await answer.text(), "text/html");
		found = [...page.querySelectorAll("tr .list-link, tr .row-link")].slice(0, maxFound).map((link) =>
			leadTo(link.getAttribute("href"), textOf(link), textOf(link.closest("tr")?.querySelector(".list-about")) || (words.found ?? "")));
		const at = chosen;
		show();
		choose(at);
	};
	const open = (): void => {
		if (dialog.open) return;
		all = [...ofPage("main :is([data-command]:not(fieldset), fieldset[data-command] input)", words.here ?? ""), ...lists,
			...ofPage(".top-links a, .side [data-command]", words.pages ?? "")];
		input.value = "";
		found = [];
		document.body.append(dialog);
		dialog.showModal();
		show();
	};

	opener.addEventListener("click", open);
	document.addEventListener("keydown", (e) => {
		if (e.key.toLowerCase() !== "k" || !(e.ctrlKey || e.metaKey) || e.altKey || e.shiftKey || keysOff()) return;
		e.preventDefault();
		open();
	});
	input.addEventListener("input", () => {
		window.clearTimeout(timer);
		running?.abort();
		found = [];
		show();
		if (finds && input.value.trim().length >= minLetters) {
			timer = window.setTimeout(() => void search().catch(() => undefined), typingPause);
		}
	});
	input.addEventListener("keydown", (e) => {
		const step = e.key === "ArrowDown" ? 1 : e.key === "ArrowUp" ? -1 : 0;
		if (step !== 0) choose(chosen + step);
		else if (e.key === "Enter" && !e.isComposing) run(shown[chosen]);
		else return;
		e.preventDefault();
	});
	dialog.addEventListener("click", (e) => {
		if (e.target === dialog) dialog.close(); // outside
	});
	dialog.addEventListener("close", () => {
		window.clearTimeout(timer);
		running?.abort();
		dialog.remove();
	});
}
