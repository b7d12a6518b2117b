// The pages for developers. When the choices change, the script fetches the page
// with the new choices, as the form would, and takes over its code. The timeline of a
// run follows the application's event stream in the same way; events of the element
// are merged into it by time. Buttons copy the code.

import { copying } from "../ui/copy";
import { startTabs } from "./parts/tabs";

function tabs(root: ParentNode): void {
	for (const box of root.querySelectorAll<HTMLElement>("[data-tabs]")) startTabs(box);
}

async function fetchPage(address: string): Promise<Document | undefined> {
	const answer = await fetch(address, { headers: { Accept: "text/html" }, cache: "no-store" });
	return answer.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : undefined;
}

// The listings of a guide have their buttons from a template, in the page's language.
const pattern = document.querySelector<HTMLTemplateElement>("template#copy");
if (pattern) for (const code of document.querySelectorAll(".code")) code.append(pattern.content.cloneNode(true));
copying(document);
tabs(document);

const form = document.querySelector<HTMLFormElement>('form[data-vestibule="playground"]');
if (form) {
	let newest = 0;
	form.addEventListener("change", () => {
		const mine = ++newest;
		const query = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
		const address = `${location.pathname}?${query}`;
		void fetchPage(address).then((page) => {
			const old = document.getElementById("code");
			const fresh = page?.getElementById("code");
			if (mine !== newest || !old || !fresh) return;
			const next = document.importNode(fresh, true);
			old.replaceWith(next);
			copying(next);
			tabs(next);
			// Another place has other ways. The same ways stay, with the focus.
			const values = (page: ParentNode) => [...page.querySelectorAll<HTMLInputElement>("[name=integration]")].map((x) => x.value).join();
			const ways = form.querySelector("[data-field=integration]");
			const others = page?.querySelector("[data-field=integration]");
			if (ways && others && values(ways) !== values(others)) ways.replaceWith(document.importNode(others, true));
			// The links to other languages keep the choices.
			const here = document.querySelector(".languages");
			const there = page?.querySelector(".languages");
			if (here && there) here.replaceWith(document.importNode(there, true));
			history.replaceState(null, "", address + location.hash);
		}, () => undefined);
	});
}

const names = ["open", "ready", "step", "success", "exit", "error", "state", "complete", "close"];
const received: HTMLElement[] = [];

function trace(): HTMLElement | null {
	return document.getElementById("trace");
}

// merge inserts the element's events among the server's lines.
function merge(): void {
	const list = trace()?.querySelector("ol");
	if (!list) return;
	list.append(...received);
	list.append(...[...list.children].sort((a, b) => timeOf(a) - timeOf(b)));
}

function timeOf(line: Element): number {
	return Number((line as HTMLElement).dataset.at);
}

function onElementEvent(e: Event): void {
	const line = document.querySelector<HTMLTemplateElement>("template#trace-element");
	const made = line?.content.firstElementChild?.cloneNode(true) as HTMLElement | undefined;
	if (!made) return;
	const now = new Date();
	made.dataset.at = String(now.getTime() * 1000);
	made.dataset.key = `element-${received.length}`;
	const time = made.querySelector("time")!;
	time.dateTime = now.toISOString();
	time.textContent = now.toISOString().slice(11, 23);
	const { publicToken, ...detail } = ((e as CustomEvent).detail ?? {}) as Record<string, unknown>;
	made.querySelector(".trace-what")!.textContent = [e.type,
		detail["step"] ?? detail["state"] ?? detail["errorType"] ?? detail["status"] ?? ""].join(" ").trim();
	made.querySelector("pre code")!.textContent = JSON.stringify({ ...detail,
		...(publicToken ? { publicToken: `${String(publicToken).slice(0, 6)}…` } : {}) }, null, 2);
	received.push(made);
	merge();
	// A callback after the report is not on the event stream.
	if (e.type === "step" || e.type === "complete") void refresh();
}

let busy = false;
let again = false;
let last = ""; // last fetched content

async function refresh(): Promise<void> {
	if (busy) {
		again = true;
		return;
	}
	busy = true;
	try {
		const page = await fetchPage(trace()?.dataset.self ?? location.href);
		const old = trace();
		const fresh = page?.getElementById("trace");
		if (old && fresh && fresh.outerHTML !== last && Number(fresh.dataset.version) >= Number(old.dataset.version)) {
			last = fresh.outerHTML;
			const open = new Set([...old.querySelectorAll("details[open]")].map((details) => details.closest("li")?.dataset.key));
			const focused = old.contains(document.activeElement) ? document.activeElement?.closest<HTMLElement>("li")?.dataset.key : undefined;
			const next = document.importNode(fresh, true);
			for (const li of next.querySelectorAll<HTMLElement>("li")) if (open.has(li.dataset.key)) li.querySelector("details")!.open = true;
			old.replaceWith(next);
			merge();
			if (focused) next.querySelector<HTMLElement>(`li[data-key="${CSS.escape(focused)}"] summary`)?.focus({ preventScroll: true });
			if (next.dataset.state !== old.dataset.state) {
				const live = document.getElementById("live");
				if (live) live.textContent = next.querySelector(".badge")?.textContent ?? "";
			}
		}
	} catch {} // the next event asks again
	busy = false;
	if (again) {
		again = false;
		void refresh();
	}
}

const address = trace()?.dataset.stream;
if (address) {
	const stream = new EventSource(address);
	stream.addEventListener("state", (e) => {
		if (Number((e as MessageEvent).lastEventId) > Number(trace()?.dataset.version ?? 0)) void refresh();
	});
	stream.addEventListener("end", () => {
		stream.close();
		// A callback, a return or an event may follow the report.
		for (const seconds of [0, 2, 5, 10, 20, 40]) window.setTimeout(() => void refresh(), seconds * 1000);
	});
}
if (trace()) document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && void refresh());
const element = document.querySelector("vestibule-apply");
if (element) for (const name of names) element.addEventListener(name, onElementEvent);
