// Package invites is links that customers send to applicants: by themselves, or by
// a letter of ours (the project's divergences, "Invites"). A link leads to a visit
// on the hosted page, for the 72 hours that a visit waits, as often as it takes to
// complete it once.
//
// It refuses what an initialization refuses, and links that are unknown. Handles
// are kept as SHA-256 only; a letter's recipient and text are sealed under the
// consumer's key, and dropped when they are no longer needed. No cookie is set.
package invites

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/jobs"
	"vestibule/internal/mail"
	"vestibule/internal/prefill"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/visits"
	"vestibule/internal/store"
)

// maxBody bounds the body of an invite: it is a person's details, and no more.
const maxBody = 64 << 10

// Service serves invites. All fields but Mail must be set.
type Service struct {
	DB        *store.DB
	Queue     jobs.Enqueuer
	Log       *slog.Logger
	Now       func() time.Time // the provider's clock
	URL       string           // the provider's public base, without a trailing slash
	Gate      *auth.Authenticator
	Customers *customers.Service
	Reports   *reports.Service
	Visits    *visits.Service
	Mail      Mailer // nil: letters wait in the outbox for somebody to read them
}

// Mailer sends letters.
type Mailer interface {
	// Send is mail.ErrRefused for a letter that is never taken; after another error
	// it may be sent again.
	Send(ctx context.Context, l mail.Message) error
}

// Routes adds the whole surface of invites to mux.
func (s *Service) Routes(mux *http.ServeMux) {
	mux.Handle("POST /connect/invite-link", httpx.API(s.Log, s.Gate.Basic(s.makeLink)))
	mux.Handle("POST /connect/invite", httpx.API(s.Log, s.Gate.Basic(s.makeLetter)))
	mux.Handle("GET /invite/{handle}", s.Visits.LinkPage(s.open, why))
}

// makeLink is POST /connect/invite-link.
func (s *Service) makeLink(w http.ResponseWriter, r *http.Request) error {
	members, err := read(w, r)
	if err != nil {
		return err
	}
	return s.create(w, r, members, "")
}

// makeLetter is POST /connect/invite.
func (s *Service) makeLetter(w http.ResponseWriter, r *http.Request) error {
	members, err := read(w, r)
	if err != nil {
		return err
	}
	var to string
	if json.Unmarshal(members["deliverTo"], &to) != nil || !prefill.IsEmail(to) {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("deliverTo is no e-mail address"),
			httpx.Detail{Field: "deliverTo", Message: "must be an e-mail address of at most 100 characters"})
	}
	delete(members, "deliverTo")
	return s.create(w, r, members, to)
}

// read takes a body apart. A token of an initialization has a visit already, whose
// applicant is where the token is.
func read(w http.ResponseWriter, r *http.Request) (map[string]json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := httpx.DecodeJSON(w, r, maxBody, &members); err != nil {
		return nil, err
	}
	if _, given := members["token"]; given {
		return nil, httpx.NewError(contract.CodeMalformedBody, errors.New("a token cannot be invited with"),
			httpx.Detail{Field: "token", Message: "is not a field of an invite"})
	}
	return members, auth.AddProductID(r, members)
}

// create makes the visit, its link and, with a recipient, the letter with it: all
// of them or nothing.
func (s *Service) create(w http.ResponseWriter, r *http.Request, members map[string]json.RawMessage, to string) error {
	caller := auth.CallerOf(r.Context())
	handle := store.NewSecret()
	link := s.URL + "/invite/" + handle
	var publicToken string
	var expires time.Time
	err := s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		var visitID string
		if visitID, publicToken, err = s.Visits.Begin(ctx, tx, caller, members, visitHandle(handle)); err != nil {
			return err
		}
		v, err := s.Visits.Summary(ctx, tx, publicToken)
		if err != nil {
			return err
		}
		expires = v.Expires
		if err := insert(ctx, tx, uuid.NewString(), visitID, caller.CustomerID, handle, s.Now(), expires); err != nil || to == "" {
			return err
		}
		report, err := s.Reports.Get(ctx, tx, publicToken)
		if err != nil {
			return err
		}
		return s.write(ctx, tx, report, expires, to, link)
	})
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	return httpx.JSON(w, http.StatusOK, struct {
		InviteLink  string `json:"inviteLink"`
		PublicToken string `json:"publicToken"`
		Exp         int64  `json:"exp"` // unix seconds
	}{link, publicToken, expires.Unix()})
}

// visitHandle is the handle of the visit's page. It is not kept, and follows from
// that of the link.
func visitHandle(handle string) string {
	sum := sha256.Sum256([]byte("vestibule visit by invite\n" + handle))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// open is inviteLink. It leads to the visit's page, which says how it stands, also
// when it is completed or its time is over.
func (s *Service) open(w http.ResponseWriter, r *http.Request) error {
	handle := r.PathValue("handle")
	if _, err := visitOf(r.Context(), s.DB.SQL, handle); err != nil {
		return err
	}
	path := visits.Path(visitHandle(handle))
	if lang := r.URL.Query().Get("lang"); lang != "" {
		path += "?" + url.Values{"lang": {lang}}.Encode()
	}
	httpx.SetSecurityHeaders(w, httpx.CSP{})
	w.Header().Set("Location", path)
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// Visit is the visit of an invite's handle, or store.ErrNotFound.
func (s *Service) Visit(ctx context.Context, q store.Queryer, handle string) (visitID string, err error) {
	return visitOf(ctx, q, handle)
}

var (
	wordsGone     = contract.Words{EN: "This link leads nowhere", ES: "Este enlace no lleva a ninguna parte"}
	wordsGoneText = contract.Words{EN: "It may have been cut off. Copy all of it from the message that it came in, or ask the company for a new one.", ES: "Quizá esté cortado. Cópielo entero del mensaje en el que llegó o pida uno nuevo a la empresa."}
	wordsWrong    = contract.Words{EN: "That did not work", ES: "Eso no funcionó"}
	wordsAgain    = contract.Words{EN: "Try the link again in a moment.", ES: "Vuelva a probar el enlace en un momento."}
)

// why says to people why a link leads nowhere.
func why(err error) (title, text contract.Words) {
	if errors.Is(err, store.ErrNotFound) {
		return wordsGone, wordsGoneText
	}
	return wordsWrong, wordsAgain
}
