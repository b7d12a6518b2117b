// A reloaded page finds its visit by a secret of the browser: the same registration with
// the same secret gets the same visit. The frame stores the secret in the provider's own
// storage, which the embedding page cannot read. If that storage is blocked, the embedding
// page stores it; without the registration, it is worthless. The secret of a registration
// without a token is stored for the tab alone, because another applicant may begin with
// the same details.

const name = "vestibule-visit";
const shape = /^[\w-]{42}[AEIMQUYcgkosw048]$/; // 256 bits in base64url

export type Secret = { value: string; kept: boolean };

const storage = (token: unknown): Storage => (token ? localStorage : sessionStorage);

// secretFor finds or creates the secret. offered is the one that the embedding page stored.
// It is used only if the frame cannot store one.
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
