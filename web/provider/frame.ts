// The frame's script: it greets the embedding page, opens the visit with the options
// that it receives, and fetches and swaps in the server-rendered steps. The hosted page
// works without it. The script keeps the visit's handle in memory, so that no cookie is
// needed; a reloaded frame finds its visit by parts/secret.
//
// Every message, in both directions, is checked against the other window, its origin
// and the nonce in the fragment; other messages are dropped silently.

import { arrive } from "./parts/arrive";
import { arrow, goBack, leaves, mark, place } from "./parts/entries";
import { openBank, returnTo } from "./parts/bank";
import { bodyOf } from "../ui/body";
import { steadyHeight } from "../ui/height";
import { released } from "../ui/press";
import { countDown } from "./parts/countdown";
import "./parts/code";
import { settle } from "./parts/guard";
import { forget, secretFor } from "./parts/secret";
import { keepInView } from "./parts/inview";
import { filter } from "./parts/search";
import { enhance } from "./parts/upload";

const host = window.parent;
const nonce = location.hash.slice(1);
const query = new URLSearchParams(location.search);
const lang = query.get("lang");

const root = document.documentElement;
const element = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const live = element("live");
const notice = element("notice");
const leaveDialog = element<HTMLDialogElement>("leave");

const slowAfter = 4_000;
const giveUpAfter = 20_000;

// The embedding page, from its greeting on.
const page = {
  origin: "", // "*" for a page without an origin; empty before the greeting
  modal: false,
  height: 0, // that it was asked for
  fitTimer: 0,
  resolveURL: undefined as ((url: unknown) => void) | undefined, // takes its address
};

// The visit, from its opening to its end.
const visit = {
  token: undefined as unknown,
  handle: "", // empty before it is opened
  secret: "", // without it, the visit is unknown to the service
  publicToken: undefined as string | undefined,
  came: "", // the HTML of the current step: if the same step arrives again, entered data is kept
  entry: 0, // of the step in the history; see parts/entries
  dead: 0, // entries of former frames, below this frame's: they lead nowhere
  poll: 0, // the timer
  busy: false,
  walked: false, // a form led to the next step
  ended: false,
};

function send(type: string, more?: object): void {
  host.postMessage({ svc: 1, nonce, type, ...more }, page.origin || "*");
}

// A page without an origin (sandboxed or from a local file) can only be addressed by
// its window, which is checked.
addEventListener("message", (e: MessageEvent) => {
  const m = e.data;
  if (e.source !== host || !m || m.svc !== 1 || m.nonce !== nonce) return;
  if (!page.origin) {
    if (m.type !== "options" || typeof m.options !== "object" || !m.options) return;
    page.origin = e.origin === "null" ? "*" : e.origin;
    page.modal = !!m.modal;
    root.dataset.mode = page.modal ? "modal" : "embedded";
    void begin(m.options, m.resume, m.entry);
    return;
  }
  if (page.origin !== "*" && e.origin !== page.origin) return;
  if (m.type === "ask") askToClose();
  if (m.type === "leave") void leave();
  if (m.type === "page") page.resolveURL?.(m.url);
});

// showOnceAuthorizing shows the step once the window beside the widget has asked for the bank.
async function showOnceAuthorizing(): Promise<boolean> {
  if (visit.busy) return false; // the answer to the pending form shows the step
  const answer = await request(stepURL());
  if (!answer?.ok || visit.busy) return false;
  const html = await answer.text();
  if (stepOf(html)?.dataset.step === "authorize" && !stepOf(html)?.dataset.poll) return false;
  replaceStep(html, true);
  return true;
}

// pageAround asks the embedding page for its address, which must be of its origin. It waits as
// long as the page does not answer.
async function pageAround(): Promise<string | undefined> {
  const url = await new Promise((resolve) => {
    page.resolveURL = resolve;
    send("where");
  });
  return typeof url === "string" && url.length <= 2_048 && originOf(url) === page.origin ? url : undefined;
}

function originOf(url: string): string | undefined {
  try {
    return new URL(url).origin;
  } catch {
    return undefined;
  }
}

// Entry is where a former frame of the same tab was in the history.
type Entry = { run: string; n: number; dead: number; kept: boolean };

