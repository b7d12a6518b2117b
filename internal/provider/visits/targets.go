package visits

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/documents"
	"vestibule/internal/report"
)

// Walk configures how the sandbox control walks through a visit: with all given
// sources, and with a bank if one is required and none is given.
type Walk struct {
	Banks     []At // in their order
	Sources        // of the report, or of the first stated employer
	Employers []Sources
	Supplier  string // of a passport: its code; empty is the first of the catalogue
	End       string // "", "exit", or "error:" and a widget error type
}

// At is a sign-in at a mock bank or payroll provider.
type At struct {
	Provider string // its id or name; empty is the first of the catalogue
	Username string // empty is "default"
}

// Sources are the sources to connect for a stated employer, by its position; an empty
// value leaves the employer open.
type Sources struct {
	Payroll *At
	Stubs   []File // pay stubs that are uploaded, whatever is in them
	Letters []File // other documents, likewise
	Skip    string // why the employer is skipped; nothing else is given then
}

func (of Sources) empty() bool {
	return of.Payroll == nil && len(of.Stubs)+len(of.Letters) == 0 && of.Skip == ""
}

// File is an uploaded file.
type File struct {
	Name    string
	Content []byte
}

// target is a source to connect, or an employer to skip.
type target struct {
	DocumentGroup // its way, and the employer that it is for
	bank          string
	username      string
	files         []File
	reason        string
}

// next returns the first target that the visit has not tried yet.
func next(all []target, v visit) (target, bool) {
	for _, t := range all {
		if !slices.ContainsFunc(v.sources(), func(c connected) bool {
			return c.Employer == t.Employer && c.SourceType == t.SourceType && c.Bank == t.bank && c.Skipped == t.reason
		}) {
			return t, true
		}
	}
	return target{}, false
}

// targets returns the sources of a walk in the order in which a visit asks for them:
// those of employers before the banks, and otherwise the banks first. Sources that the
// report cannot use are errors.
func (c Catalogue) targets(j Journey, how Walk) ([]target, error) {
	if field, words := how.wrong(j); field != "" {
		return nil, refused(field, words)
	}
	if j.Product == contract.Passport {
		t, err := c.target(DocumentGroup{SourceType: SourceSupplier}, "supplier", At{Provider: how.Supplier})
		return []target{t}, err
	}
	var shown, banks []target
	for i, of := range how.sources() {
		n := 0
		if j.Employers > 0 {
			n = i + 1
		}
		if of.Payroll != nil {
			t, err := c.target(DocumentGroup{SourcePayroll, n}, "payroll.provider", *of.Payroll)
			if err != nil {
				return nil, err
			}
			shown = append(shown, t)
		}
		if len(of.Stubs) > 0 {
			shown = append(shown, target{DocumentGroup: DocumentGroup{SourcePaystubs, n}, files: of.Stubs})
		}
		if len(of.Letters) > 0 {
			shown = append(shown, target{DocumentGroup: DocumentGroup{SourceLetters, n}, files: of.Letters})
		}
		if of.Skip != "" {
			shown = append(shown, target{DocumentGroup: DocumentGroup{Employer: n}, reason: of.Skip})
		}
	}
	at := how.Banks
	if len(at) == 0 && (j.Product != contract.Income || len(shown) == 0) {
		at = []At{{}}
	}
	for _, at := range at {
		t, err := c.target(DocumentGroup{SourceType: SourceBank}, "bank", at)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(banks, func(o target) bool { return o.bank == t.bank }) {
			return nil, refused("banks", "names a bank twice")
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

func (c Catalogue) target(to DocumentGroup, field string, at At) (target, error) {
	all, n := c.list(to.SourceType), 0
	if at.Provider != "" {
		n = slices.IndexFunc(all, func(b Bank) bool { return b.ID == at.Provider || b.Name == at.Provider })
	}
	if n < 0 || n >= len(all) {
		return target{}, refused(field, "is no id and no name in the catalogue")
	}
	return target{DocumentGroup: to, bank: all[n].ID, username: cmp.Or(strings.ToLower(strings.TrimSpace(at.Username)), "default")}, nil
}

// sources returns the sources of each stated employer, or those of the report as one
// element.
func (how Walk) sources() []Sources {
	if len(how.Employers) > 0 {
		return how.Employers
	}
	return []Sources{how.Sources}
}

// wrong returns a field of a walk that a visit of the kind cannot use, and why, or "".
// A bank that is not required is ignored.
func (how Walk) wrong(j Journey) (field, words string) {
	const foreign = "is no source of this product's reports"
	income := j.Product == contract.Income || j.Employers > 0
	switch {
	case how.Supplier != "" && (len(how.Banks)+len(how.Employers) > 0 || !how.Sources.empty()):
		return "supplier", "excludes every other source"
	case how.Supplier != "" && j.Product != contract.Passport:
		return "supplier", foreign
	case len(how.Banks) > max(j.most(SourceBank), 1):
		return "banks", "are more than this product's reports have"
	case len(how.Employers) > j.Employers:
		return "employers", "are more than were stated"
	case len(how.Employers) > 0 && !how.Sources.empty():
		return "employers", "exclude sources beside them"
	}
	files := 0
	for _, of := range how.sources() {
		switch files += len(of.Stubs) + len(of.Letters); {
		case of.Payroll != nil && !income:
			return "payroll", foreign
		case len(of.Stubs) > 0 && !income:
			return "payStubs", foreign
		case len(of.Letters) > 0 && j.Employers == 0:
			return "documents", foreign
		case of.Skip != "" && j.Employers == 0:
			return "skip", "names no stated employer"
		case of.Skip != "" && (!slices.Contains(report.SkippedReasons(), of.Skip) || of.Payroll != nil || len(of.Stubs)+len(of.Letters) > 0):
			return "skip", "is one of " + strings.Join(report.SkippedReasons(), ", ") + ", and excludes every source"
		case files > documents.MaxFiles:
			return "payStubs", "and documents are more than can be uploaded"
		}
	}
	return "", ""
}

// field returns the field of a walk with the files of a source type.
func (w SourceType) field() string {
	if w == SourceLetters {
		return "documents"
	}
	return "payStubs"
}

func refused(field, words string) error {
	return httpx.NewError(contract.CodeMalformedBody, errors.New("a walk that cannot be walked"), httpx.Detail{Field: field, Message: words})
}

func endOf(end string) (Input, error) {
	code, broke := strings.CutPrefix(end, "error:")
	switch {
	case end == "":
		return Input{}, nil
	case end == "exit":
		return Input{Kind: EventClosed}, nil
	case broke && contract.WidgetError(code).Valid():
		return Input{Kind: EventFailed, Error: contract.WidgetError(code)}, nil
	}
	return Input{}, refused("end", `is "exit", or "error:" and a widget error type`)
}
