package visits

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"vestibule/internal/door"
	"vestibule/internal/store"
	"vestibule/internal/svc"
)

// Walk says how the sandbox control walks a visit: by all the sources that are given,
// or, without any, by a bank.
type Walk struct {
	Username string // of the mock bank; empty is "default"
	Bank     string // its id or name; empty is the first of the catalogue
	Payroll  *Payroll
	Stubs    []File // pay stubs that are uploaded, whatever is in them
	Supplier string // of a passport: its code; empty is the first of the catalogue
	End      string // "", "exit", or "error:" and a widget error type
}

// File is an uploaded file.
type File struct {
	Name    string
	Content []byte
}

// Payroll is a sign-in at a payroll provider.
type Payroll struct {
	Provider string // its id or name; empty is the first of the catalogue
	Username string // empty is "default"
}

// walk is a Walk that was checked.
type walk struct {
	sources []target // not empty
	files   []File
	end     Input
}

// target is a source to be connected.
type target struct {
	way      Way
	bank     string // an id; empty for pay stubs
	username string
}

// next is the first source that the visit has not tried yet.
func (w walk) next(v visit) (target, bool) {
	for _, t := range w.sources {
		if !slices.ContainsFunc(v.sources(), func(c connected) bool { return c.Way == t.way && c.Bank == t.bank }) {
			return t, true
		}
	}
	return target{}, false
}

// check holds a walk against the catalogues. Sources are connected in the order bank,
// payroll, pay stubs; a supplier excludes them all.
func (s *Service) check(how Walk) (w walk, err error) {
	byBank := how.Bank != "" || how.Username != ""
	other := how.Payroll != nil || len(how.Stubs) > 0
	if how.Supplier != "" && (byBank || other) {
		return w, refused("supplier", "excludes every other source")
	}
	add := func(way Way, field, wanted, username string) error {
		all, at := s.list(way), 0
		if wanted != "" {
			at = slices.IndexFunc(all, func(b Bank) bool { return b.ID == wanted || b.Name == wanted })
		}
		if at < 0 || at >= len(all) {
			return refused(field, "is no id and no name in the catalogue")
		}
		w.sources = append(w.sources, target{way, all[at].ID, cmp.Or(strings.ToLower(strings.TrimSpace(username)), "default")})
		return nil
	}
	switch {
	case how.Supplier != "":
		err = add(WaySupplier, "supplier", how.Supplier, "")
	case byBank || !other:
		err = add(WayBank, "bank", how.Bank, how.Username)
	}
	if p := how.Payroll; p != nil && err == nil {
		err = add(WayPayroll, "payroll.provider", p.Provider, p.Username)
	}
	if err != nil {
		return w, err
	}
	if len(how.Stubs) > MaxFiles {
		return w, refused("payStubs", "has more files than can be uploaded")
	}
	if len(how.Stubs) > 0 {
		w.sources, w.files = append(w.sources, target{way: WayStubs}), how.Stubs
	}
	w.end, err = endOf(how.End)
	return w, err
}

func refused(field, words string) error {
	return door.Fail(svc.CodeMalformedBody, errors.New("a walk that cannot be walked"), door.Detail{Field: field, Message: words})
}

// Walked is what became of it. CompleteURL has the outcome token in it, and is
// empty for a visit without a redirect.
type Walked struct {
	PublicToken string
	Status      svc.Status
	Substatus   svc.Substatus
	CompleteURL string
}

// How long Walk waits for the report to be made, and how often it looks.
const (
	walkPatience = 10 * time.Second
	walkLook     = 20 * time.Millisecond
)

// Walk takes a visit to its end without a browser, through the same machine, for
// the sandbox control. token is an unused initialization token, a redirect
// token, or the handle of a visit's page; anything else is store.ErrNotFound.
func (s *Service) Walk(ctx context.Context, token string, how Walk) (Walked, error) {
	w, err := s.check(how)
	if err != nil {
		return Walked{}, err
	}
	var v visit
	err = s.retry(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if v, err = s.find(ctx, tx, token); err != nil {
			return err
		}
		if v, err = s.catchUp(ctx, tx, v); err != nil {
			return err
		}
		v, err = s.walk(ctx, tx, v, w)
		return err
	})
	if err == nil && v.Step == StepDocuments && v.walking() && len(w.files) > 0 {
		v, err = s.walkDocuments(ctx, v, w)
	}
	if err == nil {
		v, err = s.settle(ctx, v)
	}
	if err != nil {
		return Walked{}, err
	}
	done := Walked{PublicToken: v.publicToken, Status: v.Status, Substatus: v.Substatus}
	if s.Returns != nil && v.Outcome() != "" {
		back, ok, err := s.Returns.Return(ctx, s.DB.SQL, ended(v))
		if err != nil {
			return Walked{}, err
		}
		if ok {
			done.CompleteURL = back.URL
		}
	}
	return done, nil
}

func endOf(end string) (Input, error) {
	code, broke := strings.CutPrefix(end, "error:")
	switch {
	case end == "":
		return Input{}, nil
	case end == "exit":
		return Input{Kind: Left}, nil
	case broke && svc.WidgetError(code).Valid():
		return Input{Kind: Broke, Error: svc.WidgetError(code)}, nil
	}
	return Input{}, refused("end", `is "exit", or "error:" and a widget error type`)
}

