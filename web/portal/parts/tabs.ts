// Shows one section of a long page at a time: the links to the sections become tabs. The
// address selects the section, so that links and the history work; without script, and
// in print, all sections are shown.

import { scrollByWheel } from "../../ui/scroll";

export function startTabs(box: HTMLElement): void {
	const bar = box.querySelector<HTMLElement>(":scope > .contents");
	const links = [...box.querySelectorAll<HTMLAnchorElement>(":scope > .contents a")];
	const sections = [...box.querySelectorAll<HTMLElement>(":scope > section")];
	if (!bar || sections.length < 2) return;
	const gone = new AbortController(); // ends the listeners of a box that was replaced
	const there = (): boolean => box.isConnected || (gone.abort(), false);
	box.classList.add("tabs-live");
	scrollByWheel(bar);

	const sectionOf = (hash: string): HTMLElement | undefined => {
		const target = hash ? document.getElementById(decodeURIComponent(hash.slice(1))) : null;
		return sections.find((s) => target && s.contains(target));
	};
	const show = (section: HTMLElement): void => {
		for (const s of sections) s.classList.toggle("tab-shown", s === section);
		for (const a of links) {
			if (sectionOf(a.hash) === section) {
				a.setAttribute("aria-current", "true");
				bar.scrollLeft = a.offsetLeft - (bar.clientWidth - a.offsetWidth) / 2;
			} else a.removeAttribute("aria-current");
		}
	};
	const follow = (): void => {
		if (!there()) return;
		const section = sectionOf(location.hash);
		if (section) show(section);
	};
	window.addEventListener("hashchange", follow, { signal: gone.signal });
	show(sectionOf(location.hash) ?? sections[0]!);

	// A tab changes the section in place. A link from another part of the page scrolls.
	for (const a of links) {
		a.addEventListener("click", (e) => {
			const section = sectionOf(a.hash);
			if (!section || e.ctrlKey || e.metaKey || e.shiftKey) return;
			e.preventDefault();
			history.replaceState(null, "", a.hash);
			show(section);
		});
	}
	document.addEventListener("click", (e) => {
		if (!there()) return;
		const a = (e.target as Element).closest<HTMLAnchorElement>('a[href^="#"]');
		const section = a && !links.includes(a) ? sectionOf(a.hash) : undefined;
		if (section) show(section);
	}, { signal: gone.signal });
}
