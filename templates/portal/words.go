package portal

import (
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
)

// titled returns the code of the texts about a product.
func (b Base) titled(p contract.Product) string {
	if b.AssetsOnly && p == contract.Eligibility {
		return "assets_only"
	}
	return string(p)
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
