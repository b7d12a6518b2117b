package dashboard

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/mail"
	"vestibule/internal/provider/disputes"
	"vestibule/internal/provider/reports"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// disputes lists the disputes of the account, for operators those of all: open ones by the day on
// which they are due, or answered ones.
func (s *Service) disputes(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	q := selectionParams(r, "state")
	after, err := store.ParseCursor(q.Get("after"))
	f := disputes.Filter{CustomerID: by.account.ID, State: disputes.Open, After: after, Limit: pageSize}
	if state := q.Get("state"); state != "" {
		f.State, f.Latest = disputes.State(state), true
	}
	if err != nil || !by.corrects || f.State != disputes.Open && f.State != disputes.Answered {
		return nil, unknown("list")
	}
	all, err := s.Disputes.List(ctx, s.DB.SQL, f)
	if err != nil {
		return nil, err
	}
	path := d.Home + "/disputes"
	v := providerui.DashboardDisputes{List: listOf(path, q)}
	for _, x := range all {
		row := x.View()
		if x.CustomerID != by.account.ID { // of a child, or for an operator
			a, err := s.Customers.ByID(ctx, s.DB.SQL, x.CustomerID)
			if err != nil {
				return nil, err
			}
			row.Company = a.Name
		}
		v.Rows = append(v.Rows, row)
	}
	if n := len(all); n > 0 {
		last := store.Cursor{At: all[n-1].Due, ID: all[n-1].Number}
		if f.Latest {
			last.At = all[n-1].Opened
		}
		v.List.Pager = pager(q, path, n == pageSize, last.String())
	}
	return providerui.DashboardDisputesPage(d, v), nil
}

// ownDispute returns a dispute of the user's account or one of its children, for operators of any
// account, or store.ErrNotFound.
func (s *Service) ownDispute(ctx context.Context, q store.Queryer, by user, number string) (disputes.Dispute, error) {
	if !by.corrects || !disputes.IsNumber(number) {
		return disputes.Dispute{}, store.ErrNotFound
	}
	x, err := s.Disputes.Get(ctx, q, "", number)
	if err == nil {
		err = s.mayRead(ctx, q, by, x.CustomerID)
	}
	if err != nil {
		return disputes.Dispute{}, err
	}
	return x, nil
}

func (s *Service) dispute(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	var v providerui.DashboardDispute
	err := s.DB.Read(ctx, func(ctx context.Context, tx *store.Tx) error {
		x, err := s.ownDispute(ctx, tx, by, r.PathValue("id"))
		if err != nil {
			return err
		}
		v = providerui.DashboardDispute{Dispute: x.View(), MaxAnswer: disputes.MaxAnswer}
		if v.Author, err = s.emailOf(ctx, tx, by, d.Lang, x.OpenedBy); err == nil {
			v.Answerer, err = s.emailOf(ctx, tx, by, d.Lang, x.AnsweredBy)
		}
		if err == nil && by.pages.Operators {
			a, err := s.Customers.ByID(ctx, tx, x.CustomerID)
			if err != nil {
				return err
			}
			v.Company, v.Customer = a.Name, a.PublicID
		}
		if err != nil {
			return err
		}
		about, err := s.Reports.Get(ctx, tx, x.PublicToken)
		if err == nil && by.pages.Operators {
			v.Reads, err = s.reads(ctx, tx, about)
		}
		if err == nil && s.Reports.Correctable(about) {
			v.Report = s.Reference(x.PublicToken)
		} else if errors.Is(err, store.ErrNotFound) {
			err = nil
		}
		return err
	})
	return providerui.DashboardDisputePage(d, v), err
}

func (s *Service) disputeFile(p *Pages) httpx.HandlerFunc {
	return p.forUser(func(w http.ResponseWriter, r *http.Request, by user) error {
		x, err := s.ownDispute(r.Context(), s.DB.SQL, by, r.PathValue("id"))
		if err != nil {
			return err
		}
		return s.Disputes.ServeFile(w, r, x, r.PathValue("file"))
	})
}

// decodeDispute reads the form of a new dispute. The contents and names of files become fields.
func decodeDispute(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	form, files, err := disputes.DecodeForm(w, r)
	if errors.As(err, new(disputes.Invalid)) {
		form.Set("files-refused", "1")
		err = nil
	}
	for _, f := range files {
		form.Add("file", string(f.Contents))
		form.Add("file-name", f.Name)
		form.Add("file-type", f.Type)
	}
	return form, err
}

// findDisputed lists the reports about a person, by an email address, or those of a customer's day, by its publicId
// and the day. Only operators find reports that way. The search is in their audit trail, without the address.
func (s *Service) findDisputed(ctx context.Context, by user, query string) (found []reports.Report, err error) {
	what := "email"
	if mail.IsAddress(query) {
		found, err = s.Reports.OfMailbox(ctx, s.DB.SQL, s.Disputes.Mailboxes.Hash(query), pageSize)
	} else {
		what = strings.Join(strings.Fields(query), " ")
		publicID, day, _ := strings.Cut(what, " ")
		a, err2 := s.Customers.ByPublicID(ctx, s.DB.SQL, publicID)
		from, err3 := time.Parse(time.DateOnly, day)
		if errors.Is(err2, store.ErrNotFound) || err3 != nil {
			return nil, nil
		}
		if err = err2; err == nil {
			found, err = s.Reports.List(ctx, s.DB.SQL, a.ID, reports.Filter{Status: contract.StatusSuccess, From: from, To: from, Limit: pageSize})
		}
	}
	if err == nil {
		err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
			return by.pages.write(ctx, tx, by, done{action: "report found", detail: what})
		})
	}
	return slices.DeleteFunc(found, func(x reports.Report) bool { return !s.Reports.Correctable(x) }), err
}

