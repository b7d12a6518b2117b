// Package api implements the portal's API for onboarding apps: create an application,
// send the applicant's browser to it, follow its progress, and fetch its report, all
// from the app's back end with one bearer key. docs/portal-openapi.yaml defines it.
//
// The package compares keys in constant time, limits the request rate, decodes
// strictly, and performs a request at most once per Idempotency-Key.
package api

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/embedkit"
	"vestibule/internal/portal/notify"
	"vestibule/internal/store"
)

// API serves /api/v1. Rate may be zero; all other fields are required.
type API struct {
	DB           *store.DB
	Applications *applications.Service
	Events       *notify.Service
	Kit          *embedkit.Kit // issues the embed tokens
	Key          string        // the portal's API key
	URL          string        // the portal's public address, without a slash at the end
	Now          func() time.Time
	Log          *slog.Logger
	Spec         func() ([]byte, error) // the OpenAPI document, JSON

	// PDF returns a stored report of an application as a PDF.
	PDF func(ctx context.Context, app applications.Application, of applications.StoredReport, l i18n.Lang) ([]byte, error)

	Rate int // requests per second of the key in this process; default 50

	bucket bucket
}

// authorized admits requests with the key, within its rate limit.
func (a *API) authorized(next httpx.HandlerFunc) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Cache-Control", "no-store")
		got, problem := bearer(r)
		if problem != "" || subtle.ConstantTimeCompare(store.Hash(got), store.Hash(a.Key)) != 1 || a.Key == "" {
			w.Header().Set("WWW-Authenticate", `Bearer realm="vestibule"`)
			return httpx.NewError(contract.CodeUnauthorized, errors.New("missing or wrong API key"),
				httpx.Detail{Field: "Authorization", Message: cmp.Or(problem, "has another key than the portalApiKey of this portal")})
		}
		if wait := a.bucket.take(a.Now(), float64(a.rate())); wait > 0 {
			return &httpx.Error{Code: contract.CodeRateLimited, RetryAfter: wait, Why: errors.New("rate of the API key"),
				Message: "The key can send " + strconv.Itoa(a.rate()) + " requests a second; wait as long as Retry-After says."}
		}
		return next(w, r)
	}
}

func (a *API) rate() int {
	if a.Rate > 0 {
		return a.Rate
	}
	return 50
}

// bearer returns the key of a request, or what is wrong with its header.
func bearer(r *http.Request) (key, problem string) {
	values := append(r.Header.Values("Authorization"), "")
	scheme, key, ok := strings.Cut(values[0], " ")
	if len(values) != 2 || !ok || !strings.EqualFold(scheme, "Bearer") || key == "" || len(key) > 512 {
		if values[0] == "" {
			return "", "is missing; send Bearer and the portalApiKey"
		}
		return "", "must be given once: Bearer and the portalApiKey"
	}
	return key, httpx.Placeholder(key)
}

// keyed hashes data with the API key, so that the hashes reveal nothing without it.
func (a *API) keyed(label string, data []byte) []byte {
	mac := hmac.New(sha256.New, []byte(a.Key))
	mac.Write([]byte(label + "\x00"))
	mac.Write(data)
	return mac.Sum(nil)
}

// bucket is a token bucket with a capacity of one second of requests.
type bucket struct {
	mu   sync.Mutex
	left float64
	at   time.Time
}

// take takes one request, or returns how long to wait for it.
func (b *bucket) take(now time.Time, rate float64) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.at.IsZero() {
		b.left = rate
	} else if passed := now.Sub(b.at).Seconds(); passed > 0 {
		b.left = min(rate, b.left+passed*rate)
	}
	b.at = now
	if b.left < 1 {
		return time.Duration((1 - b.left) / rate * float64(time.Second))
	}
	b.left--
	return 0
}
