package testbench

import (
	"cmp"
	"slices"

	"vestibule/internal/provider/sandbox/suppliers"
	"vestibule/internal/provider/visits"
	"vestibule/internal/report"
)

// supplierList returns the passport suppliers in the form of the widget: credit
// bureaus by name, then the readers of identity documents.
func supplierList() []visits.Bank {
	var out []visits.Bank
	for _, s := range report.Suppliers() {
		place := suppliers.Bureaus{}.Place(s.Code)
		out = append(out, visits.Bank{ID: s.Code, Name: s.Name, Place: place.EN, PlaceES: place.ES})
	}
	last := func(b visits.Bank) int {
		if b.ID == report.DocumentSupplier {
			return 1
		}
		return 0
	}
	slices.SortFunc(out, func(a, b visits.Bank) int {
		return cmp.Or(last(a)-last(b), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return out
}
