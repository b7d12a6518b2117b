// The page with the QR code opens the application's page as soon as the application
// changes: the other device has opened the link or continued. The copy button is
// shown where the browser can copy.

const section = document.querySelector<HTMLElement>('[data-vestibule="device"]');

if (section) {
	const link = section.querySelector<HTMLInputElement>("#link");
	const button = section.querySelector<HTMLButtonElement>("[data-copy]");
	if (link && button && navigator.clipboard) {
		button.hidden = false;
		button.addEventListener("click", () => {
			void navigator.clipboard.writeText(link.value).then(
				() => {
					const said = document.getElementById("copied");
					if (said) said.textContent = button.dataset.copy ?? "";
					button.textContent = button.dataset.copy ?? "";
				},
				() => link.select(),
			);
		});
	}
	link?.addEventListener("focus", () => link.select());
	if (typeof EventSource !== "undefined" && section.dataset.stream) {
		const stream = new EventSource(section.dataset.stream);
		stream.addEventListener("state", (e) => {
			if (Number((e as MessageEvent).lastEventId) > Number(section.dataset.version)) location.assign(section.dataset.next ?? "/");
		});
		stream.addEventListener("end", () => stream.close());
	}
}