async function begin(options: Record<string, unknown>, resume: unknown, entry?: Entry): Promise<void> {
  visit.token = options.token;
  const secret = secretFor(visit.token, resume);
  visit.secret = secret.value;
  const answer = await request(`/widget/v1/visits?${new URLSearchParams(lang ? { lang } : {})}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...options, resume: secret.value, origin: page.origin === "*" ? "null" : page.origin }),
  });
  if (!answer) return problem("REQUEST_TIMEOUT");
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    console.warn("SvcWidget:", body.message, body.details);
    return problem(typeof body.error === "string" ? body.error : "INTERNAL_ERROR",
      answer.status === 429 ? "RATE_LIMITED" : undefined, body.applicant);
  }
  visit.handle = body.handle;
  visit.publicToken = body.publicToken;
  send("opened", { publicToken: visit.publicToken, ...(!secret.kept && { resume: secret.value }) });
  visit.entry = entryOf(history.state);
  const former = entry?.run === visit.publicToken ? entry : undefined;
  const before = visit.entry || Math.min(former?.n ?? 1, 50);
  if (former?.kept) visit.dead = former.dead + (visit.entry ? 0 : former.n);
  enter(visit.entry, "replaceState");
  await show(await request(stepURL()), page.modal);
  addHistoryEntries(before);
}

function stepURL(search = ""): string {
  const q = new URLSearchParams(search);
  if (lang) q.set("lang", lang);
  return `/visit/${visit.handle}?${q}`;
}

const ownHeaders = () => ({ "X-Visit-Part": "step", "X-Visit-Secret": visit.secret });

// request fetches with a time limit; it returns undefined without an answer.
async function request(url: string, init: RequestInit = {}): Promise<Response | undefined> {
  const stop = new AbortController();
  const limit = setTimeout(() => stop.abort(), giveUpAfter);
  const slow = setTimeout(() => showNotice("slow"), slowAfter);
  try {
    const headers = { ...init.headers, ...ownHeaders() };
    return await fetch(url, { ...init, headers, signal: stop.signal, credentials: "omit", cache: "no-store" });
  } catch {
    return undefined;
  } finally {
    clearTimeout(limit);
    clearTimeout(slow);
    hideNotice("slow");
  }
}

// problem shows the page of a widget error that happened before there was a visit, or
// of another code that tells the applicant more. text replaces the page's text.
async function problem(errorType: string, code = errorType, text?: unknown): Promise<void> {
  end("error", { publicToken: visit.publicToken, errorType });
  const q = new URLSearchParams(lang ? { lang } : {});
  const answer = await request(`/widget/v1/problems/${encodeURIComponent(code)}?${q}`);
  if (answer?.ok) return show(answer, page.modal, text);
  document.getElementById("step")!.replaceChildren();
  showNotice("failed");
}

// show swaps in a step. moved means that the applicant asked for it: only then may the
// focus move, because it may be in a field of the embedding page.
async function show(answer: Response | undefined, moved: boolean, text?: unknown): Promise<void> {
  if (!answer) return showNotice(navigator.onLine ? "failed" : "offline");
  const type = answer.headers.get("Content-Type") ?? "";
  if (!type.startsWith("text/html")) return showNotice("failed");
  const html = await answer.text();
  await dropDeadEntries(stepOf(html));
  await released();
  replaceStep(html, moved, undefined, text);
}

function replaceStep(html: string, moved: boolean, first?: string, text?: unknown): void {
  const next = stepOf(html);
  const now = document.getElementById("step")!;
  if (!next) return showNotice("failed");
  const words = next.querySelector("[data-words]");
  if (words && typeof text === "string") words.textContent = text;
  const asked = notice.contains(document.activeElement);
  hideNotice();
  clearTimeout(visit.poll);
  const same = now.dataset.step === next.dataset.step;
  const again = next.outerHTML === visit.came;
  visit.came = next.outerHTML;
  if (moved || !same || !(again || next.dataset.poll)) {
    const put = () => {
      now.replaceWith(document.adoptNode(next));
      if (visit.walked && !same) {
        enter(visit.entry, "replaceState"); // after a return from its cache, Chromium has no Back to an entry without it
        enter(visit.entry + 1, "pushState");
      }
      visit.walked = false;
      sendHeight();
      countDown(next);
      enhance(next, ownHeaders(), uploaded, refresh);
    };
    if (moved || document.hasFocus()) {
      arrive(next, put, first);
    } else {
      put();
      if (!same && !next.querySelector("[role=alert]:not([hidden] *)")) live.textContent = next.querySelector("h1")?.textContent ?? "";
    }
  } else if (asked) {
    arrive(now, () => {});
  }
  afterReplace(document.getElementById("step")!);
}

async function uploaded(html: string | undefined): Promise<void> {
  if (html === undefined) return showNotice(navigator.onLine ? "failed" : "offline");
  await released();
  if (!visit.busy) replaceStep(html, true, "[data-added]"); // otherwise the pending answer includes the file
}

function afterReplace(step: HTMLElement): void {
  const { poll: every, end: outcome, status, error } = step.dataset;
  visit.publicToken = step.dataset.publicToken || visit.publicToken;
  if (every) visit.poll = setTimeout(() => void refresh(), Number(every));
  const leading = step.querySelector<HTMLFormElement>("form[data-authorize]");
  if (leading) void pageAround().then((url) => url && returnTo(leading, url));
  if (outcome === "success") end("success", { publicToken: visit.publicToken, status });
  if (outcome === "error") end("error", { publicToken: visit.publicToken, errorType: error });
  if (outcome === "exit") end("exit", { publicToken: visit.publicToken });
}

async function refresh(): Promise<void> {
  const answer = await request(stepURL());
  await show(answer, false);
  if (!answer) visit.poll = setTimeout(() => void refresh(), 3_000);
}

function end(type: string, more: object): void {
  if (visit.ended) return;
  visit.ended = true;
  if (type !== "exit") forget(visit.token);
  send(type, more);
}

// enter records the entry that the visit is at. The embedding page keeps it, because its storage is
// rarely blocked.
function enter(n: number, way?: "pushState" | "replaceState"): void {
  visit.entry = n;
  if (way) mark({ run: visit.publicToken!, n }, way);
  send("entry", { entry: { run: visit.publicToken, n, dead: visit.dead } });
}

// addHistoryEntries adds history entries for the steps before the current one of a reloaded frame.
// The entries of the former frame do not lead to this one: browsers drop them, or they are dead.
function addHistoryEntries(steps: number): void {
  if (leaves(document.getElementById("step")!)) return;
  while (visit.entry < steps) enter(visit.entry + 1, "pushState");
}

// dropDeadEntries leaves the dead entries before a step that Back leaves is shown, so that the next
// Back leaves the page.
async function dropDeadEntries(next: HTMLElement | null): Promise<void> {
  if (visit.dead > 0 && visit.entry === 0 && next && leaves(next)) await leaveHistoryEntries();
}

// leaveHistoryEntries goes to the entry that the first frame began with. WebKit reports no arrival
// at an entry of a former frame, and a Back on the way there would end it on a dead entry.
async function leaveHistoryEntries(): Promise<void> {
  const all = visit.entry + visit.dead;
  if (all === 0) return;
  const done = new Promise((resolve) => addEventListener("popstate", resolve, { once: true }));
  history.go(-all);
  visit.dead = 0;
  enter(0);
  await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 500))]);
}

// entryOf is the number of the visit's entry that a state of the history belongs to.
function entryOf(state: unknown): number {
  const p = place(state);
  return p && p.run === visit.publicToken ? p.n : 0;
}

addEventListener("popstate", (e) => {
  if (!visit.handle) return;
  const n = entryOf(e.state);
  const times = visit.entry - n;
  if (times < 0) return history.go(times); // nothing was done there yet
  enter(n);
  if (times === 0) return;
  if (leaves(document.getElementById("step")!)) return history.go(-n - 1 - visit.dead);
  void back(times);
});

async function back(times: number): Promise<void> {
  if (visit.busy) return;
  visit.busy = true;
  try {
    await goBack(times, (body) => request(stepURL(), { method: "POST", body }), (answer) => show(answer, true));
  } finally {
    visit.busy = false;
  }
}

// The page around the frame came back from the browser's cache: the visit may have moved on, and a request may have been
// cut off.
addEventListener("pageshow", (e) => {
  if (e.persisted && visit.handle && !visit.busy && !visit.ended) void refresh();
});

arrow(() => visit.entry);

// showNotice shows one of the shell's notices; hideNotice hides it.
function showNotice(which: "slow" | "offline" | "failed"): void {
  const words = element<HTMLTemplateElement>(`words-${which}`);
  notice.replaceChildren(words.content.cloneNode(true));
  notice.dataset.which = which;
  if (notice.hidden) {
    notice.hidden = false;
    keepInView(notice);
  }
  live.textContent = notice.querySelector("p")?.textContent ?? "";
  notice.querySelector("button")?.addEventListener("click", () => void refresh());
}

// When the connection is back, fetch the visit's current step.
addEventListener("online", () => {
  if (notice.dataset.which === "offline" && !notice.hidden && !visit.busy) void refresh();
});

function hideNotice(which?: string): void {
  if (notice.hidden || (which && notice.dataset.which !== which)) return;
  notice.hidden = true;
  notice.replaceChildren();
  live.textContent = "";
}

addEventListener("submit", (e) => {
  const form = e.target as HTMLFormElement;
  if (!visit.handle || form.method === "dialog") return;
  e.preventDefault();
  if (form.dataset.authorize !== undefined) return void openBank(form, visit.secret, showOnceAuthorizing);
  void submit(form, e.submitter as HTMLButtonElement | null);
});

async function submit(form: HTMLFormElement, by: HTMLButtonElement | null): Promise<void> {
  if (visit.busy) return;
  visit.busy = true;
  const data = bodyOf(form, by);
  const step = document.getElementById("step")!;
  hideNotice();
  step.setAttribute("aria-busy", "true");
  by?.setAttribute("aria-disabled", "true");
  try {
    const answer =
      form.method === "get"
        ? await request(stepURL(data.toString()))
        : await request(stepURL(), { method: "POST", body: data });
    visit.walked = form.method !== "get";
    await show(answer, true);
  } finally {
    visit.walked = visit.busy = false;
    step.removeAttribute("aria-busy");
    by?.removeAttribute("aria-disabled");
  }
}

filter((q) => request(stepURL(new URLSearchParams({ q }).toString())), () => !visit.busy, sendHeight);

addEventListener("click", (e) => {
  const target = (e.target as Element).closest?.("[data-close], [data-done]");
  if (!target) return;
  e.preventDefault();
  if (target.matches("[data-done]")) void leaveHistoryEntries().then(() => send("close"));
  else askToClose();
});

function askToClose(): void {
  if (visit.ended) return void leaveHistoryEntries().then(() => send("close"));
  if (!visit.handle) return end("exit", {});
  if (leaveDialog.open) return;
  leaveDialog.showModal();
}

leaveDialog.addEventListener("close", () => {
  settle(document.getElementById("step")!);
  if (leaveDialog.returnValue === "leave") void leave();
  leaveDialog.returnValue = "";
});

// leave tells the server, and tells the embedding page even if the server cannot be
// reached. A visit that has moved on in another tab is closed at its current step.
async function leave(): Promise<void> {
  clearTimeout(visit.poll);
  let { nonce } = document.getElementById("step")!.dataset;
  for (let tries = 0; visit.handle && !visit.ended && tries < 2; tries++) {
    const body = new URLSearchParams({ action: "close", nonce: nonce ?? "" });
    // If no answer came, the current step shows whether the request arrived.
    const answer = (await request(stepURL(), { method: "POST", body, keepalive: true })) ?? (await request(stepURL()));
    if (!answer?.ok) break;
    const html = await answer.text();
    const step = stepOf(html);
    if (step?.dataset.end === "error") return replaceStep(html, true); // left after a failure
    if (step?.dataset.end) break;
    nonce = step?.dataset.nonce;
  }
  await leaveHistoryEntries();
  end("exit", { publicToken: visit.publicToken });
}

// stepOf returns the step of a page. Browsers log an error for a field that asks for the
// focus in a frame of another site; here, arrive gives it the focus.
function stepOf(html: string): HTMLElement | null {
  const step = new DOMParser().parseFromString(html, "text/html").getElementById("step");
  for (const e of step?.querySelectorAll("[autofocus]") ?? []) {
    e.removeAttribute("autofocus");
    e.setAttribute("data-cursor", "");
  }
  return step;
}

addEventListener("keydown", (e) => {
  if (e.key !== "Escape" || !page.modal || leaveDialog.open) return;
  e.preventDefault();
  askToClose();
});

const steady = steadyHeight();

// sendHeight asks the embedding page to make the frame as high as its content. It also
// runs after each swap, because ResizeObserver does not run in an off-screen frame.
function sendHeight(): void {
  if (!page.origin || page.modal || document.querySelector(".visit-loading")) return;
  page.height = steady(innerWidth, contentHeight());
  send("size", { height: page.height });
  if (!page.fitTimer) fit();
  fitLater();
}

// fitLater fits once the page had the time to change the frame's height.
function fitLater(): void {
  clearTimeout(page.fitTimer);
  page.fitTimer = setTimeout(() => {
    fit();
    if (innerHeight < page.height - 1) root.dataset.scroll = ""; // the page keeps the frame lower
  }, 1_000);
}

// contentHeight is the height of the content without a scroll bar beside it.
function contentHeight(): number {
  const { scroll } = root.dataset;
  delete root.dataset.scroll;
  const content = Math.ceil(document.body.getBoundingClientRect().height);
  if (scroll !== undefined) root.dataset.scroll = scroll;
  return content;
}

// fit makes the step a sheet to the frame's end where the page keeps the frame higher than
// the step, as the portal does on phones. A frame that is high enough needs no scroll bar.
function fit(): void {
  root.toggleAttribute("data-sheet", !page.modal && innerHeight > page.height + 1);
  if (innerHeight >= page.height - 1) delete root.dataset.scroll;
}

new ResizeObserver(sendHeight).observe(document.body);
addEventListener("resize", () => {
  fit();
  if (page.height > 0) fitLater(); // the page may have made it lower than the content
});

if (host === window || !nonce) {
  showNotice("failed");
} else {
  send("hello");
}
