// Content that changes while a pointer is pressed would move the pressed control or put
// another in its place: the click would be lost or reach the other control. Code that
// shows content without a request of the user waits for released first.

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

// A press ends with its click, which follows a while after the finger is lifted, or not
// at all if the pointer was dragged away. A timeout ends every wait.
addEventListener("pointerdown", (e) => {
  if (e.button !== 0) return;
  pressed ??= new Promise((resolve) => (free = resolve));
  hold(5_000);
}, true);
for (const [type, ms] of [["pointerup", 300], ["pointercancel", 0], ["click", 0]] as const) {
  addEventListener(type, () => pressed && hold(ms), true);
}
