// The connect page tells the server that the widget has started, so that reloading
// the page gets the same token in this browser and a new one in another. If the
// browser stores nothing, the widget could not find its visit again, and the page
// gets a new token as well. If the WASM module does not load, the page shows the
// link that works without it. The document's data-widget is the section's phase, for the styles
// of what is around the section. The module does everything else.

const patience = 15_000;

const section = document.querySelector<HTMLElement>('[data-vestibule="connect"]');

function stores(): boolean {
	try {
		return !!sessionStorage;
	} catch {
		return false;
	}
}

function reportOpened(el: HTMLElement): void {
	if (!el.dataset.report) return;
	void fetch(el.dataset.report, {
		method: "POST",
		keepalive: true,
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ eventId: `open-${el.dataset.attempt}`, type: "onOpen", resumable: stores(), attempt: Number(el.dataset.attempt) }),
	}).catch(() => undefined);
}

if (section) {
	let reported = false;
	const once = (): void => {
		if (!reported) reportOpened(section);
		reported = true;
	};
	document.querySelector("[data-vestibule-fire]")?.addEventListener("click", once);
	const look = (): void => {
		if (section.querySelector(".embed")) document.documentElement.dataset.widget = section.dataset.phase;
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
