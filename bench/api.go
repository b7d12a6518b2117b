package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	_ "modernc.org/sqlite" // the peer: the engine that the product has embedded

	"vestibule/internal/contract"
	"vestibule/internal/provider"
	"vestibule/internal/provider/sandbox"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/web"
)

// apiFigures measures how many submissions a second are accepted and durable before the
// answer, how long after one its webhook arrives, and short requests.
func apiFigures(ctx context.Context) ([]figure, error) {
	dir, err := os.MkdirTemp("", "vestibule-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s, err := newService(ctx, store.Config{Dir: dir})
	if err != nil {
		return nil, err
	}
	defer s.stop()
	taken, err := s.accepted(ctx, dir)
	if err != nil {
		return nil, err
	}
	delivered, err := s.delivered(ctx)
	if err != nil {
		return nil, err
	}
	requests, err := requestFigures(ctx)
	return slices.Concat(taken, []figure{delivered}, requests), err
}

// accepted compares submissions of 3,000 transactions over HTTP with bare inserts of the
// same bytes into the same engine, each in a transaction that is on disk before it
// returns. Reports are generated at the same time; the time until the last one is ready is
// the second figure.
func (s *service) accepted(ctx context.Context, dir string) ([]figure, error) {
	const rounds, each, clients = 7, 24, 4
	bodies := make([][]byte, each)
	bare, err := newBare(filepath.Join(dir, "bare.db"))
	if err != nil {
		return nil, err
	}
	defer bare.Close()
	var ours, peer, made []float64 // ns a submission
	for round := range rounds + 1 {
		for i := range bodies {
			if bodies[i], err = json.Marshal(submission(fmt.Sprintf("r%d-%d", round, i), 3000, s.now())); err != nil {
				return nil, err
			}
		}
		began := time.Now()
		if err := s.submitAll(ctx, bodies, clients); err != nil {
			return nil, err
		}
		accepted := time.Since(began)
		if err := s.idle(ctx); err != nil {
			return nil, err
		}
		all := time.Since(began)
		began = time.Now()
		for i, body := range bodies {
			if _, err := bare.ExecContext(ctx, `INSERT INTO submissions (id, body) VALUES (?, ?)`, fmt.Sprint(round, "-", i), body); err != nil {
				return nil, err
			}
		}
		if round > 0 { // the first one warms up
			ours = append(ours, float64(accepted.Nanoseconds())/each)
			made = append(made, float64(all.Nanoseconds())/each)
			peer = append(peer, float64(time.Since(began).Nanoseconds())/each)
		}
	}
	return []figure{
		ratesOf("durable submissions over HTTP / bare inserts", ours, peer, "≥ 0.30"),
		ratesOf("submissions until their reports are made / same", made, peer, "reported"),
	}, nil
}

// ratesOf makes a figure of two series of nanoseconds, as rates.
func ratesOf(name string, ours, peer []float64, wanted string) figure {
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = peer[i] / ours[i]
	}
	return figure{
		name: name, wanted: wanted,
		ours:  fmt.Sprintf("%.0f /s", 1e9/quantile(ours, 0.5)),
		peer:  fmt.Sprintf("%.0f /s", 1e9/quantile(peer, 0.5)),
		ratio: quantile(ratios, 0.5), low: quantile(ratios, 0.25), high: quantile(ratios, 0.75),
	}
}

// delivered makes one submission at a time and waits for its webhook. The figure is the
// 99th percentile of the time from the answer to the first byte of the webhook.
func (s *service) delivered(ctx context.Context) (figure, error) {
	const samples = 200
	var took []float64
	for i := range samples + 10 {
		body, err := json.Marshal(submission(fmt.Sprint("w", i), 300, s.now()))
		if err != nil {
			return figure{}, err
		}
		token, err := s.submit(ctx, body)
		if err != nil {
			return figure{}, err
		}
		accepted := time.Now()
		arrived, err := s.webhookOf(ctx, token)
		if err != nil {
			return figure{}, err
		}
		if i >= 10 { // the first ones warm up
			took = append(took, max(0, float64(arrived.Sub(accepted).Nanoseconds())))
		}
	}
	const limit = 250e6
	p := quantile(took, 0.99)
	return figure{
		name: "submission accepted → webhook delivered, p99", wanted: "≤ 1.00",
		ours: fmt.Sprintf("%.0f ms", p/1e6), peer: fmt.Sprintf("limit %.0f ms", limit/1e6),
		ratio: p / limit, low: quantile(took, 0.5) / limit, high: slices.Max(took) / limit,
	}, nil
}

