// The page's own script: it shows the progress, and asks the back end at the end.
const progress = document.getElementById("progress");
const words = {
  decide: "We have your report. We decide on your application now.",
  review: "We have your report. A person reviews your application.",
  retry: "No report yet. You can start again.",
};
const element = document.querySelector("vestibule-apply");

element.addEventListener("success", () => (progress.textContent = "Thank you. We are preparing your report."));
element.addEventListener("exit", () => (progress.textContent = "You stopped. You can continue at any time."));
element.addEventListener("error", (e) => (progress.textContent = `That didn’t work (${e.detail.errorType}).`));
element.addEventListener("complete", async () => {
  const answer = await fetch("/outcome");
  const { next } = await answer.json();
  progress.textContent = words[next] ?? "We are preparing your report.";
});
