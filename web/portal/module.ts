// Loads the WASM module once the page has been painted, twice if it must. The
// page is complete without it; where it cannot run, the page with the widget
// shows the way on that needs none.

import { checker, type Check } from "./parts/check";

type Go = { importObject: WebAssembly.Imports; run(instance: WebAssembly.Instance): Promise<void> };

declare global {
  var Go: { new (): Go } | undefined;
  var vestibule: { check: Check } | undefined;
}

const place = document.querySelector<HTMLElement>("[data-wasm][data-wasm-exec]");
if (place) painted(() => void load(place.dataset.wasm!, place.dataset.wasmExec!));

async function load(module: string, support: string): Promise<void> {
  for (const last of [false, true]) {
    try {
      if (!globalThis.Go) await script(support);
      const go = new globalThis.Go!();
      const { instance } = await WebAssembly.instantiateStreaming(fetch(module), go.importObject);
      void go.run(instance);
      globalThis.vestibule = { check: checker(instance) };
      document.dispatchEvent(new Event("vestibule:ready"));
      return;
    } catch (e) {
      if (!last) continue;
      console.error("vestibule: the module could not be loaded; the page works on without it", e);
      unavailable();
    }
  }
}

function script(address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const el = document.createElement("script");
    el.src = address;
    el.onload = () => resolve();
    el.onerror = () => reject(new Error("script"));
    document.head.append(el);
  });
}

function unavailable(): void {
  for (const section of document.querySelectorAll<HTMLElement>('[data-vestibule="connect"]')) {
    section.dataset.phase = "unavailable";
    for (const part of section.querySelectorAll<HTMLElement>("[data-when]")) {
      part.hidden = !part.matches('[data-when~="unavailable"]');
    }
  }
}

// painted calls f when the browser has shown the page and has time, or after a
// second at the latest.
function painted(f: () => void): void {
  requestAnimationFrame(() =>
    setTimeout(() => ("requestIdleCallback" in window ? requestIdleCallback(() => f(), { timeout: 1000 }) : f())),
  );
}
