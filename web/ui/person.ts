// Opening a link changes nothing at a server: programs that look at links open them, too.
// What a page does by itself waits for signs of a person.

// seen runs f once the page is shown: not in the background, and not fetched ahead.
export function seen(f: () => void): void {
  if (document.visibilityState === "visible") return f();
  document.addEventListener("visibilitychange", () => seen(f), { once: true });
}

const acts = ["pointermove", "pointerdown", "keydown", "scroll", "wheel", "touchstart"];

// acted runs f once the person moves, touches, types or scrolls.
export function acted(f: () => void): void {
  const heard = new AbortController();
  for (const type of acts) {
    addEventListener(type, () => {
      if (!heard.signal.aborted) f();
      heard.abort();
    }, { capture: true, passive: true, signal: heard.signal });
  }
}
