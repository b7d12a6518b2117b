// Replaces pages of a document whose image does not load by a note. The images load when
// they become visible, which is after this script.

export function startDocuments(): void {
	for (const page of document.querySelectorAll<HTMLElement>(".document-page")) {
		const image = page.querySelector("img")!;
		const fail = (): void => {
			page.querySelector<HTMLElement>(".document-sheet")!.hidden = true;
			page.querySelector<HTMLElement>(".document-missing")!.hidden = false;
		};
		image.addEventListener("error", fail);
		if (image.complete && image.currentSrc && image.naturalWidth === 0) fail();
	}
}
