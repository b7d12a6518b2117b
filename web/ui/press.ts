// What comes while a button is pressed would take it away from under the pointer,
// or put another in its place: the click would be lost, or go to the other.
// Whoever shows something that nobody has asked for just now waits for released.

let pressed: Promise<void> | undefined;
let free: () => void;
let timer: ReturnType<typeof setTimeout>;

export async function released(): Promise<void> {
  while (pressed) await pressed;
}

function hold(ms: number): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    pressed = undefined;
    free();
  }, ms);
}

// A press ends with its click, which comes a while after a finger is gone, and not
// at all when the pointer was drawn away. Nothing waits for a press without end.
addEventListener("pointerdown", (e) => {
  if (e.button !== 0) return;
  pressed ??= new Promise((resolve) => (free = resolve));
  hold(5_000);
}, true);
for (const [type, ms] of [["pointerup", 300], ["pointercancel", 0], ["click", 0]] as const) {
  addEventListener(type, () => pressed && hold(ms), true);
}
