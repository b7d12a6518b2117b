//go:build linux

package crashtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"vestibule/internal/webhook"
)

// onboardingApp receives the portal's webhooks about applications. It is never killed.
type onboardingApp struct {
	*httptest.Server
	t *testing.T

	mu     sync.Mutex
	secret string
	events map[string]appEvent // by event ID
}

type appEvent struct {
	Type        string
	Sequence    int64
	Application struct{ ID string }
}

func newOnboardingApp(t *testing.T) *onboardingApp {
	h := &onboardingApp{t: t, events: map[string]appEvent{}}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	return h
}

// ServeHTTP stores an event by its ID, which an interrupted delivery repeats.
func (h *onboardingApp) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.secret != "" {
		secret, err := webhook.ParseSecret(h.secret)
		if err == nil {
			_, err = (&webhook.Receiver{Secrets: []webhook.Secret{secret}}).Verify(r.Header, body)
		}
		if err != nil {
			h.t.Errorf("an event that cannot be verified: %v", err)
		}
	}
	var e appEvent
	if err := json.Unmarshal(body, &e); err != nil {
		h.t.Errorf("an event that is no JSON: %s", body)
	}
	h.events[r.Header.Get(webhook.HeaderID)] = e
	w.WriteHeader(http.StatusNoContent)
}

// verify makes the app check later events with the secret.
func (h *onboardingApp) verify(secret string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.secret = secret
}

func (h *onboardingApp) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.events)
}

// notified returns the number of an application's events of a type.
func (h *onboardingApp) notified(application, kind string) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.events {
		if e.Application.ID == application && e.Type == kind {
			n++
		}
	}
	return n
}

// doubled describes the changes that were sent under more than one event ID.
func (h *onboardingApp) doubled() (all []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	seen := map[appEvent]bool{}
	for _, e := range h.events {
		if seen[e] {
			all = append(all, fmt.Sprintf("the onboarding app was notified twice: %+v", e))
		}
		seen[e] = true
	}
	return all
}
