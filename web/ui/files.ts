// File controls: the button and the list of chosen files are in the page's language, which the
// browser's own control may not be. Each file has a picture or its type, its size, and a button
// that removes it. Files chosen later are added to those before.

export function startFiles(root: ParentNode): void {
	for (const box of root.querySelectorAll<HTMLElement>("[data-files]")) start(box);
}

// own replaces the browser's control by the button, and returns the input.
export function own(box: HTMLElement): HTMLInputElement {
	const input = box.querySelector("input")!;
	input.classList.add("unseen");
	box.querySelector("label")!.hidden = false;
	return input;
}

function start(box: HTMLElement): void {
	const input = own(box);
	const list = box.querySelector("ul")!;
	let chosen: File[] = [];

	const show = (): void => {
		list.replaceChildren(...chosen.map(row));
		list.hidden = chosen.length === 0;
		box.querySelector("[role=status]")!.textContent = chosen.map((f) => `${f.name}, ${size(f)}`).join("; ");
	};
	const choose = (files: File[]): void => {
		const kept = new DataTransfer();
		for (const f of files) kept.items.add(f);
		input.files = kept.files;
		chosen = files;
		show();
	};
	const add = (files: File[]): void => {
		const known = (f: File): boolean => chosen.some((c) => c.name === f.name && c.size === f.size && c.lastModified === f.lastModified);
		if (files.length) choose(input.multiple ? [...chosen, ...files.filter((f) => !known(f))] : files.slice(0, 1));
		else choose(chosen); // the choice was canceled, which some browsers take for none
	};
	const row = (f: File): HTMLElement => {
		const item = element("li", "file-row");
		const remove = element("button", "button button-quiet", list.dataset.remove);
		(remove as HTMLButtonElement).type = "button";
		remove.append(element("span", "unseen", ` ${f.name}`));
		remove.addEventListener("click", () => {
			choose(chosen.filter((c) => c !== f));
			input.focus();
		});
		item.append(picture(f), element("span", "file-name", f.name), element("span", "fine", size(f)), remove);
		return item;
	};
	input.addEventListener("change", () => add([...(input.files ?? [])]));
	box.addEventListener("dragover", (e) => e.preventDefault());
	box.addEventListener("drop", (e) => {
		e.preventDefault();
		add([...(e.dataTransfer?.files ?? [])]);
	});
	add([...(input.files ?? [])]); // chosen before this script ran
}

function element(tag: string, type: string, text = ""): HTMLElement {
	const el = document.createElement(tag);
	el.className = type;
	el.textContent = text;
	return el;
}

// picture shows an image, or the type of another file.
function picture(f: File): HTMLElement {
	const box = element("span", "file-picture", /\.(\w{1,4})$/.exec(f.name)?.[1]?.toUpperCase());
	box.setAttribute("aria-hidden", "true");
	if (!f.type.startsWith("image/")) return box;
	void createImageBitmap(f, { resizeWidth: 96 }).then((image) => {
		const canvas = document.createElement("canvas");
		canvas.width = image.width;
		canvas.height = image.height;
		canvas.getContext("2d")!.drawImage(image, 0, 0);
		box.replaceChildren(canvas);
	}, () => undefined); // not an image that the browser reads
	return box;
}

function size(f: File): string {
	const format = (n: number, most: number): string =>
		new Intl.NumberFormat(`${document.documentElement.lang}-US`, { maximumFractionDigits: most }).format(n);
	return f.size < 1 << 20 ? `${format(Math.ceil(f.size / 1024), 0)} KB` : `${format(f.size / (1 << 20), 1)} MB`;
}
