// Leads back to the page with the element, where a bank's pages took its window. The frame
// has put the address of that page into the fragment of its own (framed.ts). Without it,
// the applicant continues here.

const { host } = document.body.dataset;
const here = document.querySelector<HTMLAnchorElement>("a[data-here]")!.href;

function around(): string {
  try {
    const page = new URL(decodeURIComponent(location.hash.slice(1)));
    return page.origin === host ? page.href : here;
  } catch {
    return here;
  }
}

location.replace(around());
