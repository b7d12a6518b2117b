package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/store"
	"vestibule/internal/suggest"
)

// Bounds of a page of a list.
const (
	maxPage     = 100
	defaultPage = 25
)

// list lists applications, newest first. next is the cursor of the following page, or
// null after the last.
func (a *API) list(w http.ResponseWriter, r *http.Request) error {
	q := newQuery(r, "state", "product", "externalId", "createdFrom", "createdTo", "cursor", "limit")
	f := q.filter()
	if err := q.err(); err != nil {
		return err
	}
	found, next, err := a.Applications.List(r.Context(), f)
	if err != nil {
		return q.cursor(err)
	}
	out := struct {
		Applications []applicationJSON `json:"applications"`
		Next         *string           `json:"next"`
	}{Applications: make([]applicationJSON, len(found)), Next: contract.Null(next)}
	for i, app := range found {
		out.Applications[i] = show(app)
	}
	return httpx.JSON(w, http.StatusOK, out)
}

func (q *query) filter() applications.Filter {
	f := applications.Filter{State: q.values.Get("state"), Product: contract.Product(q.values.Get("product")),
		ExternalID: q.values.Get("externalId"), From: q.time("createdFrom"), To: q.time("createdTo"),
		Cursor: q.values.Get("cursor"), Limit: q.number("limit", defaultPage, 1, maxPage)}
	if f.State != "" && !slices.Contains(journey.States(), journey.State(f.State)) {
		q.reject("state", "must be one of "+strings.Trim(fmt.Sprint(journey.States()), "[]"))
	}
	if f.Product != "" && !f.Product.Valid() {
		q.reject("product", "must be cashflow, income, eligibility or passport")
	}
	if utf8.RuneCountInString(f.ExternalID) > contract.MaxExternalID || !isLabel(f.ExternalID) {
		q.reject("externalId", wrongLabel)
	}
	if !f.To.IsZero() && f.From.After(f.To) {
		q.reject("createdTo", "is before createdFrom, so that no application can be between them")
	}
	return f
}

// query reads query parameters, each at most once, and collects their errors.
type query struct {
	values url.Values
	wrong  []httpx.Detail
}

// newQuery parses the parameters and refuses unknown names: ignoring a misspelled
// filter would return all applications.
func newQuery(r *http.Request, names ...string) *query {
	q := &query{}
	var err error
	if q.values, err = url.ParseQuery(r.URL.RawQuery); err != nil {
		q.reject("", "the query does not parse")
	}
	for name, values := range q.values {
		switch {
		case !slices.Contains(names, name):
			q.reject(clean(name), "is not a parameter of this request"+suggest.Hint(name, names))
		case len(values) > 1:
			q.reject(name, "is given twice")
		case values[0] == "":
			q.reject(name, "is empty; leave the parameter out or give it a value")
		case len(values[0]) > 256 || values[0] != clean(values[0]):
			q.reject(name, "must be plain text of at most 256 bytes")
		}
	}
	return q
}

// clean replaces invalid UTF-8 and NUL, which databases reject.
func clean(s string) string { return strings.ReplaceAll(strings.ToValidUTF8(s, "?"), "\x00", "?") }

func (q *query) reject(field, message string) {
	if slices.ContainsFunc(q.wrong, func(d httpx.Detail) bool { return d.Field == field }) {
		return // said already, that it is empty or given twice
	}
	q.wrong = append(q.wrong, httpx.Detail{Field: field, Message: message})
}

func (q *query) number(name string, missing, least, most int64) int {
	n, ok := number(q.values, name, missing, least, most)
	if !ok {
		q.reject(name, fmt.Sprintf("must be a whole number from %d to %d", least, most))
	}
	return int(n)
}

func (q *query) time(name string) time.Time {
	if !q.values.Has(name) {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, q.values.Get(name))
	if err != nil || t.Year() < 1 || t.Year() > 9999 {
		q.reject(name, "must be a time in the form 2026-05-04T10:00:00Z (RFC 3339); in a query, + is written %2B")
	}
	return t
}

func (q *query) err() error {
	if len(q.wrong) == 0 {
		return nil
	}
	slices.SortFunc(q.wrong, func(a, b httpx.Detail) int { return strings.Compare(a.Field, b.Field) })
	return httpx.NewError(contract.CodeInvalidParameters, errors.New("malformed query"), q.wrong...)
}

// cursor returns the API's error for an error of a list.
func (q *query) cursor(err error) error {
	if errors.Is(err, store.ErrCursor) {
		return httpx.NewError(contract.CodeInvalidParameters, err, httpx.Detail{Field: "cursor", Message: "must be a next of this list"})
	}
	return err
}
