package review

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"strconv"
	"unicode/utf8"

	"github.com/a-h/templ"

	"vestibule/internal/door"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/svc"
	"vestibule/templates/portal"
	"vestibule/templates/ui"
)

// body reads the report of the application in the address, and writes down who
// asks for it, before a byte of it is handed out.
func (d *Desk) body(r *http.Request, by person, action string) (Application, []byte, error) {
	a, err := d.get(r)
	if err != nil {
		return a, nil, err
	}
	raw, err := d.Applications.Report(r.Context(), a.ID)
	if errors.Is(err, store.ErrNotFound) {
		return a, nil, door.Fail(svc.CodeReportNotReady, err)
	}
	if err != nil || r.Method == http.MethodHead {
		return a, raw, err
	}
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *sql.Tx) error {
		return note(ctx, tx, by.id, a.ID, action, door.RequestID(ctx), d.Now())
	})
	return a, raw, err
}

// cashflow reads the report of the application in the address as body does, with
// what stands behind it. Who asks is written down.
func (d *Desk) cashflow(r *http.Request, by person, action string) (portal.ReviewReportView, error) {
	a, raw, err := d.body(r, by, action)
	if err != nil {
		return portal.ReviewReportView{}, err
	}
	v := portal.ReviewReportView{By: by.email, ApplicationID: a.ID}
	if a.Product != svc.Cashflow {
		return v, door.Fail(svc.CodeNotFound, errors.New("this product's report has no page"))
	}
	if v.Report, err = report.ParseCashflow(raw); err != nil {
		// The parser's error may repeat what it could not read.
		return v, errors.New("review: a stored report does not parse")
	}
	raw, v.Pending, err = d.Applications.Analysis(r.Context(), a.ID)
	if err != nil || raw == nil {
		return v, err
	}
	if v.Analysis, err = report.ParseAnalysis(raw); err != nil {
		return v, errors.New("review: a stored analysis does not parse")
	}
	return v, nil
}

// maxQuery is how many characters a search of the figures may have.
const maxQuery = 100

// report shows the report as a page. Its q and node choose among the figures, by
// their words; they are no place for anything personal.
func (d *Desk) report(w http.ResponseWriter, r *http.Request, by person) error {
	query, node := r.URL.Query().Get("q"), r.URL.Query().Get("node")
	if utf8.RuneCountInString(query) > maxQuery || !utf8.ValidString(query) || len(node) > maxQuery {
		return door.Fail(svc.CodeNotFound, errors.New("no such filter"))
	}
	v, err := d.cashflow(r, by, viewed)
	if err != nil {
		return err
	}
	v.Query, v.Node = query, node
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return portal.ReviewReport(p, v) })
}

func (d *Desk) download(w http.ResponseWriter, r *http.Request, by person) error {
	a, raw, err := d.body(r, by, downloaded)
	if err != nil {
		return err
	}
	attach(w, "application/json", string(a.Product)+"-"+a.ID+".json", raw)
	return nil
}

// attach sends a file to be kept, which no cache keeps and no browser guesses at.
func attach(w http.ResponseWriter, contentType, name string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(body) // the client is gone; nobody is left to tell
}
