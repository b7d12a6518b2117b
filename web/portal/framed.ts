// A page in another site's frame reports to the surrounding page: the applicant's
// step, whether the widget is shown, its callbacks, the application's state, the height of
// the page, and the Escape key. It sends only to the origin that the server named and accepts no
// messages. The table in internal/portal/embedkit defines the names and details.

import { steadyHeight } from "../ui/height";

const { parent: around, application, error, back } = document.body.dataset;
const main = document.querySelector("main")!;

function send(event: string, detail?: object): void {
  window.parent.postMessage({ type: "vestibule", event, ...(application && { application }), ...detail }, around!);
}

// The element names the frame by the address of its page. A bank's pages that took that page's
// window lead to back.ts, which finds the address in the fragment. The address of this page has the
// embed token, which the provider must not get. It accepts addresses of this length at most.
function nameWayBack(): void {
  let address = new URL(back!, location.href).href;
  try {
    const whole = `${address}#${encodeURIComponent(window.name)}`;
    if (new URL(window.name).origin === around && whole.length <= 2_048) address = whole;
  } catch {} // the frame has another name
  document.documentElement.dataset.svcReturn = address;
}

if (around && window.parent !== window) {
  if (back) nameWayBack();
  const connect = document.querySelector<HTMLElement>('[data-vestibule="connect"]');
  const step = connect ? "connect" : document.getElementById("status") ? "status"
    : document.querySelector("form[data-vestibule]") ? "details" : "";
  const steady = steadyHeight();
  // The body is at least as high as the frame; its content may be lower.
  const size = (): void => {
    const low = Math.max(...Array.from(main.children, (el) => el.getBoundingClientRect().bottom));
    send("size", { height: steady(innerWidth, Math.ceil(low + scrollY + parseFloat(getComputedStyle(main).paddingBottom))) });
  };
  size();
  const resized = new ResizeObserver(size);
  for (const el of [main, ...main.children]) resized.observe(el);
  if (error) send("error", { errorType: error });
  if (step) send("step", { step });

  if (connect) {
    let phase = "";
    const look = (): void => {
      if (connect.dataset.phase === phase) return;
      phase = connect.dataset.phase ?? "";
      const { reported, word } = connect.dataset;
      const of = reported ? { publicToken: reported } : {};
      if (phase === "returned") send("success", { ...of, status: word });
      if (phase === "exited") send("exit", of);
      if (phase === "retry" || phase === "final") send("error", { ...of, errorType: word || "INTERNAL_ERROR" });
      if (phase === "unavailable") send("error", { errorType: "WIDGET_UNAVAILABLE" });
    };
    new MutationObserver(look).observe(connect, { attributes: true, attributeFilter: ["data-phase"] });
    look();

    let widget: Element | undefined;
    document.addEventListener("load", (e) => {
      if (!(e.target instanceof HTMLIFrameElement)) return;
      widget = e.target;
      send("widget", { open: true });
    }, true);
    new MutationObserver(() => {
      if (!widget || widget.isConnected) return;
      widget = undefined;
      send("widget", { open: false });
    }).observe(document.body, { childList: true, subtree: true });
  }

  if (step === "status") {
    let state = "";
    const look = (): void => {
      const at = document.getElementById("status");
      if (!at || at.dataset.state === state) return;
      state = at.dataset.state ?? "";
      send("state", { state });
      if (!at.dataset.stream) send("complete", { state });
      resized.observe(at);
    };
    new MutationObserver(look).observe(main, { childList: true });
    look();
  }

  document.addEventListener("keydown", (e) => {
    if (e.key === "Escape" && !e.defaultPrevented) send("escape");
  });
}
