package provider

import (
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
)

// abroadWords returns the texts of endWords that differ for a passport; otherwise "".
func (v Visit) abroadWords() string {
	switch {
	case v.End == "success" && v.Status == contract.StatusSuccess && v.Substatus != "":
		return i18n.T(v.Lang, "visit.end.passport.none", "company", v.Customer)
	case v.End == "success" && v.Status == contract.StatusSuccess:
		return i18n.T(v.Lang, "visit.end.passport.shared", "company", v.Customer)
	case v.End == "success":
		return i18n.T(v.Lang, "visit.end.passport.error", "company", v.Customer)
	case v.Status == contract.StatusSupplierUnresponsive, v.Status == contract.StatusBureauUnresponsive:
		return i18n.T(v.Lang, "visit.end.passport.unresponsive")
	}
	return ""
}
