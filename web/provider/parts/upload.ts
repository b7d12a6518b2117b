// Files that are uploaded as soon as they are chosen, dropped or photographed, with
// a bar that says how far it is. Without script the same form has a button.

type Shown = (html: string | undefined, status: number) => void;

// enhance readies the step's upload form, if it has one. shown is given the page
// that answers, or nothing when none came.
export function enhance(step: HTMLElement, headers: Record<string, string>, shown: Shown): void {
  const form = step.querySelector<HTMLFormElement>("form[data-upload]");
  if (!form) return;
  const part = (name: string) => form.querySelector<HTMLElement>(`[data-${name}]`)!;
  const inputs = [...form.querySelectorAll<HTMLInputElement>("input[type=file]")];
  let busy = false;

  part("upload-button").hidden = true;
  if (matchMedia("(pointer: coarse)").matches) {
    part("camera").hidden = false;
    part("camera").querySelector("input")!.disabled = false;
  }
  if (matchMedia("(hover: hover)").matches) part("drop-words").hidden = false;

  const send = (files: Iterable<File>) => {
    const body = new FormData();
    body.append("nonce", form.querySelector<HTMLInputElement>("[name=nonce]")!.value);
    for (const f of files) body.append("file", f, f.name || "photo.jpg");
    if (busy || !body.has("file")) return;
    busy = true;
    const bar = part("progress").querySelector("progress")!;
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", (e) => {
      if (e.lengthComputable) bar.value = Math.round((100 * e.loaded) / e.total);
    });
    request.addEventListener("loadend", () => {
      busy = false;
      step.removeAttribute("aria-busy");
      part("progress").hidden = true;
      for (const i of inputs) i.value = "";
      const html = (request.getResponseHeader("Content-Type") ?? "").startsWith("text/html");
      shown(request.status && html ? request.responseText : undefined, request.status);
    });
    bar.value = 0;
    part("progress").hidden = false;
    step.setAttribute("aria-busy", "true");
    request.send(body);
  };

  for (const input of inputs) input.addEventListener("change", () => send(input.files ?? []));
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    e.stopPropagation();
    send(inputs.flatMap((i) => [...(i.files ?? [])]));
  });
  for (const type of ["dragenter", "dragover"]) {
    form.addEventListener(type, (e) => {
      if (!(e as DragEvent).dataTransfer?.types.includes("Files")) return;
      e.preventDefault();
      form.classList.add("drop-over");
    });
  }
  for (const type of ["dragleave", "drop"]) form.addEventListener(type, () => form.classList.remove("drop-over"));
  form.addEventListener("drop", (e) => {
    e.preventDefault();
    send(e.dataTransfer?.files ?? []);
  });
}
