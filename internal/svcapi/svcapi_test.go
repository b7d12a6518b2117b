package svcapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"vestibule/internal/contract"
)

const (
	token1 = "4f1c2d0e-7b1f-4a57-9c0b-0d1f5b8f3a11"
	token2 = "9a0b1c2d-3e4f-4a5b-8c6d-7e8f90a1b2c3"
)

// service is a double of the Consumer Report Service, called without a network, so that
// waits take virtual time.
type service struct {
	tokens  atomic.Int64 // calls of the token endpoint
	exp     func() any   // the token's exp; nil: five minutes from now
	handler func(w http.ResponseWriter, r *http.Request)
}

func (s *service) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	if r.Body == nil {
		r.Body = http.NoBody
	}
	if r.URL.Path == "/connect/accesstoken" {
		n := s.tokens.Add(1)
		if user, pass, _ := r.BasicAuth(); user != "client" || pass != "secret" {
			writeJSON(w, 403, map[string]any{"error": "UNKNOWN_CUSTOMER"})
		} else {
			var exp any = time.Now().Add(5 * time.Minute).Unix()
			if s.exp != nil {
				exp = s.exp()
			}
			writeJSON(w, 200, map[string]any{"accessToken": fmt.Sprintf("token-%d", n), "exp": exp})
		}
		return w.Result(), r.Context().Err()
	}
	s.handler(w, r)
	return w.Result(), r.Context().Err()
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func bearerOf(r *http.Request) string {
	raw, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	return string(raw)
}

func (s *service) client() *Client {
	return &Client{BaseURL: "http://127.0.0.1:1", ClientID: "client", SecretKey: "secret",
		Environment: contract.Sandbox, HTTP: &http.Client{Transport: s}}
}

func ready(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, 200, map[string]any{"status": "SUCCESS", "substatus": nil})
}

func TestConcurrentRequestsShareATokenCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{handler: ready}
		c := s.client()
		all(t, 100, func() error { _, err := c.Status(t.Context(), Ref{PublicToken: token1}); return err })
		if n := s.tokens.Load(); n != 1 {
			t.Errorf("token calls = %d, want 1", n)
		}
	})
}

func TestConcurrentRefusalsRefreshTheTokenOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
			if bearerOf(r) == "token-1" {
				time.Sleep(time.Second) // all of them are under way before the first is refused
				writeJSON(w, 401, map[string]any{"error": "EXPIRED_TOKEN"})
				return
			}
			ready(w, r)
		}}
		c := s.client()
		all(t, 100, func() error { _, err := c.Status(t.Context(), Ref{PublicToken: token1}); return err })
		if n := s.tokens.Load(); n != 2 {
			t.Errorf("token calls = %d, want 2", n)
		}
	})
}

func all(t *testing.T, n int, f func() error) {
	t.Helper()
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			if err := f(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestRefusedTokenIsReplacedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{handler: func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, 401, map[string]any{"error": "EXPIRED_TOKEN"})
		}}
		_, err := s.client().Status(t.Context(), Ref{PublicToken: token1})
		if CodeOf(err) != contract.CodeExpiredToken || s.tokens.Load() != 2 {
			t.Errorf("Status = %v after %d token calls, want EXPIRED_TOKEN after 2", err, s.tokens.Load())
		}
	})
}

func TestTokenIsCachedUntilShortlyBeforeExpiry(t *testing.T) {
	for _, tc := range []struct {
		name string
		exp  func() any
		good time.Duration // still used then
		gone time.Duration // replaced then
	}{
		{"five minutes", nil, 269 * time.Second, 271 * time.Second},
		{"two minutes", func() any { return time.Now().Add(2 * time.Minute).Unix() }, 89 * time.Second, 91 * time.Second},
		{"a string", func() any { return fmt.Sprint(time.Now().Add(2 * time.Minute).Unix()) }, 89 * time.Second, 91 * time.Second},
		{"a float", func() any { return float64(time.Now().Add(2*time.Minute).Unix()) + 0.5 }, 89 * time.Second, 91 * time.Second},
		{"absent", func() any { return nil }, 269 * time.Second, 271 * time.Second},
		{"past", func() any { return time.Now().Add(-time.Hour).Unix() }, 269 * time.Second, 271 * time.Second},
		{"milliseconds", func() any { return time.Now().UnixMilli() }, 269 * time.Second, 271 * time.Second},
		{"three days ahead", func() any { return time.Now().Add(72 * time.Hour).Unix() }, 269 * time.Second, 271 * time.Second},
		{"negative", func() any { return -1 }, 269 * time.Second, 271 * time.Second},
		{"an object", func() any { return map[string]any{} }, 269 * time.Second, 271 * time.Second},
		{"a moment", func() any { return time.Now().Add(time.Second).Unix() }, 269 * time.Second, 271 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &service{handler: ready, exp: tc.exp}
				c := s.client()
				ask := func(after time.Duration, want int64) {
					t.Helper()
					time.Sleep(after)
					if err := c.Check(t.Context()); err != nil {
						t.Fatal(err)
					}
					if n := s.tokens.Load(); n != want {
						t.Errorf("token calls = %d, want %d", n, want)
					}
				}
				ask(0, 1)
				ask(tc.good, 1)
				ask(tc.gone-tc.good, 2)
			})
		})
	}
}

