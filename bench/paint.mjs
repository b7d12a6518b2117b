// Opens a page by turns with and without its WASM module, in Chromium over a slow
// 4G network (150 ms there and back, 1.6 Mbit/s), and prints as JSON, for each, the
// milliseconds until something is painted and until a key that is pressed as soon as
// the first field is there has been typed into it.
import { createRequire } from "node:module";

const { chromium } = createRequire(import.meta.url)("../.cache/npm/playwright-core/package");
const [address, executablePath, rounds] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const out = { with: { paint: [], key: [] }, without: { paint: [], key: [] } };
for (let round = 0; round <= Number(rounds); round++) {
  for (const turn of [0, 1]) {
    const kind = (round + turn) % 2 ? "with" : "without";
    const context = await browser.newContext({ serviceWorkers: "block" });
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    await cdp.send("Network.enable");
    await cdp.send("Network.emulateNetworkConditions", { offline: false, latency: 150,
      downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8 });
    if (kind === "without") await cdp.send("Network.setBlockedURLs", { urls: ["*.wasm", "*wasm_exec*"] });
    await page.addInitScript(() => addEventListener("input", () => (window.typed ??= performance.now()), true));
    await page.goto(address, { waitUntil: "commit" });
    await page.locator("#firstName").press("A");
    const [paint, key] = await page.evaluate(async () => {
      const painted = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
      while (!window.typed || !painted()) await new Promise(requestAnimationFrame);
      return [painted(), window.typed];
    });
    if (round > 0) { // the first one warms up
      out[kind].paint.push(paint);
      out[kind].key.push(key);
    }
    await context.close();
  }
}
await browser.close();
console.log(JSON.stringify(out));
