package sandbox

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/documents"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/visits"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/report"
)

// Completion says how to complete a visit: with all given
// sources, and with a bank if one is required and none is given.
type Completion struct {
	Banks     []SignIn // in their order
	Sources            // of the report, or of the first stated employer
	Employers []Sources
	Supplier  string // of a passport: its code; empty is the first of the catalogue
	End       string // "", "exit", or "error:" and a widget error type
}

// SignIn is a sign-in at a mock bank or payroll provider.
type SignIn struct {
	Provider string // its id or name; empty is the first of the catalogue
	Username string // empty is "default"
}

// Sources are the sources to connect for a stated employer, by its position; an empty
// value leaves the employer open.
type Sources struct {
	Payroll   *SignIn
	Stubs     []visits.File // pay stubs that are uploaded, whatever is in them
	Documents []visits.File // other documents, likewise
	Skip      string        // why the employer is skipped; nothing else is given then
}

func (of Sources) empty() bool {
	return of.Payroll == nil && len(of.Stubs)+len(of.Documents) == 0 && of.Skip == ""
}

// plannedSource is a source to connect, or an employer to skip.
type plannedSource struct {
	flow.DocumentGroup // its type, and the employer that it is for
	bank               string
	username           string
	files              []visits.File
	reason             string
}

// nextPlanned returns the first source that the visit has not tried yet.
func nextPlanned(all []plannedSource, v visits.Driven) (plannedSource, bool) {
	for _, t := range all {
		if !slices.ContainsFunc(v.Connections(), func(c flow.Connection) bool {
			return c.Employer == t.Employer && c.SourceType == t.SourceType && c.Bank == t.bank && c.Skipped == t.reason
		}) {
			return t, true
		}
	}
	return plannedSource{}, false
}

// remaining returns how many sources the visit has not tried yet.
func remaining(all []plannedSource, v visits.Driven) (n int) {
	for i := range all {
		if _, ok := nextPlanned(all[i:i+1], v); ok {
			n++
		}
	}
	return n
}

// plan returns the sources of the completion in the order in which a visit asks for them:
// those of employers before the banks, and otherwise the banks first. Sources that the
// report cannot use are errors.
func (how Completion) plan(j flow.Journey, c sources.Catalogue) ([]plannedSource, error) {
	if field, words := how.check(j); field != "" {
		return nil, invalidCompletion(field, words)
	}
	if j.Product == contract.Passport {
		t, err := planned(c, flow.DocumentGroup{SourceType: flow.SourceSupplier}, "supplier", SignIn{Provider: how.Supplier})
		if t.files = how.Documents; len(t.files) > 0 && err == nil {
			if s, _ := report.SupplierOf(t.bank); !s.Fields.Documents || len(t.files) > sources.MaxDocuments {
				err = invalidCompletion("documents", "are not read by this supplier, or more than it reads")
			}
		}
		return []plannedSource{t}, err
	}
	var shown, banks []plannedSource
	for i, of := range how.perEmployer() {
		n := 0
		if j.Employers > 0 {
			n = i + 1
		}
		if of.Payroll != nil {
			t, err := planned(c, flow.DocumentGroup{SourceType: flow.SourcePayroll, Employer: n}, "payroll.provider", *of.Payroll)
			if err != nil {
				return nil, err
			}
			shown = append(shown, t)
		}
		if len(of.Stubs) > 0 {
			shown = append(shown, plannedSource{DocumentGroup: flow.DocumentGroup{SourceType: flow.SourcePaystubs, Employer: n}, files: of.Stubs})
		}
		if len(of.Documents) > 0 {
			group := flow.DocumentGroup{SourceType: flow.SourceDocuments, Employer: n}
			shown = append(shown, plannedSource{DocumentGroup: group, files: of.Documents})
		}
		if of.Skip != "" {
			shown = append(shown, plannedSource{DocumentGroup: flow.DocumentGroup{Employer: n}, reason: of.Skip})
		}
	}
	at := how.Banks
	if len(at) == 0 && (j.Product != contract.Income || len(shown) == 0) {
		at = []SignIn{{}}
	}
	for _, at := range at {
		t, err := planned(c, flow.DocumentGroup{SourceType: flow.SourceBank}, "bank", at)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(banks, func(o plannedSource) bool { return o.bank == t.bank }) {
			return nil, invalidCompletion("banks", "names a bank twice")
		}
		banks = append(banks, t)
	}
	switch {
	case j.IncomeOnly:
		return shown, nil
	case j.Employers > 0:
		return slices.Concat(shown, banks), nil
	}
	return slices.Concat(banks, shown), nil
}

