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
	"vestibule/internal/portal/review/shares"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

const (
	// shareLife is how long a third party has to read what was shared (document 2,
	// Limits). The service counts by its own clock, and knows whether it was read.
	shareLife = 72 * time.Hour

	maxPublicID   = 128 // characters, as the service has it
	maxLabel      = 80
	shareLog      = 100 // lines of it on an application's page
	thirdParties  = 50  // of other applications that are offered, at most
	latest        = 500 // shares that they are looked for in
	serviceAnswer = 40 * time.Second
)

// What was done.
const (
	shared    = "shared"
	renewed   = "renewed"
	withdrawn = "withdrawn"
)

// errDeleted says that an application was deleted while it was being shared.
var errDeleted = errors.New("review: the application was deleted meanwhile")

// book is the record of what is shared.
func (d *Handler) book() *shares.Book { return &shares.Book{DB: d.DB} }

// shareID is the id of the one share of an application with a third party.
func shareID(applicationID, publicID string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("report-share:"+strings.ToLower(applicationID)+"/"+publicID)).String()
}

// shareReport shares the report of the application, or does so for another 72
// hours. The service is asked outside of a transaction, and to the end also when
// the browser goes away: what it gave is to be written down. A process that is
// killed in between leaves a line that says so; asking again gives the same token.
func (d *Handler) shareReport(w http.ResponseWriter, r *http.Request, by person) error {
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
	s := shares.Share{ID: shareID(a.ID, typed.PublicID), ApplicationID: a.ID, PublicID: typed.PublicID, Label: typed.Label, Granted: line.At, GrantedBy: by.id}
	s.RelayToken, err = d.Service.CreateRelayToken(ctx, a.Report.PublicToken, s.PublicID)
	if err != nil {
		if svcapi.CodeOf(err) == contract.CodeRelayTokenRevoked {
			// Also where it was withdrawn elsewhere, or a process was killed before it
			// wrote that down.
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
		if err := d.Applications.Hold(ctx, tx, a.ID); err != nil {
			return errors.Join(errDeleted, err)
		}
		added, err := d.book().Grant(ctx, tx, s)
		if err != nil {
			return err
		}
		action := renewed
		if added {
			action = shared
		}
		typed.Done = pages.ShareDone(action)
		if err := d.write(ctx, tx, auditLine{actor: by.id, action: sharedLine, application: a.ID, object: s.ID, detail: action}); err != nil {
			return err
		}
		return shares.Done(ctx, tx, line.ID, action, d.Now())
	})
	if errors.Is(err, errDeleted) {
		return errors.Join(httpx.NewError(contract.CodeNotFound, err), unwithdrawn(d.Service.RevokeRelayToken(ctx, s.RelayToken)))
	}
	if errors.Is(err, store.ErrNotFound) { // somebody was faster to withdraw it
		return again(http.StatusConflict, pages.ShareWithdrawn, contract.CodeRelayTokenRevoked)
	}
	if err != nil {
		return err
	}
	return toCard(w, r, a.ID, typed.Done)
}

// replaceShare withdraws what the pair's earlier share gave, where that is of an earlier
// report of the application: a row holds one sharing token. A pair that was withdrawn
// stays so for a later report, too.
func (d *Handler) replaceShare(ctx context.Context, s shares.Share) (pages.ShareProblem, error) {
	before, err := d.book().One(ctx, d.DB.SQL, s.ID)
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

// end marks a share as withdrawn that the service says is.
func (d *Handler) end(ctx context.Context, line shares.Line, id string) error {
	return d.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := shares.Withdraw(ctx, tx, id, "", line.At)
		return err
	})
}

// begin writes down what somebody is about to do.
func (d *Handler) begin(ctx context.Context, applicationID, publicID string, by person, action string) (shares.Line, error) {
	line := shares.Line{ID: uuid.NewString(), ApplicationID: applicationID, PublicID: publicID, ReviewerID: by.id,
		Action: action, RequestID: httpx.RequestID(ctx), At: d.Now()}
	err := d.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := d.Applications.Hold(ctx, tx, applicationID); err != nil {
			return err
		}
		return shares.Note(ctx, tx, line)
	})
	if errors.Is(err, store.ErrNotFound) {
		err = httpx.NewError(contract.CodeNotFound, err)
	}
	return line, err
}

// refused shows why the service did not do what it was asked. What it refused was
// not done and is not kept; of what it did not answer, nobody knows.
func (d *Handler) refused(ctx context.Context, line shares.Line, why error, again func(int, pages.ShareProblem, contract.Code) error) error {
	code, temporary := svcapi.CodeOf(why), svcapi.Temporary(why)
	d.Log.WarnContext(ctx, "sharing was refused", "request", line.RequestID, "err", why.Error())
	if code == "" {
		return why
	}
	if temporary {
		return again(http.StatusBadGateway, pages.ShareNoAnswer, code)
	}
	err := d.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error { return shares.Refused(ctx, tx, line.ID) })
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

