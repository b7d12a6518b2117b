package docs_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vestibule/docs"
	"vestibule/docs/openapitest"
	"vestibule/internal/testutil"
)

// reportSchemas are the schemas of reports by product.
var reportSchemas = map[string]string{"cashflow": "CashflowReport", "income": "IncomeReport", "eligibility": "EligibilityReport",
	"passport": "Passport"}

// TestPortalDocumentHasTheReports: the portal returns reports as the service sent them, so its document has the
// service's schemas of them. go generate copies them.
func TestPortalDocumentHasTheReports(t *testing.T) {
	const begin, end = "    # Begin of the reports: go generate copies these from openapi.yaml.\n", "    # End of the reports.\n"
	source := testutil.ReadFile(t, "openapi.yaml")
	_, schemas, ok := strings.Cut(string(source), "\n  schemas:\n")
	if !ok {
		t.Fatal("openapi.yaml has no schemas")
	}
	blocks, names := map[string]string{}, []string{}
	heads := regexp.MustCompile(`(?m)^    (\w+):\n`).FindAllStringSubmatchIndex(schemas, -1)
	for i, at := range heads {
		stop := len(schemas)
		if i+1 < len(heads) {
			stop = heads[i+1][0]
		}
		name := schemas[at[2]:at[3]]
		blocks[name], names = schemas[at[0]:stop], append(names, name)
	}
	wanted := map[string]bool{}
	todo := slices.Collect(maps.Values(reportSchemas))
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if wanted[name] {
			continue
		}
		wanted[name] = true
		for _, m := range regexp.MustCompile(`#/components/schemas/(\w+)`).FindAllStringSubmatch(blocks[name], -1) {
			todo = append(todo, m[1])
		}
	}
	var copied strings.Builder
	for _, name := range names {
		if wanted[name] {
			copied.WriteString(blocks[name])
		}
	}
	raw := testutil.ReadFile(t, "portal-openapi.yaml")
	before, rest, ok := strings.Cut(string(raw), begin)
	had, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("portal-openapi.yaml has no place for the reports")
	}
	if *update {
		testutil.Must(t, os.WriteFile("portal-openapi.yaml", []byte(before+begin+copied.String()+end+after), 0o644))
	} else if had != copied.String() {
		t.Error("portal-openapi.yaml has other schemas of reports than openapi.yaml; run make generate")
	}
}

// TestReportsHaveTheirProductsSchema in both documents: any report is valid for the portal's response, so each is held
// against the schema of its own product here, and a report with a broken figure is not.
func TestReportsHaveTheirProductsSchema(t *testing.T) {
	for product, schema := range reportSchemas {
		raw := testutil.ReadFile(t, "reports/"+product+".json")
		var broken map[string]any
		testutil.Must(t, json.Unmarshal(raw, &broken))
		broken["product"] = "none"
		wrong := testutil.JSON(t, broken)
		for _, d := range []openapitest.Document{openapitest.OfTheService, openapitest.OfThePortal} {
			if err := openapitest.Valid(t, d, "/components/schemas/"+schema, raw); err != nil {
				t.Errorf("%s, document %d: %v", product, d, err)
			}
			if openapitest.Valid(t, d, "/components/schemas/"+schema, wrong) == nil {
				t.Errorf("%s, document %d: the product may be a text", product, d)
			}
		}
	}
}

// TestServersAreThoseInUse: a document that is served names the address at which it is served, not that of make run.
func TestServersAreThoseInUse(t *testing.T) {
	for name, document := range map[string]func() ([]byte, error){"the service": docs.OpenAPI, "the portal": docs.PortalOpenAPI} {
		raw, err := docs.Served(document, "https://verify.example")()
		testutil.Must(t, err)
		var served struct{ Servers []map[string]any }
		testutil.Must(t, json.Unmarshal(raw, &served))
		if len(served.Servers) != 1 || served.Servers[0]["url"] != "https://verify.example" || served.Servers[0]["variables"] != nil ||
			regexp.MustCompile(`make run|(localhost|127\.0\.0\.1):808\d`).Match(raw) {
			t.Errorf("%s: the servers are %v", name, served.Servers)
		}
	}
}
