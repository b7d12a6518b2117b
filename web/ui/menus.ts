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
// with data-open. A row of a table would cut a popover off: it moves to the end of main.
function startPopovers(): void {
	document.documentElement.dataset.popovers = "script";
	let menu: HTMLElement | null = null;
	let opener: HTMLElement | null = null;
	const close = (): void => {
		menu?.removeAttribute("data-open");
		if (!opener?.isConnected) menu?.remove();
		else if (menu) opener.after(menu);
		menu = null;
	};
	addEventListener("click", (e) => {
		const target = e.target as Element;
		if (menu?.contains(target)) return;
		const before = menu;
		close();
		opener = target.closest<HTMLElement>("[popovertarget]");
		const next = document.getElementById(opener?.getAttribute("popovertarget") ?? "");
		if (!next || next === before) return;
		menu = next;
		menu.setAttribute("data-open", "");
		if (!menu.closest("tr")) return;
		document.querySelector("main")!.append(menu);
		place(menu);
		menu.querySelector("button")?.focus();
	});
	addEventListener("keydown", (e) => {
		if (e.key !== "Escape" || !menu) return;
		close();
		opener?.focus();
	});
}

// hasOpenPopover reports whether Escape closes a popover.
export function hasOpenPopover(): boolean {
	return [...document.querySelectorAll("[popover]")].some((menu) => menu.getClientRects().length > 0);
}
