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
	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// Actions in the audit trail.
const (
	signedIn         = "signedIn"
	signInFailed     = "signInFailed"
	signedOut        = "signedOut"
	listed           = "listed"
	searched         = "searched"
	opened           = "opened"
	reportViewed     = "reportViewed"
	reportExported   = "reportExported"
	filesListed      = "filesListed"
	fileOpened       = "fileOpened"
	sharedLine       = "shared"
	withdrawnLine    = "withdrawn"
	auditRead        = "auditRead"
	personAdded      = "personAdded"
	personChanged    = "personChanged"
	personLinked     = "personLinked"
	passwordSet      = "passwordSet"
	decidedLine      = "decided"
	noted            = "noted"
	letterOpened     = "letterOpened"
	letterSent       = "letterSent" // the email of a decision, as are the next three
	letterFailed     = "letterFailed"
	letterWithheld   = "letterWithheld"
	letterRetried    = "letterRetried"
	compared         = "compared"
	deletionOpened   = "deletionOpened"
	deleted          = "deleted"
	retentionDeleted = "retentionDeleted"
	eventSent        = "eventSent"
	eventsOn         = "eventsOn"
)

// actions lists all actions, in the order of the filter.
var actions = [...]string{signedIn, signInFailed, signedOut, listed, searched, opened, reportViewed, reportExported, filesListed, fileOpened,
	compared, decidedLine, noted, letterOpened, letterSent, letterFailed, letterWithheld, letterRetried, sharedLine, withdrawnLine, deletionOpened, deleted, retentionDeleted, personAdded, personChanged, personLinked,
	passwordSet, eventSent, eventsOn, auditRead}

// auditLine is one entry of the audit trail.
type auditLine struct {
	id, actor, action     string
	application           string
	object, detail, asked string // asked is the request's ID
	at                    time.Time
}

// write adds an entry to the audit trail, in the transaction of the audited action.
func (d *Handler) write(ctx context.Context, q store.Queryer, l auditLine) error {
	l.at, l.asked = d.Now(), httpx.RequestID(ctx)
	if l.id == "" {
		l.id = uuid.NewString()
	}
	return insertLine(ctx, q, l)
}

// audit records what a user is about to see. A HEAD request shows nothing and is not
// recorded.
func (d *Handler) audit(r *http.Request, l auditLine) error {
	if r.Method == http.MethodHead {
		return nil
	}
	return d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error { return d.write(ctx, tx, l) })
}

// auditSize is the number of entries on a page of the audit trail.
const auditSize = 50

// trail is a filter of audit trail entries.
type trail struct {
	actor, action, application string
	from, to                   time.Time // days, both inclusive; zero is unbounded
	cursor                     string
}

// trailOf reads the filter of a request.
func trailOf(r *http.Request) (t trail, err error) {
	q := r.URL.Query()
	t = trail{actor: strings.TrimSpace(q.Get("actor")), action: q.Get("action"), application: strings.TrimSpace(q.Get("application")), cursor: q.Get("after")}
	var ok1, ok2 bool
	t.from, ok1 = dayOf(q.Get("from"))
	t.to, ok2 = dayOf(q.Get("to"))
	if !ok1 || !ok2 || t.actor != "" && !contract.IsUUID(t.actor) || t.application != "" && !contract.IsUUID(t.application) ||
		t.action != "" && !slices.Contains(actions[:], t.action) || len(t.cursor) > 100 {
		return t, httpx.NewError(contract.CodeNotFound, errors.New("no such filter"))
	}
	t.actor, t.application = strings.ToLower(t.actor), strings.ToLower(t.application)
	return t, nil
}

// url returns the address of the entries, as a page or a file, after a cursor.
func (t trail) url(path, after string) string {
	q := url.Values{}
	for name, v := range map[string]string{"actor": t.actor, "action": t.action, "application": t.application, "from": isoDay(t.from), "to": isoDay(t.to), "after": after} {
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
func (d *Handler) auditPage(w http.ResponseWriter, r *http.Request, by person) error {
	t, err := trailOf(r)
	if err != nil {
		return err
	}
	v := pages.AuditView{By: by.email, Actor: t.actor, Action: t.action, Application: t.application, From: isoDay(t.from), To: isoDay(t.to), Actions: actions[:], File: t.url(auditFile, "")}
	err = d.DB.Read(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		people, err := d.everybody(ctx, tx)
		if err != nil {
			return err
		}
		names := map[string]string{}
		for _, p := range people {
			names[p.id] = p.email
			v.People = append(v.People, pages.PersonOption{ID: p.id, Email: p.email})
		}
		lines, next, err := readTrail(ctx, tx, t, auditSize)
		if err != nil {
			return err
		}
		for _, l := range lines {
			out := pages.AuditLine{At: l.at, Actor: names[l.actor], Action: l.action, Application: l.application, Detail: l.detail, Request: l.asked}
			if l.actor != "" && out.Actor == "" {
				out.Actor = l.actor
			}
			if out.Object = names[l.object]; out.Object == "" {
				out.Object = l.object
			}
			v.Lines = append(v.Lines, out)
		}
		if next != "" {
			v.Older = t.url(auditPath, next)
		}
		if t.cursor != "" {
			v.Newest = t.url(auditPath, "")
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := d.audit(r, auditLine{actor: by.id, action: auditRead, application: t.application, object: t.actor}); err != nil {
		return err
	}
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.Audit(p, v) })
}

// auditCSV exports all entries that a filter selects, newest first: users by email
// address, actions by the constants above.
func (d *Handler) auditCSV(w http.ResponseWriter, r *http.Request, by person) error {
	t, err := trailOf(r)
	if err != nil {
		return err
	}
	if err := d.audit(r, auditLine{actor: by.id, action: auditRead, application: t.application, object: t.actor, detail: "file"}); err != nil {
		return err
	}
	var lines []auditLine
	names := map[string]string{}
	read := func(ctx context.Context, tx *store.Tx) (err error) {
		lines, t.cursor, err = readTrail(ctx, tx, t, 1000)
		return err
	}
	err = d.DB.Read(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		people, err := d.everybody(ctx, tx)
		if err != nil {
			return err
		}
		for _, p := range people {
			names[p.id] = p.email
		}
		return read(ctx, tx)
	})
	if err != nil {
		return err
	}
	attachment(w, csvType, "audit.csv")
	out := newSheet(w)
	out.row("time", "person", "action", "application", "object", "detail", "request")
	for {
		for _, l := range lines {
			out.row(l.at.UTC().Format(time.RFC3339Nano), cmp.Or(names[l.actor], l.actor), l.action, l.application, cmp.Or(names[l.object], l.object), l.detail, l.asked)
		}
		if err := out.end(); err != nil || t.cursor == "" {
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
