// The second click of a double click must not act on the step that the first one led to,
// which the applicant has not seen yet. It does nothing on links and buttons. The style
// sheet does the rest, before this script has run too: a step takes no clicks in the half
// second after it was displayed (visit.css). The keyboard is not affected: its clicks have
// no detail.

addEventListener("click", (e) => {
  if (e.detail < 2 || !(e.target as Element).closest?.("a, button, summary")) return;
  e.preventDefault();
  e.stopImmediatePropagation();
}, true);

// settle makes a step that was covered take no clicks for half a second.
export function settle(step: Element): void {
  for (const animation of step.getAnimations()) {
    animation.cancel();
    animation.play();
  }
}
