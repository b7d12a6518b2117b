package webhook

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/store"
)

// TestAnswerIsBoundedText has receivers that try to hide, reorder or flood what is kept.
func TestAnswerIsBoundedText(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(w, strings.Repeat("z", 1<<20))
	w.Close()
	for name, tc := range map[string]struct {
		header http.Header
		body   string
		want   Answer
	}{
		"text": {http.Header{"Content-Type": {"application/json"}, "Retry-After": {"60"}}, "{\r\n\t\"a\": \"ñ\"}",
			Answer{Headers: []Header{{"Content-Type", "application/json"}, {"Retry-After", "60"}}, Body: "{\n\t\"a\": \"ñ\"}"}},
		"no body":     {nil, "", Answer{}},
		"credentials": {http.Header{"Set-Cookie": {"session=canary"}, "Authorization": {"canary"}}, "", Answer{}},
		"a long header": {http.Header{"Server": {strings.Repeat("s", 1000)}}, "",
			Answer{Headers: []Header{{"Server", strings.Repeat("s", maxHeader)}}}},
		"a long body": {nil, strings.Repeat("a", maxBody+1), Answer{Body: strings.Repeat("a", maxBody), Cut: true}},
		"a character at the limit": {nil, strings.Repeat("a", maxBody-1) + "ñ",
			Answer{Body: strings.Repeat("a", maxBody-1), Cut: true}},
		"invisible and reordering": {nil, "a\x1b[2Jb\u202ec\u200bd\u2066e", Answer{Body: "a\ufffd[2Jb\ufffdc\ufffdd\ufffde"}},
		"zeros":                    {nil, "a\x00b", Answer{Binary: true}},
		"no characters":            {nil, "a\xff\xfe", Answer{Binary: true}},
		"a compressed flood": {http.Header{"Content-Encoding": {"gzip"}}, zipped.String(),
			Answer{Body: strings.Repeat("z", maxBody), Cut: true}},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil // none is guessed
			for key, values := range tc.header {
				w.Header()[key] = values
			}
			w.WriteHeader(503)
			_, _ = io.WriteString(w, tc.body)
		}))
		got := NewSender(true, nil).Deliver(t.Context(), Target{URL: srv.URL, Secrets: []Secret{secret(t)}}, "evt_1", nil)
		srv.Close()
		if got.Answer == nil {
			t.Errorf("%s: no answer in %+v", name, got)
		} else if d := cmp.Diff(tc.want, *got.Answer); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestOutboxKeepsAnswersEncrypted(t *testing.T) {
	eachOutbox(t, func(t *testing.T, r *testServer) {
		want := &Answer{Headers: []Header{{"Content-Type", "text/plain"}}, Body: "answer-canary"}
		r.answers = []Result{{HTTP: 503, Answer: want}, {HTTP: 503, Answer: &Answer{}}, {Err: context.DeadlineExceeded}}
		id := r.record("s", 1)
		for range 3 {
			r.again(id)
			r.now = r.now.Add(time.Minute)
		}
		d := r.get(id)
		if len(d.Attempts) != 3 || d.Attempts[1].Answer != nil || d.Attempts[2].Answer != nil {
			t.Fatalf("attempts %+v", d.Attempts)
		}
		if d := cmp.Diff(want, d.Attempts[0].Answer); d != "" {
			t.Error(d)
		}
		var kept []byte
		if err := r.DB.SQL.QueryRow(`SELECT answer FROM delivery_attempts WHERE attempt = 1`).Scan(&kept); err != nil ||
			len(kept) == 0 || bytes.Contains(kept, []byte("canary")) {
			t.Errorf("the answer is kept as %q, %v", kept, err)
		}
		if strings.Contains(r.log.String(), "canary") {
			t.Error("the answer is logged")
		}
		r.answers = []Result{{HTTP: 503, Answer: want}}
		r.meantime = func() { delete(r.keys, "s") } // the subject is deleted while the receiver answers
		r.again(id)
		if d := r.get(id); len(d.Attempts) != 4 || d.Attempts[0].Answer != nil || d.Attempts[3].Answer != nil {
			t.Errorf("after the subject was deleted: %+v", d.Attempts)
		}
	})
}

func TestOutboxRedeliversFailed(t *testing.T) {
	eachOutbox(t, func(t *testing.T, r *testServer) {
		fail := func(subject string) string {
			r.now = r.now.Add(time.Minute)
			id := r.record(subject, 1)
			r.exec(`UPDATE deliveries SET state = 'given up' WHERE id = $1`, id)
			return id
		}
		early := fail("early")
		since := r.now.Add(time.Second)
		first, second, resent := fail("first"), fail("second"), fail("resent")
		id, err := r.redeliver(r.callback, resent, 0)
		if err != nil || r.again(id) {
			t.Fatal(err)
		}
		again, err := r.redeliver(r.callback, second, 0) // fails too, and counts once
		if err != nil {
			t.Fatal(err)
		}
		r.exec(`UPDATE deliveries SET state = 'disabled' WHERE id = $1`, again)
		r.record("pending", 1)
		r.now = r.now.Add(time.Minute)
		f := Filter{Endpoint: r.to(), Since: since, Until: r.now, Limit: 1}
		late := fail("late")
		sent := func() (n int) {
			r.tx(func(ctx context.Context, tx *store.Tx) (err error) {
				n, err = r.RedeliverFailed(ctx, tx, f)
				return err
			})
			return n
		}
		before := len(r.queue)
		if a, b, c := sent(), sent(), sent(); a != 1 || b != 1 || c != 0 {
			t.Fatalf("sent %d, %d and %d", a, b, c)
		}
		made := r.queue[before:]
		if len(made) != 2 || r.get(made[0]).EventID != r.get(first).EventID || r.get(made[1]).EventID != r.get(second).EventID {
			t.Errorf("sent %v, want the events of %s and %s and none of %s and %s", made, first, second, early, late)
		}
		for _, id := range made { // what fails again is not sent again by the same action
			r.exec(`UPDATE deliveries SET state = 'given up' WHERE id = $1`, id)
		}
		if n := sent(); n != 0 {
			t.Errorf("sent %d events that failed again", n)
		}
		r.off = true
		f.Until = r.now.Add(time.Minute)
		err = r.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			_, err := r.RedeliverFailed(ctx, tx, f)
			return err
		})
		if !errors.Is(err, ErrStopped) {
			t.Errorf("to a receiver that is off: %v", err)
		}
	})
}
