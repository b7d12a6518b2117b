// Shows moments in the reader's own time zone, with UTC on hover. Without script they are in UTC.

export function localTimes(root: ParentNode): void {
	const format = new Intl.DateTimeFormat(`${document.documentElement.lang}-US`, {
		year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short",
	});
	for (const time of root.querySelectorAll<HTMLTimeElement>("time[data-local]")) {
		time.title = time.textContent ?? "";
		time.textContent = format.format(new Date(time.dateTime));
	}
}
