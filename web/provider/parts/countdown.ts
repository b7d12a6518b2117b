// Disables a button and counts down until it may be pressed. Without script it can
// always be pressed, and the server answers with the remaining time.

export function countDown(step: HTMLElement): void {
  const button = step.querySelector<HTMLButtonElement>("[data-wait]");
  const words = step.querySelector<HTMLElement>("[data-countdown]");
  if (!button || !words) return;
  const end = performance.now() + Number(button.dataset.wait) * 1000;
  button.disabled = true;
  const look = () => {
    const left = Math.ceil((end - performance.now()) / 1000);
    if (left > 0) {
      words.textContent = words.dataset.countdown!.replace("%", String(left));
      if (step.isConnected) setTimeout(look, 1000);
      return;
    }
    button.disabled = false;
    button.removeAttribute("aria-describedby");
    words.remove();
  };
  look();
}
