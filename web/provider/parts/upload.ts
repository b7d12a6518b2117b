// Uploads files when the applicant chooses, drops or photographs them, with a progress
// bar and a stop button. It does not send files that the server would refuse. Without
// script the same form has a button.

import { own } from "../../ui/files";

type Shown = (html: string | undefined) => void;

// Message for the next step's form: about refused files beside accepted ones, or about
// a stopped upload.
let still = "";

// enhance readies the step's upload form, if it has one. shown is given the page
// that answers, or nothing when none came; stopped is called when the applicant has
// stopped an upload, of which the files before may have arrived.
export function enhance(step: HTMLElement, headers: Record<string, string>, shown: Shown, stopped: () => Promise<void>): void {
  const form = step.querySelector<HTMLFormElement>("form[data-upload]");
  if (!form) return;
  const part = (name: string) => form.querySelector<HTMLElement>(`[data-${name}]`)!;
  const inputs = [...form.querySelectorAll<HTMLInputElement>("input[type=file]")];
  const limits = form.dataset;
  let request: XMLHttpRequest | undefined;

  part("upload-button").hidden = true;
  own(part("files"));
  if (matchMedia("(pointer: coarse)").matches) {
    part("camera").hidden = false;
    part("camera").querySelector("input")!.disabled = false;
  }
  if (matchMedia("(hover: hover)").matches) part("drop-words").hidden = false;

  // say describes the field by an error. The focus, which moves to the field, announces it.
  const say = (words: string) => {
    const error = part("upload-error");
    error.textContent = words;
    if (words) inputs[0].setAttribute("aria-invalid", "true");
    else inputs[0].removeAttribute("aria-invalid");
  };
  if (still) say(`${part("upload-error").textContent} ${still}`.trim());
  still = "";

  // wrong says why a file is not sent; nothing, if it is. Of a type that the browser does
  // not know the server decides.
  const wrong = (f: File): string | undefined => {
    if (f.size > Number(limits.maxSize)) return limits.tooLarge;
    if (f.size === 0) return limits.empty;
    if (f.type && !/^(application\/(pdf|octet-stream)|image\/(png|jpeg))$/.test(f.type)) return limits.type;
    return undefined;
  };

  const send = (files: Iterable<File>) => {
    if (request) return;
    const body = new FormData();
    body.append("nonce", form.querySelector<HTMLInputElement>("[name=nonce]")!.value);
    const problems: string[] = [];
    let count = 0;
    for (const f of files) {
      const problem = wrong(f) ?? (count === Number(limits.maxFiles) ? limits.tooMany : undefined);
      if (problem) {
        const words = problem.replace("%", () => f.name);
        if (!problems.includes(words)) problems.push(words);
      } else {
        body.append("file", f, f.name || "photo.jpg");
        count++;
      }
    }
    for (const i of inputs) i.value = "";
    say(problems.join(" "));
    if (count) return transfer(body, problems.join(" "));
    if (problems.length) inputs[0].focus();
  };

  const transfer = (body: FormData, problems: string) => {
    let aborted = false;
    const bar = part("progress").querySelector("progress")!;
    request = new XMLHttpRequest();
    const sent = request;
    sent.open("POST", form.action);
    for (const [name, value] of Object.entries(headers)) sent.setRequestHeader(name, value);
    sent.upload.addEventListener("progress", (e) => {
      if (e.lengthComputable) bar.value = Math.round((100 * e.loaded) / e.total);
    });
    sent.addEventListener("loadend", () => {
      request = undefined;
      step.removeAttribute("aria-busy");
      part("progress").hidden = true;
      if (aborted) {
        say((still = limits.cancelled!));
        inputs[0].focus();
        return void stopped().then(() => (still = ""));
      }
      still = problems;
      const html = (sent.getResponseHeader("Content-Type") ?? "").startsWith("text/html");
      shown(sent.status && html ? sent.responseText : undefined);
    });
    sent.addEventListener("abort", () => (aborted = true));
    bar.value = 0;
    part("progress").hidden = false;
    step.setAttribute("aria-busy", "true");
    sent.send(body);
  };

  const chosen = () => inputs.flatMap((i) => [...(i.files ?? [])]);

  part("cancel").addEventListener("click", () => request?.abort());
  for (const input of inputs) input.addEventListener("change", () => send([...(input.files ?? [])]));
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    e.stopPropagation();
    send(chosen());
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
    send([...((e as DragEvent).dataTransfer?.files ?? [])]);
  });
  if (chosen().length) send(chosen()); // before this script ran
}
