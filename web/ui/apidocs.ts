// The pages of an API reference: the search of the contents, buttons that copy, and forms
// that send requests to this server.

import { copying } from "./copy";

copying(document);

const contents = document.querySelector<HTMLElement>(".apidocs-contents");
const search = contents?.querySelector<HTMLInputElement>("input[type=search]");
if (contents && search) {
	const none = contents.querySelector<HTMLElement>(".apidocs-none");
	const groups = [...contents.querySelectorAll<HTMLUListElement>("ul ul")].map((list) => ({
		list,
		item: list.parentElement as HTMLElement,
		hidden: list.hidden,
		entries: [...list.querySelectorAll<HTMLAnchorElement>("a")].map((link) => ({
			item: link.parentElement as HTMLElement,
			text: `${link.textContent} ${link.dataset.find ?? ""}`.toLowerCase(),
		})),
	}));
	(search.parentElement as HTMLElement).hidden = false;
	const found = () => contents.querySelector<HTMLAnchorElement>("ul ul:not([hidden]) li:not([hidden]) > a");
	search.addEventListener("input", () => {
		const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
		for (const g of groups) {
			let any = false;
			for (const e of g.entries) {
				e.item.hidden = !words.every((w) => e.text.includes(w));
				any ||= !e.item.hidden;
			}
			g.list.hidden = words.length > 0 ? !any : g.hidden;
			g.item.hidden = words.length > 0 && !any;
		}
		contents.toggleAttribute("data-searching", words.length > 0);
		if (none) none.hidden = words.length === 0 || found() !== null;
	});
	search.addEventListener("keydown", (e) => {
		if (e.key === "Enter" && search.value.trim()) found()?.click();
		if (e.key === "Escape") {
			search.value = "";
			search.dispatchEvent(new Event("input"));
		}
	});
	addEventListener("keydown", (e) => {
		const typing = e.target instanceof Element && e.target.closest("input, textarea, select");
		if (e.key !== "/" || typing || e.ctrlKey || e.metaKey || e.altKey) return;
		e.preventDefault();
		search.focus();
	});
}

// The samples of all operations are in one language, which the browser remembers.
const chosen = "apidocs-language";
function chooseLanguage(language: string): void {
	if (!document.querySelector(`[data-sample="${CSS.escape(language)}"]`)) return;
	for (const b of document.querySelectorAll<HTMLElement>("[data-language]")) {
		b.setAttribute("aria-pressed", String(b.dataset.language === language));
	}
	for (const s of document.querySelectorAll<HTMLElement>("[data-sample]")) s.hidden = s.dataset.sample !== language;
}
for (const group of document.querySelectorAll<HTMLElement>(".apidocs-languages")) {
	group.hidden = false;
	group.addEventListener("click", (e) => {
		const button = (e.target as Element).closest<HTMLElement>("[data-language]");
		if (!button?.dataset.language) return;
		const top = button.getBoundingClientRect().top;
		chooseLanguage(button.dataset.language);
		scrollBy(0, button.getBoundingClientRect().top - top); // the samples above may have changed their heights
		try {
			localStorage.setItem(chosen, button.dataset.language);
		} catch {} // storage may be off
	});
}
try {
	chooseLanguage(localStorage.getItem(chosen) ?? "");
} catch {}

const credentials = document.querySelector<HTMLFormElement>("[data-credentials]");
if (credentials) {
	credentials.hidden = false;
	credentials.addEventListener("submit", (e) => e.preventDefault());
	for (const details of document.querySelectorAll<HTMLElement>(".apidocs-send")) details.hidden = false;
	for (const form of document.querySelectorAll<HTMLFormElement>("[data-send]")) {
		form.addEventListener("submit", (e) => {
			e.preventDefault();
			void send(form, credentials);
		});
	}
}

// Encodes text in Base64 as UTF-8.
function base64(text: string): string {
	return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function field(form: HTMLFormElement, name: string): string {
	return form.querySelector<HTMLInputElement>(`[name="${name}"]`)?.value ?? "";
}

// Returns the value of Authorization for an operation. An access token is requested for
// each request, because it expires after five minutes. The page stores nothing.
async function authorization(access: string, from: HTMLFormElement): Promise<string> {
	const basic = `Basic ${base64(`${field(from, "id")}:${field(from, "secret")}`)}`;
	if (access === "" || access === "basic") return access && basic;
	const path = from.dataset.token;
	if (!path) return `Bearer ${field(from, "secret")}`;
	const answer = await fetch(path, { headers: { Authorization: basic }, credentials: "omit" });
	if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
	const { accessToken } = (await answer.json()) as { accessToken: string };
	return `Bearer ${base64(accessToken)}`;
}

async function send(form: HTMLFormElement, from: HTMLFormElement): Promise<void> {
	const result = form.querySelector<HTMLElement>(".apidocs-result");
	const button = form.querySelector<HTMLButtonElement>("button");
	if (!result || !button) return;
	const headers = new Headers();
	const query = new URLSearchParams();
	let path = form.dataset.path ?? "";
	for (const input of form.querySelectorAll<HTMLInputElement>("[data-in]")) {
		if (input.value === "" && input.dataset.in !== "path") continue;
		if (input.dataset.in === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
		else if (input.dataset.in === "query") query.append(input.name, input.value);
		else headers.append(input.name, input.value);
	}
	const body = form.querySelector("textarea")?.value;
	if (body !== undefined) headers.set("Content-Type", "application/json");
	button.disabled = true;
	let line: string;
	let content = "";
	try {
		const value = await authorization(form.dataset.access ?? "", from);
		if (value) headers.set("Authorization", value);
		const began = performance.now();
		const answer = await fetch(path + (`${query}` && `?${query}`), {
			method: form.dataset.send ?? "GET",
			headers,
			...(body === undefined ? {} : { body }),
			credentials: "omit",
			cache: "no-store",
			redirect: "manual",
		});
		const type = answer.headers.get("Content-Type") ?? "";
		const bytes = await answer.arrayBuffer();
		line = `${answer.status} ${answer.statusText} · ${Math.round(performance.now() - began)} ms · ${bytes.byteLength} bytes`;
		const text = /json|text|xml/.test(type) ? new TextDecoder().decode(bytes) : type;
		content = /json/.test(type) ? JSON.stringify(JSON.parse(text), null, 2) : text;
	} catch (e) {
		line = e instanceof Error ? e.message : String(e);
	}
	button.disabled = false;
	const status = document.createElement("p");
	status.textContent = line;
	const code = document.createElement("pre");
	code.tabIndex = 0;
	code.textContent = content;
	result.replaceChildren(status, ...(content ? [code] : []));
}
