import type { CSSProperties, ForwardRefExoticComponent, ReactNode, RefAttributes } from "react";
import type { LoadOptions, VestibuleApply as Element, VestibuleApplyAttributes, VestibuleApplyEvents } from "./index.js";

type Handlers = {
  [Name in keyof VestibuleApplyEvents as `on${Capitalize<Name>}`]?: (detail: VestibuleApplyEvents[Name]["detail"]) => void;
};

export interface VestibuleApplyProps extends VestibuleApplyAttributes, Handlers, LoadOptions {
  /** The portal's public address, such as https://portal.example. */
  portal: string;
  /** Gets the reason if the portal's script did not load. Without it, the console gets the reason. */
  onLoadError?: (reason: Error) => void;
  id?: string;
  className?: string;
  style?: CSSProperties;
  hidden?: boolean;
  /** Your button in the modes modal and redirect; inline, what applicants see until the frame is there. */
  children?: ReactNode;
  [data: `data-${string}`]: string | undefined;
}

/** Shows <vestibule-apply>. The functions that you give it get the details of the element's events. */
export const VestibuleApply: ForwardRefExoticComponent<VestibuleApplyProps & RefAttributes<Element>>;
