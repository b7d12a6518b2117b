// TypeScript declarations of the widget, made from the service's own tables.
// Load the script of the provider's /widget/v1/widget.js; it sets window.SvcWidget.

/** Status of a report. */
export type Status =
  | "PENDING"
  | "SUCCESS"
  | "ERROR"
  | "NOT_AUTHENTICATED"
  | "EXPIRED"
  | "BUREAU_UNRESPONSIVE"
  | "SUPPLIER_UNRESPONSIVE";

/** Why an applicant could not finish. */
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

/** Applicant data from the client. */
export interface Prefill {
  firstName?: string;
  lastName?: string;
  email?: string;
  /** YYYY-MM-DD */
  dob?: string;
  phone?: string;
  address?: string;
  city?: string;
  state?: string;
  zip?: string;
  statedAnnualIncome?: number;
  statedEmployerName?: string;
  /** Income and eligibility: one to six names. */
  statedEmployerNames?: string[];
}

export interface RegisterOptions {
  /** The environment of publicId, productId and token. */
  env: "sandbox" | "production";
  /** The configured product that the applicant applies for. */
  productId: string;
  /** The customer account. */
  publicId: string;
  /** Single-use initialization token. Required unless prefill or consumerId is used. */
  token?: string;
  /** Your own label of the report: unique, no personal data, at most 64 characters. */
  externalId?: string;
  /** Echoed in webhook and report; at most 255 characters. */
  userArgs?: string;
  /** Sandbox only: the widget completes by itself with that report. */
  sandboxReportId?: string;
  /** Wait for fire() instead of rendering into #nova-embed. */
  useManualFire?: boolean;
  /** The journey was completed and a report pull was attempted. */
  onSuccess?: (publicToken: string, status: Status) => void;
  /** The applicant closed the widget. */
  onExit?: (publicToken?: string) => void;
  /** The applicant could not finish; without errorType, an internal error. */
  onError?: (publicToken?: string, errorType?: WidgetErrorType) => void;
  /** Applicant data from the client. Not recommended; excludes token and consumerId. */
  prefill?: Prefill;
  /** An existing consumer; excludes prefill. */
  consumerId?: string;
}

export interface SvcWidget {
  /** Shows the widget in #nova-embed, or readies it for fire() with useManualFire. */
  register(options: RegisterOptions): void;
  /** Opens the widget as a dialog. */
  fire(): void;
  /** Removes widget and script, and leaves the page as it was. Safe to call again. */
  destroy(): void;
}

declare global {
  interface Window {
    SvcWidget?: SvcWidget;
  }
}
