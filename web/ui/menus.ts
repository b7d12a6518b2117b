// Closes an open menu by Escape, by a press outside, and when the focus leaves it. Menus are
// details, which open without script, or popovers.

const menus = "details[data-menu][open]";

export function startMenus(): void {
	if (!("popover" in HTMLElement.prototype)) startPopovers();
	addEventListener("pointerdown", (e) => {
		for (const menu of document.querySelectorAll<HTMLDetailsElement>(menus)) {
			if (!menu.contains(e.target as Node)) menu.open = false;
		}
	});
	addEventListener("keydown", (e) => {
		const menu = document.querySelector<HTMLDetailsElement>(menus);
		if (e.key !== "Escape" || !menu) return;
		menu.open = false;
		menu.querySelector("summary")?.focus();
	});
	addEventListener("focusout", (e) => {
		const menu = (e.target as Element).closest<HTMLDetailsElement>(menus);
		if (menu && e.relatedTarget instanceof Node && !menu.contains(e.relatedTarget)) menu.open = false;
	});
}

// startPopovers opens and closes the popovers of browsers that have none: staff.css shows those
// with data-open.
function startPopovers(): void {
	const close = (menu: Element): void => menu.removeAttribute("data-open");
	document.documentElement.dataset.popovers = "script";
	addEventListener("click", (e) => {
		const target = e.target as Element;
		const menu = document.getElementById(target.closest("[popovertarget]")?.getAttribute("popovertarget") ?? "");
		for (const other of document.querySelectorAll("[data-open]")) if (other !== menu && !other.contains(target)) close(other);
		menu?.toggleAttribute("data-open");
	});
	addEventListener("keydown", (e) => {
		const menu = document.querySelector("[data-open]");
		if (e.key !== "Escape" || !menu) return;
		close(menu);
		document.querySelector<HTMLElement>(`[popovertarget="${CSS.escape(menu.id)}"]`)?.focus();
	});
}

// hasOpenPopover reports whether Escape closes a popover.
export function hasOpenPopover(): boolean {
	return [...document.querySelectorAll("[popover]")].some((menu) => menu.getClientRects().length > 0);
}
