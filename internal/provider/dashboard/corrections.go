package dashboard

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"

	"vestibule/internal/analysis/corrections"
	"vestibule/internal/analysis/income"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/disputes"
	"vestibule/internal/provider/reports"
	"vestibule/internal/report"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// The correction pages are the only ones that show figures and data of a report. The reason is
// free text and is shown nowhere else.

// Length of a reason, in characters.
const (
	minReason = 10
	maxReason = 1000
)

// correction renders the form with earlier corrections.
func (s *Service) correction(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	q := selectionParams(r, "item", "month", "dispute")
	for _, name := range []string{"item", "dispute"} {
		if d.Given.Has(name) {
			q.Set(name, d.Given.Get(name))
		}
	}
	v := providerui.DashboardCorrection{Home: d.Home, Reference: r.PathValue("id"), MaxReason: maxReason, Month: q.Get("month")}
	if disputes.IsNumber(q.Get("dispute")) {
		v.Dispute = q.Get("dispute")
	}
	return s.correctionPage(ctx, by, d, v, q.Get("item"))
}

// correctionPage renders v for an item; "" for the figures and the lists.
func (s *Service) correctionPage(ctx context.Context, by user, d providerui.Dashboard, v providerui.DashboardCorrection,
	item string) (templ.Component, error) {
	token := s.token(v.Reference)
	if token == "" || !by.corrects {
		return nil, unknown("report")
	}
	err := s.DB.Read(ctx, func(ctx context.Context, tx *store.Tx) error {
		r, err := s.own(ctx, tx, by, token)
		if err != nil {
			return err
		}
		if err := s.disputed(ctx, tx, by, r, v.Dispute); err != nil {
			return err
		}
		c, err := s.Reports.Correcting(ctx, tx, r.CustomerID, token)
		if err != nil {
			return err
		}
		v.Revision, v.Now, v.Currency, v.Income, v.HasData, v.Items = c.Revision, c.Figures, c.Currency, c.Income, c.HasData, c.Items
		v.Estimated = c.Estimated
		for _, name := range report.RevisedNames() {
			if c.Recent || !report.RevisedRecent(name) {
				v.Names = append(v.Names, name)
			}
		}
		labels := map[string]string{}
		for i := range v.Items {
			labels[v.Items[i].Key()] = v.Items[i].Label
			if v.Items[i].Key() == item {
				v.Item = &v.Items[i]
			}
			if v.Month == "" && v.Items[i].Target == corrections.Transaction {
				v.Month = v.Items[i].Day.Format("2006-01")
			}
		}
		if item != "" && v.Item == nil {
			return unknown("item")
		}
		made, err := s.Reports.Revisions(ctx, tx, c.Report)
		if err != nil {
			return err
		}
		for _, x := range made {
			row := providerui.DashboardRevision{Number: x.Number, At: x.At, Reason: x.Reason, Dispute: x.Dispute, Person: x.By == ""}
			if row.By, err = s.emailOf(ctx, tx, by, d.Lang, x.By); err != nil {
				return err
			}
			for _, m := range x.Corrections {
				row.Made = append(row.Made, providerui.DashboardCorrected{Target: string(m.Target), Label: labels[m.Key()],
					Field: m.Field, Value: m.Value})
			}
			v.Made = append(v.Made, row)
		}
		return nil
	})
	return providerui.DashboardCorrectionPage(d, v), err
}

// disputed returns an error unless the user may correct a report for a dispute. Operators see a
// report only while a dispute about it is open.
func (s *Service) disputed(ctx context.Context, q store.Queryer, by user, of reports.Report, number string) error {
	if number == "" && !by.pages.Operators {
		return nil
	}
	x, err := s.Disputes.Get(ctx, q, of.CustomerID, number)
	if err == nil && (x.PublicToken != of.PublicToken || by.pages.Operators && x.State != disputes.Open) {
		err = unknown("dispute")
	}
	return err
}

// emailOf returns a user's email address, or "" for a deleted user. Customers do not see an
// operator's.
func (s *Service) emailOf(ctx context.Context, q store.Queryer, by user, lang i18n.Lang, staffID string) (string, error) {
	u, err := s.Staff.User(ctx, q, staffID)
	if errors.Is(err, store.ErrNotFound) {
		if u, err = s.OperatorUsers.User(ctx, q, staffID); err == nil && !by.pages.Operators {
			u.Email = i18n.T(lang, "dashboard.author.providers_operator")
		}
	}
	return u.Email, store.OrNone(err)
}

// previewCorrection shows the result of a correction before it is confirmed. It changes nothing,
// so the form's nonce stays valid.
func (s *Service) previewCorrection(p *Pages) httpx.HandlerFunc {
	return p.forUser(func(w http.ResponseWriter, r *http.Request, by user) error {
		form, err := httpx.DecodeForm(w, r, maxForm)
		if err != nil {
			return err
		}
		in := input{Values: form, id: r.PathValue("id")}
		d, status := p.frameOf(r, by), http.StatusOK
		d.Given = form
		v := providerui.DashboardCorrection{Home: d.Home, Reference: in.id, MaxReason: maxReason}
		if disputes.IsNumber(form.Get("dispute")) {
			v.Dispute = form.Get("dispute")
		}
		err = s.draftCorrection(r.Context(), r, by, &in)
		var no refused
		if errors.As(err, &no) {
			d.Invalid, d.Words, status = no.field, i18n.T(d.Lang, no.text), http.StatusUnprocessableEntity
		} else if err != nil && !errors.As(err, new(noChange)) {
			return err
		} else if err == nil {
			v.Then, v.Checked = in.draft.Differences, true
		}
		return p.render(w, r, by, status, d, func(ctx context.Context, _ *http.Request, by user,
			d providerui.Dashboard) (templ.Component, error) {
			return s.correctionPage(ctx, by, d, v, form.Get("item"))
		})
	})
}

