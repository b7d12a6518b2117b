// The connect page tells the server when the widget was begun, so that loading
// the page again gets a new token instead of the used one. If the module itself
// never comes, it shows the way on without it. Everything else is the module's.

const patience = 15_000;

const section = document.querySelector<HTMLElement>('[data-vestibule="connect"]');

function begun(el: HTMLElement): void {
	if (!el.dataset.report) return;
	void fetch(el.dataset.report, {
		method: "POST",
		keepalive: true,
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ eventId: `open-${el.dataset.attempt}`, type: "onOpen", attempt: Number(el.dataset.attempt) }),
	}).catch(() => undefined);
}

if (section) {
	let told = false;
	const once = (): void => {
		if (!told) begun(section);
		told = true;
	};
	document.querySelector("[data-vestibule-fire]")?.addEventListener("click", once);
	const look = (): void => {
		if (section.dataset.phase === "open" && !section.hasAttribute("data-manual-fire")) once();
	};
	window.setTimeout(() => {
		if (section.dataset.phase !== "loading") return;
		section.dataset.phase = "unavailable";
		for (const el of section.querySelectorAll<HTMLElement>("[data-when]")) {
			el.hidden = !(el.dataset.when ?? "").split(" ").includes("unavailable");
		}
	}, patience);
	new MutationObserver(look).observe(section, { attributes: true, attributeFilter: ["data-phase"] });
	look();
}
