// The loader, the script that an embedding page loads. It adds the provider's frame to
// the page, answers the frame's greeting with the registered options, and calls the
// callbacks. It renders nothing itself, holds no applicant data beyond the registered
// options, sets no cookie, and uses storage only if the frame cannot. It sets styles
// through the CSSOM, so it works under a strict content security policy.

import type { RegisterOptions, SvcWidget, WidgetErrorType } from "./parts/widget-api.d.ts";
import { texts } from "./parts/texts";
import { languageAt } from "../ui/language";
import { scriptURL } from "../ui/script";

type Callbacks = Partial<Pick<RegisterOptions, "onSuccess" | "onExit" | "onError">>;

type Visit = {
  data: Record<string, unknown>;
  nonce: string;
  frame?: HTMLIFrameElement;
  place?: HTMLElement; // that the frame is put into
  dialog?: HTMLDialogElement;
  publicToken?: string;
  resume?: string; // the frame's secret, where the frame itself can keep none
  entry?: object; // of the step in the history
  greeted?: boolean;
  ended?: boolean; // a callback was called; no other one will be
  timer?: number;
  undo: (() => void)[];
};

const dataKeys = [
  "env", "productId", "publicId", "token", "externalId", "userArgs",
  "sandboxReportId", "prefill", "consumerId",
] as const;

const patience = 10_000; // for the frame's greeting, in milliseconds; it is loaded twice at most
const grace = 3_000; // the same after the frame has loaded: it then shows the browser's error

const script = scriptURL();
const origin = new URL(script).origin;

let callbacks: Callbacks = {};
let identity = ""; // of the registration: registering the same again only replaces the callbacks
let manual = false;
let visit: Visit | undefined;

function register(options: RegisterOptions): void {
  const data: Record<string, unknown> = {};
  for (const key of dataKeys) {
    if (options[key] !== undefined) data[key] = options[key];
  }
  const wanted = JSON.stringify([data, !!options.useManualFire]);
  callbacks = options;
  if (wanted === identity) {
    // A framework has removed the element with the frame, and has put a new one into the page.
    if (visit?.frame && !visit.dialog && !visit.frame.isConnected) {
      unmount(visit);
      visit.nonce = nonce();
      embed(visit);
    }
    return;
  }
  end();
  identity = wanted;
  manual = !!options.useManualFire;
  visit = { data, nonce: nonce(), undo: [] };
  if (!manual) whenReady(visit, embed);
}

function fire(): void {
  if (!visit || !manual) {
    console.error("SvcWidget: fire() needs a register() with useManualFire before it");
    return;
  }
  if (visit.frame?.isConnected) {
    visit.frame.focus();
    return;
  }
  unmount(visit); // the page has removed an open dialog, if there is one
  visit = visit.ended ? { data: visit.data, nonce: nonce(), undo: [] } : { ...visit, nonce: nonce() };
  open(visit);
}

function destroy(): void {
  end();
  callbacks = {};
  identity = "";
  for (const s of document.querySelectorAll<HTMLScriptElement>("script[src]")) {
    if (s.src === script) s.remove();
  }
}

function end(): void {
  if (visit) unmount(visit);
  visit = undefined;
}

function unmount(v: Visit): void {
  clearTimeout(v.timer);
  v.frame = v.dialog = v.place = v.greeted = undefined;
  for (const undo of v.undo.splice(0).reverse()) undo();
}

function nonce(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
}

function whenReady(v: Visit, then: (v: Visit) => void): void {
  if (document.readyState !== "loading") return then(v);
  on(v, document, "DOMContentLoaded", () => then(v));
}

function on(v: Visit, target: EventTarget, type: string, f: (e: never) => void): void {
  target.addEventListener(type, f as EventListener);
  v.undo.push(() => target.removeEventListener(type, f as EventListener));
}

function embed(v: Visit): void {
  if (refused(v)) return;
  const place = placeIn(document);
  if (!place || place.localName === "iframe") {
    console.error("SvcWidget: the page has no element with id nova-embed, has it in a closed shadow root, or as an iframe");
    return fail(v, "INTERNAL_ERROR");
  }
  style(load(v, place), { width: "100%", height: "420px", border: "0", display: "block", background: "transparent" });
}

