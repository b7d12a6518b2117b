package applications

import (
	"errors"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil/storetest"
)

// TestFetchesEachProduct takes an application of each offered
// product to its report and its files.
func TestFetchesEachProduct(t *testing.T) {
	storetest.Each(t, store.Portal, func(t *testing.T, db *store.DB) {
		for _, product := range contract.Products() {
			b := newTestServer(t, db)
			b.files = []svcapi.File{{DocumentType: "PAYSTUB", Path: "s/paystub.pdf"}}
			b.analysis = []byte("%PDF-")
			a := b.applyFor(product)
			if _, err := b.Service.Files(t.Context(), a.ID); !errors.Is(err, ErrNoReport) {
				t.Errorf("%s: files before the report: %v", product, err)
			}
			if _, err := b.Refresh(t.Context(), a.ID, 0); !errors.Is(err, ErrNoReport) {
				t.Errorf("%s: the newest before there is one: %v", product, err)
			}
			b.begin(a.ID)
			events["webhook"](b, a)
			b.work(false)
			if got := b.now(a.ID); got.Journey.State != journey.Ready || b.fetches.Load() != 1 || b.product != product {
				t.Fatalf("%s: state %s after %d fetches of %s", product, got.Journey.State, b.fetches.Load(), b.product)
			}
			if lists, want := b.lists.Load(), map[contract.Product]int64{contract.Cashflow: 1}[product]; lists != want {
				t.Errorf("%s: asked for an analysis %d times, want %d", product, lists, want)
			}
			b.product = ""
			files, err := b.Service.Files(t.Context(), a.ID)
			if err != nil || len(files) != 1 || b.product != product {
				t.Fatalf("%s: Files = %v, %v, of %s", product, files, err, b.product)
			}
			if got, err := b.Service.File(t.Context(), a.ID, files[0].Path); err != nil || string(got.Body) != "%PDF-" {
				t.Errorf("%s: File = %q, %v", product, got.Body, err)
			}
			kept, err := b.Service.Report(t.Context(), b.Service.DB.SQL, a.ID, 0, -1)
			if revised, why := b.Refresh(t.Context(), a.ID, 0); err != nil || why != nil || revised || len(kept) == 0 || b.fetches.Load() != 2 {
				t.Errorf("%s: revised %v, %v after %d fetches", product, revised, why, b.fetches.Load())
			}
			b.filesErr = &svcapi.Error{HTTP: 410, Code: contract.CodeGone}
			if _, err := b.Service.Files(t.Context(), a.ID); svcapi.CodeOf(err) != contract.CodeGone {
				t.Errorf("%s: the provider's refusal came as %v", product, err)
			}
		}
	})
}
