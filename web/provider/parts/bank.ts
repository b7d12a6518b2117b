// Opens the bank's own pages, which cannot be shown in a frame: in a second window or, if
// the browser opens none, in the tab of the embedding page, to which the bank redirects.
//
// A page can isolate the windows that its frames open. The browser then hides whether one
// was opened, but the service knows it: the new window requests the bank's address there.
// Some webviews have one window only and show the bank in it. Therefore the last page of
// each window links to the embedding page, too.

const patience = 3_000; // milliseconds until a window that asks for nothing counts as blocked
const pause = 500; // milliseconds between two questions to the service
const longPause = 3_000; // after patience: a slow device may still open the window

// The form whose window openBank waits for.
let waiting: HTMLFormElement | undefined;

// returnTo tells the service the address of the embedding page with the step's form.
export function returnTo(form: HTMLFormElement, address: string): void {
  if (!form.elements.namedItem("return")) add(form, "return", address);
}

// openBank submits the step's form, with the frame's secret, into a new window. hasBegun asks the
// service whether the window has asked for the bank. It is asked until the step is replaced.
export async function openBank(form: HTMLFormElement, secret: string, hasBegun: () => Promise<boolean>): Promise<void> {
  if (!form.elements.namedItem("secret")) add(form, "secret", secret);
  if (form.target === "_top") return form.submit();
  // WebKit says of a form that opens _blank that another site sent it. A window with a name has an
  // opener until its page, which is isolated by Cross-Origin-Opener-Policy, has arrived.
  form.target = `bank${Math.random()}`;
  const beside = add(form, "window", "1");
  form.submit();
  beside.remove();
  if (waiting === form) return;
  waiting = form;
  for (let waited = 0; form.isConnected; ) {
    const ms = waited < patience ? pause : longPause;
    await new Promise((resolve) => setTimeout(resolve, ms));
    waited += ms;
    if (!form.isConnected || (await hasBegun())) return;
    if (waited >= patience) offerThisTab(form);
  }
}

// offerThisTab makes the form lead to the bank in the tab of the embedding page, and says so.
function offerThisTab(form: HTMLFormElement): void {
  if (form.target === "_top" || !form.isConnected || !form.elements.namedItem("return")) return;
  form.querySelector<HTMLElement>("[data-blocked]")!.hidden = false;
  form.target = "_top";
}

function add(form: HTMLFormElement, name: string, value: string): HTMLInputElement {
  const field = document.createElement("input");
  field.type = "hidden";
  field.name = name;
  field.value = value;
  form.append(field);
  return field;
}
