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

// maxFiles bounds a list: no report has as many.
const maxFiles = 10_000

// CashflowFiles calls GET /connect/cashflow/v2/files (document 1, endpoint 5).
func (c *Client) CashflowFiles(ctx context.Context, ref Ref) ([]File, error) {
	return c.files(ctx, cashflowFiles, ref)
}

// IncomeFiles calls GET /connect/income/v2/files (document 3, Endpoints).
func (c *Client) IncomeFiles(ctx context.Context, ref Ref) ([]File, error) {
	return c.files(ctx, incomeFiles, ref)
}

// EligibilityFiles calls GET /connect/affordable-housing-verification/v1/files
// (document 3, "Eligibility files list").
func (c *Client) EligibilityFiles(ctx context.Context, ref Ref) ([]File, error) {
	return c.files(ctx, eligibilityFiles, ref)
}

// Where the lists are, and the files below them.
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

// Content is a file. Its type is what the service said; it is somebody else's
// data, so it is not to be shown to a browser as it is.
type Content struct {
	Type string
	Body []byte
}

// CashflowFile calls GET /connect/cashflow/v2/files/<filepath>. A file whose
// retention is over gives an *Error with GONE.
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
		auth: byToken, repeat: true, anyType: true, limit: maxReport, timeout: reportTimeout})
	return Content{a.contentType, a.body}, err
}

// belowFiles makes a path of the list an address, and refuses what leads anywhere
// else.
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

// ACHDetails is the numbers that payments to an account need. They print as
// nothing, so that they do not get into a log.
type ACHDetails struct {
	Number  string `json:"full_account_number"`
	Routing string `json:"routing_number"`
	Kind    string `json:"account_number_type"` // AN, or TAN: a number made for this use
}

func (ACHDetails) String() string       { return "ACH details" }
func (ACHDetails) GoString() string     { return "ACH details" }
func (ACHDetails) LogValue() slog.Value { return slog.StringValue("ACH details") }

// ReportACH calls GET /connect/bank-accounts/<bankAccountId>/ach-details (document
// 1, endpoint 6) for an account_id of the report. FORBIDDEN is an account that it
// is not enabled for, CONSENT_NOT_PROVIDED a consumer who withdrew consent.
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

// check reports what is wrong with an answer, or nil.
func (d ACHDetails) check(op string, status int) error {
	if d.Number == "" || d.Routing == "" || d.Kind != "AN" && d.Kind != "TAN" {
		return badAnswer(op, status, "a number is missing, or its type is none of the contract's")
	}
	return nil
}

// Destination is a bank with the domains that an applicant may be led to.
type Destination struct {
	Name     string   `json:"bank_name"`
	OAuth    []string `json:"bank_oauth_domains"`
	Homepage []string `json:"bank_homepage_domains"`
}

// OAuthDestinations calls GET /connect/cashflow/oauth-destinations (document 1,
// endpoint 7).
func (c *Client) OAuthDestinations(ctx context.Context) ([]Destination, error) {
	a, err := c.do(ctx, call{op: "oauth destinations", method: http.MethodGet, path: "/connect/cashflow/oauth-destinations",
		auth: byToken, repeat: true, limit: maxAnswer, timeout: answerTimeout})
	if err != nil {
		return nil, err
	}
	var out []Destination
	return out, a.decode(&out)
}
