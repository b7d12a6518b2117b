// The connect page tells the server when the widget was begun, so that loading
// the page again gets a new token instead of the used one, and tells the page
// around it, if there is one, how it goes. Everything else is the module's.

const section = document.querySelector<HTMLElement>('[data-vestibule="connect"]');

function tell(el: HTMLElement): void {
	const origin = el.dataset.parent;
	if (origin && window.parent !== window) {
		window.parent.postMessage({ type: "vestibule", event: "phase", phase: el.dataset.phase }, origin);
	}
}

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
		tell(section);
		if (section.dataset.phase === "open" && !section.hasAttribute("data-manual-fire")) once();
	};
	new MutationObserver(look).observe(section, { attributes: true, attributeFilter: ["data-phase"] });
	look();
}
