//go:build linux

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/provider"
	"vestibule/internal/provider/sandbox"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/web"
)

// service is a whole provider with a customer. Each submission moves its clock by three
// seconds, because an account may send thirty a minute.
type service struct {
	offset           atomic.Int64
	server, receiver *httptest.Server
	provider         *provider.Provider
	db               *store.DB
	seed             provider.Seed
	product          string

	mu      sync.Mutex
	bearer  string
	until   time.Time
	arrived map[string]time.Time // publicToken → when its webhook came
	rang    chan struct{}
}

func (s *service) now() time.Time { return time.Now().Add(time.Duration(s.offset.Load())) }

func newService(ctx context.Context, where store.Config, more ...func(*provider.Config)) (*service, error) {
	s := &service{arrived: map[string]time.Time{}, rang: make(chan struct{}, 1), product: uuid.NewString()}
	err := os.MkdirAll(cmp.Or(where.Dir, os.TempDir()), 0o700)
	if err != nil {
		return nil, err
	}
	where.Party, where.MasterKey, where.Now = store.Provider, make([]byte, 32), s.now
	s.db, err = store.Open(ctx, where)
	if err != nil {
		return nil, err
	}
	s.receiver = httptest.NewServer(http.HandlerFunc(s.receive))
	s.server = httptest.NewUnstartedServer(nil)
	config := provider.Config{DB: s.db, Log: slog.New(slog.DiscardHandler), Now: s.now, URL: "http://" + s.server.Listener.Addr().String(),
		Environment: contract.Sandbox, Sandbox: sandbox.New, Assets: web.Provider(), AllowLoopbackCallbacks: true}
	for _, f := range more {
		f(&config)
	}
	if s.provider, err = provider.New(ctx, config); err != nil {
		return nil, err
	}
	s.server.Config.Handler = s.provider.Handler()
	s.server.Start()
	s.seed = provider.Seed{PublicID: uuid.NewString(), ClientID: "bench", SecretKey: store.NewSecret(),
		Products:      map[contract.Product]string{contract.Cashflow: s.product},
		WebhookSecret: "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 32)),
		ThirdParty:    provider.SeedAccount{PublicID: uuid.NewString(), ClientID: "third", SecretKey: store.NewSecret()},
		CallbackURL:   s.receiver.URL, ReturnMode: "get"}
	if err := s.provider.Seed(ctx, s.seed); err != nil {
		return nil, err
	}
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
	ctx, cancel := context.WithTimeoutCause(ctx, 20*time.Second, errors.New("no webhook came"))
	defer cancel()
	for {
		s.mu.Lock()
		at, ok := s.arrived[publicToken]
		s.mu.Unlock()
		if ok {
			return at, nil
		}
		select {
		case <-s.rang:
		case <-ctx.Done():
			return at, context.Cause(ctx)
		}
	}
}

// request makes a request with a body, if any, and headers by name and value.
func (s *service) request(ctx context.Context, method, path string, body []byte, header ...string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.server.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return req, nil
}

// basic makes a request with the customer's credentials.
func (s *service) basic(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	req, err := s.request(ctx, method, path, body)
	if err == nil {
		req.SetBasicAuth(s.seed.ClientID, s.seed.SecretKey)
	}
	return req, err
}

// authorized makes a request with a valid access token.
func (s *service) authorized(ctx context.Context, method, path string, body []byte, header ...string) (*http.Request, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.now().Before(s.until) {
		req, err := s.basic(ctx, http.MethodGet, "/connect/accesstoken", nil)
		if err != nil {
			return nil, err
		}
		var out struct{ AccessToken string }
		if err := send(http.DefaultClient, req, &out); err != nil {
			return nil, err
		}
		s.bearer, s.until = base64.StdEncoding.EncodeToString([]byte(out.AccessToken)), s.now().Add(4*time.Minute)
	}
	return s.request(ctx, method, path, body, append(header, "Authorization", "Bearer "+s.bearer)...)
}

func (s *service) readReport(ctx context.Context, publicToken string) (*http.Request, error) {
	return s.authorized(ctx, http.MethodGet, "/connect/cashflow/v2/json", nil, "X-PUBLIC-TOKEN", publicToken)
}

func (s *service) submit(ctx context.Context, body []byte) (publicToken string, err error) {
	s.offset.Add(int64(3 * time.Second))
	req, err := s.authorized(ctx, http.MethodPost, "/connect/v2/cashflow/byo-report", body, "X-PRODUCT-ID", s.product)
	if err != nil {
		return "", err
	}
	var out struct{ PublicToken string }
	err = send(http.DefaultClient, req, &out)
	return out.PublicToken, err
}

