// The connect page tells the server when the widget was begun, so that loading
// the page again gets the same token in this browser and a new one in another. Where
// the browser stores nothing, the widget could not find its visit again: then the page
// gets a new one, too. If the module itself
// never comes, it shows the way on without it. Everything else is the module's.

const patience = 15_000;

const section = document.querySelector<HTMLElement>('[data-vestibule="connect"]');

function stores(): boolean {
	try {
		return !!sessionStorage;
	} catch {
		return false;
	}
}

function begun(el: HTMLElement): void {
	if (!el.dataset.report) return;
	void fetch(el.dataset.report, {
		method: "POST",
		keepalive: true,
		headers: { "Content-Type": "application/json" },
		body: JSON.stringify({ eventId: `open-${el.dataset.attempt}`, type: "onOpen", resumable: stores(), attempt: Number(el.dataset.attempt) }),
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
