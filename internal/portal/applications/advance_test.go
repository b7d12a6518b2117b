package applications

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/journey"
	"vestibule/internal/prefill"
	"vestibule/internal/redirect"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/webhook"
)

const publicToken = "5f1c7f0e-0b0a-4a57-9a5e-3d6f0c1f9a01"

// testServer is a service with a fake provider, a manual clock, and a queue whose
// jobs run on demand.
type testServer struct {
	*Service
	t     *testing.T
	clock time.Time

	mu      sync.Mutex
	jobs    []jobs.Args
	status  svcapi.StatusAnswer
	err     error            // returned by the provider
	product contract.Product // product of the last request to the provider
	fetches atomic.Int64
	asked   atomic.Int64

	revision string        // of every report; "" for null
	files    []svcapi.File // of every report
	analysis []byte        // of every file
	filesErr error
	lists    atomic.Int64
}

func (b *testServer) Remove(context.Context, *store.Tx, string, int64) error { return nil }

func (b *testServer) Enqueue(_ context.Context, _ *store.Tx, args jobs.Args, _ ...jobs.EnqueueOption) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.jobs = append(b.jobs, args)
	return nil
}

func (b *testServer) Status(context.Context, svcapi.Ref) (svcapi.StatusAnswer, error) {
	b.asked.Add(1)
	return b.status, b.err
}

// availableUntil is when the service stops giving out the reports of tests.
var availableUntil = time.Date(2027, 2, 27, 9, 31, 0, 0, time.UTC)

func (b *testServer) Report(_ context.Context, product contract.Product, ref svcapi.Ref) ([]byte, *report.Meta, error) {
	if b.err != nil {
		return nil, nil, b.err
	}
	tag := `W/"` + b.revision + `"`
	if ref.ETag == tag {
		b.asked.Add(1)
		return nil, nil, svcapi.ErrNotModified
	}
	b.fetches.Add(1)
	b.mu.Lock()
	b.product = product
	b.mu.Unlock()
	meta := &report.Meta{PublicToken: publicToken, Status: contract.StatusSuccess, Until: availableUntil, ETag: tag}
	if b.revision == "" {
		return []byte(`{"of":"` + ref.ExternalID + ref.PublicToken + `"}`), meta, nil
	}
	at := report.TimestampOf(b.clock)
	meta.Revision, meta.RevisionCreatedAt = &b.revision, &at
	return []byte(`{"meta":{"svc_report_revision":"` + b.revision + `"}}`), meta, nil
}

func (b *testServer) Files(_ context.Context, product contract.Product, _ svcapi.Ref) ([]svcapi.File, error) {
	b.product = product
	b.lists.Add(1)
	return b.files, b.filesErr
}

func (b *testServer) File(_ context.Context, _ contract.Product, _ svcapi.Ref, path string) (svcapi.Content, error) {
	if len(b.files) == 0 || path != b.files[len(b.files)-1].Path {
		return svcapi.Content{}, &svcapi.Error{HTTP: 404, Code: contract.CodeNotFound}
	}
	return svcapi.Content{Type: "application/json", Body: b.analysis}, nil
}

func newTestServer(t *testing.T, db *store.DB) *testServer {
	b := &testServer{t: t, clock: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)}
	b.Service = &Service{DB: db, Queue: b, Provider: b, Environment: contract.Sandbox, Log: slog.New(slog.DiscardHandler),
		Products: map[contract.Product]string{contract.Cashflow: "11111111-1111-4111-8111-111111111111",
			contract.Income: "22222222-1111-4111-8111-111111111111", contract.Eligibility: "33333333-1111-4111-8111-111111111111",
			contract.Passport: "44444444-1111-4111-8111-111111111111"},
		Now: func() time.Time {
			b.mu.Lock()
			defer b.mu.Unlock()
			return b.clock
		}}
	db.SetClock(b.Now)
	return b
}

func (b *testServer) advanceClock(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clock = b.clock.Add(d)
}

func (b *testServer) tx(f func(ctx context.Context, tx *store.Tx) error) {
	b.t.Helper()
	if err := b.DB.Tx(b.t.Context(), f); err != nil {
		b.t.Fatal(err)
	}
}

var someone = prefill.Fields{FirstName: "Ana", LastName: "Díaz", Email: "ana@example.com", DOB: "1990-02-03"}

func (b *testServer) apply() Application {
	b.t.Helper()
	return b.applyFor(contract.Cashflow)
}

