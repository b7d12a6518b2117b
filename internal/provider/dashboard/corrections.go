package dashboard

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"

	"vestibule/internal/analysis/income"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/reports"
	"vestibule/internal/report"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// The correction pages are the only ones that show figures of a report. They name no
// applicant; the reason is free text and is shown nowhere else.

// Length of a reason, in characters.
const (
	minReason = 10
	maxReason = 1000
)

// correction renders the form with earlier corrections.
func (s *Service) correction(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	return s.correctionPage(ctx, r.PathValue("id"), by, d, nil)
}

// correctionPage renders the form; with then, also the result of the submitted values.
func (s *Service) correctionPage(ctx context.Context, reference string, by user, d providerui.Dashboard,
	then *report.RevisedValues) (templ.Component, error) {
	token := s.token(reference)
	if token == "" {
		return nil, unknown("report")
	}
	v := providerui.DashboardCorrection{Reference: reference, Then: then, MaxReason: maxReason}
	err := s.DB.Read(ctx, func(ctx context.Context, tx *store.Tx) error {
		r, err := s.own(ctx, tx, by, token)
		if err != nil {
			return err
		}
		f, err := s.Reports.Figures(ctx, tx, r.CustomerID, token)
		if err != nil {
			return err
		}
		v.Revision, v.Now, v.Estimated, v.Currency = f.Revision, f.Now, f.Estimated, f.Currency
		for _, name := range report.RevisedNames() {
			if f.Recent || !report.RevisedRecent(name) {
				v.Names = append(v.Names, name)
			}
		}
		made, err := s.Reports.Revisions(ctx, tx, r.CustomerID, token)
		if err != nil {
			return err
		}
		for _, x := range made {
			who, err := s.emailOf(ctx, tx, x.By)
			if err != nil {
				return err
			}
			v.Made = append(v.Made, providerui.DashboardRevision{Number: x.Number, At: x.At, By: who, Reason: x.Reason,
				Before: x.Before, Then: x.Then})
		}
		return nil
	})
	return providerui.DashboardCorrectionPage(d, v), err
}

// emailOf returns a user's email address, or "" for a deleted user.
func (s *Service) emailOf(ctx context.Context, q store.Queryer, staffID string) (string, error) {
	u, err := s.Staff.User(ctx, q, staffID)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	return u.Email, err
}

// previewCorrection shows the result of a correction before it is confirmed. It changes nothing,
// so the form's nonce stays valid.
func (s *Service) previewCorrection(w http.ResponseWriter, r *http.Request) error {
	if err := s.guard(r); err != nil {
		return err
	}
	form, err := httpx.DecodeForm(w, r, maxForm)
	if err != nil {
		return err
	}
	by, err := s.current(r.Context(), s.DB.SQL, r)
	if err != nil {
		return err
	}
	if by.ID == "" {
		return s.redirectToSignIn(w, r)
	}
	in := input{Values: form, id: r.PathValue("id")}
	d, status := s.frameOf(r, by), http.StatusOK
	d.Given = form
	var then *report.RevisedValues
	token := s.token(in.id)
	if token == "" {
		return unknown("report")
	}
	c, err := corrected(in, by)
	if err == nil {
		var values report.RevisedValues
		var of reports.Report
		if of, err = s.own(r.Context(), s.DB.SQL, by, token); err != nil {
			return err
		}
		values, err = s.Reports.PreviewCorrection(r.Context(), s.DB.SQL, of.CustomerID, token, c.Values)
		then, err = &values, unfit(err)
	}
	var no refused
	if errors.As(err, &no) {
		d.Invalid, d.Words, status, then = no.field, i18n.T(d.Lang, no.text), http.StatusUnprocessableEntity, nil
	} else if err != nil {
		return err
	}
	return s.render(w, r, by, status, d, func(ctx context.Context, _ *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
		return s.correctionPage(ctx, in.id, by, d, then)
	})
}

// correct makes the correction of a form.
func (s *Service) correct(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	token := s.token(in.id)
	if token == "" {
		return done{}, unknown("report")
	}
	r, err := s.own(ctx, tx, by, token)
	if err != nil {
		return done{}, err
	}
	c, err := corrected(in, by)
	if err != nil {
		return done{}, err
	}
	n, err := s.Reports.Correct(ctx, tx, r.CustomerID, token, c)
	if errors.Is(err, reports.ErrRevised) {
		return done{}, noChange{"corrected meanwhile"}
	}
	detail := "revision " + strconv.Itoa(n)
	for _, name := range report.RevisedNames() {
		if *c.Values.Figure(name) != nil {
			detail += ", " + name
		}
	}
	return done{action: "report corrected", object: in.id, detail: detail, flash: "corrected"}, unfit(err)
}

// corrected parses the form.
func corrected(in input, by user) (reports.Correction, error) {
	c := reports.Correction{By: by.ID, Reason: strings.TrimSpace(strings.ReplaceAll(in.Get("reason"), "\r\n", "\n"))}
	var err error
	if c.Revision, err = strconv.Atoi(in.Get("revision")); err != nil || c.Revision < 0 {
		return c, malformed("revision")
	}
	for _, name := range report.RevisedNames() {
		text := in.field(name)
		if text == "" {
			continue
		}
		n, ok := wholeAmount(text)
		if !ok {
			return c, unfit(income.Unfit{Figure: name, Reason: income.UnfitRange})
		}
		*c.Values.Figure(name) = &n
	}
	if n := utf8.RuneCountInString(c.Reason); n < minReason || n > maxReason || strings.ContainsFunc(c.Reason, unprintable) {
		return c, fieldProblem("reason", "dashboard.correction.reason_invalid")
	}
	return c, nil
}

func unprintable(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || r == utf8.RuneError
}

// wholeAmount parses an amount without cents; commas may separate thousands.
func wholeAmount(text string) (int64, bool) {
	if head, rest, grouped := strings.Cut(text, ","); grouped {
		groups := strings.Split(rest, ",")
		for _, g := range groups {
			if len(g) != 3 {
				return 0, false
			}
		}
		if len(head) == 0 || len(head) > 3 {
			return 0, false
		}
		text = head + strings.Join(groups, "")
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// unfit maps the error of a figure to its form field.
func unfit(err error) error {
	var no income.Unfit
	if !errors.As(err, &no) {
		return err
	}
	field := no.Figure
	if field == "" {
		field = report.RevisedNames()[0]
	}
	words, known := map[string]i18n.Key{
		income.UnfitNone:    "dashboard.correction.none",
		income.UnfitAbsent:  "dashboard.correction.no_such_figure",
		income.UnfitRange:   "dashboard.correction.amount_invalid",
		income.UnfitMissing: "dashboard.correction.figure_missing",
		income.UnfitNet:     "dashboard.correction.net_over_gross",
		income.UnfitUnknown: "dashboard.correction.gross_missing",
	}[no.Reason]
	if !known {
		return err
	}
	return refused{field: field, text: words}
}
