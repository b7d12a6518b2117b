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
	PublicID   string // empty: the account's own consumer
}

// BankAccount is an account that a consumer has connected (document 2, Bank
// account). The numbers are nil until their ACH details were retrieved. It prints as
// nothing, so that it does not get into a log.
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

// Day is a day of ISO 8601, which the contract has no closer form for: a date, or the
// day of a timestamp as that is written.
type Day struct{ report.Date }

// UnmarshalJSON reads "YYYY-MM-DD", alone or before a time.
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

// ConsumerBankAccounts calls GET /connect/consumers/{consumer_id}/bank-accounts
// (document 2, Consumer bank accounts).
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
// FORBIDDEN where it is not enabled, CONSENT_NOT_PROVIDED after the consumer or the
// bank took them back, and NOT_FOUND also for what was asked for too late. A number
// that worked may fail later: a TAN can be revoked at any time.
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

// ofConsumer reads something about a consumer.
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
		auth: basic, repeat: true, limit: maxAnswer, timeout: answerTimeout})
	if err != nil {
		return a, err
	}
	return a, a.decode(out)
}
