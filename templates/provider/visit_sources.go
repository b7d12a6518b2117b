package provider

import (
	"strconv"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/visits/flow"
	"vestibule/templates/ui"
)

// sourceTypeRows returns the source types to choose from.
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

func (v Visit) foundInstitutions() string {
	switch v.SourceType {
	case flow.SourcePayroll:
		return v.foundEmployers()
	case flow.SourceSupplier:
		return v.foundSuppliers()
	}
	switch n := len(v.Banks) + v.More; {
	case n == 0:
		return i18n.T(v.Lang, "visit.banks.found.none")
	case n == 1:
		return i18n.T(v.Lang, "visit.banks.found.one")
	case v.More > 0:
		return i18n.T(v.Lang, "visit.banks.found.more", "n", strconv.Itoa(n), "shown", strconv.Itoa(len(v.Banks)))
	default:
		return i18n.T(v.Lang, "visit.banks.found.other", "n", strconv.Itoa(n))
	}
}

func (v Visit) foundEmployers() string {
	shown := strconv.Itoa(len(v.Banks))
	switch n := strconv.Itoa(len(v.Banks) + v.More); {
	case n == "0":
		return i18n.T(v.Lang, "visit.employers.found.none")
	case n == "1":
		return i18n.T(v.Lang, "visit.results.found.one")
	case v.More > 0:
		return i18n.T(v.Lang, "visit.employers.found.more", "n", n, "shown", shown)
	default:
		return i18n.T(v.Lang, "visit.results.found.other", "n", n)
	}
}

func (v Visit) rows() []ui.Row {
	rows := make([]ui.Row, len(v.Banks))
	for i, b := range v.Banks {
		rows[i] = ui.Row{Name: string(v.Step), Value: b.ID, Title: b.Name, Detail: b.Place}
		if b.ID == "" {
			rows[i].Name, rows[i].Value, rows[i].Attrs = "country", b.Country, templ.Attributes{"form": "country"}
		}
	}
	return rows
}

func (v Visit) accountOptions() []ui.Option {
	out := make([]ui.Option, len(v.Accounts))
	for i, a := range v.Accounts {
		kind := map[string]string{
			"CHECKING": i18n.T(v.Lang, "visit.accounts.types.CHECKING"),
			"SAVINGS":  i18n.T(v.Lang, "visit.accounts.types.SAVINGS"),
		}[a.Subtype]
		if kind == "" {
			kind = i18n.T(v.Lang, "visit.accounts.types.OTHER")
		}
		detail := kind
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
