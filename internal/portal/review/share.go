package review

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/portal/applications"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

const (
	// shareLife is how long a third party can read a shared report (API reference:
	// Sharing). The service measures it by its own clock and knows whether the report
	// was read.
	shareLife = 72 * time.Hour

	maxPublicID   = 128 // characters, as in the API
	maxLabel      = 80
	shareLog      = 100 // log entries on an application's page
	thirdParties  = 50  // maximum number of third parties of other applications to suggest
	latest        = 500 // newest shares searched for suggestions
	serviceAnswer = 40 * time.Second
)

// Actions of the share log.
const (
	shared    = "shared"
	renewed   = "renewed"
	withdrawn = "withdrawn"
)

// errDeleted means that an application was deleted while it was being shared.
var errDeleted = errors.New("review: the application was deleted meanwhile")

// shareID returns the ID of the only share of an application with a third party.
func shareID(applicationID, publicID string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("report-share:"+strings.ToLower(applicationID)+"/"+publicID)).String()
}

// shareReport shares the application's report or extends the share by 72 hours. It
// calls the service outside a transaction, and completes the call even if the browser
// disconnects, because the result must be stored. If the process is killed in
// between, an open log entry remains; sharing again returns the same token.
func (d *Handler) shareReport(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, err := d.get(r)
	if err != nil {
		return err
	}
	form, err := httpx.DecodeForm(w, r, 8<<10)
	if err != nil {
		return err
	}
	if !a.HasReport() || a.Report.PublicToken == "" {
		return httpx.NewError(contract.CodeReportNotReady, errors.New("there is no report to share"))
	}
	typed := pages.Sharing{PublicID: strings.TrimSpace(form.Get("publicId")), Label: strings.TrimSpace(form.Get("label"))}
	again := func(status int, problem pages.ShareProblem, code contract.Code) error {
		typed.Problem, typed.Code = problem, string(code)
		return d.showApplication(w, r, status, by, a, shownParts{sharing: typed})
	}
	if !plain(typed.PublicID, 1, maxPublicID) {
		return again(http.StatusUnprocessableEntity, pages.ShareNoPublicID, "")
	}
	if !plain(typed.Label, 0, maxLabel) {
		return again(http.StatusUnprocessableEntity, pages.ShareBadLabel, "")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), serviceAnswer)
	defer cancel()
	line, err := d.begin(ctx, a.ID, typed.PublicID, by, shared)
	if err != nil {
		return err
	}
	s := share{ID: shareID(a.ID, typed.PublicID), ApplicationID: a.ID, PublicID: typed.PublicID,
		Label: typed.Label, Granted: line.At, GrantedBy: by.ID}
	s.RelayToken, err = d.Service.CreateRelayToken(ctx, a.Report.PublicToken, s.PublicID)
	if err != nil {
		if svcapi.CodeOf(err) == contract.CodeRelayTokenRevoked {
			// Also if it was withdrawn by other means, or a process was killed before
			// it recorded the withdrawal.
			if err := d.end(ctx, line, s.ID); err != nil {
				return err
			}
		}
		return d.refused(ctx, line, err, again)
	}
	if problem, err := d.replaceShare(ctx, s); err != nil {
		return d.refused(ctx, line, err, again)
	} else if problem != pages.ShareFine {
		return again(http.StatusConflict, problem, contract.CodeRelayTokenRevoked)
	}
	err = d.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := d.Applications.Lock(ctx, tx, a.ID); err != nil {
			return errors.Join(errDeleted, err)
		}
		added, err := d.grantShare(ctx, tx, s)
		if err != nil {
			return err
		}
		action := renewed
		if added {
			action = shared
		}
		typed.Done = pages.ShareDone(action)
		if err := d.Staff.Record(ctx, tx, staff.Entry{Actor: by.ID, Action: sharedLine,
			Subject: a.ID, Object: s.ID, Detail: action}); err != nil {
			return err
		}
		return finishShareLine(ctx, tx, line.ID, action, d.Now())
	})
	if errors.Is(err, errDeleted) {
		return errors.Join(httpx.NewError(contract.CodeNotFound, err), unwithdrawn(d.Service.RevokeRelayToken(ctx, s.RelayToken)))
	}
	if errors.Is(err, store.ErrNotFound) { // withdrawn concurrently
		return again(http.StatusConflict, pages.ShareWithdrawn, contract.CodeRelayTokenRevoked)
	}
	if err != nil {
		return err
	}
	return toCard(w, r, a.ID, typed.Done)
}

