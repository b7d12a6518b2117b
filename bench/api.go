//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/store"
)

// submissionFigures compares submissions of 3,000 transactions over HTTP, on disk before the
// answer, with bare inserts of the same bytes into the same engine, each in a transaction
// that is on disk before it returns. Reports are generated at the same time; the time until
// the last one is ready is the second figure.
func submissionFigures(ctx context.Context, dir string) []figure {
	s := newService(ctx, store.Config{Dir: dir})
	defer s.stop()
	bare, _ := openBare(engine{dir: dir}.bare())
	defer bare.Close()
	must(bare.Exec(`CREATE TABLE submissions (id TEXT PRIMARY KEY, body BLOB NOT NULL)`))
	const rounds, each = 7, 24
	var accepted, finished, inserted series // ns a submission
	for round := range rounds + 1 {
		bodies := s.submissions(fmt.Sprint("r", round), each, 3000)
		began := elapsed()
		tokens := s.submitAll(ctx, bodies)
		answered := elapsed()
		s.awaitAll(ctx, tokens)
		announced := elapsed()
		for i, body := range bodies {
			must(bare.ExecContext(ctx, `INSERT INTO submissions (id, body) VALUES (?, ?)`, tokens[i], body))
		}
		if round > 0 { // the first one warms up
			accepted = append(accepted, (answered-began)/each)
			finished = append(finished, (announced-began)/each)
			inserted = append(inserted, (elapsed()-announced)/each)
		}
	}
	return []figure{
		compareRates("durable submissions over HTTP / bare inserts", "≥ 0.30", accepted, inserted),
		compareRates("submissions until their reports are made / same", "reported", finished, inserted),
	}
}

const (
	connections   = 64
	requestRounds = 7
	requestEach   = 16 * connections // requests a round
	visits        = 16               // reports and consumers that requests alternate between
)

// requestFigures measures authenticated requests over 64 connections: the status of a report,
// a new and an extended sharing token, and a consumer's bank accounts. Each new token is for
// another pair of accounts, and extensions are of one token. The peer is a bare handler with
// one indexed SELECT in the same database through the same pool, with the same client.
func requestFigures(ctx context.Context, dir string) []figure {
	return onEngines(ctx, dir, func(e engine) []figure { return requestsOn(ctx, e) })
}

func requestsOn(ctx context.Context, e engine) (out []figure) {
	s := newService(ctx, store.Config{Dir: e.dir, URL: e.url})
	defer s.stop()
	var reports, consumers [visits]string
	for i := range visits {
		reports[i], consumers[i] = s.visit(ctx, fmt.Sprintf("ana.%d@example.com", i))
	}
	s.addThirdParties(ctx, (requestRounds+1)*requestEach/visits)
	share := func(publicToken, publicID string) *http.Request {
		body := must(json.Marshal(map[string]string{"publicToken": publicToken, "publicId": publicID}))
		return s.basic(ctx, http.MethodPost, "/connect/relay-tokens", body)
	}
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var status string
		check(s.db.SQL.QueryRowContext(r.Context(), `SELECT status FROM reports WHERE public_token = $1`, r.URL.Path[1:]).Scan(&status))
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]string{"status": status})
	}))
	defer bare.Close()
	peer := func(i int) *http.Request {
		return must(http.NewRequestWithContext(ctx, http.MethodGet, bare.URL+"/"+reports[i%visits], nil))
	}
	for _, m := range []struct {
		name, wanted string
		request      func(i int) *http.Request
	}{
		{"status", "≥ 0.60", func(i int) *http.Request {
			return s.authorized(ctx, http.MethodGet, "/connect/status", nil, "X-PUBLIC-TOKEN", reports[i%visits])
		}},
		{"new sharing token", "≥ 0.40", func(i int) *http.Request { return share(reports[i%visits], thirdParty(i/visits)) }},
		{"same sharing token", "≥ 0.40", func(int) *http.Request { return share(reports[0], s.seed.ThirdParty.PublicID) }},
		{"bank accounts", "≥ 0.60", func(i int) *http.Request {
			return s.basic(ctx, http.MethodGet, "/connect/consumers/"+consumers[i%visits]+"/bank-accounts", nil)
		}},
	} {
		pace := besidePeer(ctx, m.request, peer)
		out = append(out, compareRates(m.name+" / one SELECT, "+e.name, m.wanted, pace[0], pace[1]))
	}
	return out
}

// addThirdParties adds customers to share reports with.
func (s *service) addThirdParties(ctx context.Context, n int) {
	check(s.db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		for i := range n {
			if _, err := tx.ExecContext(ctx, `INSERT INTO customers (id, public_id, environment, name, created_at) VALUES ($1, $2, $3, $4, $5)`,
				uuid.NewString(), thirdParty(i), string(contract.Sandbox), thirdParty(i), store.Micros(s.now())); err != nil {
				return err
			}
		}
		return nil
	}))
}

// thirdParty returns the publicId of one of them.
func thirdParty(i int) string { return fmt.Sprint("friend-", i) }

// besidePeer sends two kinds of requests over 64 connections, in short turns. It returns the
// nanoseconds of a request by kind and round. The functions that make requests get their
// number, which grows from round to round.
func besidePeer(ctx context.Context, kinds ...func(i int) *http.Request) []series {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections}}
	defer client.CloseIdleConnections()
	var all []contestant
	for _, kind := range kinds {
		var number atomic.Int64
		all = append(all, contestant{1, func() {
			parallel(connections, requestEach, func(int) { send(client, kind(int(number.Add(1))-1), nil) })
		}})
	}
	pace := alternate(ctx, requestRounds, elapsed, all...)
	for i, s := range pace {
		pace[i] = s.each(func(ns float64) float64 { return ns / requestEach })
	}
	return pace
}