func (b *testServer) applyFor(product contract.Product) Application {
	b.t.Helper()
	fields := someone
	if product == contract.Eligibility {
		fields.State, fields.StatedEmployerNames = "OH", []string{"Northwind", "Tern & Sons"}
	}
	var a Application
	b.tx(func(ctx context.Context, tx *store.Tx) error {
		var problems []prefill.Problem
		var err error
		a, problems, err = b.Create(ctx, tx, New{Product: product, Origin: FromWeb, Prefill: fields.Object(), SessionID: "s"})
		if len(problems) > 0 {
			b.t.Fatalf("problems: %+v", problems)
		}
		return err
	})
	return a
}

func (b *testServer) begin(id string) Attempt {
	b.t.Helper()
	var t Attempt
	b.tx(func(ctx context.Context, tx *store.Tx) error {
		a, err := b.Get(ctx, tx, id)
		if err != nil {
			return err
		}
		if t, err = b.Next(a, Embedded); err != nil {
			return err
		}
		t.Token, t.TokenUntil, t.Verified = "token", b.Now().Add(30*time.Minute), true
		_, t, err = b.Service.begin(ctx, tx, id, t)
		return err
	})
	return t
}

// TestPageViewsKeepTheirAttempts opens two pages that plan the same attempt.
func TestPageViewsKeepTheirAttempts(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		a := b.apply()
		b.begin(a.ID)
		a = b.now(a.ID)
		want := map[string]string{}
		for _, token := range []string{"one", "two"} {
			next, err := b.Next(a, Embedded)
			if err != nil {
				t.Fatal(err)
			}
			want[next.ExternalID] = token
			for range 2 { // the first time as after a lost answer
				if next, err = b.SaveAttempt(t.Context(), a.ID, next); err != nil {
					t.Fatal(err)
				}
				next.Token, next.TokenUntil, next.Verified = token, b.Now().Add(time.Minute), true
			}
		}
		all, err := b.Attempts(t.Context(), a.ID)
		if err != nil || len(all) != 3 {
			t.Fatalf("%d attempts, %v; want 3", len(all), err)
		}
		for _, at := range all[1:] {
			if !at.Verified || want[at.ExternalID] == "" {
				t.Errorf("attempt %d is verified: %v, as %q", at.Number, at.Verified, at.ExternalID)
			}
		}
		if now, err := b.Current(t.Context(), a); err != nil || now.Token != want[now.ExternalID] {
			t.Errorf("the newest attempt has the token %q, %v; want %q", now.Token, err, want[now.ExternalID])
		}
	})
}

// TestWebhooksBringTheirReport delivers one webhook several times at once.
func TestWebhooksBringTheirReport(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		b.FetchEarly = true
		receive := func(a Application) {
			known, err := b.ReceiveWebhook(t.Context(), webhook.Event{EventID: "w", ExternalID: a.ExternalID, PublicToken: publicToken,
				Status: contract.StatusSuccess})
			if err != nil || !known {
				t.Error(known, err)
			}
		}
		first := b.apply()
		b.begin(first.ID)
		before := len(b.jobs)
		receive(first)
		if now := b.now(first.ID); now.Journey.State != journey.Ready || len(b.jobs) != before {
			t.Errorf("state %s, jobs %v; want ready without a job", now.Journey.State, b.jobs[before:])
		}
		second := b.apply()
		b.begin(second.ID)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { receive(second) })
		}
		all.Wait()
		if now := b.now(second.ID); now.Journey.State != journey.Ready || b.fetches.Load() != 2 {
			t.Errorf("state %s, %d fetches of two reports", now.Journey.State, b.fetches.Load())
		}
		third := b.apply()
		b.begin(third.ID)
		b.err = errors.New("no answer")
		receive(third)
		b.err = nil
		if now := b.now(third.ID); now.Journey.State != journey.Pending {
			t.Errorf("state %s without the report, want pending", now.Journey.State)
		}
		b.work(false)
		if now := b.now(third.ID); now.Journey.State != journey.Ready {
			t.Errorf("state %s after its job, want ready", now.Journey.State)
		}
	})
}

func (b *testServer) input(id string, in journey.Input) Application {
	b.t.Helper()
	var a Application
	b.tx(func(ctx context.Context, tx *store.Tx) (err error) {
		a, err = b.Advance(ctx, tx, id, in)
		return err
	})
	return a
}

