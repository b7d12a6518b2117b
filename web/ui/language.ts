// languageAt is the language that the page names nearest around an element, also around its shadow
// roots: two or three letters, or "".
export function languageAt(element: Element): string {
  for (let at: Element | null = element; at; at = (at.getRootNode() as ShadowRoot).host ?? null) {
    const named = at.closest("[lang]");
    if (named) return /^[a-z]*/.exec(named.getAttribute("lang")!.toLowerCase())![0];
  }
  return "";
}
