// The hosted page's script. While the report is made it looks again and puts
// the new step in the place of the old; when the visit is over it takes the
// applicant back after a moment, which they can do at once by the button.
// Without script the page does both by itself, less smoothly.

const step = () => document.getElementById("step")!;

function follow(): void {
  const { poll, end } = step().dataset;
  if (poll) setTimeout(() => void look(), Number(poll));
  const back = document.querySelector<HTMLAnchorElement>("a[data-return]");
  if (end === "success" && back) setTimeout(() => location.assign(back.href), 2_500);
}

async function look(): Promise<void> {
  const answer = await fetch(location.href, { cache: "no-store" }).catch(() => undefined);
  const page = answer?.ok && new DOMParser().parseFromString(await answer.text(), "text/html");
  const next = page && page.getElementById("step");
  if (next && next.dataset.step !== step().dataset.step) {
    document.title = page.title;
    step().replaceWith(document.adoptNode(next));
    const heading = next.querySelector("h1")!;
    heading.tabIndex = -1;
    heading.focus();
  }
  follow();
}

follow();
