import type { VestibuleApply } from "./kit.js";
import type { SvcWidget } from "./widget.js";

export * from "./kit.js";
export type { Prefill, RegisterOptions, SvcWidget } from "./widget.js";

export interface LoadOptions {
  /** The nonce of your Content-Security-Policy, if its script-src names no addresses. */
  nonce?: string;
}

/**
 * Adds the portal's script to the page once, and returns the class of the element <vestibule-apply>
 * when the browser knows the element. On a server, the result is null.
 *
 * The promise is rejected if the script does not load, or if the page has the script of another portal.
 * After a script did not load, you can call it again.
 *
 * @param portal the portal's public address, such as https://portal.example
 */
export function loadVestibule(portal: string, options?: LoadOptions): Promise<(new () => VestibuleApply) | null>;

/**
 * Adds the provider's widget script to the page once, and returns its object. On a server, the result is null.
 * Use it only without a portal.
 *
 * @param provider the provider's public address, such as https://provider.example
 */
export function loadWidget(provider: string, options?: LoadOptions): Promise<SvcWidget | null>;

/** The names of the element's events. */
export const events: readonly (keyof import("./kit.js").VestibuleApplyEvents)[];
