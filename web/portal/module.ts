// Loads the WASM module once the page has been painted, with one retry, and does its
// work in the page: it fetches the provider's script and shows the parts for the
// phase that the module sets. The page works without the module: if it cannot run,
// the page with the widget shows the link that works without it.

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
  new MutationObserver(() => show(section)).observe(section, { attributes: true, attributeFilter: ["data-phase"] });
  // The widget adds and removes its frame, also as a dialog over the page.
  new MutationObserver(() => show(section)).observe(document.body, { childList: true, subtree: true });
  show(section);
}

// A page brought back by Back has a token that may be used up: ask the server.
if (sections.length) addEventListener("pageshow", (e) => e.persisted && location.reload());

const place = document.querySelector<HTMLElement>("[data-wasm][data-wasm-exec]");
if (place) painted(() => void load(place.dataset.wasm!, place.dataset.wasmExec!));

async function load(module: string, support: string): Promise<void> {
  for (const last of [false, true]) {
    try {
      if (!globalThis.Go) await script(support);
      const go = new globalThis.Go!();
      const compiled = await WebAssembly.compileStreaming(fetch(module));
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
// widget is on the page it says itself what went wrong, and knows more of it.
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
