// Package sharing shares reports of applications with third parties, and withdraws them.
// It stores each share with its token, and logs each request to the service before it is
// sent.
package sharing

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/portal/applications"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	pages "vestibule/templates/portal/review"
)

// Service shares reports. All fields are required.
type Service struct {
	DB           *store.DB
	Staff        *staff.Service
	Applications *applications.Service
	Provider     Provider
	Log          *slog.Logger
}

// Provider shares reports; *svcapi.Client implements it.
type Provider interface {
	// CreateRelayToken shares a report with the account of a publicId for 72 hours,
	// or extends the share, and returns the sharing token, of which each pair has
	// one.
	CreateRelayToken(ctx context.Context, publicToken, publicID string) (relayToken string, err error)
	// RevokeRelayToken permanently withdraws a share.
	RevokeRelayToken(ctx context.Context, relayToken string) error
}

const (
	// life is how long a third party can read a shared report (API reference:
	// Sharing). The service measures it by its own clock and knows whether the report
	// was read.
	life = 72 * time.Hour

	// Timeout bounds the calls of one request to the service.
	Timeout = 40 * time.Second

	maxLines        = 100 // log entries on an application's page
	maxThirdParties = 50  // maximum number of third parties of other applications to suggest
	maxLatest       = 500 // newest shares searched for suggestions
)

// Actions of the share log. The audit log has the first and the last.
const (
	Shared    = "shared"
	renewed   = "renewed"
	Withdrawn = "withdrawn"
)

// Refusal is the error of an action that the service refused, with what the page says
// about it.
type Refusal struct {
	Status  int // of the page
	Problem i18n.Key
	Code    contract.Code // of the service; "" without one
}

func (e *Refusal) Error() string { return "sharing: refused with " + string(e.Code) }

func conflict(problem i18n.Key, code contract.Code) error {
	return &Refusal{http.StatusConflict, problem, code}
}

// errDeleted means that an application was deleted while it was being shared.
var errDeleted = errors.New("sharing: the application was deleted meanwhile")

// ID returns the ID of the only share of an application with a third party.
func ID(applicationID, publicID string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("report-share:"+strings.ToLower(applicationID)+"/"+publicID)).String()
}

// Share shares an application's report or extends the share by 72 hours, and returns
// what it did. It calls the service outside a transaction, and completes the call even
// if ctx is canceled, because the result must be stored. If the process is killed in
// between, an open log entry remains; sharing again returns the same token.
func (s *Service) Share(ctx context.Context, by staff.User, a applications.Application, publicID, label string) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), Timeout)
	defer cancel()
	l, err := s.begin(ctx, a.ID, publicID, by, Shared)
	if err != nil {
		return "", err
	}
	sh := Share{ID: ID(a.ID, publicID), ApplicationID: a.ID, PublicID: publicID, Label: label, Granted: l.At, GrantedBy: by.ID}
	sh.RelayToken, err = s.Provider.CreateRelayToken(ctx, a.Report.PublicToken, publicID)
	if err != nil {
		if svcapi.CodeOf(err) == contract.CodeRelayTokenRevoked {
			// Also if it was withdrawn by other means, or a process was killed before
			// it recorded the withdrawal.
			if err := s.end(ctx, l, sh.ID); err != nil {
				return "", err
			}
		}
		return "", s.refused(ctx, l, err)
	}
	if problem, err := s.replace(ctx, sh); err != nil {
		return "", s.refused(ctx, l, err)
	} else if problem != "" {
		return "", conflict(problem, contract.CodeRelayTokenRevoked)
	}
	action := renewed
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if _, err := s.Applications.Lock(ctx, tx, a.ID); err != nil {
			return errors.Join(errDeleted, err)
		}
		added, err := s.grant(ctx, tx, sh)
		if err != nil {
			return err
		}
		if action = renewed; added {
			action = Shared
		}
		if err := s.Staff.Record(ctx, tx, staff.Entry{Actor: by.ID, Action: Shared, Subject: a.ID, Object: sh.ID, Detail: action}); err != nil {
			return err
		}
		return finishLine(ctx, tx, l.ID, action)
	})
	if errors.Is(err, errDeleted) {
		return "", errors.Join(httpx.NewError(contract.CodeNotFound, err), ConfirmWithdrawal(s.Provider.RevokeRelayToken(ctx, sh.RelayToken)))
	}
	if errors.Is(err, store.ErrNotFound) { // withdrawn concurrently
		return "", conflict("review.share.withdrawn_before", contract.CodeRelayTokenRevoked)
	}
	return action, err
}

