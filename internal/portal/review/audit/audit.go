// Package audit reads the audit log for the review dashboard.
package audit

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"vestibule/internal/console"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/portal/review/decisions"
	"vestibule/internal/portal/review/deletion"
	"vestibule/internal/portal/review/sharing"
	"vestibule/internal/portal/review/spreadsheet"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
)

// Actions of the dashboard's pages in the audit log.
const (
	Listed         = "listed"
	Searched       = "searched"
	Opened         = "opened"
	ReportViewed   = "reportViewed"
	ReportExported = "reportExported"
	FilesListed    = "filesListed"
	FileOpened     = "fileOpened"
	Read           = "auditRead"
	LetterOpened   = "letterOpened"
	Compared       = "compared"
	DeletionOpened = "deletionOpened"
	EventSent      = "eventSent"
	EventsOn       = "eventsOn"
	Assigned       = "assigned"
	Reminded       = "reminded"
	Exported       = "listExported"
)

// Details of Assigned.
const (
	Taken    = "taken"
	Given    = "given" // to another user
	Released = "released"
)

// Actions lists all actions, in the order of the filter.
var Actions = []string{
	staff.SignedIn, staff.SignInFailed, staff.SignedOut, Listed, Searched, Opened, ReportViewed, ReportExported, FilesListed, FileOpened,
	Exported, Compared, Assigned, Reminded, decisions.Decided,
	decisions.Noted, LetterOpened, decisions.LetterSent, decisions.LetterFailed, decisions.LetterWithheld,
	decisions.LetterRetried, sharing.Shared, sharing.Withdrawn, DeletionOpened, deletion.Deleted, deletion.ByRetention,
	staff.UserAdded, staff.UserChanged, staff.LinkIssued, staff.ResetSent, staff.PasswordSet, EventSent, EventsOn, Read,
}

// Service reads the audit log. All fields are required.
type Service struct {
	DB    *store.DB
	Staff *staff.Service
	Log   *slog.Logger
}

// Addresses of the page and of the file.
const (
	Path     = "/review/audit"
	filePath = "/review/audit.csv"
)

const (
	pageSize = 50   // entries on a page
	readSize = 1000 // entries that SendCSV reads at once
)

// Filter selects entries.
type Filter struct {
	staff.EntryFilter
	Cursor string // of the page, as text
	Text   string // words to search for; not in addresses, because they may be an email address
}

// ReadFilter reads the filter of a query; false for invalid values. A malformed cursor
// selects the first page.
func ReadFilter(q url.Values) (f Filter, ok bool) {
	f.Actor, f.Action, f.Subject, f.Cursor = strings.ToLower(strings.TrimSpace(q.Get("actor"))), q.Get("action"),
		strings.ToLower(strings.TrimSpace(q.Get("application"))), q.Get("after")
	var daysOK bool
	f.From, f.To, daysOK = console.ParseDays(q)
	f.After, _ = store.ParseCursor(f.Cursor)
	return f, daysOK && (f.Actor == "" || contract.IsUUID(f.Actor)) && (f.Subject == "" || contract.IsUUID(f.Subject)) &&
		(f.Action == "" || slices.Contains(Actions, f.Action)) && len(f.Cursor) <= 100
}

// URL returns the address of the first page.
func (f Filter) URL() string { return f.url(Path, "") }

