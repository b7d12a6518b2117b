// A worker that compiles the WASM module for the page and runs it once. Browsers compile
// each function at its first call, and the page shares what was compiled here: it starts
// the module in a fraction of the time. Without a document, the module only starts Go's
// runtime and answers the check of an empty form.

import { checker } from "./parts/check";

addEventListener("message", (e: MessageEvent<{ module: string; support: string }>) => {
  void warm(e.data.module, e.data.support).then((compiled) => postMessage(compiled), () => postMessage(undefined));
});

async function warm(module: string, support: string): Promise<WebAssembly.Module> {
  const streamed = WebAssembly.compileStreaming(fetch(module));
  const [compiled] = await Promise.all([streamed, import(support)]);
  const go = new globalThis.Go!();
  const instance = await WebAssembly.instantiate(compiled, go.importObject);
  void go.run(instance);
  checker(instance)("cashflow", {}, "2026-01-01");
  return compiled;
}