// refused ends a visit that cannot work in this page, before its frame would be waited for.
function refused(v: Visit): boolean {
  const { pathname } = new URL(script);
  const reason = !pathname.endsWith("/widget/v1/widget.js") ? `${script} is a copy: load widget.js from the service's own address` :
    self.origin === "null" && /^http/.test(location.protocol) ? "this page is in a sandbox without allow-same-origin" : "";
  if (!reason) return false;
  console.error(`SvcWidget: ${reason}`);
  fail(v, "INTERNAL_ERROR");
  return true;
}

// placeIn returns the element that the frame is put into, also in an open shadow root.
function placeIn(root: Document | ShadowRoot): HTMLElement | null {
  const found = root.getElementById("nova-embed");
  if (found) return found;
  for (const { shadowRoot } of root.querySelectorAll("*")) {
    const inside = shadowRoot && placeIn(shadowRoot);
    if (inside) return inside;
  }
  return null;
}

function open(v: Visit): void {
  if (refused(v)) return;
  const before = document.activeElement as HTMLElement | null;
  const dialog = document.createElement("dialog");
  v.dialog = dialog;
  dialog.setAttribute("aria-label", title(v));
  style(dialog, {
    position: "fixed", inset: "0", width: "100vw", height: "100dvh", maxWidth: "none", maxHeight: "none",
    margin: "0", padding: "0", border: "0", background: "rgb(15 20 30 / 60%)", overflow: "hidden",
  });
  document.body.append(dialog);
  v.undo.push(() => {
    dialog.remove();
    before?.focus?.();
  });
  const root = document.documentElement;
  const overflow = root.style.overflow;
  root.style.overflow = "hidden";
  v.undo.push(() => {
    root.style.overflow = overflow;
    if (!root.getAttribute("style")) root.removeAttribute("style");
  });
  on(v, dialog, "cancel", (e: Event) => {
    e.preventDefault();
    askToClose(v);
  });
  // A second Esc closes a dialog whatever the page says: take it for a yes.
  on(v, dialog, "close", () => leave(v));
  const frame = load(v, dialog);
  // Where the frame is as wide as the window, it is as high too: 480px - 100vw is negative elsewhere.
  style(frame, {
    position: "absolute", inset: "0", margin: "auto", border: "0", background: "transparent",
    width: "min(100%, 480px)", height: "min(100%, max(736px, (480px - 100vw) * 9999))",
  });
  dialog.showModal();
  frame.focus();
}

function load(v: Visit, into: HTMLElement): HTMLIFrameElement {
  v.place = into;
  const frame = document.createElement("iframe");
  v.frame = frame;
  frame.title = title(v);
  frame.referrerPolicy = "no-referrer";
  frame.src = address(v, 1);
  on(v, window, "message", (e: MessageEvent) => receive(v, e));
  on(v, window, "pagehide", () => v.entry && store(`${place}-entry`, JSON.stringify({ ...v.entry, length: history.length })));
  on(v, document, "securitypolicyviolation", (e: SecurityPolicyViolationEvent) => {
    if (e.disposition === "report" || !e.blockedURI.startsWith(origin) || !/^(frame|child)-src/.test(e.effectiveDirective)) return;
    console.error(`SvcWidget: this page's Content-Security-Policy must allow frame-src ${origin}`);
    fail(v, "INTERNAL_ERROR");
  });
  v.undo.push(() => frame.remove());
  wait(v, frame, 1);
  into.append(frame);
  return frame;
}

// address of the frame: nothing in it tells of the visit. The account decides which
// pages may frame it. The fragment, which
// is not sent, holds the nonce that both sides put into every message.
function address(v: Visit, attempt: number): string {
  const lang = language(v);
  const query = lang ? `&lang=${lang}` : "";
  const account = new URLSearchParams({ env: `${v.data.env}`, publicId: `${v.data.publicId}` });
  return `${origin}/widget/v1/frame?attempt=${attempt}${query}&${account}#${v.nonce}`;
}

// wait loads the frame once more when it has not greeted in time, and then gives up. A
// frame that greets does so before it has loaded.
function wait(v: Visit, frame: HTMLIFrameElement, attempt: number): void {
  const late = (): void => {
    if (attempt === 2) {
      console.error(`SvcWidget: the frame of ${origin} does not answer: can it be reached, may this page frame it, and is ` +
        "this page not sandboxed?");
      return fail(v, "REQUEST_TIMEOUT");
    }
    frame.src = address(v, 2);
    wait(v, frame, 2);
  };
  v.timer = setTimeout(late, patience);
  frame.onload = () => {
    if (v.greeted) return;
    clearTimeout(v.timer);
    v.timer = setTimeout(late, grace);
  };
}