// replaceShare withdraws the pair's earlier share if it is of an earlier report: a
// row holds one sharing token. A withdrawn pair stays withdrawn for later reports.
func (d *Handler) replaceShare(ctx context.Context, s share) (pages.ShareProblem, error) {
	before, err := d.shareByID(ctx, d.DB.SQL, s.ID)
	if errors.Is(err, store.ErrNotFound) || err == nil && before.RelayToken == s.RelayToken {
		return pages.ShareFine, nil
	}
	if err != nil {
		return pages.ShareFine, err
	}
	if before.Withdrawn.IsZero() {
		return pages.ShareFine, unwithdrawn(d.Service.RevokeRelayToken(ctx, before.RelayToken))
	}
	return pages.ShareWithdrawn, unwithdrawn(d.Service.RevokeRelayToken(ctx, s.RelayToken))
}

// end marks a share as withdrawn that the service reports as withdrawn.
func (d *Handler) end(ctx context.Context, line shareLine, id string) error {
	return d.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := withdrawShare(ctx, tx, id, "", line.At)
		return err
	})
}

// begin logs a share action before it is performed.
func (d *Handler) begin(ctx context.Context, applicationID, publicID string, by staff.User, action string) (shareLine, error) {
	line := shareLine{ID: uuid.NewString(), ApplicationID: applicationID, PublicID: publicID, ReviewerID: by.ID,
		Action: action, RequestID: httpx.RequestID(ctx), At: d.Now()}
	err := d.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := d.Applications.Lock(ctx, tx, applicationID); err != nil {
			return err
		}
		return insertShareLine(ctx, tx, line)
	})
	if errors.Is(err, store.ErrNotFound) {
		err = httpx.NewError(contract.CodeNotFound, err)
	}
	return line, err
}

// refused shows why the service did not perform an action. The log entry of a refused
// action is deleted; after a temporary error it stays, since the outcome is unknown.
func (d *Handler) refused(ctx context.Context, line shareLine, why error, again func(int, pages.ShareProblem, contract.Code) error) error {
	code, temporary := svcapi.CodeOf(why), svcapi.Temporary(why)
	d.Log.WarnContext(ctx, "sharing was refused", "request", line.RequestID, "err", why.Error())
	if code == "" {
		return why
	}
	if temporary {
		return again(http.StatusBadGateway, pages.ShareNoAnswer, code)
	}
	err := d.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error { return deleteShareLine(ctx, tx, line.ID) })
	if err != nil {
		return err
	}
	switch code {
	case contract.CodeInvalidPublicID, contract.CodeInvalidParameters:
		return again(http.StatusUnprocessableEntity, pages.ShareUnknownParty, code)
	case contract.CodeRelayTokenExpired:
		return again(http.StatusConflict, pages.ShareTooOld, code)
	case contract.CodeRelayTokenRevoked:
		return again(http.StatusConflict, pages.ShareWithdrawn, code)
	case contract.CodeInvalidToken, contract.CodeNotFound, contract.CodeReportNotReady:
		return again(http.StatusConflict, pages.ShareGone, code)
	}
	return again(http.StatusConflict, pages.ShareRefused, code)
}

// plain reports whether s has between least and most characters, all printable.
func plain(s string, least, most int) bool {
	n := utf8.RuneCountInString(s)
	return n >= least && n <= most && !strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) })
}

// toShares redirects a reload of the form's result to the sharing card.
func (d *Handler) toShares(w http.ResponseWriter, r *http.Request, _ staff.User) error {
	a, err := d.get(r)
	if err != nil {
		return err
	}
	return toCard(w, r, a.ID, "")
}

// toCard redirects to an application's sharing card.
func toCard(w http.ResponseWriter, r *http.Request, applicationID string, done pages.ShareDone) error {
	to := "/review/applications/" + applicationID
	if done != "" {
		to += "?done=" + string(done)
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, to+"#sharing", http.StatusSeeOther)
	return nil
}

// named returns the share that the address names, and its application.
func (d *Handler) named(r *http.Request) (applications.Application, share, error) {
	id := r.PathValue("id")
	if !contract.IsUUID(id) {
		return applications.Application{}, share{}, httpx.NewError(contract.CodeNotFound, errors.New("not a share's id"))
	}
	s, err := d.shareByID(r.Context(), d.DB.SQL, strings.ToLower(id))
	if err == nil {
		var a applications.Application
		if a, err = d.Applications.Get(r.Context(), s.ApplicationID); err == nil {
			return a, s, nil
		}
	}
	if errors.Is(err, store.ErrNotFound) {
		err = httpx.NewError(contract.CodeNotFound, err)
	}
	return applications.Application{}, share{}, err
}

