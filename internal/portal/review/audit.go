package review

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/deletion"
	"vestibule/internal/portal/review/sharing"
	"vestibule/internal/portal/review/spreadsheet"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// Actions in the audit trail.
const (
	listed         = "listed"
	searched       = "searched"
	opened         = "opened"
	reportViewed   = "reportViewed"
	reportExported = "reportExported"
	filesListed    = "filesListed"
	fileOpened     = "fileOpened"
	auditRead      = "auditRead"
	decidedLine    = "decided"
	noted          = "noted"
	letterOpened   = "letterOpened"
	letterSent     = "letterSent" // the email of a decision, as are the next three
	letterFailed   = "letterFailed"
	letterWithheld = "letterWithheld"
	letterRetried  = "letterRetried"
	compared       = "compared"
	deletionOpened = "deletionOpened"
	eventSent      = "eventSent"
	eventsOn       = "eventsOn"
)

// actions lists all actions, in the order of the filter.
var actions = [...]string{
	staff.SignedIn, staff.SignInFailed, staff.SignedOut, listed, searched, opened, reportViewed, reportExported, filesListed, fileOpened,
	compared, decidedLine, noted, letterOpened, letterSent, letterFailed, letterWithheld, letterRetried, sharing.Shared, sharing.Withdrawn,
	deletionOpened, deletion.Deleted, deletion.ByRetention, staff.UserAdded, staff.UserChanged, staff.LinkIssued, staff.PasswordSet, eventSent,
	eventsOn, auditRead,
}

// audit records what a user is about to see. A HEAD request shows nothing and is not
// recorded.
func (d *Handler) audit(r *http.Request, e staff.Entry) error {
	if r.Method == http.MethodHead {
		return nil
	}
	return d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error { return d.Staff.Record(ctx, tx, e) })
}

// auditSize is the number of entries on a page of the audit trail.
const auditSize = 50

// entryFilter is a filter of audit entries, with the cursor of a page as text.
type entryFilter struct {
	staff.EntryFilter
	cursor string
}

// readEntryFilter reads the filter of a request. A malformed cursor selects the first
// page.
func readEntryFilter(r *http.Request) (f entryFilter, err error) {
	q := r.URL.Query()
	f.Actor, f.Action, f.Subject, f.cursor = strings.TrimSpace(q.Get("actor")), q.Get("action"),
		strings.TrimSpace(q.Get("application")), q.Get("after")
	var ok1, ok2 bool
	f.From, ok1 = dayOf(q.Get("from"))
	f.To, ok2 = dayOf(q.Get("to"))
	if !ok1 || !ok2 || f.Actor != "" && !contract.IsUUID(f.Actor) || f.Subject != "" && !contract.IsUUID(f.Subject) ||
		f.Action != "" && !slices.Contains(actions[:], f.Action) || len(f.cursor) > 100 {
		return f, httpx.NewError(contract.CodeNotFound, errors.New("no such filter"))
	}
	f.Actor, f.Subject = strings.ToLower(f.Actor), strings.ToLower(f.Subject)
	f.After, _ = applications.ReadCursor(f.cursor)
	return f, nil
}

// entries returns a page of the audit log, newest first, and the cursor of the next
// page.
func (d *Handler) entries(ctx context.Context, tx *store.Tx, f entryFilter, size int) ([]staff.Entry, string, error) {
	found, err := d.Staff.Entries(ctx, tx, f.EntryFilter, size+1)
	if err != nil || len(found) <= size {
		return found, "", err
	}
	last := found[size-1]
	return found[:size], applications.WriteCursor(last.At, last.ID), nil
}

