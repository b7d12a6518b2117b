package svcapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"vestibule/internal/contract"
)

// File is an entry of the list of a report's files.
type File struct {
	DocumentType string `json:"document_type"`
	DocumentID   string `json:"document_id"`
	SourceID     string `json:"source_id"`
	SourceUUID   string `json:"source_uuid"`
	Path         string `json:"source_filepath"`
}

// maxFiles is the maximum length of a list of files.
const maxFiles = 10_000

// CashflowFiles calls GET /connect/cashflow/v2/files (API reference: Reports).
func (c *Client) CashflowFiles(ctx context.Context, ref Ref) ([]File, error) {
	return c.files(ctx, cashflowFiles, ref)
}

// IncomeFiles calls GET /connect/income/v2/files (API reference: Reports).
func (c *Client) IncomeFiles(ctx context.Context, ref Ref) ([]File, error) {
	return c.files(ctx, incomeFiles, ref)
}

// EligibilityFiles calls GET /connect/affordable-housing-verification/v1/files (API
// reference: Reports).
func (c *Client) EligibilityFiles(ctx context.Context, ref Ref) ([]File, error) {
	return c.files(ctx, eligibilityFiles, ref)
}

// Paths of the lists; files are below them.
const (
	cashflowFiles    = "/connect/cashflow/v2/files"
	incomeFiles      = "/connect/income/v2/files"
	eligibilityFiles = "/connect/affordable-housing-verification/v1/files"
)

func (c *Client) files(ctx context.Context, list string, ref Ref) ([]File, error) {
	a, err := c.get(ctx, "files", list, ref, maxAnswer, answerTimeout)
	if err != nil {
		return nil, err
	}
	var out []File
	if err := a.decode(&out); err != nil {
		return nil, err
	}
	if len(out) > maxFiles {
		return nil, badAnswer(a.op, a.status, "the list is too long")
	}
	return out, nil
}

// Content is a file with the type that the service names. It is untrusted: do not serve
// it to a browser unchecked.
type Content struct {
	Type string
	Body []byte
}

// CashflowFile calls GET /connect/cashflow/v2/files/<filepath>. A file past its
// retention gives an *Error with GONE.
func (c *Client) CashflowFile(ctx context.Context, ref Ref, path string) (Content, error) {
	return c.file(ctx, cashflowFiles, ref, path)
}

// IncomeFile calls GET /connect/income/v2/files/<filepath>. It fails like
// CashflowFile.
func (c *Client) IncomeFile(ctx context.Context, ref Ref, path string) (Content, error) {
	return c.file(ctx, incomeFiles, ref, path)
}

// EligibilityFile calls GET /connect/affordable-housing-verification/v1/files/<filepath>,
// for a source_filepath of the report or of the list. It fails like CashflowFile.
func (c *Client) EligibilityFile(ctx context.Context, ref Ref, path string) (Content, error) {
	return c.file(ctx, eligibilityFiles, ref, path)
}

func (c *Client) file(ctx context.Context, list string, ref Ref, path string) (Content, error) {
	const op = "file"
	h, err := ref.headers(op)
	if err != nil {
		return Content{}, err
	}
	below, err := belowFiles(path)
	if err != nil {
		return Content{}, &Error{Op: op, Code: contract.CodeNotFound, Err: err}
	}
	a, err := c.do(ctx, call{op: op, method: http.MethodGet, path: list + below, header: h,
		auth: byToken, repeatable: true, anyType: true, limit: maxReport, timeout: reportTimeout})
	return Content{a.contentType, a.body}, err
}

// belowFiles escapes a path of the list for a URL, and refuses one that leads
// elsewhere.
func belowFiles(path string) (string, error) {
	var b strings.Builder
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." || strings.ContainsAny(part, "\\\x00\r\n") || len(path) > 1024 {
			return "", errors.New("not a path of the list")
		}
		b.WriteString("/" + url.PathEscape(part))
	}
	return b.String(), nil
}

// ACHDetails are the numbers needed for payments to an account. They print as nothing,
// to stay out of logs.
type ACHDetails struct {
	Number  string `json:"full_account_number"`
	Routing string `json:"routing_number"`
	Kind    string `json:"account_number_type"` // AN, or TAN (tokenized account number)
}

func (ACHDetails) String() string       { return "ACH details" }
func (ACHDetails) GoString() string     { return "ACH details" }
func (ACHDetails) LogValue() slog.Value { return slog.StringValue("ACH details") }

// ReportACH calls GET /connect/bank-accounts/<bankAccountId>/ach-details (API
// reference: Reports) for an account_id of the report. FORBIDDEN means that it is not
// enabled for the account, CONSENT_NOT_PROVIDED that the consumer withdrew consent.
func (c *Client) ReportACH(ctx context.Context, ref Ref, accountID string) (ACHDetails, error) {
	const op = "ach details"
	if !contract.IsUUID(accountID) {
		return ACHDetails{}, &Error{Op: op, Code: contract.CodeNotFound, Err: errors.New("the account's id is not a UUID")}
	}
	a, err := c.get(ctx, op, "/connect/bank-accounts/"+accountID+"/ach-details", ref, maxAnswer, answerTimeout)
	if err != nil {
		return ACHDetails{}, err
	}
	var out ACHDetails
	if err := a.decode(&out); err != nil {
		return ACHDetails{}, err
	}
	if err := out.check(op, a.status); err != nil {
		return ACHDetails{}, err
	}
	return out, nil
}

// check returns an error if the answer is incomplete or invalid.
func (d ACHDetails) check(op string, status int) error {
	if d.Number == "" || d.Routing == "" || d.Kind != "AN" && d.Kind != "TAN" {
		return badAnswer(op, status, "a number is missing, or its type is not one of the contract's")
	}
	return nil
}

// Destination is a bank and the domains that its applicants may be sent to.
type Destination struct {
	Name     string   `json:"bank_name"`
	OAuth    []string `json:"bank_oauth_domains"`
	Homepage []string `json:"bank_homepage_domains"`
}

// OAuthDestinations calls GET /connect/cashflow/oauth-destinations (API reference:
// Reports).
func (c *Client) OAuthDestinations(ctx context.Context) ([]Destination, error) {
	a, err := c.do(ctx, call{op: "oauth destinations", method: http.MethodGet, path: "/connect/cashflow/oauth-destinations",
		auth: byToken, repeatable: true, limit: maxAnswer, timeout: answerTimeout})
	if err != nil {
		return nil, err
	}
	var out []Destination
	return out, a.decode(&out)
}
