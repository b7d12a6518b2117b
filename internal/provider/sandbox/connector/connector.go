// Package connector is the sandbox's connector: it speaks the protocol of
// docs/connector.openapi.yaml for a part of the sandbox's payroll providers, with sign-in
// pages, and for all suppliers of credit files. It is served at the origin of the mock
// banks, below Path. Production does not contain it.
//
// Usernames, passwords, and the one-time code are those of package payroll. Some user
// names end differently, because the protocol has its own ways to say so:
//
//	error                  payroll data: INVALID_REQUEST
//	supplier_unresponsive  payroll data: UNRESPONSIVE
//	session_expired        the completion: ABANDONED
//	mfa                    no code is accepted: access_denied after three
//	payroll_mfa            payroll data: CONFIRMATION_REQUIRED
package connector

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"vestibule/internal/analysis/income"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/sandbox/payroll"
	"vestibule/internal/provider/sandbox/signin"
	"vestibule/internal/provider/sandbox/suppliers"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
	"vestibule/web"
)

// Path is where the connector is served: the base URL of the protocol is the origin with it.
const Path = "/connector"

// Lifetimes.
const (
	CodeLifetime   = time.Minute
	AccessLifetime = time.Hour // until it must be renewed
	pagesLifetime  = 15 * time.Minute
	consentDays    = int(sources.Lifetime / (24 * time.Hour)) // as long as the service keeps access
)

// maxFileBody is the maximum size in bytes of a request with identity documents, in base64.
const maxFileBody = sources.MaxDocuments*sources.MaxDocumentSize*4/3 + webhook.MaxBody

// client is the name of the provider on the pages.
const client = "Vestibule"

// Config is what a Server needs. All fields but Clock must be set.
type Config struct {
	DB           *store.DB
	Log          *slog.Logger
	Now          func() time.Time // the sandbox's clock
	Clock        func() time.Time // the real clock, for signatures; nil: time.Now
	BaseURL      string           // origin that browsers and the provider reach it by, such as http://127.0.0.1:8083
	Assets       *web.Assets      // the provider's style sheet and icon, which the origin serves
	Secret       webhook.Secret   // that requests are signed with
	RedirectURIs []string         // compared character by character
}

// Server serves the connector. It is safe for concurrent use, and replicas may share its
// database.
type Server struct {
	config   Config
	receiver webhook.Receiver
	pages    signin.Pages
	http.Handler
	served map[string]sources.Institution
}

// New returns a server.
func New(_ context.Context, c Config) (*Server, error) {
	c.BaseURL = strings.TrimSuffix(c.BaseURL, "/")
	if !httpx.IsBaseURL(c.BaseURL) {
		return nil, fmt.Errorf("connector: %q is not a base URL", c.BaseURL)
	}
	s := &Server{config: c, receiver: webhook.Receiver{Secrets: []webhook.Secret{c.Secret}, Now: c.Clock},
		pages: signin.Pages{Log: c.Log, Secure: strings.HasPrefix(c.BaseURL, "https:"), Assets: c.Assets,
			Name: func(*http.Request) string { return "" }},
		served: map[string]sources.Institution{}}
	for _, in := range Institutions() {
		s.served[in.ID] = in
	}
	s.Handler = s.routes()
	return s, nil
}

