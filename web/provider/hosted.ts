// The hosted page's script. It filters the list of institutions while the applicant types.
// While the report is made, it polls and swaps in the new step; without script the page reloads
// to do that. A receipt stays until the applicant leaves it; a page with nothing to read returns
// them after a short delay.

import { arrive } from "./parts/arrive";
import { arrow, goBack, leaves, mark, place } from "./parts/entries";
import { acted, seen } from "../ui/person";
import { released } from "../ui/press";
import "../ui/busy";
import "./parts/code";
import { countDown } from "./parts/countdown";
import "./parts/guard";
import { filter } from "./parts/search";
import { enhance } from "./parts/upload";

const step = () => document.getElementById("step")!;

function follow(): void {
  const { poll } = step().dataset;
  if (poll) setTimeout(() => void look(), Number(poll));
  const back = document.querySelector<HTMLAnchorElement>("a[data-returns]");
  if (back) setTimeout(() => location.assign(back.href), 2_500);
}

// load fetches a page of the visit; it returns undefined without an answer.
const load = (url: string | URL) => fetch(url, { cache: "no-store" }).catch(() => undefined);

async function look(answer?: Response): Promise<void> {
  answer ??= await load(location.href);
  const page = answer?.ok && new DOMParser().parseFromString(await answer.text(), "text/html");
  const next = page && page.getElementById("step");
  if (next && next.dataset.step !== step().dataset.step) {
    await released();
    put(page, next);
  }
  follow();
}

// open counts the applicant as arrived. A prepared report is made by that alone.
async function open(): Promise<void> {
  const body = new URLSearchParams({ action: "open", nonce: step().dataset.nonce! });
  await look(await fetch(location.href, { method: "POST", body }).catch(() => undefined));
}

// put replaces this page's step by another page's step. The focus moves as in arrive.
function put(page: Document, next: HTMLElement, places?: string): void {
  document.title = page.title;
  arrive(next, () => {
    step().replaceWith(document.adoptNode(next));
    countDown(next);
    enhance(next, {}, uploaded, stopped);
  }, places);
}

async function uploaded(html: string | undefined): Promise<void> {
  const page = new DOMParser().parseFromString(html ?? "", "text/html");
  const next = page.getElementById("step");
  if (!next) return location.reload(); // the current step, or the browser's error page
  await released();
  put(page, next, "[data-added]");
  follow();
}

// stopped shows the files of a stopped upload that arrived before.
async function stopped(): Promise<void> {
  const answer = await load(location.href);
  const page = answer?.ok && new DOMParser().parseFromString(await answer.text(), "text/html");
  const next = page && page.getElementById("step");
  if (next && next.dataset.nonce !== step().dataset.nonce) put(page, next);
}

// remembered is the visit's position in this tab's history, if the tab may store it.
const name = `visit ${location.pathname}`;
type Remembered = { run: string; n: number; going?: boolean };

function remembered(): Remembered | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(name)!) ?? undefined;
  } catch {
    return undefined;
  }
}

function remember(r: Remembered): void {
  try {
    sessionStorage.setItem(name, JSON.stringify(r));
  } catch {} // Back then shows the current step
}

// locate records the page's position in the history, or detects that the applicant went
// back to it.
async function locate(): Promise<void> {
  const before = remembered();
  const here = place(history.state);
  if (!here || here.run !== before?.run) {
    const going = !here && before?.going;
    const now = here ?? (going ? { run: before.run, n: before.n + 1 } : { run: crypto.randomUUID?.() ?? String(Math.random()), n: 0 });
    remember(now);
    return mark(now, "replaceState");
  }
  const times = before.n - here.n;
  if (times < 0) return history.go(times); // nothing was done there yet
  remember(here);
  if (times === 0) return;
  if (leaves(step())) return history.go(-here.n - 1);
  await goBack(times, (body) => fetch(location.href, { method: "POST", body }).catch(() => undefined), async (answer) => {
    if (!answer) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = page.getElementById("step");
    await released();
    if (next) put(page, next);
  });
}

arrow(() => place(history.state)?.n ?? 0);

// Another form leads to the next entry.
addEventListener("submit", (e) => {
  const now = remembered();
  if (now && !e.defaultPrevented && (e.target as HTMLFormElement).method === "post") remember({ ...now, going: true });
});
addEventListener("pageshow", (e) => e.persisted && location.reload());

filter((q) => {
  const url = new URL(location.href);
  url.searchParams.set("q", q);
  return load(url);
}, () => !step().querySelector("[data-busy]"), () => {});

void locate();
countDown(step());
enhance(step(), {}, uploaded, stopped);
if (step().querySelector("[aria-invalid=true], [role=alert]:not([hidden] *)")) arrive(step(), () => {});
follow();
const { opens } = step().dataset;
if (opens) (opens === "seen" ? seen : acted)(() => void open());