// newBare opens a database with the durability of the product.
func newBare(path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`CREATE TABLE submissions (id TEXT PRIMARY KEY, body BLOB NOT NULL)`)
	return db, err
}

// service is a whole provider on SQLite with a customer. Each submission moves its clock
// by three seconds, because an account may send thirty a minute.
type service struct {
	offset   atomic.Int64
	server   *httptest.Server
	receiver *httptest.Server
	provider *provider.Provider
	db       *store.DB
	product  string
	basic    string
	third    string // publicId of the third party

	mu      sync.Mutex
	bearer  string
	until   time.Time
	arrived map[string]time.Time // publicToken → when its webhook came
	rang    chan struct{}
}

func (s *service) now() time.Time { return time.Now().Add(time.Duration(s.offset.Load())) }

func newService(ctx context.Context, where store.Config) (*service, error) {
	s := &service{arrived: map[string]time.Time{}, rang: make(chan struct{}, 1), product: uuid.NewString()}
	var err error
	where.Party, where.MasterKey, where.Now = store.Provider, make([]byte, 32), s.now
	s.db, err = store.Open(ctx, where)
	if err != nil {
		return nil, err
	}
	s.receiver = httptest.NewServer(http.HandlerFunc(s.receive))
	var handler http.Handler
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
	s.provider, err = provider.New(ctx,
		provider.Config{DB: s.db, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: s.now, URL: s.server.URL,
			Environment: contract.Sandbox, Sandbox: sandbox.New, Assets: web.Provider(), AllowLoopbackCallbacks: true})
	if err != nil {
		return nil, err
	}
	seed := provider.Seed{PublicID: uuid.NewString(), ClientID: "bench", SecretKey: store.NewSecret(),
		Products:      map[contract.Product]string{contract.Cashflow: s.product},
		WebhookSecret: "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 32)),
		ThirdParty:    provider.SeedAccount{PublicID: uuid.NewString(), ClientID: "third", SecretKey: store.NewSecret()},
		CallbackURL:   s.receiver.URL, ReturnMode: "get"}
	if err := s.provider.Seed(ctx, seed); err != nil {
		return nil, err
	}
	s.basic = base64.StdEncoding.EncodeToString([]byte(seed.ClientID + ":" + seed.SecretKey))
	s.third = seed.ThirdParty.PublicID
	handler = s.provider.Handler()
	return s, s.provider.Start(ctx)
}

func (s *service) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	s.server.Close()
	s.provider.Stop(ctx)
	s.receiver.Close()
	s.db.Close()
}

func (s *service) receive(w http.ResponseWriter, r *http.Request) {
	at := time.Now()
	var event struct{ PublicToken string }
	json.NewDecoder(r.Body).Decode(&event)
	s.mu.Lock()
	s.arrived[event.PublicToken] = at
	s.mu.Unlock()
	select {
	case s.rang <- struct{}{}:
	default:
	}
	w.WriteHeader(http.StatusNoContent)
}

// webhookOf waits for the webhook of a report.
func (s *service) webhookOf(ctx context.Context, publicToken string) (time.Time, error) {
	timeout := time.NewTimer(20 * time.Second)
	defer timeout.Stop()
	for {
		s.mu.Lock()
		at, ok := s.arrived[publicToken]
		s.mu.Unlock()
		if ok {
			return at, nil
		}
		select {
		case <-s.rang:
		case <-timeout.C:
			return at, fmt.Errorf("no webhook came")
		case <-ctx.Done():
			return at, ctx.Err()
		}
	}
}