function receive(v: Visit, e: MessageEvent): void {
  const m = e.data;
  if (e.origin !== origin || !v.frame || e.source !== v.frame.contentWindow) return;
  if (!m || m.svc !== 1) return;
  if (m.nonce !== v.nonce) {
    // The browser's history has brought back the frame of an earlier page.
    if (m.type === "hello" && !v.greeted) v.frame.src = address(v, 1);
    return;
  }
  switch (m.type) {
    case "hello":
      v.greeted = true;
      clearTimeout(v.timer);
      return send(v, "options", { options: v.data, modal: !!v.dialog, resume: v.resume ?? stored(place), entry: v.entry ?? storedEntry() });
    case "where":
      return send(v, "page", { url: new URL(document.documentElement.dataset.svcReturn ?? location.href, location.href).href });
    case "opened":
      v.publicToken = text(m.publicToken);
      v.resume = text(m.resume);
      store(place, v.resume);
      return;
    case "entry":
      v.entry = m.entry;
      return;
    case "size":
      if (!v.dialog && m.height > 0) v.frame.style.height = `${Math.min(Math.ceil(m.height), 50_000)}px`;
      return;
    case "success":
      return once(v, () => callbacks.onSuccess?.(text(m.publicToken)!, m.status));
    case "error":
      return once(v, () => callbacks.onError?.(text(m.publicToken), text(m.errorType) as WidgetErrorType));
    case "exit":
      return exit(v);
    case "close":
      return unmount(v);
  }
}

// The tab stores the frame's secret if the browser blocks the frame's own storage, so that
// a reloaded page finds its visit. Without the registration, the secret is worthless. It
// also stores how many entries of the history the frame has made.
const place = "SvcWidget";

function store(name: string, value: string | undefined): void {
  try {
    if (value) sessionStorage.setItem(name, value);
  } catch {} // blocked here as well: a page that is loaded again needs another token
}

function stored(name: string): string | undefined {
  try {
    return sessionStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

// storedEntry returns the entry of the page before it was loaded again. kept means that the browser
// has kept the entries of its frame.
function storedEntry(): object | undefined {
  try {
    const entry = JSON.parse(stored(`${place}-entry`)!);
    const [loaded] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    return entry && { ...entry, kept: loaded?.type === "reload" && entry.length === history.length };
  } catch {
    return undefined;
  }
}

function send(v: Visit, type: string, more?: object): void {
  v.frame?.contentWindow?.postMessage({ svc: 1, nonce: v.nonce, type, ...more }, origin);
}

function text(x: unknown): string | undefined {
  return typeof x === "string" && x ? x : undefined;
}

// once calls a callback of the latest registration, at most one per visit, in a
// microtask: an exception in it reaches the page's error handlers.
function once(v: Visit, call: () => void): void {
  if (v.ended) return;
  v.ended = true;
  queueMicrotask(() => {
    if (visit === v) call();
  });
}

function exit(v: Visit): void {
  const publicToken = v.publicToken;
  unmount(v);
  once(v, () => callbacks.onExit?.(publicToken));
}

function fail(v: Visit, errorType: WidgetErrorType): void {
  unmount(v);
  once(v, () => callbacks.onError?.(v.publicToken, errorType));
}

function askToClose(v: Visit): void {
  if (v.ended) return unmount(v);
  if (!v.greeted) return exit(v);
  send(v, "ask");
}

function leave(v: Visit): void {
  if (!v.dialog) return;
  if (v.ended || !v.greeted) return askToClose(v);
  send(v, "leave");
  v.timer = setTimeout(() => exit(v), 3_000);
}

function language(v: Visit): string {
  return languageAt(v.place ?? document.body);
}

function title(v: Visit): string {
  return (texts[language(v) as "en"] ?? texts.en)["widget.frame.title"];
}

function style(e: HTMLElement, rules: Record<string, string>): void {
  Object.assign(e.style, rules);
}

const api: SvcWidget = { register, fire, destroy };
const globals = window as { SvcWidget?: SvcWidget };
// An element with this id is a global of the same name.
if (typeof globals.SvcWidget?.register !== "function") globals.SvcWidget = api;