// findDisputable leads to the form of a new dispute about the report with a publicToken.
func (s *Service) findDisputable(ctx context.Context, by user, query string) (string, page, error) {
	if by.pages.Operators && !contract.IsUUID(query) {
		found, err := s.findDisputed(ctx, by, query)
		if len(found) > 0 && err == nil {
			return "", func(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
				var v []providerui.Dispute
				for _, x := range found {
					a, err := s.Customers.ByID(ctx, s.DB.SQL, x.CustomerID)
					if err != nil {
						return nil, err
					}
					v = append(v, providerui.Dispute{Number: s.Reference(x.PublicToken), Company: a.Name, ReportKind: x.Kind, Opened: x.Created})
				}
				return providerui.DashboardFoundPage(d, v), nil
			}, nil
		}
		if err != nil {
			return "", nil, err
		}
	}
	token := strings.ToLower(query)
	x, err := reports.Report{}, store.ErrNotFound
	if contract.IsUUID(token) && by.corrects {
		x, err = s.own(ctx, s.DB.SQL, by, token)
	}
	if err == nil && s.Reports.Correctable(x) {
		return by.pages.Home + "/reports/" + s.Reference(token) + "/dispute", nil, nil
	}
	return "", func(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
		d.Invalid, d.Words = "query", i18n.T(d.Lang, "dashboard.disputes.no_report")
		return s.disputes(ctx, r, by, d)
	}, store.OrNone(err)
}

func (s *Service) newDispute(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	token := s.token(r.PathValue("id"))
	if token == "" || !by.corrects {
		return nil, unknown("report")
	}
	x, err := s.own(ctx, s.DB.SQL, by, token)
	if err != nil {
		return nil, err
	}
	if !s.Reports.Correctable(x) {
		return nil, unknown("report")
	}
	var kinds []string
	for _, k := range disputes.Kinds() {
		kinds = append(kinds, string(k))
	}
	return providerui.DashboardNewDisputePage(d, r.PathValue("id"), d.NewDispute(kinds)), nil
}

func (s *Service) prepareDispute(ctx context.Context, _ *http.Request, by user, in *input) error {
	token := s.token(in.id)
	if token == "" || !by.corrects {
		return unknown("report")
	}
	x, err := s.own(ctx, s.DB.SQL, by, token)
	if err != nil {
		return err
	}
	n := disputes.New{CustomerID: x.CustomerID, PublicToken: token, Kind: disputes.Kind(in.Get("kind")), About: in.Get("about"),
		Statement: in.Get("statement"), Note: in.Get("note"), By: by.ID, Lang: i18n.English}
	if in.Has("files-refused") {
		return fieldProblem("file", "disputes.invalid.file")
	}
	names, types := in.Values["file-name"], in.Values["file-type"]
	for i, contents := range in.Values["file"] {
		n.Files = append(n.Files, disputes.Upload{Name: names[i], Type: types[i], Contents: []byte(contents)})
	}
	if x.ConsumerID != "" {
		if c, err := s.Customers.Consumer(ctx, s.DB.SQL, x.CustomerID, x.ConsumerID); err == nil && c.Lang != "" {
			n.Lang = i18n.Lang(c.Lang)
		}
	}
	in.dispute, err = s.Disputes.PrepareNew(ctx, n)
	return disputeProblem(err)
}

// openDispute stores the dispute of prepareDispute.
func (s *Service) openDispute(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	x, err := s.Disputes.Add(ctx, tx, in.dispute)
	return done{action: "dispute opened", object: in.id, detail: x.Number, flash: "dispute opened",
		to: by.pages.Home + "/disputes/" + x.Number, account: in.dispute.CustomerID}, disputeProblem(err)
}

func (s *Service) prepareAnswer(ctx context.Context, _ *http.Request, by user, in *input) error {
	x, err := s.ownDispute(ctx, s.DB.SQL, by, in.id)
	if err != nil {
		return err
	}
	in.dispute, err = s.Disputes.PrepareAnswer(ctx, x.CustomerID, in.id, disputes.Reply{Result: disputes.Result(in.Get("result")),
		Text: in.Get("answer"), Attach: in.Get("attach") != "", By: by.ID})
	return disputeProblem(err)
}

// answerDispute stores the answer of prepareAnswer.
func (s *Service) answerDispute(ctx context.Context, tx *store.Tx, _ user, in input) (done, error) {
	err := s.Disputes.Answer(ctx, tx, in.dispute)
	return done{action: "dispute answered", object: in.id, detail: string(in.dispute.Result), flash: "dispute answered",
		account: in.dispute.CustomerID}, disputeProblem(err)
}

// addFacts adds new facts, which extend the time once.
func (s *Service) addFacts(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	x, err := s.ownDispute(ctx, tx, by, in.id)
	if err == nil {
		err = s.Disputes.AddFacts(ctx, tx, x, in.Get("facts"))
	}
	return done{action: "dispute extended", object: in.id, flash: "dispute extended", account: x.CustomerID}, disputeProblem(err)
}

// disputeProblem maps the errors of disputes to fields and flash messages.
func disputeProblem(err error) error {
	var no disputes.Invalid
	switch {
	case errors.As(err, &no):
		return fieldProblem(no.Field, disputes.Words(no))
	case errors.Is(err, disputes.ErrNotCorrected):
		return fieldProblem("result", "dashboard.disputes.not_corrected")
	case errors.Is(err, disputes.ErrLimit):
		return fieldProblem("statement", "disputes.too_many")
	case errors.Is(err, disputes.ErrAnswered), errors.Is(err, disputes.ErrExtended):
		return noChange{"dispute changed"}
	case errors.Is(err, reports.ErrRevised):
		return noChange{"corrected meanwhile"}
	}
	return err
}
