// Closes an open menu by Escape, by a press outside, and when the focus leaves it. Menus are
// details, which open without script, or popovers.

const menus = "details[data-menu][open]";

export function startMenus(): void {
	if (!("popover" in HTMLElement.prototype)) startPopovers();
	addEventListener("toggle", (e) => (e.target as Element).matches?.("[data-at-button]") && place(e.target as HTMLElement), true);
	for (const type of ["scroll", "resize"]) {
		addEventListener(type, () => document.querySelectorAll<HTMLElement>("[data-at-button]").forEach(place), { capture: true, passive: true });
	}
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

const gap = 4; // px between a button and its menu

// place puts an open popover below its button, or above the button where the window has more room.
// Anchor positioning is too new, and WebKit lays out a table without end if it hides a cell with one.
function place(menu: HTMLElement): void {
	const button = document.querySelector(`[popovertarget="${CSS.escape(menu.id)}"]`);
	const { width, height } = menu.getBoundingClientRect();
	if (!button || width === 0) return;
	const at = button.getBoundingClientRect();
	const below = at.bottom + gap + height <= innerHeight || at.top < innerHeight - at.bottom;
	const left = Math.max(gap, Math.min(at.left, document.documentElement.clientWidth - width - gap));
	menu.style.inset = below ? `${at.bottom + gap}px auto auto ${left}px` : `auto auto ${innerHeight - at.top + gap}px ${left}px`;
	menu.style.margin = "0";
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
		if (menu?.toggleAttribute("data-open") && menu.matches("[data-at-button]")) place(menu);
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
