package portal_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/jose"
	"vestibule/internal/store"
)

const productID = "11111111-1111-4111-8111-111111111111"

// service is a fake provider with visits whose status the test sets.
type service struct {
	*httptest.Server
	t   *testing.T
	key *jose.PrivateKey

	mu      sync.Mutex
	visits  map[string]*visit // by external ID
	inits   []map[string]any
	away    bool // answers only 503
	refuse  contract.WidgetError
	fetches int
	asked   []string // external IDs of status requests
	args    string   // redirectArgs of the last redirect
	adverse []map[string]any
	consent []string // consumers whose consent was withdrawn
}

type visit struct {
	externalID, publicToken string
	status                  contract.Status
}

func newService(t *testing.T) *service {
	key, err := jose.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	s := &service{t: t, key: key, visits: map[string]*visit{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /connect/accesstoken", func(w http.ResponseWriter, r *http.Request) {
		answer(w, 200, map[string]any{"accessToken": "at", "exp": time.Now().Add(5 * time.Minute).Unix()})
	})
	mux.HandleFunc("GET /connect/jwkset", func(w http.ResponseWriter, r *http.Request) {
		answer(w, 200, jose.KeySet{key.Public()})
	})
	mux.HandleFunc("POST /connect/initialization", func(w http.ResponseWriter, r *http.Request) {
		if s.open(w, r) {
			answer(w, 200, map[string]any{"token": store.NewSecret(), "exp": time.Now().Add(30 * time.Minute).Unix()})
		}
	})
	mux.HandleFunc("POST /connect/consumers", func(w http.ResponseWriter, r *http.Request) {
		answer(w, 201, map[string]any{"consumerId": uuid.NewString()})
	})
	mux.HandleFunc("DELETE /connect/consumers/{id}", func(w http.ResponseWriter, r *http.Request) {
		s.set(func() { s.consent = append(s.consent, r.PathValue("id")) })
		w.WriteHeader(204)
	})
	mux.HandleFunc("POST /secure-redirect", func(w http.ResponseWriter, r *http.Request) {
		if s.open(w, r) {
			answer(w, 200, map[string]any{"redirectUrl": s.URL + "/redirect/" + store.NewSecret(), "redirectToken": store.NewSecret(),
				"exp": time.Now().Add(30 * time.Minute).Unix()})
		}
	})
	mux.HandleFunc("GET /connect/status", func(w http.ResponseWriter, r *http.Request) {
		s.set(func() { s.asked = append(s.asked, r.Header.Get("X-EXTERNAL-ID")) })
		if v := s.find(w, r); v != nil {
			answer(w, 200, map[string]any{"status": v.status, "substatus": nil})
		}
	})
	mux.HandleFunc("GET /connect/cashflow/v2/json", func(w http.ResponseWriter, r *http.Request) {
		v := s.find(w, r)
		if v == nil {
			return
		}
		body := map[string]any{"meta": map[string]any{"public_token": v.publicToken, "created_at": "2026-05-04T10:00:00.000Z",
			"api_version": "2.0.0", "status": "SUCCESS", "external_id": v.externalID},
			"sources": []any{map[string]any{"source_id": "HARBOR_NATIONAL_BANK", "source_type": "BANK_TRANSACTION", "status": "SUCCESS"}}}
		s.set(func() {
			if r.Context().Err() == nil { // the portal still waits: it gives a webhook's report two seconds
				s.fetches++
			}
			if s.adverse != nil {
				body["scores"] = []any{map[string]any{"score_type": "CASHFLOW", "score_version": "1.0.0",
					"value": 512, "adverse_action_codes": s.adverse}}
			}
		})
		answer(w, 200, body)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// open creates a visit for an initialization or a redirect.
func (s *service) open(w http.ResponseWriter, r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	var in map[string]any
	_ = json.NewDecoder(r.Body).Decode(&in)
	id, _ := in["externalId"].(string)
	switch {
	case s.away:
		answer(w, 503, map[string]any{"error": "UNAVAILABLE"})
		return false
	case s.refuse != "":
		answer(w, 400, map[string]any{"error": s.refuse})
		return false
	case s.visits[id] != nil:
		answer(w, 400, map[string]any{"error": "DUPLICATE_EXTERNAL_ID"})
		return false
	}
	s.inits = append(s.inits, in)
	s.args, _ = in["redirectArgs"].(string)
	s.visits[id] = &visit{id, uuid.NewString(), contract.StatusPending}
	return true
}

func (s *service) find(w http.ResponseWriter, r *http.Request) *visit {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.visits[r.Header.Get("X-EXTERNAL-ID")]
	if token := r.Header.Get("X-PUBLIC-TOKEN"); token != "" {
		for _, other := range s.visits {
			if other.publicToken == token {
				v = other
			}
		}
	}
	if v == nil || s.away {
		answer(w, 404, map[string]any{"error": "INVALID_TOKEN"})
		return nil
	}
	copied := *v
	return &copied
}

// finish sets the last visit's status and returns its external ID and publicToken.
func (s *service) finish(status contract.Status) (externalID, publicToken string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	externalID, _ = s.inits[len(s.inits)-1]["externalId"].(string)
	s.visits[externalID].status = status
	return externalID, s.visits[externalID].publicToken
}

// reasons adds adverse reason codes to the reports.
func (s *service) reasons(codes ...string) {
	s.set(func() {
		for _, code := range codes {
			s.adverse = append(s.adverse, map[string]any{"code": code, "description": "Reason " + code})
		}
	})
}

func (s *service) set(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func (s *service) fetched() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fetches
}
