package docs_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"vestibule/docs"
	"vestibule/docs/openapitest"
	"vestibule/internal/contract"
	"vestibule/internal/prefill"
	"vestibule/internal/testutil"
)

func documents(t *testing.T) map[string]*openapi3.T {
	return map[string]*openapi3.T{"openapi.yaml": openapitest.Provider(t), "portal-openapi.yaml": openapitest.Portal(t)}
}

func TestDocumentsListAllEnumValues(t *testing.T) {
	var codes, widget, statuses []string
	for _, c := range contract.Codes() {
		codes = append(codes, string(c.Code))
	}
	for _, e := range contract.WidgetErrors() {
		widget = append(widget, string(e.Type))
		if !slices.Contains(codes, string(e.Type)) {
			codes = append(codes, string(e.Type))
		}
	}
	for _, s := range contract.Statuses() {
		statuses = append(statuses, string(s))
	}
	for name, doc := range documents(t) {
		for schema, want := range map[string][]string{"ErrorCode": codes, "WidgetErrorType": widget, "Status": statuses} {
			if doc == openapitest.Provider(t) && schema == "WidgetErrorType" { // no field of the service has it
				continue
			}
			if got := enum(t, doc, schema); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
				t.Errorf("%s, %s = %q, want %q", name, schema, got, want)
			}
		}
	}
	product := openapitest.Provider(t).Components.Schemas["ReportProduct"].Value.Properties["inquiry_type"].Value
	if got, want := strs(product.Enum), slices.Sorted(slices.Values(contract.InquiryTypes())); !slices.Equal(got, want) {
		t.Errorf("inquiry_type = %q, want %q", got, want)
	}
}

