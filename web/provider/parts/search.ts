// Filters the list of institutions while the applicant types into the search field. Without
// script, the form's button searches.

import { released } from "../../ui/press";

const pause = 180; // milliseconds after a key before the service is asked

// filter asks for the page of a search, and replaces the list by that page's list. free
// reports whether the list may be replaced then; shown is called afterwards.
export function filter(ask: (q: string) => Promise<Response | undefined>, free: () => boolean, shown: () => void): void {
  let typing = 0;
  let searches = 0;

  // search dims the list until its replacement arrives.
  const search = async (field: HTMLInputElement) => {
    const asked = field.value;
    const nth = ++searches;
    document.getElementById("banks")?.setAttribute("aria-busy", "true");
    const answer = await ask(asked);
    const text = answer?.ok ? await answer.text() : "";
    await released();
    if (nth !== searches || !field.isConnected) return;
    const old = document.getElementById("banks");
    old?.removeAttribute("aria-busy");
    const found = new DOMParser().parseFromString(text, "text/html").getElementById("banks");
    if (!found || !free() || field.value !== asked) return;
    old?.replaceWith(document.adoptNode(found));
    shown();
    document.getElementById("live")!.textContent = found.querySelector("[data-count]")?.textContent ?? "";
  };

  addEventListener("input", (e) => {
    const field = e.target as HTMLInputElement;
    if (!field.matches?.("[data-search]")) return;
    clearTimeout(typing);
    typing = setTimeout(() => void search(field), pause);
  });
}