func TestCanceledCallerDoesNotCancelTheTokenCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &service{handler: ready, exp: func() any { time.Sleep(time.Second); return nil }}
		c := s.client()
		hasty, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if err := c.Check(hasty); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Check = %v, want the deadline", err)
		}
		if err := c.Check(t.Context()); err != nil || s.tokens.Load() != 1 {
			t.Errorf("Check = %v after %d token calls, want none after 1", err, s.tokens.Load())
		}
	})
}

func TestRetries(t *testing.T) {
	status := func(c *Client) error {
		_, err := c.Status(context.Background(), Ref{PublicToken: token1})
		return err
	}
	initialize := func(c *Client) error {
		_, err := c.Initialize(context.Background(), InitRequest{ProductID: token2})
		return err
	}
	for _, tc := range []struct {
		name  string
		ask   func(*Client) error
		code  int
		after string // Retry-After
		fail  int    // this many times, then success
		calls int
		ok    bool
		wait  time.Duration // at least
	}{
		{"a failure passes", status, 500, "", 2, 3, true, 0},
		{"unavailable passes, as late as asked", status, 503, "7", 1, 2, true, 7 * time.Second},
		{"a rate limit is waited out", status, 429, "3", 2, 3, true, 6 * time.Second},
		{"a failure that stays is given up", status, 502, "", 99, tries, false, 0},
		{"a long Retry-After is the caller's", status, 429, "3600", 99, 1, false, 0},
		{"a refusal is final", status, 403, "", 99, 1, false, 0},
		{"an unknown report is final", status, 404, "", 99, 1, false, 0},
		{"initialization is not repeated after a failure", initialize, 500, "", 1, 1, false, 0},
		{"initialization is not repeated when unavailable", initialize, 503, "1", 1, 1, false, 0},
		{"initialization is repeated after a rate limit", initialize, 429, "2", 1, 2, true, 2 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				s := &service{handler: func(w http.ResponseWriter, _ *http.Request) {
					if calls++; calls <= tc.fail {
						w.Header().Set("Retry-After", tc.after)
						writeJSON(w, tc.code, map[string]any{"error": "SOME_CODE", "requestId": "r-1"})
						return
					}
					writeJSON(w, 200, map[string]any{"status": "SUCCESS", "token": "abc", "exp": 1})
				}}
				began := time.Now()
				err := tc.ask(s.client())
				if (err == nil) != tc.ok || calls != tc.calls {
					t.Errorf("err = %v after %d calls, want ok = %v after %d", err, calls, tc.ok, tc.calls)
				}
				if took := time.Since(began); took < tc.wait || took > tc.wait+tries*backoffMax {
					t.Errorf("took %v, want about %v", took, tc.wait)
				}
				var e *Error
				if !tc.ok && (!errors.As(err, &e) || e.HTTP != tc.code || e.Code != "SOME_CODE" || e.RequestID != "r-1") {
					t.Errorf("error = %#v", err)
				}
				if tc.after == "3600" && e.RetryAfter != time.Hour {
					t.Errorf("RetryAfter = %v, want 1h", e.RetryAfter)
				}
			})
		})
	}
}

func TestInitializeIsRetriedIfUnreached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tried := 0
		c := (&service{}).client()
		c.HTTP = &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			tried++
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
		})}
		_, err := c.Initialize(t.Context(), InitRequest{})
		if tried != tries || !Temporary(err) {
			t.Errorf("tried %d times, err %v; want %d and temporary", tried, err, tries)
		}
	})
}

func TestCallsTimeOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tried := 0
		c := (&service{}).client()
		c.HTTP = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			tried++
			<-r.Context().Done()
			return nil, r.Context().Err()
		})}
		_, err := c.Initialize(t.Context(), InitRequest{})
		if tried != 1 || !Temporary(err) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("tried %d times, err %v; want once, a deadline", tried, err)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestRejectsAnswersOutsideTheContract(t *testing.T) {
	report := `{"meta":{"public_token":"` + token1 + `","status":"SUCCESS","created_at":"2026-01-02T03:04:05Z","api_version":"2.0.0"}}`
	for _, tc := range []struct {
		name, body, contentType string
		status                  int
	}{
		{"HTML", "<p>hello", "text/html", 200},
		{"HTML that calls itself JSON", "<p>hello", "application/json", 200},
		{"truncated", report[:40], "application/json", 200},
		{"two values", report + report, "application/json", 200},
		{"another report", strings.Replace(report, token1, token2, 1), "application/json", 200},
		{"no meta", `{}`, "application/json", 200},
		{"not ready", strings.Replace(report, "SUCCESS", "PENDING", 1), "application/json", 200},
		{"a redirect", "", "application/json", 302},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &service{handler: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tc.contentType)
				w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
				w.WriteHeader(tc.status)
				_, _ = io.WriteString(w, tc.body)
			}}
			_, _, err := s.client().Report(t.Context(), contract.Cashflow, Ref{PublicToken: token1})
			if CodeOf(err) != contract.CodeUpstream {
				t.Errorf("Report = %v, want %s", err, contract.CodeUpstream)
			}
			if strings.Contains(err.Error(), token1) || strings.Contains(err.Error(), "hello") {
				t.Errorf("the error repeats the answer: %v", err)
			}
		})
	}
	s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.String() != "http://127.0.0.1:1/connect/cashflow/v2/json" || r.Header.Get("X-PUBLIC-TOKEN") != token1 ||
			r.Header.Get("X-ENVIRONMENT") != "sandbox" {
			t.Errorf("asked %s with %v", r.URL, r.Header)
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = io.WriteString(w, report)
	}}
	raw, meta, err := s.client().Report(t.Context(), contract.Cashflow, Ref{PublicToken: token1})
	if err != nil || string(raw) != report || meta.PublicToken != token1 {
		t.Errorf("Report = %s, %v, %v", raw, meta, err)
	}
}

func TestRejectsLargeAnswers(t *testing.T) {
	s := &service{handler: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(bytes.Repeat([]byte(" "), maxAnswer+1))
	}}
	_, err := s.client().Status(t.Context(), Ref{PublicToken: token1})
	if CodeOf(err) != contract.CodeUpstream || !strings.Contains(err.Error(), "too large") {
		t.Errorf("Status = %v, want too large", err)
	}
}

func TestReportsAreNamedByHeadersOnly(t *testing.T) {
	for _, ref := range []Ref{
		{}, {PublicToken: token1, ExternalID: "a"}, {PublicToken: "../x"}, {PublicToken: token1 + "\r\nX: y"},
		{ExternalID: "a\r\nb"}, {ExternalID: strings.Repeat("x", 300)}, {PublicToken: token1, PublicID: "a\nb"},
	} {
		s := &service{handler: func(http.ResponseWriter, *http.Request) { t.Error("the service was asked") }}
		if _, err := s.client().Status(t.Context(), ref); CodeOf(err) != contract.CodeMalformedHeaders || Temporary(err) {
			t.Errorf("Status(%+v) = %v, want %s", ref, err, contract.CodeMalformedHeaders)
		}
	}
	s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-EXTERNAL-ID") != "order 7" || r.Header.Get("X-PUBLIC-ID") != "child" || r.URL.RawQuery != "" {
			t.Errorf("asked %s with %v", r.URL, r.Header)
		}
		ready(w, r)
	}}
	if a, err := s.client().Status(t.Context(), Ref{ExternalID: "order 7", PublicID: "child"}); err != nil ||
		a.Status != contract.StatusSuccess {
		t.Errorf("Status = %v, %v", a, err)
	}
}

func TestAllowedRedirectTargets(t *testing.T) {
	for _, tc := range []struct {
		url string
		ok  bool
	}{
		{"http://127.0.0.1:1/redirect/abc", true},
		{"https://pages.example.com/r/abc", true},
		{"javascript:alert(1)", false},
		{"data:text/html,x", false},
		{"//127.0.0.1:1/x", false},
		{"http://evil.example/x", false},
		{"http://127.0.0.1:1@evil.example/x", false},
		{"http://user@127.0.0.1:1/x", false},
		{"http://127.0.0.1:1.evil.example/x", false},
		{"http://127.0.0.1:1/x\r\nSet-Cookie: a=b", false},
		{"http://127.0.0.1:1\\@evil.example/x", false},
		{"http://127.0.0.1:2/x", false},
		{"", false},
	} {
		s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
			writeJSON(w, 200, map[string]any{"redirectUrl": tc.url, "redirectToken": "rt", "exp": 1767225600})
		}}
		c := s.client()
		profile, err := ParseProfile([]byte("pages: ['https://pages.example.com', 'http://127.0.0.1:1']"))
		if err != nil {
			t.Fatal(err)
		}
		c.Profile = profile
		link, err := c.SecureRedirect(t.Context(), RedirectRequest{CompleteURL: "http://localhost:8080/redirect/return?jwt=[token]"})
		if (err == nil) != tc.ok {
			t.Errorf("SecureRedirect leading to %q = %v, want ok = %v", tc.url, err, tc.ok)
		}
		if tc.ok && (link.RedirectURL != tc.url || link.RedirectToken != "rt" || link.Exp.Unix() != 1767225600) {
			t.Errorf("SecureRedirect = %+v", link)
		}
	}
}

