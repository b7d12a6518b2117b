// The status page follows its application: on each event of the stream it fetches the
// page's HTML again and takes over the new content. Without a stream it fetches every
// ten seconds. New content waits while a pointer is pressed or a control has the
// keyboard's focus, so that no click lands on another control; screen readers hear of
// it at once. A page that becomes visible also fetches: a decision can follow long
// after the stream has ended.

import { released } from "../ui/press";
import { localTimes } from "../ui/times";

const pause = 10_000;

// retry is the delay before a failed fetch is repeated: the event that caused it is
// not sent again.
const retry = 2_000;

function region(): HTMLElement | null {
	return document.getElementById("status");
}

let busy: Promise<void> | undefined;
let again = false;
let later = 0;

// refresh takes over the page's new content; calls during a fetch are merged into one.
function refresh(): Promise<void> {
	if (busy) {
		again = true;
		return busy;
	}
	window.clearTimeout(later);
	busy = load()
		.catch(() => false)
		.then((answered) => {
			busy = undefined;
			if (again) {
				again = false;
				void refresh();
			} else if (!answered) {
				later = window.setTimeout(() => void refresh(), retry);
			}
		});
	return busy;
}

// load reports whether the server answered, even with an error.
async function load(): Promise<boolean> {
	const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
	if (!answer.ok) return answer.status < 500 && answer.status !== 429;
	const page = new DOMParser().parseFromString(await answer.text(), "text/html");
	const old = region();
	const fresh = page.getElementById("status");
	if (!old || !fresh || Number(fresh.dataset.version) < Number(old.dataset.version)) return true;
	document.title = page.title;
	if (fresh.dataset.title !== old.dataset.title) {
		const live = document.getElementById("live");
		if (live) live.textContent = fresh.dataset.title ?? "";
	}
	const focused = await untilUnused(old);
	if (!again) replaceRegion(old, fresh, focused); // else there is something newer to fetch
	return true;
}

// untilUnused resolves when the applicant does not use the region, with the focused element. A
// control that was clicked has the focus, but is not in use.
async function untilUnused(old: HTMLElement): Promise<Element | null> {
	for (;;) {
		await released();
		const focused = old.contains(document.activeElement) ? document.activeElement : null;
		if (!focused?.matches(":is(a, button, input, select, textarea, summary):focus-visible")) return focused;
		await new Promise((left) => focused.addEventListener("blur", left, { once: true }));
		await new Promise((settled) => setTimeout(settled)); // the focus may go to the next control
	}
}

function replaceRegion(old: HTMLElement, fresh: HTMLElement, focused: Element | null): void {
	const next = document.importNode(fresh, true);
	localTimes(next);
	const history = next.querySelector("details");
	if (history) history.open = old.querySelector("details")?.open ?? false;
	old.replaceWith(next);
	if (!focused) return;
	const same = focused.matches("summary") ? next.querySelector("summary") : null;
	(same ?? document.getElementById("status-title"))?.focus({ preventScroll: true });
}

function follow(url: string): void {
	const poll = (): void => {
		const timer = window.setInterval(() => {
			void refresh().then(() => {
				if (!region()?.dataset.stream) window.clearInterval(timer);
			});
		}, pause);
	};
	if (typeof EventSource === "undefined") {
		poll();
		return;
	}
	const stream = new EventSource(url);
	stream.addEventListener("state", (e) => {
		const version = Number((e as MessageEvent).lastEventId);
		if (version > Number(region()?.dataset.version ?? 0)) void refresh();
	});
	stream.addEventListener("end", () => {
		stream.close();
		void refresh();
	});
	stream.addEventListener("error", () => {
		if (stream.readyState === EventSource.CLOSED) poll();
	});
}

document.addEventListener("visibilitychange", () => {
	if (document.visibilityState === "visible") void refresh();
});

localTimes(document);
const here = region();
if (here?.dataset.stream) follow(here.dataset.stream);