// idle waits until all reports are generated and all webhooks delivered.
func (s *service) idle(ctx context.Context) error {
	for {
		var n int
		err := s.db.SQL.QueryRowContext(ctx, `SELECT count(*) FROM river_job
			WHERE state IN ('available', 'running', 'retryable', 'scheduled', 'pending')`).Scan(&n)
		if err != nil || n == 0 {
			return err
		}
		select {
		case <-time.After(2 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// token returns a valid access token.
func (s *service) token(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now().Before(s.until) {
		return s.bearer, nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.server.URL+"/connect/accesstoken", nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Basic "+s.basic)
	var out struct{ AccessToken string }
	if err := answer(req, &out); err != nil {
		return "", err
	}
	s.bearer, s.until = base64.StdEncoding.EncodeToString([]byte(out.AccessToken)), s.now().Add(4*time.Minute)
	return s.bearer, nil
}

func (s *service) submit(ctx context.Context, body []byte) (publicToken string, err error) {
	s.offset.Add(int64(3 * time.Second))
	bearer, err := s.token(ctx)
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.server.URL+"/connect/v2/cashflow/byo-report", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+bearer)
	req.Header.Set("X-PRODUCT-ID", s.product)
	req.Header.Set("Content-Type", "application/json")
	var out struct{ PublicToken string }
	err = answer(req, &out)
	return out.PublicToken, err
}

// submitAll sends the bodies over a number of connections.
func (s *service) submitAll(ctx context.Context, bodies [][]byte, clients int) error {
	var next atomic.Int64
	errs := make([]error, clients)
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(bodies) || errs[c] != nil {
					return
				}
				_, errs[c] = s.submit(ctx, bodies[i])
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func answer(req *http.Request, into any) error {
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %.300s", resp.Status, raw)
	}
	return json.Unmarshal(raw, into)
}

// submission returns a submission of n transactions over two years: pay every second week,
// rent, bills, and purchases.
func submission(externalID string, n int, now time.Time) svcapi.Submission {
	pulled := now.Add(-time.Hour)
	kinds := []struct {
		description, merchant, direction string
		cents                            int64
	}{
		{"POS PURCHASE CORNER MARKET SAN DIEGO CA", "Corner Market", "DEBIT", 4312},
		{"ACH CREDIT ACME MANUFACTURING PAYROLL PPD", "", "CREDIT", 210_050},
		{"RENT PAYMENT HARBOR VIEW APARTMENTS", "", "DEBIT", 145_000},
		{"ELECTRIC CO BILL PAYMENT WEB", "Electric Co", "DEBIT", 8_817},
		{"CHECKCARD STREAMING SERVICE MONTHLY", "Streaming", "DEBIT", 1_599},
		{"ATM WITHDRAWAL MAIN STREET", "", "DEBIT", 10_000},
	}
	account := svcapi.SubmittedAccount{ID: "A1", InstitutionName: "Amber Coast Bank",
		AccountType: "CHECKING", CurrentBalance: 120_405, Currency: "USD"}
	for i := range n {
		k := kinds[i%len(kinds)]
		account.Transactions = append(account.Transactions, svcapi.SubmittedTransaction{
			ID: fmt.Sprintf("T%06d", i), Status: "POSTED",
			DatePosted: svcapi.DateTime{Time: pulled.Add(-time.Duration(i) * (729 * 24 * time.Hour / time.Duration(n)))},
			Amount:     report.Cents(k.cents + int64(i%997)), Description: fmt.Sprintf("%s %06d", k.description, i),
			Merchant: k.merchant, CreditOrDebit: k.direction,
		})
	}
	return svcapi.Submission{ExternalID: externalID, PullDate: svcapi.DateTime{Time: pulled},
		Personal: svcapi.SubmittedPerson{FirstName: "Ana", LastName: "Perez", Email: "ana@example.com", DOB: "1990-06-15"},
		Accounts: []svcapi.SubmittedAccount{account}}
}