// Institutions lists what the connector reaches, in alphabetical order: the payroll
// companies and gig platforms, and all suppliers.
func Institutions() (all []sources.Institution) {
	all = slices.DeleteFunc(payroll.All(), func(p sources.Institution) bool { return p.Employer == income.ProviderEmployer })
	for _, s := range report.Suppliers() {
		place := func(l i18n.Lang) string { return suppliers.Bureaus{}.Place(l, s.Code) }
		all = append(all, sources.Institution{ID: s.Code, Kind: sources.Supplier, Name: s.Name, Place: place(i18n.English),
			PlaceES: place(i18n.Spanish)})
	}
	slices.SortFunc(all, func(a, b sources.Institution) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// Sweep deletes expired authorizations and access.
func (s *Server) Sweep(ctx context.Context) error {
	return s.config.DB.Sweep(ctx, 200, deleteExpired(s.config.Now()))
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for path, o := range map[string]struct {
		name string
		kind sources.Kind // of the institution; empty: the request names none
		run  func(context.Context, request, sources.Institution) (any, error)
	}{
		"/institutions":            {"institutions", "", s.institutions},
		"/authorizations":          {"authorize", sources.Payroll, s.authorize},
		"/authorizations/complete": {"complete", sources.Payroll, s.complete},
		"/authorizations/renew":    {"renew", sources.Payroll, s.renew},
		"/payroll":                 {"payroll", sources.Payroll, s.payroll},
		"/files":                   {"file", sources.Supplier, s.file},
		"/disputes":                {"dispute", sources.Supplier, s.dispute},
		"/revocations":             {"revoke", sources.Payroll, s.revoke},
	} {
		mux.Handle("POST "+Path+path, s.operation(o.name, o.kind, o.run))
	}
	mux.Handle("GET "+Path+"/sign-in/{id}", s.pages.Handler(s.show))
	mux.Handle("POST "+Path+"/sign-in/{id}", s.pages.Form(s.submit))
	pages := httpx.ErrorPages{Path + "/sign-in/": s.pages.Missing}
	return httpx.Wrap(s.config.Log, httpx.NotFound(s.config.Log, mux, pages.Of))
}

// request has the parameters of all operations.
type request struct {
	Operation     string      `json:"operation"`
	Institution   string      `json:"institution"`
	RedirectURI   string      `json:"redirectUri"`
	State         string      `json:"state"`
	Language      string      `json:"language"`
	Authorization string      `json:"authorization"`
	Code          string      `json:"code"`
	Access        string      `json:"access"`
	Refresh       string      `json:"refresh"`
	From          report.Date `json:"from"`
	To            report.Date `json:"to"`
	Number        string      `json:"number"`
	Kind          string      `json:"kind"`
	About         string      `json:"about"`
	Statement     string      `json:"statement"`
	Facts         string      `json:"facts"`
	Due           report.Date `json:"due"`
	sources.FileRequest
}

// problem is an error of the protocol.
type problem struct {
	Code    string `json:"error"`
	Message string `json:"message"`
	status  int
}

func (p *problem) Error() string { return p.Code + ": " + p.Message }

func invalid(message string) error {
	return &problem{"INVALID_REQUEST", message, http.StatusBadRequest}
}

func conflict(code, message string) error { return &problem{code, message, http.StatusConflict} }

// operation adapts an operation, whose result is the answer; nil for no content.
func (s *Server) operation(name string, kind sources.Kind,
	run func(context.Context, request, sources.Institution) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := func() (any, error) {
			q, err := s.read(r, name)
			var in sources.Institution
			if err == nil && kind != "" {
				in, err = s.institution(q, kind)
			}
			if err != nil {
				return nil, err
			}
			return run(r.Context(), q, in)
		}()
		status := http.StatusOK
		if p := (*problem)(nil); errors.As(err, &p) {
			s.config.Log.InfoContext(r.Context(), "request refused", "requestId", httpx.RequestID(r.Context()), "err", p.Error())
			answer, status, err = p, p.status, nil
		}
		w.Header().Set("Cache-Control", "no-store")
		switch {
		case err != nil:
			httpx.WriteError(w, r, s.config.Log, err)
		case answer == nil:
			w.WriteHeader(http.StatusNoContent)
		default:
			if err := httpx.JSON(w, status, answer); err != nil {
				httpx.WriteError(w, r, s.config.Log, err)
			}
		}
	})
}

// read reads, verifies, and decodes a request.
func (s *Server) read(r *http.Request, operation string) (q request, err error) {
	receiver := s.receiver
	if operation == "file" {
		receiver.Limit = maxFileBody
	}
	_, body, err := receiver.Read(r)
	switch {
	case errors.Is(err, webhook.ErrHeaders), errors.Is(err, webhook.ErrStale), errors.Is(err, webhook.ErrSignature):
		return q, &problem{"INVALID_SIGNATURE", err.Error(), http.StatusUnauthorized}
	case err != nil:
		return q, invalid(err.Error())
	case json.Unmarshal(body, &q) != nil:
		return q, invalid("the body is not JSON, or a member has another type than the document says")
	case q.Operation != operation:
		return q, &problem{"INVALID_SIGNATURE", "the operation is that of another path", http.StatusUnauthorized}
	}
	return q, nil
}

// institution returns the institution of a request, which must be of a kind.
func (s *Server) institution(q request, kind sources.Kind) (sources.Institution, error) {
	in, ok := s.served[q.Institution]
	switch {
	case !ok:
		return in, invalid("institution: unknown")
	case in.Kind != kind:
		return in, &problem{"UNSUPPORTED", "the institution is a " + string(in.Kind), http.StatusUnprocessableEntity}
	}
	return in, nil
}
