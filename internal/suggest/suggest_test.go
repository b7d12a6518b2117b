package suggest

import (
	"strings"
	"testing"
)

func TestClosest(t *testing.T) {
	names := []string{"externalId", "userArgs", "prefill", "mode", "dob", "serve", "server", "application.exited"}
	for given, want := range map[string]string{
		"external_id": "externalId", "ExternalID": "externalId", "externlaId": "externalId", "extId": "",
		"ext": "externalId", "ex": "", "userArg": "userArgs",
		"prefil": "prefill", "prefills": "prefill", "mod": "mode", "dbo": "dob", "do": "dob", "x": "", "": "", "__": "", "birthday": "",
		"sevre": "serve", "serve": "serve", strings.Repeat("externalId", 10): "", "préfill": "prefill",
		"application.decided": "", "application.exitde": "application.exited", "aplication.exited": "application.exited", "\xff\x00": "",
	} {
		if got := Closest(given, names); got != want {
			t.Errorf("Closest(%q) = %q, want %q", given, got, want)
		}
	}
}

func TestHint(t *testing.T) {
	names := []string{"mode", "product"}
	for given, want := range map[string]string{
		"prodcut": `; did you mean "product"?`, "email": "; known are mode, product", "<script>": "; known are mode, product",
	} {
		if got := Hint(given, names); got != want {
			t.Errorf("Hint(%q) = %q, want %q", given, got, want)
		}
	}
}
