// Shows moments in the reader's own time zone, with UTC on hover. Without script they are in UTC. A cookie tells the
// server the zone, for the days of charts and filters.

const parts: Record<string, Intl.DateTimeFormatOptions> = {
	"": { month: "short", day: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short" },
	seconds: { month: "short", day: "numeric", hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "short" },
	clock: { hour: "numeric", minute: "2-digit", second: "2-digit" },
	day: { month: "short", day: "numeric" },
};

// localTimes converts the moments of a part of the page. data-local says what of a moment to show; data-year, whether
// its year.
export function localTimes(root: ParentNode): void {
	for (const time of root.querySelectorAll<HTMLTimeElement>("time[data-local]:not([data-shown])")) {
		const year = time.dataset.year === undefined ? undefined : "numeric";
		time.title ||= time.textContent ?? "";
		time.textContent = new Intl.DateTimeFormat(`${document.documentElement.lang}-US`, { year, ...parts[time.dataset.local ?? ""] })
			.format(new Date(time.dateTime));
		time.dataset.shown = "";
	}
}

// keepLocalTimes converts the moments of the page, and those of parts that are added later.
export function keepLocalTimes(): void {
	const secure = location.protocol === "https:" ? "; secure" : "";
	document.cookie = `zone=${new Intl.DateTimeFormat().resolvedOptions().timeZone}; path=/; max-age=31536000; samesite=lax${secure}`;
	localTimes(document);
	new MutationObserver((all) => {
		for (const m of all) for (const n of m.addedNodes) if (n instanceof Element) localTimes(n);
	}).observe(document.body, { childList: true, subtree: true });
}