// replace withdraws the pair's earlier share if it is of an earlier report: a row holds
// one sharing token. A withdrawn pair stays withdrawn for later reports.
func (s *Service) replace(ctx context.Context, sh Share) (i18n.Key, error) {
	before, err := s.ByID(ctx, s.DB.SQL, sh.ID)
	if errors.Is(err, store.ErrNotFound) || err == nil && before.RelayToken == sh.RelayToken {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if before.Withdrawn.IsZero() {
		return "", ConfirmWithdrawal(s.Provider.RevokeRelayToken(ctx, before.RelayToken))
	}
	return "review.share.withdrawn_before", ConfirmWithdrawal(s.Provider.RevokeRelayToken(ctx, sh.RelayToken))
}

// end marks a share as withdrawn that the service reports as withdrawn.
func (s *Service) end(ctx context.Context, l line, id string) error {
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := withdraw(ctx, tx, id, "", l.At)
		return err
	})
}

// begin logs a share action before it is performed.
func (s *Service) begin(ctx context.Context, applicationID, publicID string, by staff.User, action string) (line, error) {
	l := line{ID: uuid.NewString(), ApplicationID: applicationID, PublicID: publicID, ReviewerID: by.ID,
		Action: action, RequestID: httpx.RequestID(ctx)}
	err := s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if _, err := s.Applications.Lock(ctx, tx, applicationID); err != nil {
			return err
		}
		l.At = tx.Now
		return insertLine(ctx, tx, l)
	})
	return l, httpx.NotFoundIf(err, store.ErrNotFound)
}

// refused returns the Refusal of an action that the service did not perform, or why.
// The log entry of a refused action is deleted; after a temporary error it stays, since
// the outcome is unknown.
func (s *Service) refused(ctx context.Context, l line, why error) error {
	code, temporary := svcapi.CodeOf(why), svcapi.Temporary(why)
	s.Log.WarnContext(ctx, "sharing was refused", "request", l.RequestID, "err", why.Error())
	if code == "" {
		return why
	}
	if temporary {
		return &Refusal{http.StatusBadGateway, "review.share.no_answer", code}
	}
	err := s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error { return deleteLine(ctx, tx, l.ID) })
	if err != nil {
		return err
	}
	switch code {
	case contract.CodeInvalidPublicID, contract.CodeInvalidParameters:
		return &Refusal{http.StatusUnprocessableEntity, "review.share.unknown_party", code}
	case contract.CodeRelayTokenExpired:
		return conflict("review.share.too_old", code)
	case contract.CodeRelayTokenRevoked:
		return conflict("review.share.withdrawn_before", code)
	case contract.CodeInvalidToken, contract.CodeNotFound, contract.CodeReportNotReady:
		return conflict("review.share.gone", code)
	}
	return conflict("review.share.refused", code)
}

