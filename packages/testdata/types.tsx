// Code of an onboarding app that the package's declarations must accept, and lines that they must refuse.
import { StrictMode, useRef } from "react";
import { events, loadVestibule, loadWidget } from "@vestibule/js";
import type { ErrorType, RegisterOptions, State, Status, Step, VestibuleApply as Element, VestibuleApplyEvents } from "@vestibule/js";
import { VestibuleApply, type VestibuleApplyProps } from "@vestibule/js/react";

export async function plain(): Promise<void> {
  const Apply = await loadVestibule("https://portal.example", { nonce: "n" });
  const made: Element | undefined = Apply ? new Apply() : undefined;
  made?.open();
  const element = document.querySelector("vestibule-apply")!;
  element.token = "t";
  element.addEventListener("complete", (e) => {
    const state: "ready" | "failed" | "expired" = e.detail.state;
    console.log(state, e.detail.application);
  });
  element.addEventListener("error", ({ detail }) => {
    const reason: ErrorType = detail.errorType;
    console.log(reason);
  });
  const names: readonly (keyof VestibuleApplyEvents)[] = events;
  console.log(names);
  // @ts-expect-error the portal's address is a string
  await loadVestibule(8080);
  // @ts-expect-error no such mode
  element.mode = "popup";
}

export async function direct(options: RegisterOptions): Promise<void> {
  const widget = await loadWidget("https://provider.example");
  widget?.register({ ...options, onSuccess: (_token: string, status: Status) => console.log(status) });
  // @ts-expect-error publicId is required
  widget?.register({ env: "sandbox", productId: "p" });
}

export function App({ token }: { token?: string }) {
  const element = useRef<Element>(null);
  const props: VestibuleApplyProps = { portal: "https://portal.example", mode: "modal" };
  return (
    <StrictMode>
      <VestibuleApply
        ref={element}
        portal="https://portal.example"
        token={token}
        className="wide"
        data-test="apply"
        onStep={({ step }: { step: Step }) => console.log(step)}
        onState={({ state }: { state: State }) => console.log(state)}
        onError={({ errorType }) => console.log(errorType)}
        onLoadError={(reason) => console.log(reason.message)}
      />
      <VestibuleApply {...props}>
        <button onClick={() => element.current?.open()}>Verify</button>
      </VestibuleApply>
      {/* @ts-expect-error portal is required */}
      <VestibuleApply token="t" />
      {/* @ts-expect-error no such event */}
      <VestibuleApply portal="https://portal.example" onFinish={() => {}} />
    </StrictMode>
  );
}

export function Plain({ token }: { token: string }) {
  const element = useRef<Element>(null);
  // @ts-expect-error no such mode
  const wrong = <vestibule-apply token={token} mode="popup" />;
  return wrong ?? <vestibule-apply ref={element} token={token} mode="modal" className="wide" />;
}
