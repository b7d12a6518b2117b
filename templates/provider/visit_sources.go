package provider

import (
	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/visits/flow"
	"vestibule/templates/ui"
)

func (v Visit) sourceTypeRows() []ui.Row {
	rows := make([]ui.Row, len(v.Left))
	for i, w := range v.Left {
		rows[i] = ui.Row{Name: "source", Value: string(w), Plain: true, Title: i18n.T(v.Lang, "visit.source.bank.title"),
			Detail: i18n.T(v.Lang, "visit.source.bank.detail")}
		switch w {
		case flow.SourceDocuments:
			rows[i].Title = i18n.T(v.Lang, "visit.source.document.title")
			rows[i].Detail = i18n.T(v.Lang, "visit.source.document.detail")
		case flow.SourcePayroll:
			rows[i].Title = i18n.T(v.Lang, "visit.source.payroll.title")
			rows[i].Detail = i18n.T(v.Lang, "visit.source.payroll.detail")
		case flow.SourcePaystubs:
			rows[i].Title = i18n.T(v.Lang, "visit.source.pay_stubs.title")
			rows[i].Detail = i18n.T(v.Lang, "visit.source.pay_stubs.detail")
		}
	}
	return rows
}

// foundInstitutions says how many banks, employers or countries were found.
func (v Visit) foundInstitutions() string {
	all, none, more := len(v.Banks)+v.More, i18n.Key("visit.banks.found.none"), i18n.Key("visit.banks.found.more")
	switch v.SourceType {
	case flow.SourcePayroll:
		none, more = "visit.employers.found.none", "visit.employers.found.more"
	case flow.SourceSupplier:
		none, more = "visit.countries.found.none", "visit.countries.found.more"
	}
	switch {
	case all == 0:
		return i18n.T(v.Lang, none)
	case v.More > 0:
		return i18n.T(v.Lang, more, "n", i18n.Count(all), "shown", i18n.Count(len(v.Banks)))
	case v.SourceType == flow.SourceBank:
		return i18n.N(v.Lang, "visit.banks.found", all)
	}
	return i18n.N(v.Lang, "visit.results.found", all)
}

func (v Visit) rows() []ui.Row {
	rows := make([]ui.Row, len(v.Banks))
	for i, b := range v.Banks {
		rows[i] = ui.Row{Name: string(v.Step), Value: b.ID, Title: b.Name, Detail: b.Place, Plain: b.Country != ""}
		if b.ID == "" {
			rows[i].Name, rows[i].Value, rows[i].Attrs = "country", b.Country, templ.Attributes{"form": "country"}
		}
	}
	return rows
}

func (v Visit) accountOptions() []ui.Option {
	out := make([]ui.Option, len(v.Accounts))
	for i, a := range v.Accounts {
		detail, known := i18n.Find(v.Lang, "visit.accounts.types", a.Subtype)
		if !known {
			detail = i18n.T(v.Lang, "visit.accounts.types.OTHER")
		}
		if a.Mask != "" {
			detail += " · " + i18n.T(v.Lang, "visit.accounts.ends_in") + a.Mask
		}
		out[i] = ui.Option{Value: a.ID, Label: a.Name, Detail: detail, Chosen: a.Chosen}
	}
	return out
}

// accountsHint returns the hint about which accounts to choose.
func (v Visit) accountsHint() string {
	if v.Product == contract.Eligibility {
		return i18n.T(v.Lang, "visit.accounts.hint_eligibility")
	}
	return i18n.T(v.Lang, "visit.accounts.hint")
}
