// Submitting a form without a connection would replace the page, with the entered
// data, by the browser's error page. The script stops the submission and says so.

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
