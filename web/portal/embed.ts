// The embed kit's script. It defines <vestibule-apply>, which shows the portal's
// pages inline in a frame, in a dialog over the page, or redirects to them. It
// fetches nothing until the applicant is about to use it, sets no cookie, and accepts
// messages only from its own frame. It sets styles through the CSSOM, so it works
// under a strict content security policy. internal/portal/embedkit defines the names.

import { framed, properties } from "./parts/kit";
import { texts } from "./parts/texts";
import { languageAt } from "../ui/language";
import { scriptURL } from "../ui/script";
import type { ElementError, VestibuleApply, WidgetErrorType } from "./parts/embed-api.d.ts";

const path = "/embed/v1/";
const origin = new URL(scriptURL()).origin;

const patience = 20_000; // for the frame's first message, in milliseconds
const grace = 2_000; // the same after the frame has loaded
const glance = 500; // between looks for a frame that the browser refuses without an event
const blank = 4_000; // after which a blank frame counts as refused

// Where the script is a copy, or its page cannot show the frame, the element says so at once.
const copied = !new URL(scriptURL()).pathname.endsWith(`${path}embed.js`);

// foreign tells whether the page has no origin, or a page of another origin around it.
function foreign(): boolean {
  try {
    return self.origin === "null" || (window !== top && top!.location.origin !== location.origin);
  } catch {
    return true;
  }
}

// A token belongs to the frames with the first key that used it. The tab stores the
// key for reloads and for frameworks that mount the element twice.
const keys = new Map<string, string>();

const storageName = (token: string): string => "vestibule:" + token.slice(0, 12);

function storedKey(token: string): string | undefined {
  try {
    return keys.get(token) ?? sessionStorage.getItem(storageName(token)) ?? undefined;
  } catch {} // there may be no storage
}

function key(token: string): string {
  const k = storedKey(token) ?? Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
  keys.set(token, k);
  try {
    sessionStorage.setItem(storageName(token), k);
  } catch {}
  return k;
}

function make<K extends keyof HTMLElementTagNameMap>(tag: K, style?: Partial<CSSStyleDeclaration>,
	text?: string): HTMLElementTagNameMap[K] {
  const el = document.createElement(tag);
  Object.assign(el.style, style);
  if (text) el.textContent = text;
  return el;
}

class Apply extends HTMLElement implements Pick<VestibuleApply, "open" | "close"> {
  static observedAttributes = ["token", "mode"];

