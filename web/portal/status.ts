// The status page follows its application: each event of the stream says that
// something moved, and the page's own HTML, fetched again, says what. Without
// streams it asks every ten seconds. Focus stays where it is, unless what had it
// is gone.

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
	const moved = fresh.dataset.state !== old.dataset.state;
	const focused = old.contains(document.activeElement) ? document.activeElement : null;
	const open = old.querySelector("details")?.open ?? false;
	const next = document.importNode(fresh, true);
	const history = next.querySelector("details");
	if (history) history.open = open;
	old.replaceWith(next);
	document.title = page.title;
	if (focused) {
		const same = focused.matches("summary") ? next.querySelector("summary") : null;
		(same ?? document.getElementById("status-title"))?.focus({ preventScroll: true });
	}
	if (moved) {
		const live = document.getElementById("live");
		if (live) live.textContent = next.dataset.title ?? "";
	}
	return true;
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

const here = region();
if (here?.dataset.stream) follow(here.dataset.stream);
