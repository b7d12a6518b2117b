package review

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/password"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/prefill"

	"vestibule/internal/store"
)

// Prepare readies the desk. Call it before anything else.
func (d *Handler) Prepare(ctx context.Context) (err error) {
	d.passwords, err = password.New(ctx, d.DB, d.Now, password.Settings{Cookie: "vestibule-known", Secure: strings.HasPrefix(d.URL, "https://"), BehindProxy: d.BehindProxy})
	if err != nil {
		return fmt.Errorf("review: %w", err)
	}
	d.index = &search.Index{DB: d.DB, Now: d.Now}
	return d.index.Prepare(ctx)
}

// OnChange keeps what an application is found by, in the transaction that makes or
// moves it.
func (d *Handler) OnChange(ctx context.Context, tx *store.Tx, a applications.Application, _ applications.TimelineEntry) error {
	return d.index.Put(ctx, tx, a)
}

// OnApplicant keeps the words that an applicant is found by, in the transaction that
// keeps what they gave. Doing so again changes nothing.
func (d *Handler) OnApplicant(ctx context.Context, tx *store.Tx, a applications.Application, f prefill.Fields) error {
	return d.index.Name(ctx, tx, a.ID, a.CreatedAt, f)
}

// filter chooses applications. Its zero value is all.
type filter struct {
	state, product, outcome string
	decision                string // search.Undecided is none
	from, to                time.Time
	find                    string // the handle of a search
	text                    string // what that is for
	cursor                  string
}

// readFilter reads a filter from an address or a form; false for values that no
// filter has.
func readFilter(q url.Values) (filter, bool) {
	f := filter{state: q.Get("state"), product: q.Get("product"), outcome: q.Get("outcome"), decision: q.Get("decision"), find: q.Get("find"), cursor: q.Get("after")}
	var ok1, ok2 bool
	f.from, ok1 = dayOf(q.Get("from"))
	f.to, ok2 = dayOf(q.Get("to"))
	return f, ok1 && ok2 && (f.state == "" || slices.Contains(states[:], f.state)) && (f.product == "" || contract.Product(f.product).Valid()) &&
		(f.outcome == "" || slices.Contains(outcomes[:], f.outcome)) &&
		(f.decision == "" || f.decision == search.Undecided || slices.Contains(decisions[:], f.decision)) &&
		(f.find == "" || contract.IsUUID(f.find)) && len(f.cursor) <= 100
}

// url is the address of a page of what the filter chooses. Nothing personal is in
// it: what is looked for stands behind a handle.
func (f filter) url(after string) string {
	q := url.Values{}
	for name, v := range map[string]string{"state": f.state, "product": f.product, "outcome": f.outcome, "decision": f.decision,
		"from": isoDay(f.from), "to": isoDay(f.to), "find": f.find, "after": after} {
		if v != "" {
			q.Set(name, v)
		}
	}
	if len(q) == 0 {
		return "/review"
	}
	return "/review?" + q.Encode()
}

// narrowed reports whether the filter leaves anything out.
func (f filter) narrowed() bool {
	f.cursor = ""
	return f != filter{}
}

const maxText = 200 // characters that are looked for

// find takes what is looked for and leads to the page that shows it. It comes in a
// form, and goes on as a handle that is good for half an hour and for this person:
// names have no place in an address. A single hit is opened.
func (d *Handler) find(w http.ResponseWriter, r *http.Request, by person) error {
	form, err := httpx.DecodeForm(w, r, 8<<10)
	if err != nil {
		return err
	}
	f, ok := readFilter(form)
	f.text, f.find, f.cursor = strings.TrimSpace(form.Get("query")), "", ""
	if !ok || !plain(f.text, 0, maxText) {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("no such filter"))
	}
	if f.text == "" {
		httpx.SeeOther(w, f.url(""))
		return nil
	}
	found, _, err := d.look(r.Context(), f, 2)
	if err != nil {
		return err
	}
	f.find = uuid.NewString()
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		if err := d.index.Keep(ctx, tx, f.find, by.id, f.text); err != nil {
			return err
		}
		return d.write(ctx, tx, auditLine{actor: by.id, action: searched, detail: kindOf(f.text)})
	})
	if err != nil {
		return err
	}
	if len(found) == 1 {
		httpx.SeeOther(w, "/review/applications/"+found[0].ID)
		return nil
	}
	httpx.SeeOther(w, f.url(""))
	return nil
}

// toList leads whoever reloads the address of the form to the list.
func (d *Handler) toList(w http.ResponseWriter, _ *http.Request, _ person) error {
	httpx.SeeOther(w, "/review")
	return nil
}

// kindOf is what a text can be, for the audit trail, which is not told the text.
func kindOf(text string) string {
	switch {
	case contract.IsUUID(text):
		return "id"
	case strings.Contains(text, "@"):
		return "email"
	}
	return "words"
}

// look returns what a filter chooses, newest first, and where the next page begins.
func (d *Handler) look(ctx context.Context, f filter, limit int) ([]search.Found, string, error) {
	return d.index.Look(ctx, search.Filter{State: f.state, Product: f.product, Outcome: f.outcome, Decision: f.decision, Decisions: decisions[:],
		From: f.from, To: f.to, Text: f.text, Cursor: f.cursor}, limit)
}
