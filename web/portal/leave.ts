// The way to the provider by a form goes on by itself; its button is for those
// without script, and for those who come back.

const form = document.querySelector<HTMLFormElement>('form[data-vestibule="leave"]');
const navigation = performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming | undefined;
if (form && navigation?.type !== "back_forward") form.submit();
