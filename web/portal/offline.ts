// A form that is sent without a connection would leave its page for the browser's
// own, and what was filled in with it: it stays, and says so.

const note = document.getElementById("offline");

if (note) {
	document.addEventListener(
		"submit",
		(e) => {
			if (navigator.onLine) return;
			e.preventDefault();
			e.stopImmediatePropagation();
			note.hidden = false;
			note.scrollIntoView({ block: "nearest" });
		},
		{ capture: true },
	);
	window.addEventListener("online", () => (note.hidden = true));
}