func (b *testServer) now(id string) Application {
	b.t.Helper()
	a, err := b.Get(b.t.Context(), b.Service.DB.SQL, id)
	if err != nil {
		b.t.Fatal(err)
	}
	return a
}

// work runs every waiting job once, including the jobs that they enqueue. Patient
// polls run only if patient is set.
func (b *testServer) work(patient bool) {
	b.t.Helper()
	for {
		b.mu.Lock()
		due := b.jobs
		b.jobs = nil
		b.mu.Unlock()
		if len(due) == 0 {
			return
		}
		for _, j := range due {
			switch j := j.(type) {
			case Poll:
				if j.Hurried || patient {
					_ = b.poll(b.t.Context(), j) // an error reschedules the job
				}
			case FetchRevision:
				_ = b.fetchRevision(b.t.Context(), j)
			case FetchReport:
				_ = b.fetchReport(b.t.Context(), j)
			case FetchAnalysis:
				_ = b.fetchAnalysis(b.t.Context(), j)
			}
		}
	}
}

// events are the sources that report a success, by name.
var events = map[string]func(b *testServer, a Application){
	"callback": func(b *testServer, a Application) {
		b.input(a.ID, journey.Input{Kind: journey.CallbackSuccess, Attempt: 1, EventID: "e1",
			PublicToken: publicToken, Status: contract.StatusSuccess})
	},
	"exit": func(b *testServer, a Application) {
		b.input(a.ID, journey.Input{Kind: journey.CallbackExit, Attempt: 1, EventID: "e2"})
	},
	"return": func(b *testServer, a Application) {
		b.tx(func(ctx context.Context, tx *store.Tx) error {
			return b.RedirectOutcome(ctx, tx, redirect.Attempt{Application: a.ID, Number: 1},
				redirect.Outcome{Kind: contract.OutcomeSuccess, PublicToken: publicToken, Status: contract.StatusSuccess})
		})
	},
	"webhook": func(b *testServer, a Application) {
		b.tx(func(ctx context.Context, tx *store.Tx) error {
			_, known, err := b.handleWebhook(ctx, tx, webhook.Event{EventID: "w1", ExternalID: a.ExternalID,
				PublicToken: publicToken, Status: contract.StatusSuccess}, nil)
			if !known {
				b.t.Error("the webhook matches no application")
			}
			return err
		})
	},
	"poll": func(b *testServer, a Application) { _ = b.poll(b.t.Context(), Poll{Application: a.ID, Attempt: 1}) },
	"work": func(b *testServer, a Application) { b.work(false) },
}

// TestFetchesOnceInAnyOrder applies callback, exit, return, webhook and poll in
// random order, each up to twice, optionally running jobs in between. A final patient
// poll lets the application end even if no input came.
func TestFetchesOnceInAnyOrder(t *testing.T) {
	names := []string{"callback", "exit", "return", "webhook", "poll", "work"}
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		rnd := rand.New(rand.NewPCG(1, 2))
		for round := range 60 {
			b := newTestServer(t, db)
			b.status = svcapi.StatusAnswer{Status: contract.StatusSuccess}
			a := b.apply()
			b.begin(a.ID)
			b.jobs = nil
			var order []string
			for _, n := range names {
				for range rnd.IntN(3) {
					order = append(order, n)
				}
			}
			rnd.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			for _, n := range order {
				b.advanceClock(time.Second)
				events[n](b, a)
			}
			_ = b.poll(t.Context(), Poll{Application: a.ID, Attempt: 1})
			b.work(false)
			b.work(false)
			got := b.now(a.ID)
			if got.Journey.State != journey.Ready || got.Journey.PublicToken != publicToken || !got.HasReport() || b.fetches.Load() != 1 {
				t.Fatalf("round %d, %v: state %s, report %v, %d fetches; want ready with one", round,
					order, got.Journey.State, got.HasReport(), b.fetches.Load())
			}
			raw, err := b.Service.Report(t.Context(), b.Service.DB.SQL, a.ID, 0, -1)
			// By publicToken if a verified source named it, otherwise by external ID.
			if of := string(raw); err != nil || of != `{"of":"`+a.ExternalID+`"}` && of != `{"of":"`+publicToken+`"}` {
				t.Fatalf("Report = %s, %v", raw, err)
			}
			lines, err := b.Timeline(t.Context(), a.ID, 0, 100)
			if err != nil || int64(len(lines)) != got.Version {
				t.Fatalf("%d lines (%v) at version %d", len(lines), err, got.Version)
			}
		}
	})
}

