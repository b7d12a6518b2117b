package visits

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

const (
	actionUnlisted   = "unlisted"           // of the form that names an institution missing from the list; moves no visit
	maxUnlisted      = 3                    // names that one visit can report
	maxUnlistedNames = 500                  // names kept of one customer
	unlistedAge      = 365 * 24 * time.Hour // since a name was reported last
)

// unlistedName returns what an applicant typed as the name of an institution, or "" if it cannot be one: it may
// have an email address or a number of the applicant.
func unlistedName(typed string) string {
	name, digits := strings.Join(strings.Fields(typed), " "), 0
	for _, r := range name {
		if unicode.IsDigit(r) {
			digits++
		} else if !unicode.IsLetter(r) && !unicode.IsMark(r) && !strings.ContainsRune(" &.,'’-()/+", r) {
			return ""
		}
	}
	if n := utf8.RuneCountInString(name); n < 2 || n > 60 || digits > 3 {
		return ""
	}
	return name
}

// reportUnlisted records the name of an institution that the applicant misses in the list. A name that is in the
// list leads to it.
func (s *Service) reportUnlisted(w http.ResponseWriter, r *http.Request, v visit, form url.Values) error {
	if !v.Active() || v.Step != flow.StepBank && v.Step != flow.StepPayroll && v.Step != flow.StepSupplier {
		return s.redirectToStep(w, r, v)
	}
	typed := httpx.Truncate(form.Get(actionUnlisted), 200)
	answer := func(status int, problem i18n.Key) error {
		return s.renderWith(w, r, v, status, func(p *providerui.Visit) {
			if problem != "" {
				p.Problems = map[string]string{actionUnlisted: i18n.T(p.Lang, problem)}
			}
			p.Unlisted, p.Banks = typed, nil
			s.addChoices(v, p, url.Values{"q": form["search"]})
		})
	}
	name := unlistedName(typed)
	if name == "" {
		return answer(http.StatusUnprocessableEntity, "visit.unlisted.invalid")
	}
	typed = name
	if len(FindInstitutions(s.catalogue(v.environment).List(sources.Kind(v.SourceType)), name)) > 0 {
		return seeOther(w, Path(r.PathValue("handle"))+"?"+url.Values{"lang": {string(language(r))}, "q": {name}}.Encode())
	}
	if s.LimitByAddress.Take(r) > 0 {
		return answer(http.StatusUnprocessableEntity, "visit.unlisted.enough")
	}
	counted, err := store.Value(r.Context(), s.DB.Tx, func(ctx context.Context, tx *store.Tx) (bool, error) {
		return countUnlisted(ctx, tx, v, name)
	})
	if err != nil {
		return err
	}
	if !counted {
		return answer(http.StatusUnprocessableEntity, "visit.unlisted.enough")
	}
	return answer(http.StatusOK, "")
}