// draftCorrection computes the correction of a form.
func (s *Service) draftCorrection(ctx context.Context, _ *http.Request, by user, in *input) error {
	token := s.token(in.id)
	if token == "" || !by.corrects {
		return unknown("report")
	}
	c := reports.Change{By: by.ID, Reason: strings.TrimSpace(strings.ReplaceAll(in.Get("reason"), "\r\n", "\n"))}
	var err error
	if c.Revision, err = strconv.Atoi(in.Get("revision")); err != nil || c.Revision < 0 {
		return malformed("revision")
	}
	of, err := s.own(ctx, s.DB.SQL, by, token)
	if err != nil {
		return err
	}
	c.Dispute = in.Get("dispute")
	if err := s.disputed(ctx, s.DB.SQL, by, of, c.Dispute); err != nil {
		return err
	}
	now, err := s.Reports.Correcting(ctx, s.DB.SQL, of.CustomerID, token)
	if err != nil {
		return err
	}
	first := ""
	if c.Corrections, first, err = corrected(*in, now); err != nil {
		return err
	}
	if n := utf8.RuneCountInString(c.Reason); n < minReason || n > maxReason || strings.ContainsFunc(c.Reason, unprintable) {
		return fieldProblem("reason", "dashboard.correction.reason_invalid")
	}
	in.draft, err = s.Reports.Draft(ctx, s.DB.SQL, of.CustomerID, token, c)
	switch {
	case errors.Is(err, reports.ErrRevised):
		return noChange{"corrected meanwhile"}
	case errors.Is(err, reports.ErrUnchanged):
		return fieldProblem(first, "dashboard.correction.none")
	case errors.Is(err, reports.ErrNothingLeft):
		return fieldProblem(first, "dashboard.correction.nothing_left")
	case errors.Is(err, reports.ErrDataDeleted):
		return fieldProblem(first, "dashboard.correction.no_data")
	}
	return unfit(err)
}

// correct makes the correction that draftCorrection computed.
func (s *Service) correct(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	of, err := s.own(ctx, tx, by, s.token(in.id))
	if err == nil {
		err = s.disputed(ctx, tx, by, of, in.Get("dispute"))
	}
	if err != nil {
		return done{}, err
	}
	n, err := s.Reports.Revise(ctx, tx, in.draft)
	if errors.Is(err, reports.ErrRevised) {
		return done{}, noChange{"corrected meanwhile"}
	}
	d := done{action: "report corrected", object: in.id, detail: "revision " + strconv.Itoa(n), flash: "corrected",
		account: of.CustomerID}
	for _, c := range in.draft.Corrections() {
		what := string(c.Target) + " " + c.Field
		if c.Target == corrections.Figures {
			what = c.Field
		}
		d.detail += ", " + what
	}
	if number := in.Get("dispute"); number != "" {
		d.to = by.pages.Home + "/disputes/" + number
	}
	return d, err
}

// corrected parses the fields of a form: those of an item, or figures. first is the first field.
func corrected(in input, now reports.Correcting) (out []corrections.Correction, first string, err error) {
	key := in.Get("item")
	if key == "" {
		for _, name := range report.RevisedNames() {
			text := in.Field(name)
			if text == "" {
				continue
			}
			n, ok := wholeAmount(text)
			if !ok {
				return nil, "", unfit(income.Unfit{Figure: name, Reason: income.UnfitRange})
			}
			out = append(out, corrections.Correction{Target: corrections.Figures, Field: name, Value: strconv.FormatInt(n, 10)})
		}
		return out, report.RevisedNames()[0], nil
	}
	i := slices.IndexFunc(now.Items, func(x corrections.Item) bool { return x.Key() == key })
	if i < 0 {
		return nil, "", unknown("item")
	}
	item := now.Items[i]
	for _, f := range item.Fields {
		value := in.Field(f.Name)
		if value == f.Found {
			value = ""
		}
		if !f.Valid(value) {
			return nil, "", fieldProblem(f.Name, "dashboard.correction.value_invalid")
		}
		if value == f.Value {
			continue
		}
		c := item.Correction
		c.Field, c.Value = f.Name, value
		out = append(out, c)
	}
	return out, item.Fields[0].Name, nil
}

// revision serves the body of a revision of a report as a file.
func (s *Service) revision(w http.ResponseWriter, r *http.Request, by user) error {
	token, n := s.token(r.PathValue("id")), r.PathValue("revision")
	number, err := strconv.Atoi(n)
	if err != nil || number < 0 || token == "" || !by.corrects {
		return unknown("report")
	}
	of, err := s.own(r.Context(), s.DB.SQL, by, token)
	if err != nil {
		return err
	}
	body, err := s.Reports.Body(r.Context(), s.DB.SQL, of.CustomerID, token, number)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="revision-`+strconv.Itoa(number)+`.json"`)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.Write(body) // on error the client is gone
	return nil
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
	field := cmp.Or(no.Figure, report.RevisedNames()[0])
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