// TestAttemptIsNewerThanWhatItWaitedFor lets time pass between the start of a transaction
// and its lock of the application, as PostgreSQL does while another transaction has it.
func TestAttemptIsNewerThanWhatItWaitedFor(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		a := b.apply()
		b.tx(func(ctx context.Context, tx *store.Tx) error {
			started := tx.Now
			b.advanceClock(time.Minute)
			_, begun, err := b.Begin(ctx, tx, a.ID, Embedded)
			if passed := begun.CreatedAt.Sub(started); err == nil && passed != time.Minute {
				t.Errorf("the attempt is %v newer than its transaction, want 1m", passed)
			}
			return err
		})
	})
}

func TestConcurrentInputsFetchOnce(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		b.status = svcapi.StatusAnswer{Status: contract.StatusSuccess}
		a := b.apply()
		b.begin(a.ID)
		var all sync.WaitGroup
		for i := range 12 {
			all.Go(func() {
				err := db.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
					_, err := b.Advance(ctx, tx, a.ID, journey.Input{Kind: journey.Webhook, Attempt: 1, EventID: fmt.Sprint("w", i),
						PublicToken: publicToken, Status: contract.StatusSuccess,
						Substatus: contract.Substatus([]string{"", "A", "B"}[i%3])})
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for range 8 {
			all.Go(func() { _ = b.fetchReport(t.Context(), FetchReport{Application: a.ID}) })
		}
		all.Wait()
		if got := b.now(a.ID); got.Journey.State != journey.Ready || b.fetches.Load() != 1 {
			t.Errorf("state %s, %d fetches; want ready with one", got.Journey.State, b.fetches.Load())
		}
	})
}

func TestBrowserHintsDoNotMoveApplications(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		b.err = &svcapi.Error{HTTP: 404, Code: contract.CodeInvalidToken}
		a := b.apply()
		b.begin(a.ID)
		events["callback"](b, a)
		b.work(false)
		if got := b.now(a.ID); got.Journey.State != journey.Returned || got.Journey.PublicToken != "" || b.fetches.Load() != 0 {
			t.Errorf("after a callback only: %+v, %d fetches", got.Journey, b.fetches.Load())
		}
		if b.asked.Load() == 0 {
			t.Error("the callback did not trigger a poll")
		}
	})
}

func TestUnprovenJourneysExpire(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		b.err = &svcapi.Error{Code: contract.CodeUpstream, Err: errors.New("away")}
		a := b.apply()
		b.begin(a.ID)
		poll := Poll{Application: a.ID, Attempt: 1}
		b.advanceClock(lifetime - time.Second)
		if err := b.poll(t.Context(), poll); err == nil {
			t.Error("the patient poll is over before its time")
		}
		if got := b.now(a.ID); got.Journey.State != journey.Connecting {
			t.Errorf("a second early: %s", got.Journey.State)
		}
		b.advanceClock(2 * time.Minute)
		if err := b.poll(t.Context(), poll); err != nil {
			t.Errorf("the patient poll continues: %v", err)
		}
		if got := b.now(a.ID); got.Journey.State != journey.Expired {
			t.Errorf("after 72 hours: %s, want expired", got.Journey.State)
		}
		// A late webhook still counts.
		events["webhook"](b, a)
		b.err = nil
		b.work(false)
		if got := b.now(a.ID); got.Journey.State != journey.Ready {
			t.Errorf("after a late webhook: %s, want ready", got.Journey.State)
		}
	})
}

func TestRetriesFailedFetch(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		a := b.apply()
		b.begin(a.ID)
		events["webhook"](b, a)
		b.err = &svcapi.Error{HTTP: 503, Code: contract.CodeUpstream}
		job := FetchReport{Application: a.ID}
		if err := b.fetchReport(t.Context(), job); err == nil {
			t.Fatal("a failed fetch counts as done")
		}
		b.err = nil
		if err := b.fetchReport(t.Context(), job); err != nil || b.now(a.ID).Journey.State != journey.Ready {
			t.Errorf("second fetch: %v, state %s", err, b.now(a.ID).Journey.State)
		}
	})
}

