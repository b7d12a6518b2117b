package provider

import (
	"strconv"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
)

func (v Visit) foundSuppliers() string {
	shown := strconv.Itoa(len(v.Banks))
	switch n := strconv.Itoa(len(v.Banks) + v.More); {
	case n == "0":
		return i18n.T(v.Lang, "visit.countries.found.none")
	case n == "1":
		return i18n.T(v.Lang, "visit.results.found.one")
	case v.More > 0:
		return i18n.T(v.Lang, "visit.countries.found.more", "n", n, "shown", shown)
	default:
		return i18n.T(v.Lang, "visit.results.found.other", "n", n)
	}
}

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
