// A pointer's second click must not act on the step that the first one led to: the
// applicant has not seen that step yet. Until a step has been on the screen for half a
// second, clicks of a pointer do nothing, and the second click of a double click does
// nothing either. The keyboard is not affected: its clicks have no detail.

const settle = 500; // milliseconds

let ready = Infinity; // when the present step begins to take clicks
let shown = 0; // counts the steps
let timer = 0;
let down: number | undefined; // when the pointer was pressed, until its click

// painted starts the delay for a step that was just put into the page. An animation frame
// requested within another begins after the first was displayed. The style sheet disables
// clicks by data-fresh, so that nothing looks clickable.
export function painted(): void {
  const step = ++shown;
  ready = Infinity;
  document.documentElement.dataset.fresh = "";
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (step === shown) takeClicksFrom(performance.now() + settle);
    }),
  );
}

function takeClicksFrom(time: number): void {
  const step = shown;
  ready = time;
  clearTimeout(timer);
  const left = time - performance.now();
  if (left <= 0) return void delete document.documentElement.dataset.fresh;
  document.documentElement.dataset.fresh = "";
  timer = setTimeout(() => step === shown && takeClicksFrom(time), left);
}

addEventListener("pointerdown", (e) => (down = e.timeStamp), true);
addEventListener("pointercancel", () => (down = undefined), true);
addEventListener("click", (e) => {
  const pressed = down ?? e.timeStamp;
  down = undefined;
  if (e.detail === 0) return;
  const again = e.detail > 1 && (e.target as Element).closest?.("a, button, summary");
  if (pressed >= ready && !again) return;
  e.preventDefault();
  e.stopImmediatePropagation();
}, true);

// The step that came with the page may have been on the screen before this script.
const first = performance.getEntriesByName("first-contentful-paint")[0];
if (first) takeClicksFrom(first.startTime + settle);
else painted();
