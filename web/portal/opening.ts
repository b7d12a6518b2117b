// Marks a page that opens the widget before the browser paints it: the style sheet gives the page
// the look that it keeps, which a page without script must not have. connect.ts goes on.

document.documentElement.dataset.widget = "loading";
