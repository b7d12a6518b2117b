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

// onboardingApp is the onboarding app, which is told of what becomes of its applications.
// It is never killed.
type onboardingApp struct {
	*httptest.Server
	t *testing.T

	mu     sync.Mutex
	secret string
	events map[string]heard // by the event's id
}

type heard struct {
	Type        string
	Sequence    int64
	Application struct{ ID string }
}

func newOnboardingApp(t *testing.T) *onboardingApp {
	h := &onboardingApp{t: t, events: map[string]heard{}}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	return h
}

// ServeHTTP takes an event. One whose delivery was cut off comes again under its id.
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
	var e heard
	if err := json.Unmarshal(body, &e); err != nil {
		h.t.Errorf("an event that is no JSON: %s", body)
	}
	h.events[r.Header.Get(webhook.HeaderID)] = e
	w.WriteHeader(http.StatusNoContent)
}

// verify has all that comes from now on be signed with the secret.
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

// told is how many events of a type there were of an application.
func (h *onboardingApp) told(application, kind string) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.events {
		if e.Application.ID == application && e.Type == kind {
			n++
		}
	}
	return n
}

// doubled says what was told under more than one id.
func (h *onboardingApp) doubled() (all []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	seen := map[heard]bool{}
	for _, e := range h.events {
		if seen[e] {
			all = append(all, fmt.Sprintf("the onboarding app was told twice: %+v", e))
		}
		seen[e] = true
	}
	return all
}
