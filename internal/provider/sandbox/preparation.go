package sandbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/sandbox/payroll"
	"vestibule/internal/provider/sandbox/profiles"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/submissions"
	"vestibule/internal/report"
)

// preparation is a request for a prepared report.
type preparation struct {
	Product contract.Product `json:"product"`
	Name    string           `json:"name"` // what people call it; empty for none

	Profile    string          `json:"profile"`    // of the mock bank
	Submission json.RawMessage `json:"submission"` // instead; of a passport, its personal data and address

	// For income and eligibility reports: sign-ins at the mock payroll providers, alone or
	// with a bank, and the consumer to match if there is no prefill.
	Payroll []struct {
		Provider string `json:"provider"` // by id or name; empty: the first of the catalogue
		Username string `json:"username"` // empty: default
	} `json:"payroll"`
	Employers []string `json:"statedEmployerNames"`

	Supplier string `json:"supplier"` // of a passport: its code
}

// Limits of stated employers.
const (
	maxEmployers    = 6
	maxEmployerName = 255
)

// contents validates the request at a time and returns the contents to store.
func (p preparation) contents(now time.Time) (out Contents, err error) {
	product := p.Product
	if !slices.Contains(contract.Products(), product) {
		return out, httpx.NewError(contract.CodeInvalidProduct, errors.New("no such product"),
			httpx.Detail{Field: "product", Message: "must be cashflow, income, eligibility or passport"})
	}
	if problem := customers.NameProblem(p.Name); p.Name != "" && problem != "" {
		return out, invalidField("name", problem)
	}
	if field := p.foreign(product); field != "" {
		return out, invalidField(field, "does not belong to this product's reports")
	}
	switch {
	case p.Profile != "" && p.Submission != nil, product == contract.Cashflow && p.Profile == "" && p.Submission == nil:
		return out, invalidField("submission", "give submission or profile")
	case product != contract.Passport && p.Profile == "" && p.Submission == nil && len(p.Payroll) == 0:
		return out, invalidField("submission", "give submission, profile or payroll")
	case product == contract.Passport && p.Supplier == "":
		return out, invalidField("supplier", "must be the code of a supplier")
	case p.Submission != nil:
		uploaded, details := readSubmission(p.Submission, product, now)
		if len(details) > 0 {
			return out, httpx.NewError(contract.CodeMalformedBody, errors.New("submission"), withPrefix("submission.", details)...)
		}
		out = uploaded
	case p.Profile != "" && !(profiles.Bank{}).Known(p.Profile):
		return out, invalidField("profile", "must be one of "+strings.Join(profiles.Names(), ", "))
	}
	if _, known := report.SupplierOf(p.Supplier); p.Supplier != "" && !known {
		return out, invalidField("supplier", "must be the code of a supplier")
	}
	if len(p.Employers) > maxEmployers || slices.ContainsFunc(p.Employers, func(n string) bool {
		return strings.TrimSpace(n) == "" || utf8.RuneCountInString(n) > maxEmployerName
	}) {
		return out, invalidField("statedEmployerNames", "must be 1 to 6 names")
	}
	out.Profile, out.Employers, out.Supplier = p.Profile, p.Employers, p.Supplier
	for _, s := range p.Payroll {
		all := payroll.All()
		at := slices.IndexFunc(all, func(o sources.Institution) bool {
			return s.Provider == "" || o.ID == s.Provider || o.Name == s.Provider
		})
		profile := payroll.Providers{}.Login(cmp.Or(s.Username, "default")).Profile
		if at < 0 || profile == "" {
			return out, invalidField("payroll", "must be payroll providers of the sandbox, with usernames that have data there")
		}
		if slices.ContainsFunc(out.Payroll, func(o SignIn) bool { return o.Provider == all[at].ID }) {
			return out, invalidField("payroll", "has a provider twice")
		}
		out.Payroll = append(out.Payroll, SignIn{Provider: all[at].ID, Username: profile})
	}
	return out, nil
}

// readSubmission validates a body by the rules of the submission endpoint, but of any
// age. Bodies for a passport have no accounts.
func readSubmission(body []byte, product contract.Product, now time.Time) (Contents, []httpx.Detail) {
	in, details, err := submissions.Read(bytes.NewReader(body),
		submissions.Terms{Now: now, Upload: true, PersonOnly: product == contract.Passport, Seed: uuid.NewString()})
	if err != nil {
		return Contents{}, details
	}
	c := Contents{At: in.PullDate}
	if product != contract.Passport {
		c.Data = &in.Data
	}
	c.Born, c.State = in.Personal.Known(now)
	if p := in.Personal; p.FirstName != nil && p.LastName != nil {
		c.Consumer = &bankdata.Person{FirstName: *p.FirstName, LastName: *p.LastName}
		if p.Email != nil {
			c.Consumer.Emails = []string{*p.Email}
		}
	}
	return c, nil
}

// foreign returns a field that the product's reports do not use, or "".
func (p preparation) foreign(product contract.Product) string {
	jobs := product == contract.Income || product == contract.Eligibility
	switch {
	case p.Profile != "" && product == contract.Passport:
		return "profile"
	case len(p.Payroll) > 0 && !jobs:
		return "payroll"
	case len(p.Employers) > 0 && !jobs:
		return "statedEmployerNames"
	case p.Supplier != "" && product != contract.Passport:
		return "supplier"
	}
	return ""
}
