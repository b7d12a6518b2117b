// Submits the form that leads to the provider, or from a link to its application. Its button is
// for browsers without script, for applicants who return to this page, and for links that no
// page led to: programs that look at links run scripts, but press nothing.

import { seen } from "../ui/person";

const form = document.querySelector<HTMLFormElement>('form[data-vestibule="leave"]');
const navigation = performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming | undefined;
const waits = form?.hasAttribute("data-waits") && !document.referrer;
if (form && !waits && navigation?.type !== "back_forward") seen(() => form.submit());
