// Loads the WASM module once the page has been painted, with one retry, and does its
// work in the page: it fetches the provider's script and shows the parts for the
// phase that the module sets. A worker compiles the module (warm.ts), because that blocks a
// slow phone for a second. The start of Go's runtime remains, which is one task: a form has
// the module compiled, but runs it when the applicant first touches the form. The page works
// without the module: if it cannot run, the page with the widget shows the link that works
// without it.

import "../ui/busy";
import { checker, type Check } from "./parts/check";

type Go = { importObject: WebAssembly.Imports; run(instance: WebAssembly.Instance): Promise<void> };

declare global {
  var Go: { new (): Go } | undefined;
  var vestibule: { script(address: string): Promise<boolean>; check?: Check };
}

const patience = 15_000; // for a script, in milliseconds

globalThis.vestibule = { script };

const sections = document.querySelectorAll<HTMLElement>('[data-vestibule="connect"]');
for (const section of sections) {
  new MutationObserver(() => {
    show(section);
    if (section.dataset.phase === "exited") scrollTo(0, 0); // the question whether to close may have moved the page
  }).observe(section, { attributes: true, attributeFilter: ["data-phase"] });
  // The widget adds and removes its frame, also as a dialog over the page.
  new MutationObserver(() => show(section)).observe(document.body, { childList: true, subtree: true });
  show(section);
  if (section.dataset.script) preconnect(section.dataset.script);
}

// A page brought back by Back has a token that may be used up: ask the server, unless the widget is still open. It goes
// on, and calls back what happened meanwhile. In Chromium, its Back needs that the frame around it replaces its entry.
addEventListener("pageshow", (e) => {
  if (!e.persisted || !sections.length) return;
  if (sections[0]!.dataset.phase !== "open" || !document.querySelector("iframe")) return location.reload();
  history.replaceState(history.state, "");
});

// wanted is fulfilled when the page needs the module: with the widget at once, in a form when
// the applicant first touches it. What was submitted before, the server checks.
const wanted = new Promise<void>((resolve) => {
  if (sections.length || document.activeElement?.closest("form")) return resolve();
  for (const type of ["focusin", "pointerdown", "keydown"]) {
    document.addEventListener(type, () => painted(resolve), { capture: true, once: true, passive: true });
  }
});

const place = document.querySelector<HTMLElement>("[data-wasm][data-wasm-exec][data-wasm-worker]");
if (place) painted(() => void load(place.dataset.wasm!, place.dataset.wasmExec!, place.dataset.wasmWorker!));

async function load(module: string, support: string, worker: string): Promise<void> {
  for (const last of [false, true]) {
    try {
      const compiled = await compile(module, support, worker);
      await wanted;
      if (!globalThis.Go) await script(support);
      const go = new globalThis.Go!();
      await turn();
      const instance = await WebAssembly.instantiate(compiled, go.importObject);
      await turn();
      void go.run(instance);
      globalThis.vestibule.check = checker(instance);
      document.dispatchEvent(new Event("vestibule:ready"));
      return;
    } catch (e) {
      if (!last) continue;
      console.error("vestibule: the module could not be loaded; the page works on without it", e);
      for (const section of sections) section.dataset.phase = "unavailable";
    }
  }
}

// compile compiles the module in a worker or, if that fails, in the page.
async function compile(module: string, support: string, address: string): Promise<WebAssembly.Module> {
  const compiled = await new Promise<WebAssembly.Module | undefined>((resolve) => {
    const worker = new Worker(address, { type: "module" });
    const end = (compiled?: WebAssembly.Module): void => {
      worker.terminate();
      resolve(compiled);
    };
    worker.onmessage = (e) => end(e.data);
    worker.onerror = worker.onmessageerror = () => end();
    worker.postMessage({ module: new URL(module, location.href).href, support: new URL(support, location.href).href });
  }).catch(() => undefined);
  return compiled ?? WebAssembly.compileStreaming(fetch(module));
}

// preconnect opens the connection to a script's server. The module asks for the script itself
// if it finds no fault in the data.
function preconnect(address: string): void {
  const link = document.createElement("link");
  link.rel = "preconnect";
  link.href = new URL(address, location.href).origin;
  document.head.append(link);
}

// script fetches a script and tells whether it ran. After a failure it takes a
// second to answer, so that the next try has a chance.
function script(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const el = document.createElement("script");
    const failed = (): void => {
      clearTimeout(timer);
      el.remove();
      setTimeout(resolve, 1000, false);
    };
    const timer = setTimeout(failed, patience);
    el.onerror = failed;
    el.onload = () => {
      clearTimeout(timer);
      resolve(true);
    };
    el.src = address;
    document.head.append(el);
  });
}

// show shows the parts that name the section's phase, and hides the others. While the
// widget is on the page, the widget itself shows what went wrong, in more detail.
function show(section: HTMLElement): void {
  for (const part of section.querySelectorAll<HTMLElement>("[data-when]")) {
    part.hidden = !part.matches(`[data-when~="${section.dataset.phase}"]`);
  }
  const words = section.querySelector<HTMLElement>("[data-vestibule-words]");
  if (words) words.hidden = /^(retry|final)$/.test(section.dataset.phase ?? "") && !!document.querySelector("iframe");
}

// turn lets the browser handle input between two pieces of work.
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

// painted calls f when the browser has shown the page and has time, or after a
// second at the latest.
function painted(f: () => void): void {
  requestAnimationFrame(() =>
    setTimeout(() => ("requestIdleCallback" in window ? requestIdleCallback(() => f(), { timeout: 1000 }) : f())),
  );
}
