import type { CSSProperties, ForwardRefExoticComponent, HTMLAttributes, ReactNode, RefAttributes } from "react";
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

// The element itself in JSX, for React 19, whose refs, attributes and text it takes.
type Tag = Element; // the name Element is another within React

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "vestibule-apply": VestibuleApplyAttributes & Omit<HTMLAttributes<Tag>, keyof VestibuleApplyAttributes> & RefAttributes<Tag>;
    }
  }
}