// withdrawPage asks for confirmation, since a withdrawal is permanent.
func (d *Handler) withdrawPage(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, s, err := d.named(r)
	if err != nil {
		return err
	}
	if !s.Withdrawn.IsZero() {
		return toCard(w, r, a.ID, "")
	}
	v := pages.WithdrawView{By: by.Email, Row: row(a), Share: pages.Share{ID: s.ID, PublicID: s.PublicID, Label: s.Label}}
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.Withdraw(p, v) })
}

// withdrawReport permanently withdraws a share. It is idempotent.
func (d *Handler) withdrawReport(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, s, err := d.named(r)
	if err != nil {
		return err
	}
	if !s.Withdrawn.IsZero() {
		return toCard(w, r, a.ID, withdrawn)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), serviceAnswer)
	defer cancel()
	line, err := d.begin(ctx, a.ID, s.PublicID, by, withdrawn)
	if err != nil {
		return err
	}
	// An already withdrawn share counts as success, as after a retry whose first
	// response was lost.
	if err := d.Service.RevokeRelayToken(ctx, s.RelayToken); err != nil && svcapi.CodeOf(err) != contract.CodeRelayTokenRevoked {
		return d.refused(ctx, line, err, func(status int, problem pages.ShareProblem, code contract.Code) error {
			return d.showApplication(w, r, status, by, a,
				shownParts{sharing: pages.Sharing{Problem: problem, Code: string(code), Withdrawing: true}})
		})
	}
	err = d.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		won, err := withdrawShare(ctx, tx, s.ID, by.ID, line.At)
		if err != nil {
			return err
		}
		if !won { // a concurrent request has logged it
			return deleteShareLine(ctx, tx, line.ID)
		}
		if err := d.Staff.Record(ctx, tx, staff.Entry{Actor: by.ID, Action: withdrawnLine, Subject: a.ID, Object: s.ID}); err != nil {
			return err
		}
		return finishShareLine(ctx, tx, line.ID, withdrawn, d.Now())
	})
	if err != nil {
		return err
	}
	return toCard(w, r, a.ID, withdrawn)
}

// fillSharing adds the shares, the log, and the third parties of other applications
// to the card.
func (d *Handler) fillSharing(ctx context.Context, a applications.Application, v *pages.Sharing) error {
	v.Open = a.HasReport() && a.Report.PublicToken != ""
	return d.DB.Read(ctx, func(ctx context.Context, tx *store.Tx) error {
		emails := map[string]string{}
		who := func(id string) (string, error) {
			if email, ok := emails[id]; ok || id == "" {
				return email, nil
			}
			u, err := d.Staff.User(ctx, tx, id)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return "", err
			}
			emails[id] = u.Email
			return u.Email, nil
		}
		found, err := d.sharesOf(ctx, tx, a.ID)
		if err != nil {
			return err
		}
		called := map[string]string{}
		v.Shares = nil
		for _, s := range found {
			called[s.PublicID] = s.Label
			out := pages.Share{ID: s.ID, PublicID: s.PublicID, Label: s.Label, Created: s.Created, Granted: s.Granted,
				Until: s.Granted.Add(shareLife), Over: d.Now().After(s.Granted.Add(shareLife)), Withdrawn: s.Withdrawn}
			var failed [3]error
			out.CreatedBy, failed[0] = who(s.CreatedBy)
			out.GrantedBy, failed[1] = who(s.GrantedBy)
			out.WithdrawnBy, failed[2] = who(s.WithdrawnBy)
			if err := errors.Join(failed[:]...); err != nil {
				return err
			}
			v.Shares = append(v.Shares, out)
		}
		lines, err := shareLines(ctx, tx, a.ID, shareLog)
		if err != nil {
			return err
		}
		v.Lines = nil
		for _, l := range lines {
			email, err := who(l.ReviewerID)
			if err != nil {
				return err
			}
			v.Lines = append(v.Lines, pages.ShareLine{At: l.At, By: email, Action: l.Action,
				PublicID: l.PublicID, Label: called[l.PublicID], Done: l.Done})
		}
		v.Known, err = d.known(ctx, tx, called)
		return err
	})
}

// known lists third parties of other applications, most recent first, each with its
// last label.
func (d *Handler) known(ctx context.Context, q store.Queryer, here map[string]string) ([]pages.ThirdParty, error) {
	all, err := d.latestShares(ctx, q, latest)
	if err != nil {
		return nil, err
	}
	var out []pages.ThirdParty
	for _, s := range all {
		if _, ok := here[s.PublicID]; ok {
			continue
		}
		i := slices.IndexFunc(out, func(t pages.ThirdParty) bool { return t.PublicID == s.PublicID })
		if i < 0 && len(out) < thirdParties {
			out = append(out, pages.ThirdParty{PublicID: s.PublicID, Label: s.Label})
		} else if i >= 0 && out[i].Label == "" {
			out[i].Label = s.Label
		}
	}
	return out, nil
}
