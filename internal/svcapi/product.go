package svcapi

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/report"
)

// ErrNotModified is returned by Report for a report that the caller has in its newest revision.
var ErrNotModified = errors.New("svcapi: the report is the one that the caller has")

// maxETag is the maximum length in bytes of an ETag that the client uses.
const maxETag = 200

// Report fetches a report with the call for its product's kind (API reference: Reports). It
// returns the body as received, which is a valid report, and its meta. A report that is not
// ready gives an *Error with REPORT_NOT_READY, and an unknown kind one with INVALID_PRODUCT
// without a request. It refuses a body of another report than requested, and returns
// ErrNotModified for one that the reference names by its ETag.
func (c *Client) Report(ctx context.Context, product contract.Product, ref Ref) ([]byte, *report.Meta, error) {
	if !product.Valid() {
		return nil, nil, noSuchProduct("report")
	}
	var include []string
	if product == contract.Income || product == contract.Eligibility {
		include = []string{report.IncludePositions}
	}
	a, err := c.get(ctx, string(product)+" report", c.reports(product)+"/json", ref, maxReport, reportTimeout, include...)
	if err != nil {
		return nil, nil, err
	}
	if a.status == http.StatusNotModified {
		return nil, nil, ErrNotModified
	}
	// The parser's error may quote the body, so it is not passed on.
	meta, err := report.Parse(product, a.body)
	if err != nil {
		return nil, nil, badAnswer(a.op, a.status, "the answer is not a report of the product")
	}
	if err := ref.answered(a, meta); err != nil {
		return nil, nil, err
	}
	meta.Until, _ = http.ParseTime(a.sunset) // zero without the header
	if httpx.IsVisible(a.etag) && len(a.etag) <= maxETag {
		meta.ETag = a.etag
	}
	return a.body, meta, nil
}

// answered checks that a report's meta names the requested report.
func (r Ref) answered(a answer, meta *report.Meta) error {
	if r.PublicToken != "" && !strings.EqualFold(meta.PublicToken, r.PublicToken) ||
		r.ExternalID != "" && report.Text(meta.ExternalID) != r.ExternalID {
		return badAnswer(a.op, a.status, "the answer is another report than the one asked for")
	}
	if meta.Status != contract.StatusSuccess {
		return badAnswer(a.op, a.status, "the report's status is not SUCCESS")
	}
	return nil
}

func noSuchProduct(op string) error {
	return &Error{Op: op, Code: contract.CodeInvalidProduct, Err: errors.New("no call for this product")}
}
