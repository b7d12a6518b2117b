package access

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/freeze"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// maxChanges is how often a file may be frozen or lifted, or its alert changed, and how often it may
// be downloaded, within mail.TriesWindow.
const maxChanges = 20

// errNotAll is returned for a change of the whole file in the session of a company's link.
var errNotAll = httpx.NewError(contract.CodeForbidden, errors.New("a company's link does not open the whole file"))

// showFreeze shows the freeze and the fraud alert of the file, and how to change them.
func (s *Service) showFreeze(w http.ResponseWriter, r *http.Request, o session) error {
	return s.renderFreeze(w, r, o, http.StatusOK, providerui.AccessFreeze{Done: r.URL.Query().Get("done")})
}

func (s *Service) renderFreeze(w http.ResponseWriter, r *http.Request, o session, status int, v providerui.AccessFreeze) error {
	if !o.all() {
		return errNotAll
	}
	file, err := s.Freeze.File(r.Context(), s.DB.SQL, o.mailbox)
	if err != nil {
		return err
	}
	v.Access, v.File = s.base(r), s.fileView(file)
	v.FirstDay, v.LastDay = s.Now().UTC().Add(-12*time.Hour), s.Now().UTC().Add(freeze.MaxLift) // from today in every time zone
	return write(w, r, status, providerui.AccessFreezePage(v))
}

func (s *Service) fileView(f freeze.File) providerui.AccessFile {
	now := s.Now()
	v := providerui.AccessFile{Frozen: f.Frozen(now)}
	if f.Lifted(now) {
		v.LiftedUntil = f.LiftedUntil
	}
	if f.Alerted(now) {
		v.AlertUntil = f.AlertUntil
	}
	return v
}

// Values of the field "change".
const (
	changeFreeze = "freeze"
	changeLift   = "lift"
	changeUntil  = "until"
	changeShort  = "alert-short"
	changeLong   = "alert-long"
	changeRemove = "alert-remove"
)

// changeFreeze freezes the file, lifts its freeze, or changes its fraud alert.
func (s *Service) changeFreeze(w http.ResponseWriter, r *http.Request, o session) error {
	in, err := httpx.DecodeForm(w, r, maxForm)
	if err != nil {
		return err
	}
	if !o.all() {
		return errNotAll
	}
	var until time.Time
	if in.Get("change") == changeUntil {
		until, err = endOfDay(in.Get("until"), in.Get("offset"))
		if err != nil || !until.After(s.Now()) || until.AddDate(0, 0, -1).After(s.Now().Add(freeze.MaxLift)) {
			return s.renderFreeze(w, r, o, http.StatusUnprocessableEntity,
				providerui.AccessFreeze{Until: httpx.Truncate(in.Get("until"), 20), Problem: "access.freeze.no_day"})
		}
	}
	if err := s.limit(r.Context(), "file", o); err != nil {
		return err
	}
	b := s.base(r)
	err = s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		done, err := s.applyChange(ctx, tx, o, in.Get("change"), until)
		if err != nil || done.Action == "" {
			return err
		}
		return s.confirmChange(ctx, tx, b.Lang, o.mailbox, done)
	})
	if err != nil {
		return err
	}
	return httpx.SeeOther(w, b.Link(Path+"/freeze")+"&"+url.Values{"done": {in.Get("change")}}.Encode())
}

// endOfDay returns when a day ends in the person's time zone, which is so many minutes behind UTC; a form that was
// sent without script does not say it, and the day is one of UTC.
func endOfDay(day, behind string) (time.Time, error) {
	zone := time.UTC
	if n, err := strconv.Atoi(behind); err == nil && n >= -14*60 && n <= 12*60 {
		zone = time.FixedZone("", -60*n)
	}
	t, err := time.ParseInLocation(time.DateOnly, day, zone)
	return t.AddDate(0, 0, 1), err
}

// applyChange makes a change of the file, and returns the entry of the log, or the zero entry if
// nothing changed.
func (s *Service) applyChange(ctx context.Context, tx *store.Tx, o session, change string, until time.Time) (freeze.Entry, error) {
	switch change {
	case changeFreeze:
		return s.Freeze.Freeze(ctx, tx, o.mailbox)
	case changeLift, changeUntil:
		return s.Freeze.Lift(ctx, tx, o.mailbox, until)
	case changeShort:
		return s.Freeze.Alert(ctx, tx, o.mailbox, freeze.AlertShort)
	case changeLong:
		return s.Freeze.Alert(ctx, tx, o.mailbox, freeze.AlertLong)
	case changeRemove:
		return s.Freeze.Alert(ctx, tx, o.mailbox, 0)
	}
	return freeze.Entry{}, httpx.NewError(contract.CodeBadRequest, errors.New("no such change of a file"))
}

// limit returns an error if a session's mailbox did something too often.
func (s *Service) limit(ctx context.Context, label string, o session) error {
	ok, err := s.Mailboxes.Allow(ctx, label, string(o.mailbox), maxChanges)
	if err == nil && !ok {
		err = errTooOften
	}
	return err
}

// maxEntries is how many entries of the log are shown.
const maxEntries = 200

// showHistory shows who read which report, and what happened to the file.
func (s *Service) showHistory(w http.ResponseWriter, r *http.Request, o session) error {
	v := providerui.AccessHistory{Access: s.base(r)}
	var err error
	if v.Reads, v.Log, err = s.history(r.Context(), o); err != nil {
		return err
	}
	return write(w, r, http.StatusOK, providerui.AccessHistoryPage(v))
}

// history returns who read the reports of a session, and the log of its file, with names.
func (s *Service) history(ctx context.Context, o session) (reads []providerui.AccessRead, log []providerui.AccessEntry, err error) {
	names := map[string]string{"": ""}
	name := func(customerID string) (string, error) {
		if n, ok := names[customerID]; ok {
			return n, nil
		}
		a, err := s.Customers.ByID(ctx, s.DB.SQL, customerID)
		names[customerID] = a.ApplicantName()
		return names[customerID], err
	}
	if reads, err = readers(ctx, s.DB.SQL, o); err != nil {
		return nil, nil, err
	}
	for i := range reads {
		x := &reads[i]
		x.ThirdParty = x.Reader != x.Owner
		if x.Reader, err = name(x.Reader); err != nil {
			return nil, nil, err
		}
		if x.Owner, err = name(x.Owner); err != nil {
			return nil, nil, err
		}
	}
	entries, err := s.Freeze.Log(ctx, s.DB.SQL, o.mailbox, o.company, maxEntries)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		company, err := name(e.CustomerID)
		if err != nil {
			return nil, nil, err
		}
		log = append(log, providerui.AccessEntry{At: e.At, Action: string(e.Action), Company: company, Until: e.Until})
	}
	return reads, log, nil
}
