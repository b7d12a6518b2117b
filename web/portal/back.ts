// Returns to the page with the element, after a bank's pages were shown in its window. The
// fragment has the address of that page (framed.ts). Without it, the button leads to its site.

const { host } = document.body.dataset;
const site = document.querySelector<HTMLAnchorElement>("a[data-back]")!;

try {
  const page = new URL(decodeURIComponent(location.hash.slice(1)));
  if (page.origin === host) {
    site.href = page.href;
    location.replace(page.href);
  }
} catch {} // there is no address
