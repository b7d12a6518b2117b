package sandbox

import (
	"testing"

	"vestibule/internal/provider/visits"
	"vestibule/internal/report"
)

// TestFindSuppliersByCountry in both languages, and in its own.
func TestFindSuppliersByCountry(t *testing.T) {
	all := supplierList()
	for _, query := range []string{"Germany", "alemania", "Deutschland", "Reino Unido", "united kingdom",
		"Filipinas", "Corea", "Suiza", "Schweiz", "China", "中国"} {
		if found, _ := visits.FindBanks(all, query); len(found) == 0 {
			t.Errorf("%s finds nothing", query)
		}
	}
	if len(all) != 26 || all[len(all)-1].ID != report.DocumentSupplier {
		t.Errorf("%d are listed, the last of them %s", len(all), all[len(all)-1].ID)
	}
}
