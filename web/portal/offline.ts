// Submitting a form without a connection would replace the page, with the entered
// data, by the browser's error page. The script stops the submission and says so. A
// browser without a network can still reach a portal on its own machine, so it asks.

const note = document.getElementById("offline");

if (note) {
	let asking = false;
	let reached = false;
	document.addEventListener(
		"submit",
		(e) => {
			if (navigator.onLine || reached) {
				reached = false;
				return;
			}
			e.preventDefault();
			e.stopImmediatePropagation();
			if (asking) return; // a second click
			asking = true;
			fetch("/", { method: "HEAD", cache: "no-store" }).then(
				() => {
					asking = false;
					reached = true;
					(e.target as HTMLFormElement).requestSubmit(e.submitter);
				},
				() => {
					asking = false;
					note.hidden = false;
					note.scrollIntoView({ block: "nearest" });
				},
			);
		},
		{ capture: true },
	);
	window.addEventListener("online", () => (note.hidden = true));
}
