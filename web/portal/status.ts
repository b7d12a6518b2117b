// The status page follows its application: each event of the stream says that
// something moved, and the page's own HTML, fetched again, says what. Without
// streams it asks every ten seconds. New content waits while a pointer is pressed and
// while a control has the keyboard's focus, so that no click lands on another control;
// what is new is said at once. A page that comes to the front asks, too: a decision
// can come long after the stream has ended.

import { released } from "../ui/press";

const pause = 10_000;

// retry is when a page that could not be fetched is asked for again: the event
// that asked for it does not come twice.
const retry = 2_000;

function region(): HTMLElement | null {
	return document.getElementById("status");
}

let busy: Promise<void> | undefined;
let again = false;
let later = 0;

// refresh takes over the page's new content; calls that come meanwhile become one more.
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

// load reports whether there was an answer, be it a refusal.
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
	const focused = await unused(old);
	if (!again) replaceRegion(old, fresh, focused); // else there is something newer to fetch
	return true;
}

// unused resolves when nothing in the region is being used, with what has the focus
// there then. A control that was clicked keeps the focus without being in use.
async function unused(old: HTMLElement): Promise<Element | null> {
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

const here = region();
if (here?.dataset.stream) follow(here.dataset.stream);
