// Shows the figures of the part of a plot under the pointer or with the focus, in a line
// below the plot. Without script they are the part's tooltip.

export function startPlots(): void {
	for (const figure of document.querySelectorAll<HTMLElement>(".plot-figure")) {
		const spans = [...figure.querySelectorAll<SVGElement>(".plot-span")];
		if (spans.length === 0) continue;
		const readout = document.createElement("p");
		readout.className = "plot-readout no-print";
		readout.setAttribute("aria-hidden", "true"); // a link's name has the same words
		figure.append(readout);
		const show = (e: Event): void => {
			const at = (e.target as Element).closest(".plot-link, .plot-span");
			readout.textContent = at?.querySelector("title")?.textContent ?? "";
		};
		figure.addEventListener("pointerover", show);
		figure.addEventListener("focusin", show);
		figure.addEventListener("pointerleave", () => {
			readout.textContent = "";
		});
	}
}
