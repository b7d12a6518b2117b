// A page that is loaded again finds its visit by a secret of the browser: the same
// registration with the same secret leads to the same visit. The frame keeps the secret
// in the provider's own storage, where the page around it cannot read it. Only where
// that storage is blocked does the page keep it; it is of no use without the
// registration. A registration without a token is kept for the tab alone, because
// another applicant may begin with the same words.

const name = "vestibule-visit";
const shape = /^[\w-]{42}[AEIMQUYcgkosw048]$/; // 256 bits in base64url

export type Secret = { value: string; kept: boolean };

const storage = (token: unknown): Storage => (token ? localStorage : sessionStorage);

// secretFor finds or makes the secret. offered is what the page kept, and is used only
// where the frame can keep none.
export function secretFor(token: unknown, offered: unknown): Secret {
  try {
    const found = storage(token).getItem(name) ?? "";
    const value = shape.test(found) ? found : fresh();
    storage(token).setItem(name, value);
    return { value, kept: true };
  } catch {
    return { value: typeof offered === "string" && shape.test(offered) ? offered : fresh(), kept: false };
  }
}

// forget lets the same registration begin another visit, where no token forbids it.
export function forget(token: unknown): void {
  if (token) return;
  try {
    sessionStorage.removeItem(name);
  } catch {} // it was not kept
}

function fresh(): string {
  const bytes = String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32)));
  return btoa(bytes).replace(/\+/g, "-").replace(/\//g, "_").slice(0, 43);
}