// find returns the visit that a token leads to, having used it up if it is an
// initialization token.
func (s *Service) find(ctx context.Context, tx *sql.Tx, token string) (visit, error) {
	v, err := byHandle(ctx, tx, token)
	if !errors.Is(err, store.ErrNotFound) {
		return v, err
	}
	v, err = claim(ctx, tx, token, s.Now())
	if !errors.Is(err, errToken) {
		return v, err
	}
	if s.Returns == nil {
		return visit{}, store.ErrNotFound
	}
	id, err := s.Returns.Visit(ctx, tx, token)
	if err != nil {
		return visit{}, err
	}
	return byID(ctx, tx, id)
}

// walk answers each step as an applicant would, until the visit no longer asks.
func (s *Service) walk(ctx context.Context, tx *sql.Tx, v visit, w walk) (visit, error) {
	for {
		var in Input
		var picked []string
		t, more := w.next(v)
		switch {
		case v.State == Created:
			var err error
			if v, err = s.come(ctx, tx, v); err != nil {
				return v, err
			}
			continue
		case v.State == Closed && w.end.Kind != Left:
			in.Kind = CameBack
		case v.State != Open && v.State != Connecting:
			return v, nil
		case w.end.Kind != "" && v.Step != StepConsent:
			in = w.end
		case v.Step == StepConsent:
			in.Kind = Consented
		case t.way == WaySupplier && v.Product != svc.Passport:
			return v, refused(t.way.field(), "is no source of this product's reports")
		case v.Step == StepConnected && more:
			in.Kind = More
		case v.Step == StepConnected:
			in.Kind = Enough
		case v.Step == StepSource:
			in = Input{Kind: Took, Way: t.way}
		case v.Step == StepDocuments && t.way == WayStubs:
			return v, nil // the files are uploaded outside of this transaction
		case v.Step == v.Way.first() && v.Way != t.way && len(Ways(v.Product)) > 1:
			in.Kind = Turned
		case v.Step == StepSupplier:
			if t.way != WaySupplier && t.way != WayBank {
				return v, refused(t.way.field(), "is no source of this product's reports")
			}
			in = Input{Kind: Chose, Way: WaySupplier, Bank: s.Suppliers[0].ID}
			if t.way == WaySupplier {
				in.Bank = t.bank
			}
		case v.Step == StepBank, v.Step == StepEmployer:
			if v.Way != t.way || len(w.sources) > 1 && len(Ways(v.Product)) == 1 {
				return v, refused(w.sources[len(w.sources)-1].way.field(), "is no source of this product's reports")
			}
			in = Input{Kind: Chose, Way: t.way, Bank: t.bank}
		case v.Step == StepSignIn && v.Way != t.way:
			in.Kind = Rechose
		case v.Step == StepSignIn:
			in = Input{Kind: SignedIn, Username: t.username, Login: s.login(v.Way, t.username), OK: true}
			if !in.Login.Known {
				in.Username = ""
			}
		case v.Step == StepCode:
			in = Input{Kind: Coded, Login: s.login(v.Way, v.Username), OK: true, Late: s.late(v)}
		case v.Step == StepAccounts:
			in.Kind = Picked
			for _, a := range s.accounts(v) {
				picked = append(picked, a.ID)
			}
		}
		next, moved, err := s.advance(ctx, tx, v, in, picked...)
		if err != nil || !moved {
			return next, err
		}
		v = next
	}
}

// walkDocuments uploads the files, hands them in and walks on.
func (s *Service) walkDocuments(ctx context.Context, v visit, w walk) (visit, error) {
	consumer, err := s.Customers.Consumer(ctx, s.DB.SQL, v.customerID, v.consumerID)
	if err != nil {
		return v, err
	}
	var ids []string
	for _, f := range w.files {
		id, err := s.Documents.Upload(ctx, v.publicToken, consumer.KeyID, f.Name, true, bytes.NewReader(f.Content))
		if errors.Is(err, ErrFileTooLarge) {
			return v, refused("payStubs", "has a file that is too large")
		}
		if err != nil {
			return v, err
		}
		ids = append(ids, id)
	}
	err = s.retry(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if v, err = byID(ctx, tx, v.id); err != nil {
			return err
		}
		for _, id := range ids {
			if _, err := s.Documents.Keep(ctx, tx, v.publicToken, id); err != nil {
				return err
			}
		}
		if v, _, err = s.advance(ctx, tx, v, Input{Kind: Handed}); err != nil {
			return err
		}
		v, err = s.walk(ctx, tx, v, w)
		return err
	})
	return v, err
}

// settle waits until the report of a generating visit is made.
func (s *Service) settle(ctx context.Context, v visit) (visit, error) {
	ctx, cancel := context.WithTimeout(ctx, walkPatience)
	defer cancel()
	tick := time.NewTicker(walkLook)
	defer tick.Stop()
	for v.State == Generating {
		select {
		case <-ctx.Done():
			return v, nil
		case <-tick.C:
		}
		err := s.retry(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
			if v, err = byID(ctx, tx, v.id); err != nil {
				return err
			}
			v, err = s.catchUp(ctx, tx, v)
			return err
		})
		if err != nil {
			return v, err
		}
	}
	return v, nil
}
