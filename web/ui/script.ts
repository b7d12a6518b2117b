// scriptURL is the address of the script that calls it while it is loaded. Modules and
// scripts of import() have no currentScript: the first address of a stack is theirs.
export function scriptURL(): string {
  const own = document.currentScript as HTMLScriptElement | null;
  return own?.src || /https?:\/\/[^\s()]+?(?=:\d+:\d+)/.exec(new Error().stack ?? "")?.[0] || location.href;
}
