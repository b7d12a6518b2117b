// Loads the scripts of the portal and the provider. Each installation serves the script that fits it, so
// this package has none of it.

import type * as api from "../index.d.ts";

export { events } from "./events";

type Policy = { createScriptURL(address: string): string };

const loading = new Map<string, Promise<unknown>>(); // by address

let policy: Policy | undefined;

// trusted returns the address for pages that require Trusted Types.
function trusted(address: string): string {
  const types = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }).trustedTypes;
  policy ??= types?.createPolicy("vestibule", { createScriptURL: (address) => address });
  return policy ? policy.createScriptURL(address) : address;
}

// load adds a script to the page, unless the page has it, and returns what the script defines. A page
// can have the script from its HTML, or from a copy of this module that a bundler has replaced.
async function load<T>(path: string, site: string, defined: () => T | undefined, options?: api.LoadOptions): Promise<T | null> {
  if (typeof document === "undefined") return null;
  const address = new URL(path, site).href;
  const present = [...document.scripts].find((s) => s.src.endsWith(path));
  if (present && present.src !== address) throw new Error(`This page has ${present.src}, so it cannot use ${address}.`);
  const value = defined();
  if (value) return value;
  const before = loading.get(address) as Promise<T> | undefined;
  if (before && present) return before;
  const result = new Promise<T>((resolve, reject) => {
    // A script of the page's HTML that defined nothing until now did not load.
    const add = !present || (document.readyState === "complete" && !present.dataset.vestibule);
    const script = add ? document.createElement("script") : present;
    const fail = (): void => {
      script.remove(); // another call may try again
      loading.delete(address);
      reject(new Error(`${address} did not load. Is the address right, and in the page's script-src?`));
    };
    script.addEventListener("load", () => {
      const value = defined();
      if (value) resolve(value);
      else fail();
    });
    script.addEventListener("error", fail);
    if (!add) return;
    present?.remove();
    script.dataset.vestibule = "";
    if (options?.nonce) script.nonce = options.nonce;
    script.async = true;
    script.src = trusted(address);
    document.head.append(script);
  });
  loading.set(address, result);
  return result;
}

export const loadVestibule: typeof api.loadVestibule = (portal, options) =>
  load("/embed/v1/embed.js", portal, () => customElements.get("vestibule-apply") as (new () => api.VestibuleApply) | undefined, options);

export const loadWidget: typeof api.loadWidget = (provider, options) =>
  load("/widget/v1/widget.js", provider, () => (typeof window.SvcWidget?.register === "function" ? window.SvcWidget : undefined), options);
