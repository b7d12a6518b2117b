package report

import (
	_ "embed"
	"slices"
	"strings"

	"vestibule/internal/contract"
)

// Supplier is a source of credit files, or of identity documents, from abroad.
type Supplier struct {
	Code    string         `json:"code"`
	Country *string        `json:"country"` // ISO 3166-1 alpha-3; null: of no one country
	Name    string         `json:"name"`
	Fields  IdentityFields `json:"identity_fields"`
}

// IdentityFields holds, for each field of an identity, whether a supplier provides it,
// in the API's order.
type IdentityFields struct {
	FirstName          bool `json:"first_name"`
	LastName           bool `json:"last_name"`
	FullName           bool `json:"full_name"`
	MiddleName         bool `json:"middle_name"`
	TransliteratedName bool `json:"transliterated_full_name"`
	OtherNames         bool `json:"other_names"`
	DateOfBirth        bool `json:"date_of_birth"`
	Emails             bool `json:"emails"`
	Telephones         bool `json:"telephones"`
	IsDeceased         bool `json:"is_deceased"`
	DateOfDeath        bool `json:"date_of_death"` // only of the deceased
	Documents          bool `json:"documents"`     // from submitted ID documents, where available
}

// DocumentSupplier is the code of the supplier that reads identity documents and has no
// credit files.
const DocumentSupplier = "MITEK"

// suppliers.tsv has the API's table of suppliers: code, country, identity fields and name.
//
//go:embed suppliers.tsv
var suppliersFile string

var suppliers = func() (all []Supplier) {
	for line := range strings.Lines(suppliersFile) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		all = append(all, Supplier{f[0], contract.Null(f[1]), f[3], fieldsOf(f[2])})
	}
	return all
}()

// Suppliers lists the passport's suppliers in the API's order. Names are for display;
// codes and flags are the API's.
func Suppliers() []Supplier { return slices.Clone(suppliers) }

// SupplierOf returns the supplier with that code.
func SupplierOf(code string) (Supplier, bool) {
	i := slices.IndexFunc(suppliers, func(s Supplier) bool { return s.Code == code })
	if i < 0 {
		return Supplier{}, false
	}
	return suppliers[i], true
}

func fieldsOf(flags string) (f IdentityFields) {
	for i, field := range []*bool{&f.FirstName, &f.LastName, &f.FullName, &f.MiddleName, &f.TransliteratedName, &f.OtherNames,
		&f.DateOfBirth, &f.Emails, &f.Telephones, &f.IsDeceased, &f.DateOfDeath, &f.Documents} {
		*field = flags[i] == 'Y'
	}
	return f
}