// url returns the address of the entries, as a page or a file, after a cursor.
func (f entryFilter) url(path, after string) string {
	q := url.Values{}
	for name, v := range map[string]string{"actor": f.Actor, "action": f.Action, "application": f.Subject,
		"from": isoDay(f.From), "to": isoDay(f.To), "after": after} {
		if v != "" {
			q.Set(name, v)
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

const (
	auditPath = "/review/audit"
	auditFile = "/review/audit.csv"
)

// auditPage shows the audit trail, newest first.
func (d *Handler) auditPage(w http.ResponseWriter, r *http.Request, by staff.User) error {
	f, err := readEntryFilter(r)
	if err != nil {
		return err
	}
	v := pages.AuditView{By: by.Email, Actor: f.Actor, Action: f.Action, Application: f.Subject, From: isoDay(f.From),
		To: isoDay(f.To), Actions: actions[:], File: f.url(auditFile, "")}
	err = d.DB.Read(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		people, err := d.Staff.Users(ctx, tx, "")
		if err != nil {
			return err
		}
		names := map[string]string{}
		for _, p := range people {
			names[p.ID] = p.Email
			v.People = append(v.People, pages.PersonOption{ID: p.ID, Email: p.Email})
		}
		lines, next, err := d.entries(ctx, tx, f, auditSize)
		if err != nil {
			return err
		}
		for _, l := range lines {
			out := pages.AuditLine{At: l.At, Actor: names[l.Actor], Action: l.Action, Application: l.Subject, Detail: l.Detail, Request: l.RequestID}
			if l.Actor != "" && out.Actor == "" {
				out.Actor = l.Actor
			}
			if out.Object = names[l.Object]; out.Object == "" {
				out.Object = l.Object
			}
			v.Lines = append(v.Lines, out)
		}
		if next != "" {
			v.Older = f.url(auditPath, next)
		}
		if f.cursor != "" {
			v.Newest = f.url(auditPath, "")
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := d.audit(r, staff.Entry{Actor: by.ID, Action: auditRead, Subject: f.Subject, Object: f.Actor}); err != nil {
		return err
	}
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.Audit(p, v) })
}

// auditCSV exports all entries that a filter selects, newest first: users by email
// address, actions by the constants above.
func (d *Handler) auditCSV(w http.ResponseWriter, r *http.Request, by staff.User) error {
	f, err := readEntryFilter(r)
	if err != nil {
		return err
	}
	if err := d.audit(r, staff.Entry{Actor: by.ID, Action: auditRead, Subject: f.Subject, Object: f.Actor, Detail: "file"}); err != nil {
		return err
	}
	var lines []staff.Entry
	names := map[string]string{}
	read := func(ctx context.Context, tx *store.Tx) (err error) {
		lines, f.cursor, err = d.entries(ctx, tx, f, 1000)
		f.After, _ = applications.ReadCursor(f.cursor)
		return err
	}
	err = d.DB.Read(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		people, err := d.Staff.Users(ctx, tx, "")
		if err != nil {
			return err
		}
		for _, p := range people {
			names[p.ID] = p.Email
		}
		return read(ctx, tx)
	})
	if err != nil {
		return err
	}
	attachment(w, spreadsheet.ContentType, "audit.csv")
	out := spreadsheet.NewWriter(w)
	out.Row("time", "person", "action", "application", "object", "detail", "request")
	for {
		for _, l := range lines {
			out.Row(l.At.UTC().Format(time.RFC3339Nano), cmp.Or(names[l.Actor], l.Actor), l.Action,
				l.Subject, cmp.Or(names[l.Object], l.Object), l.Detail, l.RequestID)
		}
		if err := out.Flush(); err != nil || f.cursor == "" {
			return nil // complete, or the client has disconnected
		}
		if err := d.DB.Read(r.Context(), read); err != nil {
			d.Log.ErrorContext(r.Context(), "audit trail: the file breaks off", "err", err)
			panic(http.ErrAbortHandler) // abort the connection so that a truncated file is not taken for complete
		}
	}
}

// dayOf parses a day; "" gives the zero time.
func dayOf(s string) (time.Time, bool) {
	if s == "" {
		return time.Time{}, true
	}
	t, err := time.ParseInLocation(time.DateOnly, s, time.UTC)
	return t, err == nil && t.Year() >= 1970 && t.Year() < 2200
}

func isoDay(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}
