package sharing

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil/applicationstest"
	"vestibule/internal/testutil/storetest"
)

const (
	application = "11111111-1111-4111-8111-111111111111"
	party       = "svc-harbor"
)

var (
	noon     = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	reviewer = staff.User{ID: "99999999-9999-4999-8999-999999999999"}
)

// provider is a fake provider. Its sharing token of a report and a third party is
// PUBLICTOKEN/PUBLICID.
type provider struct {
	err     error  // returned instead of an answer
	before  func() // called before an answer; may be nil
	revoked []string
}

func (p *provider) CreateRelayToken(_ context.Context, publicToken, publicID string) (string, error) {
	if p.before != nil {
		p.before()
	}
	return publicToken + "/" + publicID, p.err
}

func (p *provider) RevokeRelayToken(_ context.Context, relayToken string) error {
	if p.err == nil {
		p.revoked = append(p.revoked, relayToken)
	}
	return p.err
}

// open returns a service with one application whose report has the public token "first".
func open(t *testing.T) (*Service, *provider, applications.Application) {
	db := storetest.SQLite(t, store.Portal)
	p := &provider{}
	a := applicationstest.Put(t, db, applicationstest.Row{Application: applications.Application{ID: application,
		Product: contract.Cashflow, CreatedAt: noon, Journey: journey.Application{State: journey.Ready, Attempt: 1, PublicToken: "first"},
		Report: applications.StoredReport{Attempt: 1, At: noon}}, Body: []byte("{}")})
	now := func() time.Time { return noon }
	db.SetClock(now)
	return &Service{DB: db, Staff: &staff.Service{Config: staff.Config{AuditSignIns: true, DB: db, Now: now}},
		Applications: &applications.Service{DB: db}, Provider: p,
		Log: slog.New(slog.DiscardHandler)}, p, a
}

// shareOf returns the only share of the application.
func shareOf(t *testing.T, s *Service) Share {
	t.Helper()
	sh, err := s.ByID(t.Context(), s.DB.SQL, ID(application, party))
	if err != nil {
		t.Fatal(err)
	}
	return sh
}

// wantRefusal checks that err is a Refusal with a problem.
func wantRefusal(t *testing.T, err error, problem i18n.Key) {
	t.Helper()
	var r *Refusal
	if !errors.As(err, &r) || r.Problem != problem || r.Status != http.StatusConflict {
		t.Errorf("got %v, want a conflict with problem %v", err, problem)
	}
}

func TestShareNewerReport(t *testing.T) {
	s, p, a := open(t)
	for _, step := range []struct {
		publicToken, label string
		want               string
		revoked            []string
	}{
		{"first", "Harbor", Shared, nil},
		{"first", "", renewed, nil},
		{"second", "", renewed, []string{"first/svc-harbor"}}, // a share has one sharing token
	} {
		a.Report.PublicToken = step.publicToken
		done, err := s.Share(t.Context(), reviewer, a, party, step.label)
		if err != nil || done != step.want || !slices.Equal(p.revoked, step.revoked) {
			t.Errorf("sharing %s: %q, %v, revoked %q", step.publicToken, done, err, p.revoked)
		}
		if sh := shareOf(t, s); sh.RelayToken != step.publicToken+"/svc-harbor" || sh.Label != "Harbor" {
			t.Errorf("stored %+v", sh)
		}
	}
	if err := s.Withdraw(t.Context(), reviewer, shareOf(t, s)); err != nil {
		t.Fatal(err)
	}
	a.Report.PublicToken = "third"
	_, err := s.Share(t.Context(), reviewer, a, party, "")
	wantRefusal(t, err, "review.share.withdrawn_before")
	if want := []string{"first/svc-harbor", "second/svc-harbor", "third/svc-harbor"}; !slices.Equal(p.revoked, want) {
		t.Errorf("revoked %q, want %q", p.revoked, want)
	}
}

func TestShareRefused(t *testing.T) {
	s, p, a := open(t)
	p.err = &svcapi.Error{HTTP: 400, Code: contract.CodeRelayTokenExpired}
	_, err := s.Share(t.Context(), reviewer, a, party, "")
	wantRefusal(t, err, "review.share.too_old")
	p.err = &svcapi.Error{HTTP: 503, Code: contract.CodeUnavailable}
	var r *Refusal
	if _, err = s.Share(t.Context(), reviewer, a, party, ""); !errors.As(err, &r) || r.Status != http.StatusBadGateway {
		t.Errorf("without an answer: %v", err)
	}
	lines, err := linesOf(t.Context(), s.DB.SQL, application, maxLines)
	if err != nil || len(lines) != 1 || lines[0].Done { // its outcome is unknown
		t.Errorf("logged %+v, %v", lines, err)
	}
	if _, err := s.ByID(t.Context(), s.DB.SQL, ID(application, party)); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("stored: %v", err)
	}
}

func TestShareDeletedApplication(t *testing.T) {
	s, p, a := open(t)
	p.before = func() {
		err := s.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(Forget(ctx, tx, application), s.Applications.Delete(ctx, tx, application))
		})
		if err != nil {
			t.Error(err)
		}
	}
	_, err := s.Share(t.Context(), reviewer, a, party, "")
	var answer *httpx.Error
	if !errors.As(err, &answer) || answer.Code != contract.CodeNotFound || !slices.Equal(p.revoked, []string{"first/svc-harbor"}) {
		t.Errorf("%v, revoked %q", err, p.revoked)
	}
	if all, err := s.Shares(t.Context(), s.DB.SQL, application); err != nil || len(all) != 0 {
		t.Errorf("stored %+v, %v", all, err)
	}
}

func TestConfirmWithdrawal(t *testing.T) {
	for _, tc := range []struct {
		err       error
		confirmed bool
	}{
		{nil, true},
		{&svcapi.Error{HTTP: 400, Code: contract.CodeRelayTokenRevoked}, true},
		{&svcapi.Error{HTTP: 404, Code: contract.CodeNotFound}, true},
		{&svcapi.Error{HTTP: 401, Code: contract.CodeUnauthorized}, false},
		{&svcapi.Error{HTTP: 403, Code: contract.CodeUnknownCustomer}, false},
		{&svcapi.Error{HTTP: 503, Code: contract.CodeUnavailable}, false},
		{context.DeadlineExceeded, false},
	} {
		if err := ConfirmWithdrawal(tc.err); (err == nil) != tc.confirmed || !tc.confirmed && !errors.Is(err, ErrNotWithdrawn) {
			t.Errorf("ConfirmWithdrawal(%v) = %v", tc.err, err)
		}
	}
}
