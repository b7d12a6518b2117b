// The page's own script: it loads the element, shows the progress, and asks the back end at the end.
import { loadVestibule } from "./vestibule.js"; // index.js of the npm package @vestibule/js

const progress = document.getElementById("progress");
const words = {
  approve: "Your application is approved.",
  review: "We have your report. A person reviews your application.",
  retry: "No report yet. You can start again.",
};
const element = document.querySelector("vestibule-apply");

loadVestibule(document.querySelector("main").dataset.portal).catch(() => (progress.textContent = "This does not work at the moment."));
element.addEventListener("success", () => (progress.textContent = "Thank you. We are preparing your report."));
element.addEventListener("exit", () => (progress.textContent = "You stopped. You can continue at any time."));
element.addEventListener("error", (e) => (progress.textContent = `That didn’t work (${e.detail.errorType}).`));
element.addEventListener("complete", async () => {
  const answer = await fetch("/outcome");
  const { next } = await answer.json();
  progress.textContent = words[next] ?? "We are preparing your report.";
});
