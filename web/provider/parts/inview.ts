// A frame as high as its content may be taller than the window, with its top or bottom
// out of sight. Only an IntersectionObserver tells a cross-site frame how much of it is
// on the screen, also in nested frames.

const often = 150; // milliseconds

// keepInView keeps an element with a fixed position at the top of the visible part of
// the frame, below the head of the step, until the element is hidden.
export function keepInView(element: HTMLElement): void {
  element.style.top = `${belowHead(0)}px`;
  look(element);
}

function look(element: HTMLElement): void {
  if (element.hidden || !("IntersectionObserver" in window)) return;
  const observer = new IntersectionObserver((all) => {
    observer.disconnect();
    const { isIntersecting, intersectionRect } = all[0]!;
    if (isIntersecting) element.style.top = `${belowHead(intersectionRect.top)}px`;
    setTimeout(() => look(element), often);
  });
  observer.observe(document.documentElement);
}

function belowHead(top: number): number {
  const head = document.querySelector("#step .dialog-head")?.getBoundingClientRect().bottom ?? 0;
  return Math.max(top, head);
}
