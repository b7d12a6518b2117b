package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest/cluster"
)

// requestFigures measures authenticated requests over 64 connections, on SQLite and, if
// installed, on PostgreSQL, with the durability of the product: the status of a report, a
// new and an extended relay token, and a consumer's bank accounts. Requests alternate
// between 16 reports and consumers. Each new token is for another pair of accounts, and
// extensions are of one token. The peer is a bare handler with one indexed SELECT in the
// same database through the same pool, with the same client, in turns.
func requestFigures(ctx context.Context) ([]figure, error) {
	dir, err := os.MkdirTemp("", "vestibule-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	figures, err := requestsOn(ctx, "SQLite", store.Config{Dir: dir})
	if err != nil {
		return nil, err
	}
	c, err := cluster.Start(ctx, "fsync=on", "synchronous_commit=on", "full_page_writes=on")
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench: without PostgreSQL:", err)
		return figures, nil
	}
	defer c.Stop()
	more, err := requestsOn(ctx, "PostgreSQL", store.Config{URL: c.URL})
	return append(figures, more...), err
}

func requestsOn(ctx context.Context, engine string, where store.Config) ([]figure, error) {
	s, err := newService(ctx, where)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	var reports, consumers []string
	for i := range 16 {
		publicToken, consumer, err := s.ready(ctx, fmt.Sprintf("ana.%d@example.com", i))
		if err != nil {
			return nil, err
		}
		reports, consumers = append(reports, publicToken), append(consumers, consumer)
	}
	const thirdParties = (rounds + 1) * each / 16
	if err := s.addThirdParties(ctx, thirdParties); err != nil {
		return nil, err
	}
	bare := httptest.NewServer(oneSelect(s.db.SQL, reports))
	defer bare.Close()
	var turn, pair atomic.Int64
	next := func(of []string) string { return of[int(turn.Add(1))%len(of)] }
	share := func(publicToken, publicID string) (*http.Request, error) {
		body, err := json.Marshal(map[string]string{"publicToken": publicToken, "publicId": publicID})
		if err != nil {
			return nil, err
		}
		return s.request(ctx, http.MethodPost, "/connect/relay-tokens", body, "Authorization",
			"Basic "+s.basic, "Content-Type", "application/json")
	}
	var out []figure
	for _, m := range []struct {
		name, wanted string
		request      func() (*http.Request, error)
	}{
		{"status", "≥ 0.60", func() (*http.Request, error) {
			bearer, err := s.token(ctx)
			if err != nil {
				return nil, err
			}
			return s.request(ctx, http.MethodGet, "/connect/status", nil, "Authorization", "Bearer "+bearer, "X-PUBLIC-TOKEN", next(reports))
		}},
		{"new relay token", "≥ 0.40", func() (*http.Request, error) {
			n := int(pair.Add(1)) - 1
			return share(reports[n%16], thirdParty(n/16%thirdParties))
		}},
		{"same relay token", "≥ 0.40", func() (*http.Request, error) { return share(reports[0], s.third) }},
		{"bank accounts", "≥ 0.60", func() (*http.Request, error) {
			return s.request(ctx, http.MethodGet, "/connect/consumers/"+next(consumers)+"/bank-accounts", nil, "Authorization", "Basic "+s.basic)
		}},
	} {
		f, err := beside(ctx, m.request, func() (*http.Request, error) {
			return http.NewRequestWithContext(ctx, http.MethodGet, bare.URL, nil)
		})
		if err != nil {
			return nil, fmt.Errorf("%s on %s: %w", m.name, engine, err)
		}
		for i := range f {
			f[i].name = m.name + " / one SELECT, " + engine + f[i].name
		}
		f[0].wanted = m.wanted
		out = append(out, f...)
	}
	return out, nil
}

// oneSelect is the peer: it reads a report's status by its key.
func oneSelect(db *sql.DB, publicTokens []string) http.Handler {
	var turn atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var status string
		err := db.QueryRowContext(r.Context(), `SELECT status FROM reports WHERE public_token = $1`,
			publicTokens[int(turn.Add(1))%len(publicTokens)]).Scan(&status)
		if err != nil {
			http.Error(w, "no", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]string{"status": status})
	})
}

// addThirdParties adds customers to share reports with.
func (s *service) addThirdParties(ctx context.Context, n int) error {
	return s.db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		for i := range n {
			if _, err := tx.ExecContext(ctx, `INSERT INTO customers (id, public_id, environment, name, created_at) VALUES ($1, $2, $3, $4, $5)`,
				uuid.NewString(), thirdParty(i), string(contract.Sandbox), thirdParty(i), store.Micros(s.now())); err != nil {
				return err
			}
		}
		return nil
	})
}

// thirdParty returns the publicId of one of them.
func thirdParty(i int) string { return fmt.Sprint("friend-", i) }

const (
	rounds = 7                // and one that warms up
	each   = 16 * connections // requests a round
)

