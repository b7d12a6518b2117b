package webhook

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestDelivery(t *testing.T) {
	s := secret(t)
	body := []byte(`{"status":"SUCCESS","publicToken":"1b3c5d7e-0000-4000-8000-000000000002"}`)
	for _, tc := range []struct {
		status int
		want   Outcome
	}{
		{200, Delivered}, {204, Delivered}, {301, Retry}, {308, Retry}, {400, Retry}, {404, Retry}, {410, Disabled}, {429, Retry}, {500, Retry},
		{503, Retry},
	} {
		requests := 0
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests++
			v := &Receiver{Secrets: []Secret{s}}
			if _, err := v.Receive(r); err != nil {
				t.Errorf("the receiver refuses: %v", err)
			}
			w.Header().Set("Location", "/elsewhere")
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(tc.status)
			_, _ = io.WriteString(w, "thanks")
		}))
		got := NewSender(true, nil).Deliver(t.Context(), Target{URL: srv.URL, Secrets: []Secret{s}}, "evt_1", body)
		srv.Close()
		if got.Outcome != tc.want || got.HTTP != tc.status || requests != 1 || got.Err != nil {
			t.Errorf("answered %d: %+v after %d requests, want %v after one", tc.status, got, requests, tc.want)
		}
		if tc.want == Retry && got.RetryAfter != time.Minute {
			t.Errorf("answered %d: RetryAfter = %v", tc.status, got.RetryAfter)
		}
	}
}

func TestEndlessAnswerIsCutOff(t *testing.T) {
	stop := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chunk := make([]byte, 32<<10)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	defer srv.Close()
	defer close(stop)
	if got := NewSender(true, nil).Deliver(t.Context(), Target{URL: srv.URL, Secrets: []Secret{secret(t)}}, "evt_1",
		nil); got.Outcome != Delivered {
		t.Errorf("Deliver = %+v, want delivered", got)
	}
}

func TestDelaysGrowUntilPatience(t *testing.T) {
	total, before := time.Duration(0), time.Duration(0)
	for attempt := 1; attempt <= 16; attempt++ {
		d := Delay(attempt)
		if attempt < len(schedule) && d <= before {
			t.Errorf("Delay(%d) = %v, not longer than %v", attempt, d, before)
		}
		total, before = total+d, d
	}
	if total < 48*time.Hour || total > 110*time.Hour {
		t.Errorf("16 deliveries take %v, want about %v", total, Patience)
	}
	if d := Delay(0); d < 4*time.Second || d > 6*time.Second {
		t.Errorf("Delay(0) = %v, want that of the first", d)
	}
}

func TestClassesOfFailures(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := taken.Addr().String()
	taken.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(secure.Close)
	gone, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for name, tc := range map[string]struct {
		sender *Sender
		ctx    context.Context
		url    string
		want   Class
	}{
		"connection refused":   {NewSender(true, nil), t.Context(), "http://" + closed, ClassRefused},
		"an unknown authority": {NewSender(true, nil), t.Context(), secure.URL, ClassTLS},
		"this machine": {NewSender(false, nil), t.Context(), "https://localhost:" + secure.URL[strings.LastIndex(secure.URL, ":")+1:],
			ClassAddress},
		"no callback's URL": {NewSender(false, nil), t.Context(), "ftp://a.example", ClassAddress},
		"no time":           {NewSender(true, nil), gone, secure.URL, ClassTimeout},
	} {
		r := tc.sender.Deliver(tc.ctx, Target{URL: tc.url, Secrets: []Secret{secret(t)}}, "evt_1", []byte("{}"))
		if got := r.Class(); got != tc.want {
			t.Errorf("%s: %q (%v), want %q", name, got, r.Err, tc.want)
		}
	}
	if got := (Result{HTTP: 500}).Class(); got != Answered {
		t.Errorf("an answer is of class %q", got)
	}
	if got := (Result{Err: &net.DNSError{}}).Class(); got != ClassName {
		t.Errorf("a name that leads nowhere is of class %q", got)
	}
	if got := (Result{Err: io.ErrUnexpectedEOF}).Class(); got != ClassNetwork {
		t.Errorf("a cut connection is of class %q", got)
	}
}

func TestNext(t *testing.T) {
	for _, tc := range []struct {
		r     Result
		n     int
		want  State
		least time.Duration // to wait
		most  time.Duration
	}{
		{Result{Outcome: Delivered, HTTP: 204}, 1, StateDelivered, 0, 0},
		{Result{Outcome: Disabled, HTTP: 410}, 3, StateDisabled, 0, 0},
		{Result{HTTP: 500}, 1, StatePending, 4 * time.Second, 6 * time.Second},
		{Result{HTTP: 302}, 9, StatePending, 6 * time.Hour, 10 * time.Hour},
		{Result{HTTP: 429, RetryAfter: time.Hour}, 1, StatePending, time.Hour, time.Hour},
		{Result{HTTP: 503, RetryAfter: time.Second}, 2, StatePending, 24 * time.Second, 36 * time.Second},
	} {
		if got, wait := tc.r.Next(tc.n); got != tc.want || wait < tc.least || wait > tc.most {
			t.Errorf("attempt %d came to %+v: %s, next in %s; want %s in %s to %s", tc.n, tc.r, got, wait, tc.want, tc.least, tc.most)
		}
	}
}
