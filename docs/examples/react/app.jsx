// An onboarding app in React. Apply works also where a server renders the page, and with
// versions of React that set no listeners on custom elements.
import { StrictMode, useEffect, useRef, useState } from "react";
import { createRoot } from "react-dom/client";

async function ask(method, path, body) {
  const answer = await fetch(path, {
    method,
    headers: body && { "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const out = await answer.json();
  if (!answer.ok) throw new Error(out.message);
  return out;
}

function Form({ onDone }) {
  const [key] = useState(() => crypto.randomUUID()); // one application, however often it is sent
  const [problem, setProblem] = useState("");
  const send = async (e) => {
    e.preventDefault();
    try {
      await ask("POST", "/api/application", { key, applicant: Object.fromEntries(new FormData(e.target)) });
      onDone();
    } catch (e) {
      setProblem(e.message);
    }
  };
  return (
    <>
      <h1>Harbor Loans</h1>
      <p>Tell us who you are. Next you verify your income, without leaving this page.</p>
      {problem && <p role="alert">{problem}</p>}
      <form onSubmit={send}>
        <label>First name <input name="firstName" autoComplete="given-name" required /></label>
        <label>Last name <input name="lastName" autoComplete="family-name" required /></label>
        <label>Email <input name="email" type="email" autoComplete="email" required /></label>
        <label>Date of birth <input name="dob" type="date" autoComplete="bday" required /></label>
        <button>Continue</button>
      </form>
    </>
  );
}

// Texts for the next step, which the back end decides on by the report's status.
const words = {
  decide: "We have your report. We decide on your application now.",
  review: "We have your report. A person reviews your application.",
  retry: "No report yet. You can start again.",
};

const events = ["open", "ready", "step", "success", "exit", "error", "state", "complete", "close"];

// Apply is <vestibule-apply> with listeners by the names of its events: { complete: (detail) => … }.
function Apply({ on, ...attributes }) {
  const ref = useRef(null);
  const latest = useRef(on);
  useEffect(() => {
    latest.current = on;
  });
  useEffect(() => {
    const listen = (e) => latest.current[e.type]?.(e.detail);
    const element = ref.current;
    for (const name of events) element.addEventListener(name, listen);
    return () => {
      for (const name of events) element.removeEventListener(name, listen);
    };
  }, []);
  return <vestibule-apply ref={ref} {...attributes} />;
}

function Verify() {
  const [token, setToken] = useState();
  const [progress, setProgress] = useState("Your bank's questions appear below.");
  useEffect(() => {
    let gone = false;
    ask("POST", "/api/token").then(
      ({ embedToken }) => gone || setToken(embedToken),
      (e) => gone || setProgress(e.message),
    );
    return () => {
      gone = true;
    };
  }, []);
  const complete = async () => {
    const { next } = await ask("GET", "/api/outcome");
    setProgress(words[next] ?? "We are preparing your report.");
  };
  return (
    <>
      <h1>Verify your income</h1>
      <p role="status">{progress}</p>
      <Apply
        token={token}
        on={{
          success: () => setProgress("Thank you. We are preparing your report."),
          exit: () => setProgress("You stopped. You can continue at any time."),
          error: ({ errorType }) => setProgress(`That didn’t work (${errorType}).`),
          complete,
        }}
      />
    </>
  );
}

function App() {
  const [applied, setApplied] = useState(false);
  return applied ? <Verify /> : <Form onDone={() => setApplied(true)} />;
}

createRoot(document.getElementById("root")).render(<StrictMode><App /></StrictMode>);
