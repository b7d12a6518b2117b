// Package invites creates links to a hosted visit that customers send to applicants,
// themselves or by an email of this service (API reference: Visits;
// docs/divergences.md, "Invites"). A link can be opened any number of times until its
// visit is complete or expires after 72 hours.
//
// It rejects what an initialization rejects, and unknown links. Handles are stored as
// SHA-256 only; an email's recipient and text are encrypted under the consumer's key
// and deleted when no longer needed. No cookie is set.
package invites

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/mail"
	"vestibule/internal/prefill"
	"vestibule/internal/provider/auth"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/outbox"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/visits"
	"vestibule/internal/store"
)

// maxBody is the maximum size in bytes of an invite's body, which holds a person's
// details.
const maxBody = 64 << 10

// Service serves invites. All fields must be set.
type Service struct {
	DB        *store.DB
	Log       *slog.Logger
	Now       func() time.Time // the provider's clock
	URL       string           // the provider's public base, without a trailing slash
	Auth      *auth.Authenticator
	Customers *customers.Service
	Reports   *reports.Service
	Visits    *visits.Service
	Outbox    *outbox.Service
	Mailboxes *mail.Mailboxes
}

// Routes adds the endpoints of invites to mux.
func (s *Service) Routes(mux *http.ServeMux) {
	mux.Handle("POST /connect/invite-link", httpx.API(s.Log, s.Auth.Basic(s.handleInviteLink)))
	mux.Handle("POST /connect/invite", httpx.API(s.Log, s.Auth.Basic(s.handleInvite)))
	mux.Handle("GET /invite/{handle}", s.Visits.LinkPage(s.open, errorText))
}

// handleInviteLink handles POST /connect/invite-link.
func (s *Service) handleInviteLink(w http.ResponseWriter, r *http.Request) error {
	members, err := decode(w, r)
	if err != nil {
		return err
	}
	return s.create(w, r, members, "")
}

// handleInvite handles POST /connect/invite.
func (s *Service) handleInvite(w http.ResponseWriter, r *http.Request) error {
	members, err := decode(w, r)
	if err != nil {
		return err
	}
	var to string
	if json.Unmarshal(members["deliverTo"], &to) != nil || !prefill.IsEmail(to) {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("deliverTo is not an email address"),
			httpx.Detail{Field: "deliverTo", Message: httpx.TextProblem(members["deliverTo"],
				"must be an email address of at most 100 characters")})
	}
	delete(members, "deliverTo")
	return s.create(w, r, members, to)
}

// decode parses a body. It rejects an initialization token, because the visit of such a
// token already exists.
func decode(w http.ResponseWriter, r *http.Request) (map[string]json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := httpx.DecodeJSON(w, r, maxBody, &members); err != nil {
		return nil, err
	}
	if _, given := members["token"]; given {
		return nil, httpx.NewError(contract.CodeMalformedBody, errors.New("a token cannot be invited with"),
			httpx.Detail{Field: "token", Message: "is not a field of an invite; send the fields of an initialization"})
	}
	return members, auth.AddProductID(r, members)
}

var errTooOften = &httpx.Error{Code: contract.CodeRateLimited, RetryAfter: mail.TriesWindow,
	Why: errors.New("too many invites to one address")}

// create creates the visit, its link and, with a recipient, the email, all in one
// transaction. An account invites an address up to the limit of emails.
func (s *Service) create(w http.ResponseWriter, r *http.Request, members map[string]json.RawMessage, to string) error {
	caller := auth.CallerOf(r.Context())
	handle := store.NewSecret()
	link := s.URL + "/invite/" + handle
	var publicToken string
	var expires time.Time
	err := s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		if to != "" {
			if ok, err := s.Mailboxes.AllowEmail(ctx, tx, "invite by "+caller.CustomerID, to); err != nil {
				return err
			} else if !ok {
				return errTooOften
			}
		}
		var visitID string
		if visitID, publicToken, err = s.Visits.Begin(ctx, tx, caller, members, visitHandle(handle)); err != nil {
			return err
		}
		v, err := s.Visits.Summary(ctx, tx, publicToken)
		if err != nil {
			return err
		}
		expires = v.Expires
		if err := insertInvite(ctx, tx, uuid.NewString(), visitID, caller.CustomerID, handle, expires); err != nil || to == "" {
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
	return httpx.PrivateJSON(w, http.StatusOK, struct {
		InviteLink  string `json:"inviteLink"`
		PublicToken string `json:"publicToken"`
		Exp         int64  `json:"exp"` // unix seconds
	}{link, publicToken, expires.Unix()})
}

// visitHandle returns the handle of the visit's page, derived from that of the link;
// it is not stored.
func visitHandle(handle string) string {
	sum := sha256.Sum256([]byte("vestibule visit by invite\n" + handle))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// open handles inviteLink. It redirects to the visit's page, which also shows that the
// visit is complete or has expired.
func (s *Service) open(w http.ResponseWriter, r *http.Request) error {
	handle := r.PathValue("handle")
	if _, err := s.Visit(r.Context(), s.DB.SQL, handle); err != nil {
		return err
	}
	return visits.SeeVisit(w, r, visitHandle(handle))
}

// errorText returns the text for a page that explains why a link does not work.
func errorText(err error) (title, text i18n.Key) {
	if errors.Is(err, store.ErrNotFound) {
		return "invite.not_found.title", "invite.not_found.text"
	}
	return "visit.failed_request.title", "invite.failed_request"
}