func TestInterruptedFetchResumesAfterItsLease(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		a := b.apply()
		b.begin(a.ID)
		events["webhook"](b, a)
		if ok, err := lease(t.Context(), db.SQL, a.ID, false, b.Now(), b.Now().Add(fetchLease)); !ok || err != nil {
			t.Fatal(ok, err)
		}
		b.jobs = nil
		if err := b.Resume(t.Context()); err != nil || len(b.jobs) != 1 {
			t.Fatalf("Resume: %v, %d jobs", err, len(b.jobs))
		}
		if err := b.fetchReport(t.Context(), FetchReport{Application: a.ID}); err == nil || b.fetches.Load() != 0 {
			t.Errorf("fetched beside the lease: %v, %d", err, b.fetches.Load())
		}
		b.advanceClock(fetchLease)
		b.work(false)
		if got := b.now(a.ID); got.Journey.State != journey.Ready || b.fetches.Load() != 1 {
			t.Errorf("state %s, %d fetches", got.Journey.State, b.fetches.Load())
		}
	})
}

func TestAttemptExternalIDs(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		long := "order-0123456789-0123456789-0123456789-0123456789-0123456789-ñ23"
		var a Application
		b.tx(func(ctx context.Context, tx *store.Tx) (err error) {
			a, _, err = b.Create(ctx, tx, New{Product: contract.Cashflow, Origin: FromAPI, ExternalID: long, Prefill: someone.Object()})
			return err
		})
		seen := map[string]bool{}
		for range 12 {
			at := b.begin(a.ID)
			if n := len([]rune(at.ExternalID)); n > contract.MaxExternalID || seen[at.ExternalID] {
				t.Errorf("attempt %d has %q (%d characters)", at.Number, at.ExternalID, n)
			}
			seen[at.ExternalID] = true
		}
		if !seen[long] {
			t.Error("the first attempt has not the application's own external id")
		}
		err := db.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, _, err := b.Create(ctx, tx, New{Product: contract.Cashflow, Origin: FromAPI, ExternalID: long})
			return err
		})
		if !errors.Is(err, ErrDuplicateExternalID) {
			t.Errorf("the same external id again: %v", err)
		}
	})
}

// TestKeepsReturnError checks that the stored error of a verified return survives a
// webhook, in either order.
func TestKeepsReturnError(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		for _, first := range []string{"return", "webhook"} {
			a := b.apply()
			attempt := b.begin(a.ID)
			back := func(ctx context.Context, tx *store.Tx) error {
				return b.RedirectOutcome(ctx, tx, redirect.Attempt{Application: a.ID, Number: attempt.Number},
					redirect.Outcome{Kind: contract.OutcomeError, PublicToken: a.ID, Error: contract.WidgetSupplierError})
			}
			event := func(ctx context.Context, tx *store.Tx) error {
				_, _, err := b.handleWebhook(ctx, tx, webhook.Event{EventID: "e", ExternalID: attempt.ExternalID, PublicToken: a.ID,
					Status: contract.StatusError, Substatus: contract.SubIncomplete}, nil)
				return err
			}
			order := []func(context.Context, *store.Tx) error{back, event}
			if first == "webhook" {
				order = []func(context.Context, *store.Tx) error{event, back}
			}
			for _, come := range append(order, order...) {
				b.tx(come)
			}
			if j := b.now(a.ID).Journey; j.State != journey.Failed || j.Error != contract.WidgetSupplierError ||
				j.Substatus != contract.SubIncomplete || j.Outcome() != contract.OutcomeError {
				t.Errorf("the %s first: %+v with outcome %s", first, j, j.Outcome())
			}
		}
	})
}

