// Opens the bank's own pages, which cannot be shown in a frame: in a window beside the
// widget, or, where the browser does not open one, in the tab of the embedding page, to
// which the bank leads back.
//
// A page may isolate the windows that its frames open, so that the browser does not tell
// whether one was opened. The service tells: the new window asks it for the bank's
// address.

const patience = 3_000; // milliseconds until a window that asks for nothing counts as blocked

// openBank submits the step's form into a new window. begun asks the service whether the
// window has asked for the bank; page returns the address of the embedding page.
export async function openBank(form: HTMLFormElement, begun: () => Promise<boolean>,
  page: () => Promise<string | undefined>): Promise<void> {
  if (form.target === "_top") return form.submit();
  form.target = "_blank";
  form.submit();
  for (let waited = 0; waited < patience; waited += 500) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    if (!form.isConnected || (await begun())) return;
  }
  const address = await page();
  if (!address || !form.isConnected) return;
  form.querySelector<HTMLElement>("[data-blocked]")!.hidden = false;
  const field = document.createElement("input");
  field.type = "hidden";
  field.name = "return";
  field.value = address;
  form.append(field);
  form.target = "_top";
}
