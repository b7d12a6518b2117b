// Moves through a list by keys: j and k, Enter as on any link, x to select, / for the search, ? for
// the line that explains them. A list's own script can use Space and show the row marked data-peeked
// beside the list, from where j and k go on. On the page of one row, j and k open the next and the
// previous. commands.ts has the menu of commands. Keys do nothing while the user types, or with a
// modifier. The user can turn them off in this browser, for example for speech input.

const stored = "vestibule-keys";

// rows are the links that name the rows of lists. Lists change while the page is open.
const rows = (): HTMLAnchorElement[] => [...document.querySelectorAll<HTMLAnchorElement>(".list-link, .row-link")];

// relLink is the link to the next or the previous page of its kind: the last one, because the
// links to the applications of a list are before those to the days of one.
const relLink = (rel: string): HTMLAnchorElement | undefined =>
	[...document.querySelectorAll<HTMLAnchorElement>(`main a[rel=${rel}]`)].pop();

// keysOff reports whether the user has turned keys off.
export function keysOff(): boolean {
	try {
		return localStorage.getItem(stored) === "off";
	} catch {
		return false;
	}
}

export function startKeys(): void {
	const search = document.querySelector<HTMLInputElement>("input[aria-keyshortcuts='/']");
	const hint = document.querySelector<HTMLElement>("[data-keys]");
	const toggle = document.querySelector<HTMLButtonElement>("[data-keys-toggle]");
	if (!hint || !toggle) return;
	hint.hidden = false;
	const pages = Boolean(relLink("next") ?? relLink("prev"));
	const works = {
		rows: !pages && rows().length > 0, pages,
		select: document.querySelector("tr input[name=id]") !== null, search: search !== null,
		peek: document.querySelector("[data-peek]") !== null && rows().length > 0,
		forms: document.querySelector("[data-peek-decide], .decision-form") !== null,
	};
	for (const part of hint.querySelectorAll<HTMLElement>("[data-keys-of]")) part.hidden = !works[part.dataset.keysOf as keyof typeof works];
	let active = !keysOff();
	const show = (): void => {
		toggle.textContent = (active ? toggle.dataset.off : toggle.dataset.on) ?? "";
	};
	show();
	toggle.addEventListener("click", () => {
		active = !active;
		show();
		try {
			localStorage.setItem(stored, active ? "on" : "off");
		} catch {
			// The choice lasts as long as the page.
		}
	});
	const came = document.getElementById(location.hash.slice(1));
	if (came && rows().some((a) => a === came)) came.focus(); // back from its page
	document.addEventListener("keydown", (e) => {
		if (!active || e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
		const typing = (e.target as Element).closest<HTMLElement>("input:not([type=checkbox]), textarea, select, [contenteditable]");
		if (typing) {
			if (e.key === "Escape") typing.blur();
			return;
		}
		if (e.key === "/" && search) {
			e.preventDefault();
			search.focus();
			search.select();
			return;
		}
		if (e.key === "?") {
			toggle.focus();
			return;
		}
		if (pages && (e.key === "j" || e.key === "k")) {
			relLink(e.key === "j" ? "next" : "prev")?.click();
			return;
		}
		const links = rows();
		const rowOf = (a: Element): Element | null => a.closest("tr, li");
		const focused = links.findIndex((a) => rowOf(a)?.contains(document.activeElement));
		const now = focused >= 0 ? focused : links.findIndex((a) => rowOf(a)?.matches("[data-peeked]"));
		if (e.key === "x") {
			links[now]?.closest("tr")?.querySelector<HTMLInputElement>("input[name=id]")?.click();
			return;
		}
		const step = e.key === "j" ? 1 : e.key === "k" ? -1 : 0;
		if (step === 0 || links.length === 0) return;
		links[Math.min(Math.max(now + step, 0), links.length - 1)]!.focus();
	});
}
