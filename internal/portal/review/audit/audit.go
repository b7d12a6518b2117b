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
	Refreshed      = "reportRefreshed"
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
	Exported, Refreshed, Compared, Assigned, Reminded, decisions.Decided, decisions.DecisionKept,
	decisions.Noted, LetterOpened, decisions.LetterSent, decisions.LetterFailed, decisions.LetterWithheld,
	decisions.LetterRetried, sharing.Shared, sharing.Withdrawn, DeletionOpened, deletion.Deleted, deletion.ByRetention,
	staff.UserAdded, staff.UserChanged, staff.LinkIssued, staff.ResetSent, staff.PasswordSet,
	staff.InvitationWithdrawn, staff.FactorAdded, staff.FactorRemoved, staff.FactorReset, staff.RecoveryUsed, staff.RecoveryReplaced,
	EventSent, EventsOn, Read,
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
	Text string // words to search for; not in addresses, because they may be an email address
}

// ReadFilter reads the filter of a query, with days of a time zone; false for invalid values.
func ReadFilter(q url.Values, zone *time.Location) (f Filter, ok bool) {
	f.Actor, f.Action, f.Subject = strings.ToLower(strings.TrimSpace(q.Get("actor"))), q.Get("action"),
		strings.ToLower(strings.TrimSpace(q.Get("application")))
	var err, err2 error
	f.From, f.To, err2 = console.ParseDays(q, zone)
	f.After, err = store.ParseCursor(q.Get("after"))
	return f, err == nil && err2 == nil && (f.Actor == "" || contract.IsUUID(f.Actor)) && (f.Subject == "" || contract.IsUUID(f.Subject)) &&
		(f.Action == "" || slices.Contains(Actions, f.Action))
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

// Page returns a page of the log, newest first. The text of the filter is searched in the
// words of a language.
func (s *Service) Page(ctx context.Context, f Filter, lang i18n.Lang) (pages.AuditView, error) {
	v := pages.AuditView{Text: f.Text, Actor: f.Actor, Action: f.Action, Application: f.Subject, From: console.FormatDay(f.From),
		To: console.FormatDay(f.To), Actions: Actions, File: f.url(filePath, "")}
	of := console.LogFilter{EntryFilter: f.EntryFilter, Text: f.Text, Actions: map[string]string{}, Size: pageSize}
	for _, a := range Actions {
		of.Actions[a] = pages.AuditWords(lang, a)
	}
	err := s.DB.Read(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		v.Log, err = console.ReadLog(ctx, tx, s.Staff, of)
		return err
	})
	if v.Next != "" && f.Text == "" {
		v.Older = f.url(Path, v.Next)
	}
	if !f.After.At.IsZero() {
		v.Newest = f.url(Path, "")
	}
	return v, err
}

// SendCSV sends all entries that a filter selects, newest first: users by email address,
// actions, settings and their values by their constants.
func (s *Service) SendCSV(w http.ResponseWriter, r *http.Request, f Filter) error {
	var found []staff.Entry
	var emails map[string]string
	read := func(ctx context.Context, tx *store.Tx) (err error) {
		if found, err = s.Staff.Entries(ctx, tx, f.EntryFilter, readSize); len(found) > 0 {
			f.After = store.Cursor{At: found[len(found)-1].At, ID: found[len(found)-1].ID}
		}
		return err
	}
	err := s.DB.Read(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		if emails, err = s.Staff.Addresses(ctx, tx); err != nil {
			return err
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
		if err := out.Flush(); err != nil || len(found) < readSize {
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
