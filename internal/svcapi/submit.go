package svcapi

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// Submission is banking data that the customer supplies; the bounds are in the API
// reference: Submissions. Empty fields are not sent.
type Submission struct {
	ProductID string `json:"-"` // the requested cashflow product
	PublicID  string `json:"-"` // the child account that a parent submits for; empty: its own

	UserArgs        string             `json:"userArgs,omitempty"`
	ExternalID      string             `json:"externalId,omitempty"`
	PullDate        DateTime           `json:"pullDate,omitzero"`
	ApplicationDate DateTime           `json:"applicationDate,omitzero"`
	SandboxReportID string             `json:"sandboxReportId,omitempty"`
	Personal        SubmittedPerson    `json:"personal"`
	Address         *SubmittedAddress  `json:"address,omitempty"`
	Accounts        []SubmittedAccount `json:"accounts,omitempty"`
}

// SubmittedPerson requires names and email, and DOB or the full address.
type SubmittedPerson struct {
	FirstName string `json:"firstName,omitempty"`
	LastName  string `json:"lastName,omitempty"`
	DOB       string `json:"dob,omitempty"` // YYYY-MM-DD
	Email     string `json:"email,omitempty"`
	Phone     string `json:"phone,omitempty"` // XXX-XXX-XXXX
}

// SubmittedAddress is a full address.
type SubmittedAddress struct {
	Street     string `json:"street"`
	City       string `json:"city"`
	State      string `json:"state"`
	PostalCode string `json:"postalCode"`
}

// SubmittedAccount is one account with its transactions.
type SubmittedAccount struct {
	ID                     string                 `json:"id"`
	InstitutionName        string                 `json:"institutionName"`
	AccountType            string                 `json:"accountType"` // SAVINGS or CHECKING
	CurrentBalance         report.Cents           `json:"currentBalance"`
	DateBalanceLastUpdated DateTime               `json:"dateBalanceLastUpdated,omitzero"`
	DateAccountOpened      DateTime               `json:"dateAccountOpened,omitzero"`
	Currency               string                 `json:"currency"`
	Transactions           []SubmittedTransaction `json:"transactions,omitempty"`
}

// SubmittedTransaction is one transaction. CreditOrDebit is its direction.
type SubmittedTransaction struct {
	ID            string       `json:"id"`
	Status        string       `json:"status"`              // PENDING or POSTED
	DatePosted    DateTime     `json:"datePosted,omitzero"` // for POSTED
	Amount        report.Cents `json:"amount"`
	Description   string       `json:"description"`
	Merchant      string       `json:"merchant,omitempty"`
	Memo          string       `json:"memo,omitempty"`
	CreditOrDebit string       `json:"creditOrDebit"` // CREDIT is money into the account
}

// DateTime is an instant in the submission's form, YYYY-MM-DDTHH:mm:ss.SSSZ.
type DateTime struct{ time.Time }

// MarshalJSON truncates to milliseconds.
func (d DateTime) MarshalJSON() ([]byte, error) {
	return []byte(d.UTC().Format(`"2006-01-02T15:04:05.000Z"`)), nil
}

// Submitted is an accepted submission. Its status is PENDING.
type Submitted struct {
	PublicToken string
	Status      contract.Status
}

// Submit calls POST /connect/v2/cashflow/byo-report (API reference: Submissions). It is
// retried only if the service cannot have accepted it, because a second submission
// would be a second report. Invalid data gives an *Error with MALFORMED_BODY and
// Details; more than 30 a minute give RATE_LIMITED with RetryAfter.
func (c *Client) Submit(ctx context.Context, in Submission) (Submitted, error) {
	const op = "submission"
	if !contract.IsUUID(in.ProductID) || !headerValue(in.PublicID, 128) {
		return Submitted{}, &Error{Op: op, Code: contract.CodeMalformedHeaders,
			Err: errors.New("productId is not a UUID, or publicId cannot stand in a header")}
	}
	body, err := json.Marshal(in)
	if err != nil {
		return Submitted{}, &Error{Op: op, Code: contract.CodeMalformedBody, Err: errors.New("the submission cannot be written as JSON")}
	}
	h := http.Header{}
	h.Set(c.profile().Headers[HeaderProductID], in.ProductID)
	if in.PublicID != "" {
		h.Set(c.profile().Headers[HeaderPublicID], in.PublicID)
	}
	a, err := c.do(ctx, call{op: op, method: http.MethodPost, path: c.address(AddressSubmission), header: h, body: body,
		auth: byToken, limit: maxAnswer, timeout: submitTimeout})
	if err != nil {
		return Submitted{}, err
	}
	var wire struct {
		PublicToken string          `json:"publicToken"`
		Status      contract.Status `json:"status"`
	}
	if err := a.decode(&wire); err != nil {
		return Submitted{}, err
	}
	if !contract.IsUUID(wire.PublicToken) || !wire.Status.Valid() {
		return Submitted{}, badAnswer(op, a.status, "publicToken is not a UUID, or status is not one of the contract's")
	}
	return Submitted(wire), nil
}

// submitTimeout bounds one try: 20 MB over a slow line, and the answer.
const submitTimeout = 3 * time.Minute

// Waits between the polls of WaitStatus. They start at pollBase, grow by half each time
// up to pollMax, and are shortened at random by up to a fifth.
const (
	pollBase = 250 * time.Millisecond
	pollMax  = 5 * time.Second
)

// WaitStatus polls a report's status until it is final or ctx ends. Prefer webhooks
// where they can be received.
func (c *Client) WaitStatus(ctx context.Context, ref Ref) (StatusAnswer, error) {
	for wait := pollBase; ; wait = min(wait*3/2, pollMax) {
		a, err := c.Status(ctx, ref)
		if err != nil || a.Status.Final() {
			return a, err
		}
		if !pause(ctx, wait-time.Duration(rand.Int64N(int64(wait/5)))) {
			if err = ctx.Err(); err == nil {
				err = context.DeadlineExceeded // ctx would end during the wait
			}
			return a, err
		}
	}
}