func TestCreateRejects(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		good := New{Product: contract.Cashflow, Origin: FromAPI, Prefill: someone.Object()}
		for name, tc := range map[string]struct {
			change func(*New)
			want   error
		}{
			"a product that is not offered":  {func(n *New) { n.Product = "loan" }, ErrUnknownProduct},
			"no product":                     {func(n *New) { n.Product = "" }, ErrUnknownProduct},
			"no such mode":                   {func(n *New) { n.Mode = "popup" }, ErrBadMode},
			"a variant by redirect":          {func(n *New) { n.Mode, n.Variant = Redirect, ByPrefill }, ErrBadMode},
			"a prepared report without id":   {func(n *New) { n.Variant = BySandboxReport }, ErrBadMode},
			"a form without applicant":       {func(n *New) { n.Origin, n.Prefill = FromWeb, nil }, ErrBadMode},
			"an external id of 65":           {func(n *New) { n.ExternalID = string(make([]rune, 65)) }, ErrBadExternalID},
			"an external id with line break": {func(n *New) { n.ExternalID = "a\r\nb" }, ErrBadExternalID},
			"a return address of script":     {func(n *New) { n.ReturnURL = "javascript:alert(1)" }, ErrBadURL},
			"a return address with user":     {func(n *New) { n.ReturnURL = "https://a@b.example/" }, ErrBadURL},
			"a return address in the clear":  {func(n *New) { n.ReturnURL = "http://b.example/" }, ErrBadURL},
			"an origin with a path":          {func(n *New) { n.AllowedOrigin = "https://b.example/x" }, ErrBadURL},
			"an origin with a wildcard":      {func(n *New) { n.AllowedOrigin = "https://*.example" }, ErrBadURL},
		} {
			n := good
			tc.change(&n)
			err := db.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
				_, _, err := b.Create(ctx, tx, n)
				return err
			})
			if !errors.Is(err, tc.want) {
				t.Errorf("%s: Create = %v, want %v", name, err, tc.want)
			}
		}
		page, _, err := b.List(t.Context(), Filter{})
		if err != nil || len(page) != 0 {
			t.Errorf("%d applications were stored (%v)", len(page), err)
		}
		b.Environment = contract.Production
		n := good
		n.Variant = ByPrefill
		err = db.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error { _, _, err := b.Create(ctx, tx, n); return err })
		if !errors.Is(err, ErrBadMode) {
			t.Errorf("an integrator's variant in production: %v", err)
		}
	})
}

func TestPersonalDataIsEncrypted(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		b := newTestServer(t, db)
		a := b.apply()
		var sealed []byte
		if err := db.SQL.QueryRow(`SELECT prefill FROM applications WHERE id = $1`, a.ID).Scan(&sealed); err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"Ana", "ana@example.com", "1990"} {
			if contains(sealed, secret) {
				t.Errorf("%q is in the column", secret)
			}
		}
		got, err := b.Applicant(t.Context(), b.Service.DB.SQL, a.ID)
		if err != nil || got.Email != someone.Email || got.LastName != someone.LastName {
			t.Errorf("Applicant = %+v, %v", got, err)
		}
	})
}

func contains(b []byte, s string) bool {
	for i := 0; i+len(s) <= len(b); i++ {
		if string(b[i:i+len(s)]) == s {
			return true
		}
	}
	return false
}

// TestUnreadableReportEndsApplication checks that an unreadable report ends its
// application, whether the fetch or the poll detects the end of its time, and no job runs
// forever.
func TestUnreadableReportEndsApplication(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		for _, by := range []string{"fetch", "poll"} {
			b := newTestServer(t, db)
			a := b.apply()
			b.begin(a.ID)
			events["webhook"](b, a)
			b.err = &svcapi.Error{HTTP: 200, Code: contract.CodeUpstream, Err: errors.New("the answer is not a report")}
			work := func() error {
				if by == "poll" {
					return b.poll(t.Context(), Poll{Application: a.ID, Attempt: 1})
				}
				return b.fetchReport(t.Context(), FetchReport{Application: a.ID})
			}
			b.advanceClock(lifetime - time.Second)
			if err := work(); err == nil || b.now(a.ID).Journey.State != journey.Pending {
				t.Errorf("%s, a second early: %v, %s", by, err, b.now(a.ID).Journey.State)
			}
			b.advanceClock(time.Second)
			work()
			got := b.now(a.ID)
			if got.Journey.State != journey.Failed || got.Journey.Status != contract.StatusError || !got.Journey.CanRetry() {
				t.Errorf("%s, after 72 hours: %+v", by, got.Journey)
			}
			b.advanceClock(time.Minute)
			if err := b.poll(t.Context(), Poll{Application: a.ID, Attempt: 1}); err != nil {
				t.Errorf("%s: the poll continues: %v", by, err)
			}
			var cause *svcapi.Error // a rescheduled job's error has no cause
			if err := b.fetchReport(t.Context(), FetchReport{Application: a.ID}); !errors.As(err, &cause) {
				t.Errorf("%s: the fetch continues: %v", by, err)
			}
			b.err = nil
			if err := b.fetchReport(t.Context(), FetchReport{Application: a.ID}); err != nil || b.now(a.ID).Journey.State != journey.Ready {
				t.Errorf("%s, where it arrives later: %v, %s", by, err, b.now(a.ID).Journey.State)
			}
		}
	})
}
