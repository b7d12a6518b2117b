// The rules for applicant data, as the WASM module exports them. Texts go
// through its memory, each ended by the separator; wasm/check.go says in what
// order.

export type Problem = { field: string; code: string; en: string; es: string };

export type Check = (
  product: string,
  prefill: object,
  today: string, // YYYY-MM-DD
  environment?: "sandbox" | "production",
  assetsOnly?: boolean,
) => Problem[];

type Exports = {
  mem: WebAssembly.Memory;
  vestibule_buffer(size: number): number;
  vestibule_check(size: number): number;
};

const separator = "\x1f";
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function checker(instance: WebAssembly.Instance): Check {
  const wasm = instance.exports as unknown as Exports;
  return (product, prefill, today, environment = "sandbox", assetsOnly = false) => {
    let text = plain(product) + separator + plain(environment) + separator + plain(today) + separator + (assetsOnly ? "1" : "") + separator;
    const members = prefill as Record<string, unknown>;
    for (const key of Object.keys(members)) {
      const v = members[key];
      if (v !== undefined) text += plain(key) + separator + value(v);
    }
    const capacity = text.length * 3; // of UTF-8, at the most
    const into = wasm.vestibule_buffer(capacity);
    const { written } = encoder.encodeInto(text, new Uint8Array(wasm.mem.buffer, into, capacity));
    const size = wasm.vestibule_check(written);
    if (size < 0) throw new TypeError("vestibule: today must be YYYY-MM-DD");
    if (size === 0) return [];
    const from = wasm.vestibule_buffer(0);
    const out = decoder.decode(new Uint8Array(wasm.mem.buffer, from, size)).split(separator);
    const problems: Problem[] = [];
    for (let i = 0; i + 3 < out.length; i += 4) {
      problems.push({ field: out[i]!, code: out[i + 1]!, en: out[i + 2]!, es: out[i + 3]! });
    }
    return problems;
  };
}

function value(v: unknown): string {
  if (typeof v === "string") return "s" + plain(v) + separator;
  if (typeof v === "number") return (Number.isFinite(v) ? "n" + v : "o") + separator;
  if (v === null) return "0" + separator;
  if (Array.isArray(v)) return "l" + separator + v.map(value).join("") + "." + separator;
  return "o" + separator;
}

// plain replaces the separators in a text by U+FFFD. The rules refuse both characters
// and count them alike.
function plain(s: string): string {
  return s.includes(separator) ? s.replaceAll(separator, "\uFFFD") : s;
}
