// Submits a one-time code when its last digit is typed, or when it is pasted. A code is submitted by
// itself once: a wrong one can be corrected.

const digits = 6; // of a code, as in sources.CodeLength

addEventListener("input", (e) => {
  const field = e.target as HTMLInputElement;
  if (!field.matches?.("[autocomplete=one-time-code]")) return;
  const code = field.value.replace(/[\s-]/g, "");
  if (code.length !== digits || /\D/.test(code) || field.dataset.sent === code) return;
  field.dataset.sent = field.value = code;
  field.form?.requestSubmit?.(field.form.querySelector<HTMLButtonElement>("button[type=submit]"));
});
