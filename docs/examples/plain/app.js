// The page's own script: it says how it goes, and asks the back end at the end.
const progress = document.getElementById("progress");
const element = document.querySelector("vestibule-apply");

element.addEventListener("success", () => (progress.textContent = "Thank you. Your report is being made."));
element.addEventListener("exit", () => (progress.textContent = "You stopped. Continue whenever you like."));
element.addEventListener("error", (e) => (progress.textContent = `That did not work (${e.detail.errorType}).`));
element.addEventListener("complete", async () => {
  const answer = await fetch("/outcome");
  const { state } = await answer.json();
  progress.textContent = state === "ready" ? "We received your report." : "We did not receive a report.";
});