const connections = 64

// beside sends both requests over 64 connections, in short turns. The first figure is
// requests a second, and the second one the 99th percentiles, with the medians in its
// text.
func beside(ctx context.Context, ours, peer func() (*http.Request, error)) ([]figure, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections}}
	defer client.CloseIdleConnections()
	var paceOurs, pacePeer, allOurs, allPeer []float64
	for round := range rounds + 1 {
		took := map[bool]time.Duration{}
		for _, mine := range []bool{round%2 == 0, round%2 != 0} { // who begins changes
			make := ours
			if !mine {
				make = peer
			}
			latencies, elapsed, err := sendAll(client, make, each)
			if err != nil {
				return nil, err
			}
			took[mine] = elapsed
			if round == 0 { // the first one warms up
				continue
			}
			if mine {
				allOurs = append(allOurs, latencies...)
			} else {
				allPeer = append(allPeer, latencies...)
			}
		}
		if round > 0 {
			paceOurs = append(paceOurs, float64(took[true].Nanoseconds())/each)
			pacePeer = append(pacePeer, float64(took[false].Nanoseconds())/each)
		}
	}
	rate := ratesOf("", paceOurs, pacePeer, "")
	p := quantile(allOurs, 0.99) / quantile(allPeer, 0.99)
	return []figure{rate, {
		name: ", p50 and p99", wanted: "reported", ratio: p, low: quantile(allOurs, 0.5) / quantile(allPeer, 0.5), high: p,
		ours: fmt.Sprintf("%.1f, %.1f ms", quantile(allOurs, 0.5)/1e6, quantile(allOurs, 0.99)/1e6),
		peer: fmt.Sprintf("%.1f, %.1f ms", quantile(allPeer, 0.5)/1e6, quantile(allPeer, 0.99)/1e6),
	}}, nil
}

// sendAll sends n requests over all connections, and returns the duration of each and of
// all together in nanoseconds.
func sendAll(client *http.Client, make func() (*http.Request, error), n int) (latencies []float64, elapsed time.Duration, err error) {
	latencies = slices.Grow(latencies, n)[:n]
	var next atomic.Int64
	errs := slices.Repeat([]error{nil}, connections)
	var wg sync.WaitGroup
	began := time.Now()
	for c := range connections {
		wg.Go(func() {
			for errs[c] == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				req, err := make()
				if err != nil {
					errs[c] = err
					return
				}
				at := time.Now()
				errs[c] = sent(client, req)
				latencies[i] = float64(time.Since(at).Nanoseconds())
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, 0, err
		}
	}
	return latencies, time.Since(began), nil
}

// sent sends a request and reads its answer, which must be a success.
func sent(client *http.Client, req *http.Request) error {
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		words, _ := io.ReadAll(io.LimitReader(resp.Body, 300))
		return fmt.Errorf("%s %s: %s %s", req.Method, req.URL.Path, resp.Status, words)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func (s *service) request(ctx context.Context, method, path string, body []byte, header ...string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.server.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return req, nil
}

// ready completes a visit with bank accounts, and returns the token and the consumer of the
// report.
func (s *service) ready(ctx context.Context, email string) (publicToken, consumer string, err error) {
	control := httptest.NewServer(s.provider.Control())
	defer control.Close()
	body, err := json.Marshal(map[string]any{"productId": s.product,
		"prefill": map[string]string{"firstName": "Multi", "lastName": "Perez", "email": email, "dob": "1990-06-15"}})
	if err != nil {
		return "", "", err
	}
	req, err := s.request(ctx, http.MethodPost, "/connect/initialization", body, "Authorization",
		"Basic "+s.basic, "Content-Type", "application/json")
	if err != nil {
		return "", "", err
	}
	var begun struct{ Token string }
	if err := answer(req, &begun); err != nil {
		return "", "", err
	}
	req, err = http.NewRequestWithContext(ctx, http.MethodPost, control.URL+"/visits/"+begun.Token+
		"/complete", bytes.NewReader([]byte(`{"username":"multi"}`)))
	if err != nil {
		return "", "", err
	}
	req.Header.Set("Content-Type", "application/json")
	var visited struct{ PublicToken string }
	if err := answer(req, &visited); err != nil {
		return "", "", err
	}
	if _, err := s.webhookOf(ctx, visited.PublicToken); err != nil {
		return "", "", err
	}
	bearer, err := s.token(ctx)
	if err != nil {
		return "", "", err
	}
	req, err = s.request(ctx, http.MethodGet, "/connect/cashflow/v2/json", nil, "Authorization",
		"Bearer "+bearer, "X-PUBLIC-TOKEN", visited.PublicToken)
	if err != nil {
		return "", "", err
	}
	var made report.Cashflow
	if err := answer(req, &made); err != nil {
		return "", "", err
	}
	return visited.PublicToken, report.Text(made.Meta.ConsumerID), nil
}
