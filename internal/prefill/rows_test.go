package prefill

import (
	"reflect"
	"strings"
	"testing"

	"vestibule/internal/i18n"
)

// TestRows holds the table to one row for each field: with the field's key, value and texts.
func TestRows(t *testing.T) {
	fields := reflect.TypeFor[Fields]()
	if len(rows) != fields.NumField() {
		t.Fatalf("%d rows for %d fields", len(rows), fields.NumField())
	}
	of := map[i18n.Key]string{}
	for i, r := range rows {
		name, _, _ := strings.Cut(fields.Field(i).Tag.Get("json"), ",")
		if r.key != name || r.code == "" || r.invalid == "" {
			t.Errorf("row %d is of %q with code %q and text %q, the field is %q", i, r.key, r.code, r.invalid, name)
		}
		var f Fields
		if value := reflect.ValueOf(&f).Elem().Field(i); value.Kind() == reflect.String {
			*r.field(&f) = "a text"
			if value.String() != "a text" {
				t.Errorf("%s has the value of another field: %+v", r.key, f)
			}
		} else if r.field != nil {
			t.Errorf("%s is not a text", r.key)
		}
		for _, text := range append([]i18n.Key{r.missing, r.orOther, r.invalid}, r.texts[:]...) {
			if text == "" || strings.HasPrefix(string(text), "prefill.name.") { // of both names
				continue
			}
			if of[text] != "" {
				t.Errorf("%s is a text of %s and of %s", text, of[text], r.key)
			}
			of[text] = r.key
		}
	}
}

// TestRequiredKeysHaveTexts checks that whatever can be missing has a text.
func TestRequiredKeysHaveTexts(t *testing.T) {
	for _, r := range []Rules{{Product: "cashflow"}, {Product: "eligibility"}} {
		for _, o := range []Object{nil, {{City, String("Austin")}}} {
			for _, p := range r.Problems(o) {
				if p.Text == "" {
					t.Errorf("%s: no text for a missing %s", r.Product, p.Field)
				}
			}
		}
	}
}
