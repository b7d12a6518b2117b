// An onboarding app in React.
import { StrictMode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { VestibuleApply } from "@vestibule/js/react";

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

// Texts for the next step, which the back end decides on by the report.
const words = {
  approve: "Your application is approved.",
  review: "We have your report. A person reviews your application.",
  retry: "No report yet. You can start again.",
};

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
      <VestibuleApply
        portal={root.dataset.portal}
        token={token}
        onSuccess={() => setProgress("Thank you. We are preparing your report.")}
        onExit={() => setProgress("You stopped. You can continue at any time.")}
        onError={({ errorType }) => setProgress(`That didn’t work (${errorType}).`)}
        onLoadError={() => setProgress("This does not work at the moment.")}
        onComplete={complete}
      />
    </>
  );
}

function App() {
  const [applied, setApplied] = useState(false);
  return applied ? <Verify /> : <Form onDone={() => setApplied(true)} />;
}

createRoot(root).render(<StrictMode><App /></StrictMode>);