// submitAll sends the bodies over four connections, and returns the tokens of their reports.
func (s *service) submitAll(ctx context.Context, bodies [][]byte) ([]string, error) {
	tokens := make([]string, len(bodies))
	return tokens, parallel(4, len(bodies), func(i int) (err error) {
		tokens[i], err = s.submit(ctx, bodies[i])
		return err
	})
}

// awaitAll waits until the reports are generated and their webhooks delivered.
func (s *service) awaitAll(ctx context.Context, publicTokens []string) error {
	for _, publicToken := range publicTokens {
		if _, err := s.webhookOf(ctx, publicToken); err != nil {
			return err
		}
	}
	return nil
}

// send sends a request, whose answer must be no error, and decodes the answer. Without into
// it only reads the answer.
func send(client *http.Client, req *http.Request, into any) error {
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode >= 400:
		words, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
		return fmt.Errorf("%s %s: %s %s", req.Method, req.URL.Path, resp.Status, words)
	case into != nil:
		return json.NewDecoder(resp.Body).Decode(into)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// submissions returns the bodies of submissions of n transactions each, with externalIds that
// begin with a prefix.
func (s *service) submissions(prefix string, count, n int) ([][]byte, error) {
	data, at := bankData(n)
	account := svcapi.SubmittedAccount{ID: "A1", InstitutionName: "Amber Coast Bank",
		AccountType: "CHECKING", CurrentBalance: 120_405, Currency: "USD"}
	pulled := s.now().Add(-time.Hour)
	for _, a := range data.Connections[0].Accounts {
		for _, t := range a.Transactions {
			direction, amount := "CREDIT", t.Amount
			if amount < 0 {
				direction, amount = "DEBIT", -amount
			}
			account.Transactions = append(account.Transactions, svcapi.SubmittedTransaction{ID: t.ID, Status: "POSTED",
				DatePosted: svcapi.DateTime{Time: pulled.Add(-at.Sub(t.Posted.Time))}, Amount: amount,
				Description: t.Description, CreditOrDebit: direction})
		}
	}
	bodies := make([][]byte, count)
	for i := range bodies {
		var err error
		bodies[i], err = json.Marshal(svcapi.Submission{ExternalID: fmt.Sprintf("%s-%d", prefix, i), PullDate: svcapi.DateTime{Time: pulled},
			Personal: svcapi.SubmittedPerson{FirstName: "Ana", LastName: "Perez", Email: "ana@example.com", DOB: "1990-06-15"},
			Accounts: []svcapi.SubmittedAccount{account}})
		if err != nil {
			return nil, err
		}
	}
	return bodies, nil
}

// visit completes a visit with bank accounts, and returns the token and the consumer of its
// report.
func (s *service) visit(ctx context.Context, email string) (publicToken, consumer string, err error) {
	publicToken, err = s.complete(ctx, s.seed.ClientID, s.seed.SecretKey, s.product, email, `{"username":"multi"}`)
	if err != nil {
		return "", "", err
	}
	if _, err := s.webhookOf(ctx, publicToken); err != nil {
		return "", "", err
	}
	req, err := s.readReport(ctx, publicToken)
	if err != nil {
		return "", "", err
	}
	var body report.Cashflow
	err = send(http.DefaultClient, req, &body)
	return publicToken, report.Text(body.Meta.ConsumerID), err
}

// complete completes a visit of a customer for a product, with the sources that the body names,
// and returns the token of its report.
func (s *service) complete(ctx context.Context, clientID, secretKey, product, email, sources string) (publicToken string, err error) {
	body, err := json.Marshal(map[string]any{"productId": product,
		"prefill": map[string]string{"firstName": "Multi", "lastName": "Perez", "email": email, "dob": "1990-06-15"}})
	if err != nil {
		return "", err
	}
	req, err := s.request(ctx, http.MethodPost, "/connect/initialization", body)
	if err != nil {
		return "", err
	}
	req.SetBasicAuth(clientID, secretKey)
	var begun struct{ Token string }
	if err := send(http.DefaultClient, req, &begun); err != nil {
		return "", err
	}
	complete := httptest.NewRequest(http.MethodPost, "http://localhost/visits/"+begun.Token+"/complete", strings.NewReader(sources))
	complete.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	s.provider.Control().ServeHTTP(answer, complete.WithContext(ctx))
	var visited struct{ PublicToken string }
	if err := json.Unmarshal(answer.Body.Bytes(), &visited); err != nil || visited.PublicToken == "" {
		return "", fmt.Errorf("a visit is answered %d %s", answer.Code, answer.Body)
	}
	return visited.PublicToken, nil
}
