package portal

import (
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
)

// ProductName returns the name of a product's report.
func ProductName(p contract.Product) i18n.Key {
	switch p {
	case contract.Cashflow:
		return "product.name.cashflow"
	case contract.Income:
		return "product.name.income"
	case contract.Eligibility:
		return "product.name.eligibility"
	}
	return "product.name.passport"
}

// productText returns the description of a product.
func (b Base) productText(p contract.Product) i18n.Key {
	if b.AssetsOnly && p == contract.Eligibility {
		return "product.text.assets_only"
	}
	switch p {
	case contract.Cashflow:
		return "product.text.cashflow"
	case contract.Income:
		return "product.text.income"
	case contract.Eligibility:
		return "product.text.eligibility"
	}
	return "product.text.passport"
}

// applyIntro returns the text about the steps after the form.
func (b Base) applyIntro(p contract.Product) i18n.Key {
	switch {
	case p == contract.Income, p == contract.Eligibility && !b.AssetsOnly:
		return "apply.intro.income"
	case p == contract.Passport:
		return "apply.intro.passport"
	}
	return "apply.intro.bank"
}

// connectTitle returns the title of the page with the widget.
func (b Base) connectTitle(p contract.Product) i18n.Key {
	if b.AssetsOnly && p == contract.Eligibility {
		return "connect.title.assets_only"
	}
	switch p {
	case contract.Income:
		return "connect.title.income"
	case contract.Eligibility:
		return "connect.title.eligibility"
	case contract.Passport:
		return "connect.title.passport"
	}
	return "connect.title.cashflow"
}

func applyTitle(p contract.Product) i18n.Key {
	switch p {
	case contract.Cashflow:
		return "apply.title.cashflow"
	case contract.Income:
		return "apply.title.income"
	case contract.Eligibility:
		return "apply.title.eligibility"
	}
	return "apply.title.passport"
}

// StateName returns the name of an application's state.
func StateName(state string) i18n.Key {
	switch state {
	case "started":
		return "status.states.started"
	case "connecting":
		return "status.states.connecting"
	case "returned":
		return "status.states.returned"
	case "pending":
		return "status.states.pending"
	case "ready":
		return "status.states.ready"
	case "failed":
		return "status.states.failed"
	case "exited":
		return "status.states.exited"
	}
	return "status.states.expired"
}
