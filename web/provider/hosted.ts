// The hosted page's script. While the report is made it looks again and puts
// the new step in the place of the old; when the visit is over it takes the
// applicant back after a moment, which they can do at once by the button.
// Without script the page does both by itself, less smoothly.

import { released } from "../ui/press";
import { countDown } from "./parts/countdown";
import { painted } from "./parts/guard";
import { enhance } from "./parts/upload";

const step = () => document.getElementById("step")!;

function follow(): void {
  const { poll, end } = step().dataset;
  if (poll) setTimeout(() => void look(), Number(poll));
  const back = document.querySelector<HTMLAnchorElement>("a[data-return]");
  if (end === "success" && back) setTimeout(() => location.assign(back.href), 2_500);
}

async function look(): Promise<void> {
  const answer = await fetch(location.href, { cache: "no-store" }).catch(() => undefined);
  const page = answer?.ok && new DOMParser().parseFromString(await answer.text(), "text/html");
  const next = page && page.getElementById("step");
  if (next && next.dataset.step !== step().dataset.step) {
    put(page, next, "h1");
  }
  follow();
}

// put shows another page's step in the place of this one, and leads to the first of
// the places that it has.
function put(page: Document, next: HTMLElement, ...places: string[]): void {
  document.title = page.title;
  step().replaceWith(document.adoptNode(next));
  painted();
  countDown(next);
  enhance(next, {}, uploaded, stopped);
  const place = places.map((p) => next.querySelector<HTMLElement>(p)).find((e) => e);
  if (place?.matches("h1, h2")) place.tabIndex = -1;
  place?.focus();
}

async function uploaded(html: string | undefined): Promise<void> {
  const page = new DOMParser().parseFromString(html ?? "", "text/html");
  const next = page.getElementById("step");
  if (!next) return location.reload(); // where the visit stands, or the browser's own words
  await released();
  put(page, next, "[aria-invalid=true]", "[data-added]", "h1");
  follow();
}

// stopped shows the files of a stopped upload that arrived before.
async function stopped(): Promise<void> {
  const answer = await fetch(location.href, { cache: "no-store" }).catch(() => undefined);
  const page = answer?.ok && new DOMParser().parseFromString(await answer.text(), "text/html");
  const next = page && page.getElementById("step");
  if (next && next.dataset.nonce !== step().dataset.nonce) put(page, next, "[aria-invalid=true]", "h1");
}

countDown(step());
enhance(step(), {}, uploaded, stopped);
follow();