// Withdraw permanently withdraws a share, and completes that even if ctx is canceled.
// It is idempotent.
func (s *Service) Withdraw(ctx context.Context, by staff.User, sh Share) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), Timeout)
	defer cancel()
	l, err := s.begin(ctx, sh.ApplicationID, sh.PublicID, by, Withdrawn)
	if err != nil {
		return err
	}
	// An already withdrawn share counts as success, as after a retry whose first
	// response was lost.
	if err := s.Provider.RevokeRelayToken(ctx, sh.RelayToken); err != nil && svcapi.CodeOf(err) != contract.CodeRelayTokenRevoked {
		return s.refused(ctx, l, err)
	}
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		won, err := withdraw(ctx, tx, sh.ID, by.ID, l.At)
		if err != nil {
			return err
		}
		if !won { // a concurrent request has logged it
			return deleteLine(ctx, tx, l.ID)
		}
		if err := s.Staff.Record(ctx, tx, staff.Entry{Actor: by.ID, Action: Withdrawn, Subject: sh.ApplicationID, Object: sh.ID}); err != nil {
			return err
		}
		return finishLine(ctx, tx, l.ID, Withdrawn)
	})
}

// ErrNotWithdrawn means that the service did not confirm a withdrawal.
var ErrNotWithdrawn = errors.New("sharing: the service did not withdraw it")

// ConfirmWithdrawal returns an error if data to be withdrawn may still exist at the
// service. A permanent refusal means that it no longer exists, unless the service
// refused our credentials.
func ConfirmWithdrawal(err error) error {
	var e *svcapi.Error
	if err == nil || errors.As(err, &e) && !e.Temporary() && e.HTTP != http.StatusUnauthorized && e.HTTP != http.StatusForbidden {
		return nil
	}
	return errors.Join(ErrNotWithdrawn, err)
}

// Fill adds the shares, the log, and the third parties of other applications
// to the card.
func (s *Service) Fill(ctx context.Context, a applications.Application, v *pages.Sharing) error {
	v.Open = a.HasReport() && a.Report.PublicToken != ""
	found, err := s.Shares(ctx, s.DB.SQL, a.ID)
	if err != nil {
		return err
	}
	lines, err := linesOf(ctx, s.DB.SQL, a.ID, maxLines)
	if err != nil {
		return err
	}
	var emails map[string]string
	if len(found)+len(lines) > 0 {
		if emails, err = s.Staff.Addresses(ctx, s.DB.SQL); err != nil {
			return err
		}
	}
	called := map[string]string{}
	v.Shares = nil
	for _, sh := range found {
		called[sh.PublicID] = sh.Label
		v.Shares = append(v.Shares, pages.Share{ID: sh.ID, PublicID: sh.PublicID, Label: sh.Label, Created: sh.Created, Granted: sh.Granted,
			Until: sh.Granted.Add(life), Over: s.DB.Now().After(sh.Granted.Add(life)), Withdrawn: sh.Withdrawn,
			CreatedBy: emails[sh.CreatedBy], GrantedBy: emails[sh.GrantedBy], WithdrawnBy: emails[sh.WithdrawnBy]})
	}
	v.Lines = nil
	for _, l := range lines {
		v.Lines = append(v.Lines, pages.ShareLine{At: l.At, By: emails[l.ReviewerID], Action: l.Action,
			PublicID: l.PublicID, Label: called[l.PublicID], Done: l.Done})
	}
	v.Known, err = s.known(ctx, s.DB.SQL, called)
	return err
}

// known lists third parties of other applications, most recent first, each with its
// last label.
func (s *Service) known(ctx context.Context, q store.Queryer, here map[string]string) ([]pages.ThirdParty, error) {
	all, err := s.latest(ctx, q, maxLatest)
	if err != nil {
		return nil, err
	}
	var out []pages.ThirdParty
	for _, sh := range all {
		if _, ok := here[sh.PublicID]; ok {
			continue
		}
		i := slices.IndexFunc(out, func(t pages.ThirdParty) bool { return t.PublicID == sh.PublicID })
		if i < 0 && len(out) < maxThirdParties {
			out = append(out, pages.ThirdParty{PublicID: sh.PublicID, Label: sh.Label})
		} else if i >= 0 && out[i].Label == "" {
			out[i].Label = sh.Label
		}
	}
	return out, nil
}