// TestPrefillHasOneForm compares the fields of an applicant in both documents and in the
// widget's declarations with those of package prefill.
func TestPrefillHasOneForm(t *testing.T) {
	fields := map[string][2]string{} // types in JSON and in TypeScript
	for field := range reflect.TypeFor[prefill.Fields]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		fields[name] = map[reflect.Kind][2]string{reflect.String: {"string", "string"}, reflect.Pointer: {"integer", "number"},
			reflect.Slice: {"array", "string[]"}}[field.Type.Kind()]
	}
	for name, doc := range documents(t) {
		got := doc.Components.Schemas["Prefill"].Value.Properties
		for field, want := range fields {
			if p := got[field]; p == nil || !p.Value.Type.Includes(want[0]) {
				t.Errorf("%s: Prefill has no %s of type %s", name, field, want[0])
			}
		}
		if len(got) != len(fields) {
			t.Errorf("%s: Prefill has %d fields, want %d", name, len(got), len(fields))
		}
	}
	raw := testutil.ReadFile(t, "../web/provider/parts/widget-api.d.ts")
	_, declared, _ := strings.Cut(string(raw), "export interface Prefill {")
	declared, _, _ = strings.Cut(declared, "\n}")
	got := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^  (\w+)\?: (.*);$`).FindAllStringSubmatch(declared, -1) {
		got[m[1]] = m[2]
	}
	for field, want := range fields {
		if got[field] != want[1] {
			t.Errorf("widget-api.d.ts: %s is %q, want %s", field, got[field], want[1])
		}
	}
	if len(got) != len(fields) {
		t.Errorf("widget-api.d.ts: Prefill has %d fields, want %d", len(got), len(fields))
	}
}

// TestComponentNamesAreUnique checks names in all sections without regard to case, because
// generators of clients make one type for each name.
func TestComponentNamesAreUnique(t *testing.T) {
	for name, doc := range documents(t) {
		seen := map[string]string{}
		c := doc.Components
		for section, names := range map[string][]string{
			"schemas": slices.Collect(maps.Keys(c.Schemas)), "parameters": slices.Collect(maps.Keys(c.Parameters)),
			"requestBodies": slices.Collect(maps.Keys(c.RequestBodies)), "responses": slices.Collect(maps.Keys(c.Responses)),
		} {
			for _, n := range names {
				if other, taken := seen[strings.ToLower(n)]; taken {
					t.Errorf("%s: %s is in %s and in %s", name, n, section, other)
				}
				seen[strings.ToLower(n)] = section
			}
		}
	}
}

func enum(t *testing.T, doc *openapi3.T, schema string) []string {
	t.Helper()
	ref := doc.Components.Schemas[schema]
	if ref == nil {
		t.Fatalf("no schema %s", schema)
	}
	return strs(ref.Value.Enum)
}

func strs(values []any) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i], _ = v.(string)
	}
	slices.Sort(out)
	return out
}

func TestJSONKeepsTheOrder(t *testing.T) {
	for _, get := range []func() ([]byte, error){docs.OpenAPI, docs.PortalOpenAPI} {
		raw, err := get()
		if err != nil || !json.Valid(raw) || !strings.HasPrefix(string(raw), `{"openapi":"3.1.0","info":{"title":`) {
			t.Errorf("%.60s… (%v)", raw, err)
		}
	}
}

// recorder is a test that may fail without failing.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Helper()               {}

func TestCheckFindsUndocumentedParts(t *testing.T) {
	const good = `{"status":"SUCCESS","substatus":null}`
	for _, tc := range []struct {
		name, method, path, contentType, body string
		status                                int
		fails                                 bool
	}{
		{"a good answer", "GET", "/connect/status", "application/json; charset=utf-8", good, 200, false},
		{"an error", "GET", "/connect/status", "application/json", `{"error":"INVALID_TOKEN","message":"x","terminated":false}`, 404, false},
		{"a 500 of the API's shape", "GET", "/connect/status", "application/json",
			`{"error":"INTERNAL_ERROR","message":"x","terminated":false}`, 500, false},
		{"an invalid status", "GET", "/connect/status", "application/json", `{"status":"DONE","substatus":null}`, 200, true},
		{"a missing field", "GET", "/connect/status", "application/json", `{"status":"SUCCESS"}`, 200, true},
		{"an extra field", "GET", "/connect/status", "application/json", `{"status":"SUCCESS","substatus":null,"x":1}`, 200, true},
		{"an invalid code", "GET", "/connect/status", "application/json", `{"error":"OOPS","message":"x","terminated":false}`, 404, true},
		{"terminated as a string", "GET", "/connect/status", "application/json",
			`{"error":"INVALID_TOKEN","message":"x","terminated":"no"}`, 404, true},
		{"a code that is not this address's", "GET", "/connect/status", "application/json",
			`{"error":"REPORT_NOT_READY","message":"x","terminated":false}`, 404, true},
		{"its code with another status", "GET", "/connect/status", "application/json",
			`{"error":"INVALID_TOKEN","message":"x","terminated":false}`, 400, true},
		{"a header that must be there", "POST", "/connect/v2/cashflow/byo-report", "application/json",
			`{"publicToken":"7f7c1f1e-54a9-4a0c-9a2e-6f6c6f6f0001","externalId":null,"userArgs":null,"status":"PENDING"}`, 200, true},
		{"a body that must be there", "POST", "/connect/consumers", "application/json",
			`{"consumerId":"7f7c1f1e-54a9-4a0c-9a2e-6f6c6f6f0001"}`, 201, true},
		{"HTML", "GET", "/connect/status", "text/html", "<p>", 404, true},
		{"an address that is not documented", "GET", "/connect/secret", "application/json", "{}", 200, true},
		{"one that is refused as if it were", "GET", "/connect/secret", "application/json",
			`{"error":"FORBIDDEN","message":"x","terminated":false}`, 403, true},
		{"one that does not exist", "GET", "/connect/secret", "application/json",
			`{"error":"NOT_FOUND","message":"x","terminated":false}`, 404, false},
		{"a page", "GET", "/visit/x", "text/html", "<p>", 200, false},
		{"a path with a parameter", "GET", "/api/v1/applications/abc", "application/json", `{"id":1}`, 200, true},
	} {
		h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", tc.contentType)
			w.WriteHeader(tc.status)
			_, _ = io.WriteString(w, tc.body)
		})
		r := &recorder{TB: t}
		resp := openapitest.Serve(r, h, httptest.NewRequest(tc.method, tc.path, nil))
		if r.failed != tc.fails {
			t.Errorf("%s: Check failed = %v, want %v", tc.name, r.failed, tc.fails)
		}
		if body, _ := io.ReadAll(resp.Body); string(body) != tc.body {
			t.Errorf("%s: the body was lost: %q", tc.name, body)
		}
	}
}
