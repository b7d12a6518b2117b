// Opens the bank's own pages, which cannot be shown in a frame: in a window beside the
// widget, or, where the browser does not open one, in the tab of the embedding page, to
// which the bank leads back.

const every = 1500; // milliseconds between two looks at the visit

// openBank submits the step's form into a new window. page is asked for the address of
// the embedding page when no window opens; follow begins to look for the next step.
export async function openBank(form: HTMLFormElement, page: () => Promise<string | undefined>, follow: () => void): Promise<void> {
  const part = (name: string) => form.querySelectorAll<HTMLElement>(`[data-${name}]`);
  const show = (name: string, shown: boolean) => part(name).forEach((e) => (e.hidden = !shown));
  if (form.target === "_top") return form.submit();
  const name = `svc-bank-${Date.now()}`;
  const beside = window.open("", name, screen.width >= 800 ? "popup,width=520,height=760" : "");
  if (beside) {
    form.target = name;
    form.submit();
    show("open", false);
    show("again", true);
    show("waiting", true);
    const step = form.closest<HTMLElement>("#step")!;
    if (!step.dataset.poll) {
      step.dataset.poll = String(every);
      follow();
    }
    return;
  }
  const address = await page();
  show("blocked", true);
  if (!address) return;
  const field = document.createElement("input");
  field.type = "hidden";
  field.name = "return";
  field.value = address;
  form.append(field);
  form.target = "_top";
}
