// Returns to the page with the element, after a bank's pages were shown in its window. The
// frame stored the address of that page in its own fragment (framed.ts). Without it, the
// applicant continues here.

const { host } = document.body.dataset;
const here = document.querySelector<HTMLAnchorElement>("a[data-here]")!.href;

function addressAround(): string {
  try {
    const page = new URL(decodeURIComponent(location.hash.slice(1)));
    return page.origin === host ? page.href : here;
  } catch {
    return here;
  }
}

location.replace(addressAround());
