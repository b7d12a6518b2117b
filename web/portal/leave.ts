// Submits the form that leads to the provider, or from a link to its application. Its button is
// for browsers without script, and for applicants who return to this page.

import { seen } from "../ui/person";

const form = document.querySelector<HTMLFormElement>('form[data-vestibule="leave"]');
const navigation = performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming | undefined;
if (form && navigation?.type !== "back_forward") seen(() => form.submit());
