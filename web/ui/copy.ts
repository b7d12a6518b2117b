// Buttons that copy the code beside them. They are hidden where nothing can be copied.

export function copying(root: ParentNode): void {
	if (!navigator.clipboard) return;
	for (const button of root.querySelectorAll<HTMLButtonElement>("[data-copy]")) {
		button.hidden = false;
		button.addEventListener("click", () => {
			const code = button.dataset.copy || (button.parentElement?.querySelector("pre, code")?.textContent ?? "");
			void navigator.clipboard.writeText(code).then(() => announce(button.dataset.copied ?? ""));
		});
	}
}

function announce(words: string): void {
	const live = document.getElementById("live");
	if (!live) return;
	live.textContent = "";
	requestAnimationFrame(() => (live.textContent = words));
	const toast = document.createElement("p");
	toast.className = "toast";
	toast.setAttribute("aria-hidden", "true");
	toast.textContent = words;
	document.body.append(toast);
	window.setTimeout(() => toast.remove(), 1500);
}
