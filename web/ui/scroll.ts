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
	for (const row of document.querySelectorAll<HTMLElement>(".queues, .side .top-links")) scrollByWheel(row);
}

// scrollByWheel lets a mouse's wheel scroll a row of links, which has no scroll bar.
export function scrollByWheel(row: HTMLElement): void {
	row.addEventListener("wheel", turned, { passive: false });
}

function turned(e: WheelEvent): void {
	const row = e.currentTarget as HTMLElement;
	if (e.deltaX || e.ctrlKey || e.shiftKey) return;
	const before = row.scrollLeft;
	row.scrollLeft += e.deltaY;
	if (row.scrollLeft !== before) e.preventDefault();
}