// plain reports whether s has that many characters, and none that cannot be seen.
func plain(s string, least, most int) bool {
	n := utf8.RuneCountInString(s)
	return n >= least && n <= most && !strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) })
}

// toShares leads whoever reloads what a form was answered with to the card.
func (d *Handler) toShares(w http.ResponseWriter, r *http.Request, _ person) error {
	a, err := d.get(r)
	if err != nil {
		return err
	}
	return toCard(w, r, a.ID, "")
}

// toCard leads to the card of an application's sharing.
func toCard(w http.ResponseWriter, r *http.Request, applicationID string, done pages.ShareDone) error {
	to := "/review/applications/" + applicationID
	if done != "" {
		to += "?done=" + string(done)
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, to+"#sharing", http.StatusSeeOther)
	return nil
}

// named finds the share that the address names, and its application.
func (d *Handler) named(r *http.Request) (applications.Application, shares.Share, error) {
	id := r.PathValue("id")
	if !contract.IsUUID(id) {
		return applications.Application{}, shares.Share{}, httpx.NewError(contract.CodeNotFound, errors.New("not a share's id"))
	}
	s, err := d.book().One(r.Context(), d.DB.SQL, strings.ToLower(id))
	if err == nil {
		var a applications.Application
		if a, err = d.Applications.Get(r.Context(), s.ApplicationID); err == nil {
			return a, s, nil
		}
	}
	if errors.Is(err, store.ErrNotFound) {
		err = httpx.NewError(contract.CodeNotFound, err)
	}
	return applications.Application{}, shares.Share{}, err
}

// withdrawPage asks whether that is meant: it is for good.
func (d *Handler) withdrawPage(w http.ResponseWriter, r *http.Request, by person) error {
	a, s, err := d.named(r)
	if err != nil {
		return err
	}
	if !s.Withdrawn.IsZero() {
		return toCard(w, r, a.ID, "")
	}
	v := pages.WithdrawView{By: by.email, Row: row(a), Share: pages.Share{ID: s.ID, PublicID: s.PublicID, Label: s.Label}}
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.Withdraw(p, v) })
}

// withdrawReport withdraws a share for good. Doing so again changes nothing.
func (d *Handler) withdrawReport(w http.ResponseWriter, r *http.Request, by person) error {
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
	// Withdrawn already is withdrawn: also the second try of a lost answer says so.
	if err := d.Service.RevokeRelayToken(ctx, s.RelayToken); err != nil && svcapi.CodeOf(err) != contract.CodeRelayTokenRevoked {
		return d.refused(ctx, line, err, func(status int, problem pages.ShareProblem, code contract.Code) error {
			return d.showApplication(w, r, status, by, a, shownParts{sharing: pages.Sharing{Problem: problem, Code: string(code), Withdrawing: true}})
		})
	}
	err = d.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		won, err := shares.Withdraw(ctx, tx, s.ID, by.id, line.At)
		if err != nil {
			return err
		}
		if !won { // somebody else's line says it
			return shares.Refused(ctx, tx, line.ID)
		}
		if err := d.write(ctx, tx, auditLine{actor: by.id, action: withdrawnLine, application: a.ID, object: s.ID}); err != nil {
			return err
		}
		return shares.Done(ctx, tx, line.ID, withdrawn, d.Now())
	})
	if err != nil {
		return err
	}
	return toCard(w, r, a.ID, withdrawn)
}

// fillSharing gives the card what is shared with whom, what was done, and whom
// other reports were shared with.
func (d *Handler) fillSharing(ctx context.Context, a applications.Application, v *pages.Sharing) error {
	v.Open = a.HasReport() && a.Report.PublicToken != ""
	return d.DB.Read(ctx, func(ctx context.Context, tx *store.Tx) error {
		emails := map[string]string{}
		who := func(id string) (string, error) {
			if email, ok := emails[id]; ok || id == "" {
				return email, nil
			}
			email, err := d.email(ctx, tx, id)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return "", err
			}
			emails[id] = email
			return email, nil
		}
		found, err := d.book().Of(ctx, tx, a.ID)
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
		lines, err := shares.Lines(ctx, tx, a.ID, shareLog)
		if err != nil {
			return err
		}
		v.Lines = nil
		for _, l := range lines {
			email, err := who(l.ReviewerID)
			if err != nil {
				return err
			}
			v.Lines = append(v.Lines, pages.ShareLine{At: l.At, By: email, Action: l.Action, PublicID: l.PublicID, Label: called[l.PublicID], Done: l.Done})
		}
		v.Known, err = d.known(ctx, tx, called)
		return err
	})
}

// known are the third parties of other applications, those of the latest first,
// each by what it was last called.
func (d *Handler) known(ctx context.Context, q store.Queryer, here map[string]string) ([]pages.ThirdParty, error) {
	all, err := d.book().Latest(ctx, q, latest)
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
