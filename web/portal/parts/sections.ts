// Shows one section of an application's page at a time in a wide window, where the menu at the side
// leads to them. In a narrow window they stay folded. The address selects the section, so that links
// and the history work; in print, all sections are open.

export function startSections(): void {
	const all = [...document.querySelectorAll<HTMLDetailsElement>("[data-sections] > details")];
	const links = [...document.querySelectorAll<HTMLAnchorElement>(".side-sections a")];
	if (all.length === 0) return;
	const wide = matchMedia("(min-width: 75rem)");
	all[0]!.parentElement!.classList.add("sections-live");

	const sectionOf = (hash: string): HTMLDetailsElement | undefined => {
		const target = hash ? document.getElementById(decodeURIComponent(hash.slice(1))) : null;
		return all.find((s) => target && s.contains(target));
	};
	const show = (section: HTMLDetailsElement): void => {
		section.open = true;
		for (const s of all) s.classList.toggle("section-shown", s === section);
		for (const a of links) {
			if (sectionOf(a.hash) === section) a.setAttribute("aria-current", "true");
			else a.removeAttribute("aria-current");
		}
	};
	const follow = (hash: string): void => {
		const section = sectionOf(hash);
		if (section) show(section);
		else if (wide.matches && !all.some((s) => s.matches(".section-shown"))) show(all.find((s) => s.open) ?? all[0]!);
	};
	// The browser looks for the place before its section is shown.
	const arrive = (): void => {
		follow(location.hash);
		if (sectionOf(location.hash)) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
	};
	arrive();
	wide.addEventListener("change", () => {
		if (!wide.matches) for (const s of all) s.open = false;
		follow(location.hash);
	});
	window.addEventListener("hashchange", arrive);
	// A link may lead to where the address already is.
	document.addEventListener("click", (e) => {
		const a = (e.target as Element).closest<HTMLAnchorElement>('a[href^="#"]');
		if (a) follow(a.hash);
	});

	let folded: HTMLDetailsElement[] = [];
	window.addEventListener("beforeprint", () => {
		folded = all.filter((s) => !s.open);
		for (const s of folded) s.open = true;
	});
	window.addEventListener("afterprint", () => {
		for (const s of folded) s.open = false;
	});

	// The button of a phone is in the way of the form to which it leads.
	const decide = document.querySelector<HTMLElement>("[data-decide]");
	const form = document.querySelector("#decision");
	if (!decide || !form) return;
	// On a busy device, one call has several changes: the last one is now.
	new IntersectionObserver((all) => decide.classList.toggle("case-there", all[all.length - 1]!.isIntersecting)).observe(form);
}