func TestRejectsConfigurationsThatLeak(t *testing.T) {
	for _, tc := range []struct {
		url   string
		plain bool
		ok    bool
	}{
		{"https://api.example.com", false, true},
		{"https://api.example.com/base", false, true},
		{"http://localhost:8081", false, true},
		{"http://[::1]:8081", false, true},
		{"http://api.example.com", false, false},
		{"http://api.internal", true, true},
		{"http://localhost.example.com", false, false},
		{"ftp://localhost", false, false},
		{"https://user:pass@api.example.com", false, false},
		{"https://api.example.com/?a=b", false, false},
		{"api.example.com", false, false},
		{"", false, false},
	} {
		if _, err := checkBase(tc.url, tc.plain); (err == nil) != tc.ok {
			t.Errorf("checkBase(%q, %v) = %v, want ok = %v", tc.url, tc.plain, err, tc.ok)
		}
	}
	for _, c := range []*Client{
		{BaseURL: "https://a.example", SecretKey: "x"}, {BaseURL: "https://a.example", ClientID: "x"},
		{BaseURL: "https://a.example", ClientID: "a:b", SecretKey: "x"},
	} {
		if err := c.Check(t.Context()); err == nil {
			t.Errorf("Check with ClientID %q is nil", c.ClientID)
		}
	}
}

func TestSecretsAreNotLogged(t *testing.T) {
	var logged bytes.Buffer
	s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		writeJSON(w, 400, map[string]any{"error": "INVALID_PREFILL_DOB", "message": string(body),
			"details": []map[string]string{{"field": "dob", "code": "INVALID_PREFILL_DOB", "message": "no"}}})
	}}
	c := s.client()
	c.Log = slog.New(slog.NewJSONHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	_, err := c.Initialize(t.Context(), InitRequest{ProductID: token2, Prefill: &Prefill{FirstName: "Canary", DOB: "1990-13-01"}})
	_, _ = c.Status(t.Context(), Ref{PublicToken: token1})
	for _, secret := range []string{"Canary", "1990", "secret", "token-1", token1, token2} {
		if strings.Contains(logged.String(), secret) || strings.Contains(err.Error(), secret) {
			t.Errorf("%q is in the log or the error:\n%s\n%v", secret, logged.String(), err)
		}
	}
	var e *Error
	if !errors.As(err, &e) || e.Code != "INVALID_PREFILL_DOB" || len(e.Details) != 1 || e.Details[0].Field != "dob" {
		t.Errorf("Initialize = %#v", err)
	}
}

func TestInitializationRequest(t *testing.T) {
	income := int64(0)
	var got string
	s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = r.Method + " " + r.URL.Path + " " + r.Header.Get("Content-Type") + " " + string(body)
		writeJSON(w, 200, map[string]any{"token": "abc", "exp": 1767225600, "consumerId": token1})
	}}
	c := s.client()
	in, err := c.Initialize(t.Context(), InitRequest{ProductID: token2, Prefill: &Prefill{FirstName: "Ana", StatedAnnualIncome: &income}})
	want := `POST /connect/initialization application/json {"productId":"` + token2 + `","prefill":{"firstName":"Ana","statedAnnualIncome":0}}`
	if err != nil || got != want || in.Token != "abc" || in.Exp.Unix() != 1767225600 {
		t.Errorf("sent %s\nwant %s\n(%+v, %v)", got, want, in, err)
	}
	id, err := c.CreateConsumer(t.Context(), ConsumerRequest{ConsumerExternalID: "c-1"})
	if want := `POST /connect/consumers application/json {"consumerExternalId":"c-1"}`; err != nil || id != token1 || got != want {
		t.Errorf("sent %s\nwant %s\n(%s, %v)", got, want, id, err)
	}
	if n := s.tokens.Load(); n != 0 {
		t.Errorf("token calls = %d, want none for Basic endpoints", n)
	}
}

func TestCheckFollowsNoRedirect(t *testing.T) {
	requests := 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests++ }))
	defer elsewhere.Close()
	srv := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer srv.Close()
	c := &Client{BaseURL: srv.URL, ClientID: "client", SecretKey: "secret"}
	if err := c.Check(t.Context()); CodeOf(err) != contract.CodeUpstream || requests != 0 {
		t.Errorf("Check = %v, and %d requests went elsewhere", err, requests)
	}
}
