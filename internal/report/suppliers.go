package report

import (
	"slices"

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

// Suppliers lists the passport's suppliers in the API's order. Names are for display;
// codes and flags are the API's.
func Suppliers() []Supplier {
	out := make([]Supplier, len(suppliers))
	for i, s := range suppliers {
		out[i] = s.supplier()
	}
	return out
}

// SupplierOf returns the supplier with that code.
func SupplierOf(code string) (Supplier, bool) {
	i := slices.IndexFunc(suppliers, func(s supplierRow) bool { return s.code == code })
	if i < 0 {
		return Supplier{}, false
	}
	return suppliers[i].supplier(), true
}

type supplierRow struct{ code, flags, country, name string }

func (s supplierRow) supplier() Supplier {
	return Supplier{Code: s.code, Country: contract.Null(s.country), Name: s.name, Fields: fieldsOf(s.flags)}
}

// suppliers has the flags of the API's table of suppliers.
var suppliers = []supplierRow{
	{"MITEK", "YYYNNNYNNNNY", "", "Identity documents"},
	{"AUS_EFX", "YYYYNYYYNNYN", "AUS", "Equifax Australia"},
	{"CAN_TU", "YYYYNNYYYNYN", "CAN", "TransUnion Canada"},
	{"CAN_EFX", "YYYNNNYYNYYN", "CAN", "Equifax Canada"},
	{"GBR_EFX", "YYYNNNYYNNYN", "GBR", "Equifax United Kingdom"},
	{"IND_CHM", "YYYNNNYYYNYN", "IND", "CRIF High Mark India"},
	{"IND_CIBIL", "NNYNNNYYYNYN", "IND", "CIBIL India"},
	{"MEX_CDC", "YYYNNNYYYYYN", "MEX", "Círculo de Crédito Mexico"},
	{"MEX_BDC", "YYYNNYYYNYYN", "MEX", "Buró de Crédito Mexico"},
	{"KOR_NICE", "NNYNYNYYNNYN", "KOR", "NICE Korea"},
	{"NGA_CRC", "YYYNNNYYNNYN", "NGA", "CRC Nigeria"},
	{"BRA_XP", "NNYNNYYNYNYN", "BRA", "Experian Brazil"},
	{"CHN_CCX", "NNYNYNYYYNYN", "CHN", "CCX China"},
	{"KEN_CI", "YYYNNNYYYNYN", "KEN", "Creditinfo Kenya"},
	{"DOM_TU", "YYYYNYYYYNYN", "DOM", "TransUnion Dominican Republic"},
	{"PHL_CRIF", "YYYYNYYYYNYY", "PHL", "CRIF Philippines"},
	{"ESP_EFX", "NNYNNNYYNNNY", "ESP", "Equifax Spain"},
	{"AUT_CRIF", "YYYYNNYYNNYY", "AUT", "CRIF Austria"},
	{"DEU_CRIF", "YYYYNNYYNNYY", "DEU", "CRIF Germany"},
	{"CHE_CRIF", "YYYYNNYYNNYY", "CHE", "CRIF Switzerland"},
	{"PHL_TU", "YYYYNYYYYNNY", "PHL", "TransUnion Philippines"},
	{"USA_XP", "YYYYNNYYYNNY", "USA", "Experian United States"},
	{"UKR_CI", "YYYNYNYYNNNN", "UKR", "Creditinfo Ukraine"},
	{"ZAF_TU", "YYYNNNYYNNNN", "ZAF", "TransUnion South Africa"},
	{"GHA_XDS", "YYYNNNYYNNNN", "GHA", "XDS Ghana"},
	{"COL_TU", "NNYNNYNNNNNN", "COL", "TransUnion Colombia"},
}

func fieldsOf(flags string) (f IdentityFields) {
	for i, field := range []*bool{&f.FirstName, &f.LastName, &f.FullName, &f.MiddleName, &f.TransliteratedName, &f.OtherNames,
		&f.DateOfBirth, &f.Emails, &f.Telephones, &f.IsDeceased, &f.DateOfDeath, &f.Documents} {
		*field = flags[i] == 'Y'
	}
	return f
}
