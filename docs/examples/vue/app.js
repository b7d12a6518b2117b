// An onboarding app in Vue. Its components have render functions, so this file needs no compiler. In a template
// of yours, write <vestibule-apply :token="token" @complete="complete"></vestibule-apply>, and tell Vue's
// compiler that it is an element: isCustomElement: (tag) => tag === "vestibule-apply".
import { createApp, h, onMounted, ref } from "vue";
import { loadVestibule } from "@vestibule/js";

const root = document.getElementById("root");

async function ask(method, path, body) {
  const answer = await fetch(path, {
    method,
    headers: body && { "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const out = await answer.json();
  if (!answer.ok) {
    throw new Error(out.fields?.map(({ field, message, applicant }) => applicant ?? `${field}: ${message}`).join(" ") || out.message);
  }
  return out;
}

const field = (label, name, type, autocomplete) => h("label", [label + " ", h("input", { name, type, autocomplete, required: true })]);

const Form = {
  emits: ["done"],
  setup(_, { emit }) {
    const key = crypto.randomUUID(); // one application, however often it is sent
    const problem = ref("");
    const send = async (e) => {
      e.preventDefault();
      try {
        await ask("POST", "/api/application", { key, applicant: Object.fromEntries(new FormData(e.target)) });
        emit("done");
      } catch (e) {
        problem.value = e.message;
      }
    };
    return () => [
      h("h1", "Harbor Loans"),
      h("p", "Tell us who you are. Next you verify your income, without leaving this page."),
      problem.value && h("p", { role: "alert" }, problem.value),
      h("form", { onSubmit: send }, [
        field("First name", "firstName", "text", "given-name"),
        field("Last name", "lastName", "text", "family-name"),
        field("Email", "email", "email", "email"),
        field("Date of birth", "dob", "date", "bday"),
        h("button", "Continue"),
      ]),
    ];
  },
};

// Texts for the next step, which the back end decides on by the report.
const words = {
  approve: "Your application is approved.",
  review: "We have your report. A person reviews your application.",
  retry: "No report yet. You can start again.",
};

const Verify = {
  setup() {
    const token = ref();
    const progress = ref("Your bank's questions appear below.");
    onMounted(async () => {
      try {
        await loadVestibule(root.dataset.portal);
        token.value = (await ask("POST", "/api/token")).embedToken;
      } catch (e) {
        progress.value = e.message;
      }
    });
    const complete = async () => {
      const { next } = await ask("GET", "/api/outcome");
      progress.value = words[next] ?? "We are preparing your report.";
    };
    return () => [
      h("h1", "Verify your income"),
      h("p", { role: "status" }, progress.value),
      h("vestibule-apply", {
        token: token.value,
        onSuccess: () => (progress.value = "Thank you. We are preparing your report."),
        onExit: () => (progress.value = "You stopped. You can continue at any time."),
        onError: (e) => (progress.value = `That didn’t work (${e.detail.errorType}).`),
        onComplete: complete,
      }),
    ];
  },
};

createApp({
  setup() {
    const applied = ref(false);
    return () => (applied.value ? h(Verify) : h(Form, { onDone: () => (applied.value = true) }));
  },
}).mount(root);
