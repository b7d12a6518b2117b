// Moves through the list of applications by keys: j and k, Enter as on any link, / for the
// search. Keys do nothing while the user types, or with a modifier.

export function startKeys(): void {
	const links = [...document.querySelectorAll<HTMLAnchorElement>(".list-link")];
	const search = document.querySelector<HTMLInputElement>("#filter-query");
	if (!search) return;
	for (const hint of document.querySelectorAll<HTMLElement>("[data-keys]")) hint.hidden = links.length === 0;
	document.addEventListener("keydown", (e) => {
		const typing = (e.target as Element).closest("input:not([type=checkbox]), textarea, select, [contenteditable]");
		if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
		if (typing) {
			if (e.key === "Escape") (typing as HTMLElement).blur();
			return;
		}
		if (e.key === "/") {
			e.preventDefault();
			search.focus();
			search.select();
			return;
		}
		const step = e.key === "j" ? 1 : e.key === "k" ? -1 : 0;
		if (step === 0 || links.length === 0) return;
		const now = links.indexOf(document.activeElement as HTMLAnchorElement);
		const next = links[Math.min(Math.max(now + step, 0), links.length - 1)]!;
		next.focus();
	});
}
