// TypeScript declarations of <vestibule-apply>, made from the portal's own tables.
// The script of the portal's /embed/v1/embed.js defines the element.

/** Where the applicant is. */
export type Step =
  | "details"
  | "connect"
  | "status";

/** Where the application stands. */
export type State =
  | "started"
  | "connecting"
  | "returned"
  | "pending"
  | "ready"
  | "failed"
  | "exited"
  | "expired";

/** Status of a report. */
export type Status =
  | "PENDING"
  | "SUCCESS"
  | "ERROR"
  | "NOT_AUTHENTICATED"
  | "EXPIRED"
  | "BUREAU_UNRESPONSIVE"
  | "SUPPLIER_UNRESPONSIVE";

/** Why nothing could be shown. */
export type ElementError =
  /** The embed token is unknown, or another page or browser has it. Ask for a new one: POST /api/v1/applications/{id}/embed-token. */
  | "EMBED_TOKEN_INVALID"
  /** The embed token has ended: it lives for 24 hours. Ask for a new one: POST /api/v1/applications/{id}/embed-token. */
  | "EMBED_TOKEN_EXPIRED"
  /** The page's origin is not the token's allowedOrigin, exactly: scheme, host and port. */
  | "ORIGIN_NOT_ALLOWED"
  /** The browser did not load the frame: the page's policy lacks frame-src of the portal, or another page is around yours that is not the allowedOrigin. */
  | "FRAME_BLOCKED"
  /** The provider's script could not be loaded in the frame. The applicant is offered the secure page. */
  | "WIDGET_UNAVAILABLE";

/** Why an applicant could not finish the visit at the provider. */
export type WidgetErrorType =
  /** externalId is already used by another report of yours; send a new one. */
  | "DUPLICATE_EXTERNAL_ID"
  /** An internal error of the widget; try again, then report the time to the provider. */
  | "INTERNAL_ERROR"
  /** No consumer of yours has this consumerId, or it was given together with prefill. */
  | "INVALID_CONSUMER_ID"
  /** Required prefills are missing: names, email, and a date of birth or a full address. */
  | "INVALID_PREFILLS_PII_MISSING"
  /** prefill has a key that this product does not take. */
  | "INVALID_PREFILL_KEY"
  /** address must be a string of 1 to 100 characters with a street. */
  | "INVALID_PREFILL_ADDRESS"
  /** city must be a string of 1 to 100 characters. */
  | "INVALID_PREFILL_CITY"
  /** dob must be YYYY-MM-DD, for an age from 1 to 110 years. */
  | "INVALID_PREFILL_DOB"
  /** email must be a valid address of at most 100 characters. */
  | "INVALID_PREFILL_EMAIL"
  /** firstName must be under 255 letters, marks, spaces, dots, apostrophes or dashes. */
  | "INVALID_PREFILL_FIRST_NAME"
  /** lastName must be under 255 letters, marks, spaces, dots, apostrophes or dashes. */
  | "INVALID_PREFILL_LAST_NAME"
  /** statedAnnualIncome must be an integer from 0 to 2147483647. */
  | "INVALID_PREFILL_INCOME"
  /** phone must be a string of at most 255 characters. */
  | "INVALID_PREFILL_PHONE"
  /** state must be a two-letter US state or territory code. */
  | "INVALID_PREFILL_STATE"
  /** zip must be a US ZIP code: 12345 or 12345-6789. */
  | "INVALID_PREFILL_ZIP"
  /** statedEmployerNames must be 1 to 6 names. */
  | "INVALID_PREFILL_STATED_EMPLOYER_NAMES"
  /** productId matches no product of yours. */
  | "INVALID_PRODUCT"
  /** The initialization token is unknown, used, expired, or was given with prefill; ask for a new one. */
  | "INVALID_TOKEN"
  /** productId differs from the one used to create the token. */
  | "MISMATCHED_PRODUCT_ID"
  /** The widget's server did not answer in time. */
  | "REQUEST_TIMEOUT"
  /** publicId belongs to no customer of this environment. */
  | "UNKNOWN_CUSTOMER"
  /** The bank, payroll provider or bureau failed in a way of its own. */
  | "SUPPLIER_ERROR";

export type ErrorType = ElementError | WidgetErrorType;

/** Attributes of the element; each is a property too. */
export interface VestibuleApplyAttributes {
  /** embedToken of POST /api/v1/applications. Without it the element waits; another one begins anew. */
  token?: string;
  /** In the page, as a dialog over it, or by going to the portal's own page. */
  mode?: "inline" | "modal" | "redirect";
  /** Language of the frame; that of the nearest element with lang otherwise. */
  lang?: "en" | "es";
  /** Inline: pixels that are kept free from the beginning, so that nothing below moves. */
  height?: string;
  /** Accessible name of frame and dialog, and text of the button that the element makes if it has none. */
  label?: string;
}

/** Events of the element. They do not bubble. */
export interface VestibuleApplyEvents {
  /** The dialog was opened. */
  open: CustomEvent<Record<string, never>>;
  /** The frame shows its first page. */
  ready: CustomEvent<{ application: string }>;
  /** The applicant is at another step. */
  step: CustomEvent<{ application: string; step: Step }>;
  /** The visit at the provider was completed; the report is on its way. The contract's onSuccess. */
  success: CustomEvent<{ application: string; publicToken: string; status: Status }>;
  /** The applicant closed the visit at the provider, and may begin another one. The contract's onExit. */
  exit: CustomEvent<{ application: string; publicToken?: string }>;
  /** The visit could not be finished, or nothing could be shown at all. The applicant reads why. The contract's onError. */
  error: CustomEvent<{ application?: string; publicToken?: string; errorType: ErrorType }>;
  /** The application is in another state. */
  state: CustomEvent<{ application: string; state: State }>;
  /** Nothing more happens by itself. Ask your back end what it came to. */
  complete: CustomEvent<{ application: string; state: "ready" | "failed" | "expired" }>;
  /** The dialog was closed. */
  close: CustomEvent<Record<string, never>>;
}

export interface VestibuleApply extends HTMLElement {
  /** embedToken of POST /api/v1/applications. Without it the element waits; another one begins anew. */
  token: string;
  /** In the page, as a dialog over it, or by going to the portal's own page. */
  mode: "inline" | "modal" | "redirect";
  /** Inline: pixels that are kept free from the beginning, so that nothing below moves. */
  height: string;
  /** Accessible name of frame and dialog, and text of the button that the element makes if it has none. */
  label: string;
  /** Opens the dialog, goes to the portal's page, or loads the frame at once, as the mode is. From a click, so that the browser allows it. */
  open(): void;
  /** Closes the dialog. What is in it goes on, and open() shows it again where it was. */
  close(): void;
  addEventListener<K extends keyof VestibuleApplyEvents>(
    type: K,
    listener: (this: VestibuleApply, event: VestibuleApplyEvents[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "vestibule-apply": VestibuleApply;
  }
}
