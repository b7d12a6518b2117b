package reports

import (
	"bytes"
	"encoding/json"
	"maps"
	"testing"
)

const relayed = "5e0d0a0e-2f6f-4d0e-9c55-5b1b5d7f0c3e"

func TestBodyForThirdParty(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"a body": {
			`{"meta":{"public_token":"own","user_args":"u","created_at":"2026-01-01T00:00:00Z","external_id":"e",` +
				`"consumer_id":"c","consumer_external_id":"x","status":"SUCCESS"},"product":{"name":"<p>"},"amounts":[1.50,2e3]}`,
			`{"meta":{"public_token":"` + relayed + `","user_args":null,"created_at":"2026-01-01T00:00:00Z","external_id":null,` +
				`"consumer_id":null,"consumer_external_id":null,"status":"SUCCESS"},"product":{"name":"<p>"},"amounts":[1.50,2e3]}`},
		"nulls and spaces": {
			"{ \"meta\" : { \"public_token\" : \"own\" , \"external_id\" : null }\n, \"external_id\":\"kept\" }",
			"{ \"meta\" : { \"public_token\" : \"" + relayed + "\" , \"external_id\" : null }\n, \"external_id\":\"kept\" }"},
		"meta that comes last": {
			`{"product":{"meta":{"user_args":"kept"}},"meta":{"user_args":["any","thing"],"public_token":"own"}}`,
			`{"product":{"meta":{"user_args":"kept"}},"meta":{"user_args":null,"public_token":"` + relayed + `"}}`},
	} {
		got, err := forThirdParty([]byte(c.body), relayed)
		if err != nil || string(got) != c.want {
			t.Errorf("%s:\ngot  %s %v\nwant %s", name, got, err, c.want)
		}
	}
	for _, body := range []string{``, `null`, `[]`, `{}`, `{"meta":null}`, `{"meta":{}}`, `{"public_token":"own"}`,
		`{"meta":{"external_id":"e"}}`, `{"meta":{"public_token":"own"`, `{"meta":[{"public_token":"own"}]}`} {
		if got, err := forThirdParty([]byte(body), relayed); err == nil {
			t.Errorf("%s is given out as %s", body, got)
		}
	}
}

// FuzzBodyForThirdParty holds to it, for any object, that nothing changes but the
// five members, and that those do.
func FuzzBodyForThirdParty(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"meta":2}],"meta":{"b":1,"public_token":"own","external_id":{"c":[]},"user_args":7},"d":1e5}`))
	f.Add([]byte(`{"meta":{"public_token":"own"},"meta":{"public_token":"own"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := forThirdParty(body, relayed)
		if err != nil || !json.Valid(body) || duplicates(body) {
			return
		}
		var before, after map[string]json.RawMessage
		var was, is map[string]json.RawMessage
		if json.Unmarshal(body, &before) != nil || json.Unmarshal(got, &after) != nil ||
			json.Unmarshal(before["meta"], &was) != nil || json.Unmarshal(after["meta"], &is) != nil {
			t.Fatalf("%s became %s", body, got)
		}
		if string(is["public_token"]) != `"`+relayed+`"` {
			t.Fatalf("%s keeps its name in %s", body, got)
		}
		for _, name := range ownerLabels {
			if v, there := is[name]; there && string(v) != "null" {
				t.Fatalf("%s is given out in %s", name, got)
			}
			delete(was, name)
			delete(is, name)
		}
		for _, m := range []map[string]json.RawMessage{was, is} {
			delete(m, "public_token")
		}
		for _, m := range []map[string]json.RawMessage{before, after} {
			delete(m, "meta")
		}
		same := func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }
		if !maps.EqualFunc(was, is, same) || !maps.EqualFunc(before, after, same) {
			t.Fatalf("%s became %s", body, got)
		}
	})
}

// duplicates reports whether an object has a member twice, which no body of ours has.
func duplicates(raw []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return false
	}
	seen := map[any]bool{}
	for dec.More() {
		key, _ := dec.Token()
		var v json.RawMessage
		if dec.Decode(&v) != nil {
			return false
		}
		if seen[key] || key == "meta" && duplicates(v) {
			return true
		}
		seen[key] = true
	}
	return false
}
