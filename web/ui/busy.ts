// Shows in the pressed button that a form is on its way, until the next page or step is
// there.

addEventListener("submit", (e) => {
  if (!e.defaultPrevented) (e as SubmitEvent).submitter?.setAttribute("data-busy", "");
});
// A page that Back restores can be sent again.
addEventListener("pageshow", () => {
  for (const el of document.querySelectorAll("[data-busy]")) el.removeAttribute("data-busy");
});
