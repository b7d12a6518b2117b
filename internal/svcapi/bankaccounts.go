package svcapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// ConsumerRef names a consumer; a parent account adds the child's PublicID.
type ConsumerRef struct {
	ConsumerID string // UUID
	PublicID   string // empty for the account's consumers
}

// BankAccount is an account that a consumer has connected (API reference: Consumers).
// The numbers are nil until their ACH details are retrieved. It prints as nothing, to
// stay out of logs.
type BankAccount struct {
	AccountID              string  `json:"account_id"`
	InstitutionName        string  `json:"institution_name"`
	TruncatedAccountNumber *string `json:"truncated_account_number"`
	OwnerFullName          string  `json:"owner_full_name"`
	AccountName            string  `json:"account_name"`
	AccountType            string  `json:"account_type"`
	AccountSubtype         string  `json:"account_subtype"` // report.Checking, Savings or Other
	DateOpened             *Day    `json:"date_opened"`
	RoutingNumber          *string `json:"routing_number"`
	FullAccountNumber      *string `json:"full_account_number"`
	AccountNumberType      *string `json:"account_number_type"` // AN or TAN
}

// Day is an ISO 8601 date, or the date part of a timestamp as written; the API
// reference does not say which.
type Day struct{ report.Date }

// UnmarshalJSON parses "YYYY-MM-DD", alone or before a time.
func (d *Day) UnmarshalJSON(b []byte) error {
	for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(`"`+layout+`"`, string(b)); err == nil {
			d.Time = time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
			return nil
		}
	}
	return errors.New("neither a date nor a timestamp of ISO 8601")
}

func (BankAccount) String() string       { return "bank account" }
func (BankAccount) GoString() string     { return "bank account" }
func (BankAccount) LogValue() slog.Value { return slog.StringValue("bank account") }

// ConsumerBankAccounts calls GET /connect/consumers/{consumer_id}/bank-accounts (API
// reference: Consumers).
func (c *Client) ConsumerBankAccounts(ctx context.Context, of ConsumerRef) ([]BankAccount, error) {
	const op = "bank accounts"
	var wire struct {
		Accounts []BankAccount `json:"accounts"`
	}
	a, err := c.ofConsumer(ctx, op, of, "/bank-accounts", &wire)
	if err != nil {
		return nil, err
	}
	for _, account := range wire.Accounts {
		if !contract.IsUUID(account.AccountID) {
			return nil, badAnswer(op, a.status, "an account_id is not a UUID")
		}
	}
	return wire.Accounts, nil
}

// ConsumerACH calls GET …/bank-accounts/{bank_account_id}/ach-details. Errors have
// FORBIDDEN if it is not enabled, CONSENT_NOT_PROVIDED after the consumer or the bank
// withdrew the details, and NOT_FOUND also after their time. A TAN can be revoked at
// any time, so a number that worked may fail later.
func (c *Client) ConsumerACH(ctx context.Context, of ConsumerRef, accountID string) (ACHDetails, error) {
	const op = "ACH details"
	if !contract.IsUUID(accountID) {
		return ACHDetails{}, &Error{Op: op, Code: contract.CodeBadRequest, Err: errors.New("the account's id is not a UUID")}
	}
	var out ACHDetails
	a, err := c.ofConsumer(ctx, op, of, "/bank-accounts/"+accountID+"/ach-details", &out)
	if err != nil {
		return ACHDetails{}, err
	}
	if err := out.check(op, a.status); err != nil {
		return ACHDetails{}, err
	}
	return out, nil
}

// ofConsumer calls GET path for a consumer.
func (c *Client) ofConsumer(ctx context.Context, op string, of ConsumerRef, path string, out any) (answer, error) {
	if !contract.IsUUID(of.ConsumerID) {
		return answer{}, &Error{Op: op, Code: contract.CodeBadRequest, Err: errors.New("consumerId is not a UUID")}
	}
	if !headerValue(of.PublicID, 128) {
		return answer{}, &Error{Op: op, Code: contract.CodeMalformedHeaders, Err: errors.New("publicId cannot stand in a header")}
	}
	h := http.Header{}
	if of.PublicID != "" {
		h.Set("X-PUBLIC-ID", of.PublicID)
	}
	a, err := c.do(ctx, call{op: op, method: http.MethodGet, path: "/connect/consumers/" + of.ConsumerID + path, header: h,
		auth: basic, repeatable: true, limit: maxAnswer, timeout: answerTimeout})
	if err != nil {
		return a, err
	}
	return a, a.decode(out)
}
