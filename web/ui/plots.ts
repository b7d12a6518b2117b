// Shows the figures of the part of a plot under the pointer or with the focus, in a line
// below the plot. Without script they are the part's tooltip. In a plot of days, the pointer
// and the arrow keys choose a day, which the link under them opens.

export function startPlots(): void {
	for (const figure of document.querySelectorAll<HTMLElement>(".plot-figure")) {
		const spans = [...figure.querySelectorAll<SVGElement>(".plot-span")];
		if (spans.length === 0) continue;
		const readout = document.createElement("p");
		readout.className = "plot-readout no-print";
		readout.setAttribute("aria-hidden", "true"); // a link's name has the same words
		figure.append(readout);
		const plot = figure.querySelector<HTMLElement>("[data-days]");
		if (plot) {
			startDays(plot, readout);
			continue;
		}
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

const millisecondsOfDay = 86_400_000;

function startDays(plot: HTMLElement, readout: HTMLElement): void {
	const { days = "", values = "", url = "", currency = "", hint = "" } = plot.dataset;
	const first = Date.parse(days);
	const cents = values.split(" ").map(Number);
	const last = cents.length - 1;
	const svg = plot.querySelector<SVGElement>(".plot-in")!;
	const links = [...plot.querySelectorAll<SVGAElement>(".plot-link")];
	const own = links.map((a) => a.getAttribute("href")!);
	const lang = document.documentElement.lang;
	const words = new Intl.DateTimeFormat(lang, { dateStyle: "medium", timeZone: "UTC" });
	const usd = currency === "USD";
	const money = new Intl.NumberFormat(lang, usd ? { style: "currency", currency } : { minimumFractionDigits: 2 });
	const status = document.createElement("p");
	status.className = "unseen";
	status.setAttribute("role", "status");
	readout.after(status);
	readout.textContent = hint;
	plot.classList.add("plot-days");

	const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
	line.setAttribute("class", "plot-day");
	line.setAttribute("y2", svg.getAttribute("height")!);
	let day = -1;

	const dateOf = (i: number): Date => new Date(first + i * millisecondsOfDay);
	const text = (i: number): string => `${words.format(dateOf(i))}: ${money.format(cents[i]! / 100)}${usd ? "" : ` ${currency}`}`;
	const linkOf = (i: number): number => {
		const x = (i / last) * 100 + 1e-3;
		const at = links.findLastIndex((a) => parseFloat(a.querySelector("rect")!.getAttribute("x")!) <= x);
		return Math.max(at, 0);
	};
	const clear = (): void => {
		links.forEach((a, n) => {
			a.setAttribute("href", own[n]!);
			a.removeAttribute("aria-label");
		});
		line.remove();
		readout.textContent = hint;
		day = -1;
	};
	// choose marks a day, and points the link of its month to it.
	const choose = (i: number): SVGAElement => {
		clear();
		day = Math.min(Math.max(i, 0), last);
		const x = `${(day / last) * 100}%`;
		line.setAttribute("x1", x);
		line.setAttribute("x2", x);
		svg.append(line);
		readout.textContent = text(day);
		const link = links[linkOf(day)]!;
		link.setAttribute("href", url.replace("YYYY-MM-DD", dateOf(day).toISOString().slice(0, 10)));
		link.setAttribute("aria-label", text(day));
		return link;
	};
	svg.addEventListener("pointermove", (e) => {
		const box = svg.getBoundingClientRect();
		choose(Math.round(((e.clientX - box.left) / box.width) * last));
	});
	svg.addEventListener("pointerleave", clear);
	svg.addEventListener("focusin", (e) => {
		if (day < 0) readout.textContent = (e.target as Element).querySelector("title")?.textContent ?? "";
	});
	svg.addEventListener("focusout", clear);
	svg.addEventListener("keydown", (e) => {
		const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[e.key];
		const n = links.indexOf((e.target as Element).closest("a") as unknown as SVGAElement);
		if (e.key === "Escape") clear();
		if (step === undefined || n < 0) return;
		e.preventDefault();
		const start = Math.round((parseFloat(links[n]!.querySelector("rect")!.getAttribute("x")!) / 100) * last);
		const next = day < 0 ? start : day + step;
		const to = links[linkOf(Math.min(Math.max(next, 0), last))]!;
		if (to !== e.target) to.focus();
		choose(next);
		status.textContent = text(day);
	});
}
