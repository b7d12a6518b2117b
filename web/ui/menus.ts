// Closes an open menu by Escape, by a press outside, and when the focus leaves it. Menus are
// details, which open without script.

const menus = "details[data-menu][open]";

export function startMenus(): void {
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
