import { startCommands } from "../ui/commands";
import { fold } from "../ui/fold";
import { startKeys } from "../ui/keys";
import { startLive } from "../ui/live";
import { startMenus } from "../ui/menus";
import { startPlots } from "../ui/plots";
import { startScroll } from "../ui/scroll";
import { keepLocalTimes } from "../ui/times";
import { startList } from "./list";
import { startDocuments } from "./parts/documents";
import { keepDrafts } from "./parts/drafts";
import { startFormKeys } from "./parts/forms";
import { startLetter } from "./parts/letter";
import { startSections } from "./parts/sections";

keepDrafts();
startCommands();
startDocuments();
startFormKeys();
startKeys();
startLetter();
startList();
startLive();
startMenus();
startPlots();
startScroll();
startSections();

keepLocalTimes();

// Filters the figures of a report while the reviewer types. The server filters in the
// same way when the form is submitted; the script only saves the wait. The live region
// announces the result when the typing pauses.

const form = document.querySelector<HTMLFormElement>("form[data-figures]");
const groups = [...document.querySelectorAll<HTMLDetailsElement>("details.figures")];

interface Row {
	el: HTMLTableRowElement;
	text: string;
}

function rows(group: HTMLDetailsElement): Row[] {
	const kind = group.querySelector("summary")?.textContent ?? "";
	return [...group.querySelectorAll<HTMLTableRowElement>("tbody tr")].map((el) => {
		const cells = [...el.cells].filter((_, i) => i !== 1).map((c) => c.textContent ?? "");
		const text = cells.join(" ");
		return { el, text: fold(`${text} ${text.replaceAll("_", " ")} ${kind}`) };
	});
}

function live(form: HTMLFormElement): void {
	const query = form.elements.namedItem("q") as HTMLInputElement;
	const node = form.elements.namedItem("node") as HTMLSelectElement;
	const said = document.getElementById("figures-found");
	const all = groups.map((el) => ({ el, rows: rows(el) }));
	const button = form.querySelector("button");
	if (button) button.hidden = true;
	let timer = 0;

	const choose = (): void => {
		const words = fold(query.value).split(/\s+/).filter(Boolean);
		const any = words.length > 0 || node.value !== "";
		let found = 0;
		for (const g of all) {
			let here = 0;
			for (const r of g.rows) {
				const fits = (node.value === "" || node.value === g.el.dataset.node) && words.every((w) => r.text.includes(w));
				r.el.hidden = !fits;
				if (fits) here++;
			}
			g.el.hidden = here === 0;
			g.el.open = any;
			found += here;
		}
		window.clearTimeout(timer);
		timer = window.setTimeout(() => {
			if (!said) return;
			const { one = "", many = "", none = "" } = form.dataset;
			said.textContent = !any ? "" : found === 0 ? none : found === 1 ? one : many.replace("{n}", String(found));
		}, 250);
	};
	query.addEventListener("input", choose);
	node.addEventListener("change", choose);
	form.addEventListener("submit", (e) => {
		e.preventDefault();
		choose();
	});
}

// A page that the server filtered lacks the other figures, so its form requests them from the
// server.
if (form && !new URLSearchParams(location.search).get("q") && !new URLSearchParams(location.search).get("node")) live(form);

// An application's page has several forms, and submitting one would lose the text in
// the others: the browser asks first. A refused text is in the page's HTML like a
// default value, so every non-empty field counts.
let losing = false;
document.addEventListener("submit", (e) => {
	losing = !e.defaultPrevented &&
		[...document.querySelectorAll<HTMLTextAreaElement>("form textarea")].some((t) => t.form !== e.target && t.value.trim() !== "");
});
window.addEventListener("beforeunload", (e) => {
	if (losing) e.preventDefault();
	if (losing) e.returnValue = true; // Chrome before 119
	losing = false;
});