// planned returns the plan of a sign-in at an institution of the catalogue.
func planned(c sources.Catalogue, to flow.DocumentGroup, field string, at SignIn) (plannedSource, error) {
	all := c.List(sources.Kind(to.SourceType))
	n := slices.IndexFunc(all, func(i sources.Institution) bool {
		return at.Provider == "" && !i.OwnPages || at.Provider != "" && (i.ID == at.Provider || i.Name == at.Provider)
	})
	switch {
	case n < 0:
		return plannedSource{}, invalidCompletion(field, "is neither an id nor a name in the catalogue")
	case all[n].OwnPages:
		return plannedSource{}, invalidCompletion(field, "signs applicants in on its own pages, which needs a browser")
	}
	return plannedSource{DocumentGroup: to, bank: all[n].ID, username: cmp.Or(strings.ToLower(strings.TrimSpace(at.Username)), "default")}, nil
}

// perEmployer returns the sources of each stated employer, or those of the report as one
// element.
func (how Completion) perEmployer() []Sources {
	if len(how.Employers) > 0 {
		return how.Employers
	}
	return []Sources{how.Sources}
}

// check returns a field that a visit of the kind cannot use, and why, or "".
// A bank that is not required is ignored.
func (how Completion) check(j flow.Journey) (field, words string) {
	const foreign = "is not a source of this product's reports"
	income := j.Product == contract.Income || j.Employers > 0
	switch {
	case how.Supplier != "" && (len(how.Banks)+len(how.Employers) > 0 || !(Sources{how.Payroll, how.Stubs, nil, how.Skip}).empty()):
		return "supplier", "excludes every other source"
	case how.Supplier != "" && j.Product != contract.Passport:
		return "supplier", foreign
	case len(how.Banks) > max(j.Limit(flow.SourceBank), 1):
		return "banks", "are more than this product's reports have"
	case len(how.Employers) > j.Employers:
		return "employers", "are more than were stated"
	case len(how.Employers) > 0 && !how.Sources.empty():
		return "employers", "exclude sources beside them"
	}
	files := 0
	for _, of := range how.perEmployer() {
		switch files += len(of.Stubs) + len(of.Documents); {
		case of.Payroll != nil && !income:
			return "payroll", foreign
		case len(of.Stubs) > 0 && !income:
			return "payStubs", foreign
		case len(of.Documents) > 0 && j.Employers == 0 && j.Product != contract.Passport:
			return "documents", foreign
		case of.Skip != "" && j.Employers == 0:
			return "skip", "names no stated employer"
		case of.Skip != "" && (!slices.Contains(report.SkippedReasons(), of.Skip) || of.Payroll != nil || len(of.Stubs)+len(of.Documents) > 0):
			return "skip", "is one of " + strings.Join(report.SkippedReasons(), ", ") + ", and excludes every source"
		case files > documents.MaxFiles:
			return "payStubs", "and documents are more than can be uploaded"
		}
	}
	return "", ""
}

func completionField(w flow.SourceType) string {
	if w == flow.SourceDocuments {
		return "documents"
	}
	return "payStubs"
}

func invalidCompletion(field, words string) error {
	return httpx.NewError(contract.CodeMalformedBody, errors.New("invalid completion of a visit"), httpx.Detail{Field: field, Message: words})
}

func endInput(end string) (flow.Input, error) {
	code, failed := strings.CutPrefix(end, "error:")
	switch {
	case end == "":
		return flow.Input{}, nil
	case end == "exit":
		return flow.Input{Kind: flow.EventClosed}, nil
	case failed && contract.WidgetError(code).Valid():
		return flow.Input{Kind: flow.EventFailed, Error: contract.WidgetError(code)}, nil
	}
	return flow.Input{}, invalidCompletion("end", `must be "exit", or "error:" and a widget error type`)
}