// url returns the address of the entries after a cursor, as a page or a file.
func (f Filter) url(path, after string) string {
	q := url.Values{}
	for name, v := range map[string]string{"actor": f.Actor, "action": f.Action, "application": f.Subject,
		"from": console.FormatDay(f.From), "to": console.FormatDay(f.To), "after": after} {
		if v != "" {
			q.Set(name, v)
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// entries returns a page of the log, newest first, and the cursor of the next page.
func (s *Service) entries(ctx context.Context, tx *store.Tx, f Filter, size int) ([]staff.Entry, string, error) {
	found, err := s.Staff.Entries(ctx, tx, f.EntryFilter, size+1)
	if err != nil || len(found) <= size {
		return found, "", err
	}
	last := found[size-1]
	return found[:size], store.Cursor{At: last.At, ID: last.ID}.String(), nil
}

// Page returns a page of the log, newest first. The text of the filter is searched in the
// words of a language.
func (s *Service) Page(ctx context.Context, f Filter, lang i18n.Lang) (pages.AuditView, error) {
	v := pages.AuditView{Text: f.Text, Actor: f.Actor, Action: f.Action, Application: f.Subject, From: console.FormatDay(f.From),
		To: console.FormatDay(f.To), Actions: Actions, File: f.url(filePath, "")}
	err := s.DB.Read(ctx, func(ctx context.Context, tx *store.Tx) error {
		users, err := s.Staff.Users(ctx, tx, "")
		if err != nil {
			return err
		}
		emails := map[string]string{}
		for _, u := range users {
			emails[u.ID] = u.Email
			v.Users = append(v.Users, pages.UserOption{ID: u.ID, Email: u.Email})
			if u.ID == f.Actor {
				v.Of = &pages.User{ID: u.ID, Email: u.Email, Role: string(u.Role), SignedIn: u.SignedIn, Disabled: u.Disabled,
					Password: u.HasPassword, OIDC: u.HasOIDC}
			}
		}
		actions := map[string]string{}
		for _, a := range Actions {
			actions[a] = pages.AuditWords(lang, a)
		}
		f.Search(f.Text, emails, actions)
		found, next, err := s.entries(ctx, tx, f, pageSize)
		if err != nil {
			return err
		}
		v.Lines = staff.Lines(found, func(e staff.Entry, older []pages.AuditLine) pages.AuditLine {
			x := pages.AuditLine{At: e.At, Actor: cmp.Or(emails[e.Actor], e.Actor), Action: e.Action, Application: e.Subject,
				Object: cmp.Or(emails[e.Object], e.Object), Detail: e.Detail, Values: e.Values, Request: e.RequestID, More: older}
			if emails[e.Actor] != "" {
				x.ActorID = e.Actor
			}
			if emails[e.Object] != "" {
				x.ObjectID = e.Object
			}
			return x
		})
		v.Count = len(found)
		if f.Text != "" {
			v.After = next
		} else if next != "" {
			v.Older = f.url(Path, next)
		}
		if f.Cursor != "" {
			v.Newest = f.url(Path, "")
		}
		return nil
	})
	return v, err
}

// SendCSV sends all entries that a filter selects, newest first: users by email address,
// actions, settings and their values by their constants.
func (s *Service) SendCSV(w http.ResponseWriter, r *http.Request, f Filter) error {
	var found []staff.Entry
	emails := map[string]string{}
	read := func(ctx context.Context, tx *store.Tx) (err error) {
		found, f.Cursor, err = s.entries(ctx, tx, f, readSize)
		f.After, _ = store.ParseCursor(f.Cursor)
		return err
	}
	err := s.DB.Read(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		users, err := s.Staff.Users(ctx, tx, "")
		if err != nil {
			return err
		}
		for _, u := range users {
			emails[u.ID] = u.Email
		}
		return read(ctx, tx)
	})
	if err != nil {
		return err
	}
	httpx.SetDownload(w, spreadsheet.ContentType, "audit.csv")
	out := spreadsheet.NewWriter(w)
	out.Row("time", "person", "action", "application", "object", "detail", "request", "changes")
	for {
		for _, e := range found {
			out.Row(e.At.UTC().Format(time.RFC3339Nano), cmp.Or(emails[e.Actor], e.Actor), e.Action,
				e.Subject, cmp.Or(emails[e.Object], e.Object), e.Detail, e.RequestID, changes(e.Values))
		}
		if err := out.Flush(); err != nil || f.Cursor == "" {
			return nil // complete, or the client has disconnected
		}
		if err := s.DB.Read(r.Context(), read); err != nil {
			s.Log.ErrorContext(r.Context(), "audit log: export aborted", "err", err)
			panic(http.ErrAbortHandler) // abort the connection so that a truncated file is not taken for complete
		}
	}
}

// changes returns the values of an entry for a cell of a spreadsheet.
func changes(all []staff.Value) string {
	var out []string
	for _, v := range all {
		out = append(out, string(v.Setting)+": "+v.Before+" → "+v.After)
	}
	return strings.Join(out, "; ")
}
