// Submits a one-time code when its last digit is typed, or when it is pasted. A code is submitted by
// itself once: a wrong one can be corrected.

const digits = 6; // of a code, as in sources.CodeLength

const codes = "[autocomplete=one-time-code]";

function submitWhole(field: HTMLInputElement): void {
  const code = field.value.replace(/[\s-]/g, "");
  if (code.length !== digits || /\D/.test(code) || field.dataset.sent === code) return;
  field.dataset.sent = field.value = code;
  field.form?.requestSubmit?.(field.form.querySelector<HTMLButtonElement>("button[type=submit]"));
}

addEventListener("input", (e) => {
  const field = e.target as HTMLInputElement;
  if (field.matches?.(codes)) submitWhole(field);
});

// The code may have been typed before this script ran. It is submitted once the rest of the page's script
// has run, which records the step's place in the history. A reload, in which the browser fills in what was
// typed before, submits nothing.
const [how] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
const typed = document.querySelector<HTMLInputElement>(codes);
if (typed && how?.type === "navigate") queueMicrotask(() => submitWhole(typed));