  attached?: boolean; // connected to a page, and begun
  box?: HTMLElement; // inline: the reserved area
  dialog?: HTMLDialogElement;
  closeButton?: HTMLElement; // of the dialog
  frame?: HTMLIFrameElement;
  note?: HTMLElement; // text while the frame is not visible
  answered?: boolean; // the frame has sent a message
  ready?: boolean; // the frame has shown a step
  failed?: boolean; // an error was sent
  overflow?: string; // of the page behind the dialog
  isolated = !!window.crossOriginIsolated; // the frame must allow that its page is isolated from other origins
  undo: (() => void)[] = [];

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    try {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(":host{display:block}" +
        ":host([mode=modal]),:host([mode=redirect]){display:inline-block}:host([hidden]){display:none}");
      root.adoptedStyleSheets = [sheet];
    } catch {} // older browsers: the box inside is a block anyway
  }

  connectedCallback(): void {
    // A framework may have set properties before the element was defined.
    for (const p of properties) {
      if (Object.prototype.hasOwnProperty.call(this, p)) {
        const value = (this as never)[p];
        delete (this as never)[p];
        (this as Record<string, unknown>)[p] = value;
      }
    }
    this.attached = true;
    this.begin();
  }

  disconnectedCallback(): void {
    this.attached = false;
    this.end();
  }

  attributeChangedCallback(_: string, old: string | null, now: string | null): void {
    if (old === now || !this.attached) return;
    this.end();
    this.begin();
  }

  open(): void {
    if (!this.attached || !this.attribute("token")) return;
    if (this.presentation() === "redirect") return location.assign(this.address(true));
    if (this.presentation() === "modal") this.show();
    this.load();
    this.frame?.focus();
  }

  close(): void {
    this.dialog?.close();
  }

  attribute(name: string): string {
    return this.getAttribute(name) ?? "";
  }

  // presentation is inline, modal or redirect.
  presentation(): string {
    const mode = this.attribute("mode");
    // Browsers before 2022 have no dialogs: they redirect to the portal's page.
    return mode === "modal" && !("HTMLDialogElement" in window) ? "redirect" : mode || "inline";
  }

  // language is the page's around the element. The portal decides whether it has it.
  language(): string {
    return languageAt(this);
  }

  text(key: keyof typeof texts.en): string {
    return (texts[this.language() as "en"] ?? texts.en)[key];
  }

  accessibleName(): string {
    return this.attribute("label") || this.text("embed.element.label");
  }

  // address is the first page of the frame, or of the window (top). A frame sends its key with
  // the token. A window sends it only if a frame used the token before: the window then takes over.
  address(top?: boolean): string {
    const token = this.attribute("token");
    const grant = top && !storedKey(token) ? token : `${token}.${key(token)}`;
    const query = new URLSearchParams({ grant, lang: this.language(), ...(top ? { window: "top" } : { origin: location.origin }),
      ...(this.isolated && !top && { isolated: "1" }) });
    return `${origin}${path}frame?${query}`;
  }

  on(target: EventTarget, type: string, f: (e: never) => void): void {
    target.addEventListener(type, f as EventListener);
    this.undo.push(() => target.removeEventListener(type, f as EventListener));
  }

  emit(type: string, detail: object = {}): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  begin(): void {
    const root = this.shadowRoot!;
    const slot = make("slot");
    if (this.presentation() !== "inline") {
      slot.append(make("button", {}, this.accessibleName()));
      root.append(slot);
      this.on(this, "click", (e: MouseEvent) => {
        const path = e.composedPath();
        if (e.defaultPrevented || path.includes(this.dialog!) || !path.some((x) => x instanceof Element && x.matches("button, a"))) return;
        e.preventDefault();
        this.open();
      });
      for (const type of ["pointerenter", "focusin"]) this.on(this, type, () => this.preconnect());
      return;
    }
    this.box = make("div", { display: "grid", minHeight: `${this.reserved()}px` });
    this.note = make("div", { gridArea: "1 / 1" });
    slot.textContent = this.text("embed.element.opening");
    this.note.append(slot);
    this.box.append(this.note);
    root.append(this.box);
    if (!this.attribute("token")) return;
    if (!("IntersectionObserver" in window)) return this.load();
    const seen = new IntersectionObserver((all) => all.some((e) => e.isIntersecting) && this.load(), { rootMargin: "300px" });
    seen.observe(this.box);
    this.undo.push(() => seen.disconnect());
  }

  end(): void {
    const open = this.dialog?.open;
    for (const undo of this.undo.splice(0).reverse()) undo();
    this.shadowRoot!.replaceChildren();
    this.box = this.dialog = this.closeButton = this.frame = this.note = undefined;
    this.answered = this.ready = this.failed = false;
    if (open) this.emit("close");
  }

  reserved(): number {
    return parseInt(this.attribute("height"), 10) || 860;
  }

  // preconnect opens the connection when the applicant is about to press the button.
  preconnect(): void {
    if (document.head.querySelector(`link[rel=preconnect][href="${origin}"]`)) return;
    const link = make("link");
    link.rel = "preconnect";
    link.href = origin;
    document.head.append(link);
  }

  show(): void {
    if (!this.dialog) {
      const dialog = make("dialog", {
        boxSizing: "border-box", width: "min(100vw, 736px)", height: "min(100%, 896px)", maxWidth: "none", maxHeight: "none",
        padding: "0", border: "0", overflow: "hidden", background: "Canvas", color: "CanvasText", colorScheme: "light dark",
      });
      this.dialog = dialog;
      dialog.setAttribute("aria-label", this.accessibleName());
      const close = this.closeButton = make("button", {
        position: "absolute", top: "0", right: "0", width: "44px", height: "44px", border: "0", background: "none",
          color: "inherit", font: "24px/1 sans-serif", cursor: "pointer",
      }, "×");
      close.type = "button";
      close.setAttribute("aria-label", this.text("embed.element.close"));
      this.note = make("div", { position: "absolute", inset: "44px 12px 12px" }, this.text("embed.element.opening"));
      dialog.append(close, this.note);
      this.shadowRoot!.append(dialog);
      this.on(close, "click", () => this.close());
      this.on(dialog, "close", () => {
        this.setScrolling(!dialog.open); // it may have been opened again since
        this.emit("close");
      });
      this.undo.push(() => this.setScrolling(true));
    }
    if (this.dialog.open) return;
    this.setScrolling(false);
    this.dialog.showModal();
    this.emit("open");
  }

  // setScrolling allows or prevents scrolling of the page behind the dialog, and restores its style.
  setScrolling(on: boolean): void {
    const root = document.documentElement;
    if (on === (this.overflow === undefined)) return;
    if (!on) this.overflow = root.style.overflow;
    root.style.overflow = on ? this.overflow! : "hidden";
    if (on) this.overflow = undefined;
    if (!root.getAttribute("style")) root.removeAttribute("style");
  }

  load(): void {
    if (this.frame || this.failed) return;
    if (copied || foreign()) return this.fail("FRAME_BLOCKED");
    const frame = make("iframe", { border: "0", width: "100%", background: "transparent", visibility: "hidden" });
    this.frame = frame;
    if (!this.dialog) {
      Object.assign(frame.style, { gridArea: "1 / 1", display: "block", height: `${this.reserved()}px` });
      frame.scrolling = "no"; // it gets the height of its page, which must not depend on a scroll bar
    }
    this.fill(false);
    frame.title = this.accessibleName();
    frame.name = location.href; // framed.ts leads back to it
    frame.referrerPolicy = "no-referrer";
    let since = performance.now();
    frame.src = this.address();
    this.on(window, "message", (e: MessageEvent) => this.receive(e));
    this.on(document, "securitypolicyviolation", (e: SecurityPolicyViolationEvent) => {
      if (e.disposition === "report" || !e.blockedURI.startsWith(origin) || !/^(frame|child)-src/.test(e.effectiveDirective)) return;
      this.fail("FRAME_BLOCKED");
    });
    const late = (): void => this.fail("REQUEST_TIMEOUT");
    let timer = setTimeout(late, patience);
    const refused = (): void => {
      if (this.answered || this.isolated) return this.fail("FRAME_BLOCKED");
      // A page with Cross-Origin-Embedder-Policy alone is not isolated, and needs the same of its frames.
      this.isolated = true;
      since = performance.now();
      frame.src = this.address();
      clearTimeout(timer);
      timer = setTimeout(late, patience);
    };
    this.on(frame, "load", () => {
      clearTimeout(timer);
      timer = setTimeout(refused, grace);
    });
    // Firefox and WebKit send no event for a frame that this policy refuses, and leave it blank. Firefox lists the answer.
    const looking = setInterval(() => {
      if (this.answered || this.failed) return clearInterval(looking);
      const came = performance.getEntriesByName(frame.src).some((e) => e.startTime >= since);
      const silent = !this.isolated && performance.now() > since + blank;
      if ((came || silent) && frame.contentDocument?.URL === "about:blank") refused();
    }, glance);
    this.undo.push(() => clearInterval(looking));
    this.undo.push(() => clearTimeout(timer));
    (this.dialog ?? this.box)!.append(frame);
  }

  // fill gives the whole dialog to the frame while it shows the provider's widget, which has its
  // own close button.
  fill(all: boolean): void {
    if (!this.dialog) return;
    const top = all ? "0px" : "44px";
    this.closeButton!.hidden = all;
    Object.assign(this.frame!.style, { position: "absolute", inset: `${top} 0 0`, height: `calc(100% - ${top})` });
  }

  receive(e: MessageEvent): void {
    const m = e.data;
    const frame = this.frame;
    if (e.origin !== origin || !frame || e.source !== frame.contentWindow || !m || m.type !== "vestibule") return;
    const { type: _, event, ...detail } = m;
    if (!this.answered) {
      this.answered = true;
      frame.style.visibility = "";
      this.note!.hidden = true;
      this.note!.style.display = "none";
      if (this.dialog?.open) frame.focus();
    }
    if (event === "size" && this.box && detail.height > 0) {
      frame.style.height = `${Math.max(this.reserved(), Math.min(Math.ceil(detail.height), 50_000))}px`;
    }
    if (event === "escape") this.close();
    if (event === "widget") this.fill(!!detail.open);
    if (event === "step") {
      this.fill(false);
      // The next page begins at its top, also where the last one was scrolled out of sight.
      if (this.ready && this.box && this.box.getBoundingClientRect().top < 0) this.scrollIntoView();
      if (!this.ready) this.emit("ready", { application: detail.application });
      this.ready = true;
    }
    if (framed.includes(event)) this.emit(event, detail);
    if (event === "exit") this.close(); // the applicant has just confirmed it
  }

  // fail says that the frame could not be shown, and links to the portal's page.
  fail(errorType: ElementError | WidgetErrorType): void {
    if (this.answered || this.failed || !this.note?.isConnected) return;
    this.failed = true;
    console.error(`vestibule-apply: ${errorType}: is frame-src ${origin} in this page's policy, ${location.origin} ` +
      "the token's allowedOrigin, this page neither sandboxed nor in another site's frame, and its script no copy?");
    const link = make("a", {}, this.text("connect.secure_page"));
    link.href = this.address(true);
    link.target = "_top";
    const p = make("p", {}, this.text("embed.element.refused") + " ");
    p.setAttribute("role", "alert");
    p.append(link);
    this.note.replaceChildren(p);
    const tell = (): void => this.emit("error", { errorType });
    if (document.readyState !== "loading") tell();
    else this.on(document, "DOMContentLoaded", tell); // the page's scripts may listen only then
  }
}

for (const p of properties) {
  Object.defineProperty(Apply.prototype, p, {
    configurable: true,
    enumerable: true,
    get(this: Apply) {
      return this.getAttribute(p) ?? "";
    },
    set(this: Apply, value: unknown) {
      if (value === null || value === undefined) this.removeAttribute(p);
      else this.setAttribute(p, String(value));
    },
  });
}

if (!customElements.get("vestibule-apply")) customElements.define("vestibule-apply", Apply);
