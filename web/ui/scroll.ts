// Lets the keyboard scroll tables that are wider than their place: only these become
// stops of the Tab key, as regions with the name of the table.

export function startScroll(): void {
	const check = (box: HTMLElement): void => {
		if (box.scrollWidth > box.clientWidth + 1) {
			box.tabIndex = 0;
			box.setAttribute("role", "region");
			box.setAttribute("aria-label", box.querySelector("caption")?.textContent?.trim() ?? "");
		} else {
			for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
		}
	};
	const sizes = new ResizeObserver((all) => {
		for (const one of all) check(one.target as HTMLElement);
	});
	for (const box of document.querySelectorAll<HTMLElement>(".table-box")) sizes.observe(box);
}
