package docs_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vestibule/docs"
	"vestibule/docs/openapitest"
	"vestibule/internal/contract"
	"vestibule/internal/testutil"
)

var update = flag.Bool("update", false, "copy the golden files of the sandbox")

// tree is a part of a document as JSON: a map[string]any, an []any or a scalar.
type tree = any

// trees returns both documents.
func trees(t *testing.T) map[openapitest.Document]tree {
	t.Helper()
	out := map[openapitest.Document]tree{}
	for d, source := range []func() ([]byte, error){openapitest.OfTheService: docs.OpenAPI, openapitest.OfThePortal: docs.PortalOpenAPI} {
		raw, err := source()
		testutil.Must(t, err)
		var all tree
		testutil.Must(t, json.Unmarshal(raw, &all))
		out[openapitest.Document(d)] = all
	}
	return out
}

// walk calls f for every object below n with its JSON pointer as a fragment of a URL.
func walk(n tree, pointer string, f func(pointer string, object map[string]any)) {
	switch n := n.(type) {
	case map[string]any:
		f(pointer, n)
		for _, name := range slices.Sorted(maps.Keys(n)) {
			walk(n[name], pointer+"/"+strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(name), f)
		}
	case []any:
		for i, item := range n {
			walk(item, fmt.Sprint(pointer, "/", i), f)
		}
	}
}

// at returns the object that a reference leads to, or the object itself.
func at(root tree, n tree) map[string]any {
	object, _ := n.(map[string]any)
	ref, ok := object["$ref"].(string)
	if !ok {
		return object
	}
	for step := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		inner, _ := root.(map[string]any)
		root = inner[step]
	}
	object, _ = root.(map[string]any)
	return object
}

// values returns the examples of a content, a parameter or a header, by name.
func values(root tree, object map[string]any) map[string]any {
	out := map[string]any{}
	if v, ok := object["example"]; ok {
		out[""] = v
	}
	named, _ := object["examples"].(map[string]any)
	for name, e := range named {
		out[name] = at(root, e)["value"]
	}
	return out
}

// TestEveryExampleIsValid by the schema beside it.
func TestEveryExampleIsValid(t *testing.T) {
	for d, root := range trees(t) {
		checked := 0
		walk(root, "", func(pointer string, object map[string]any) {
			check := func(schema string, v any) {
				raw := testutil.JSON(t, v)
				if err := openapitest.Valid(t, d, schema, raw); err != nil {
					t.Errorf("%s, example %.80s: %v", pointer, raw, err)
				}
				checked++
			}
			for _, v := range list(object["examples"]) {
				check(pointer, v)
			}
			if _, ok := object["schema"]; ok {
				for _, v := range values(root, object) {
					check(pointer+"/schema", v)
				}
			}
		})
		if checked < 50 {
			t.Errorf("document %d has %d examples", d, checked)
		}
	}
}

// TestEveryErrorHasAnExample for each of its codes, with the message that the API sends.
func TestEveryErrorHasAnExample(t *testing.T) {
	// Messages that are not those of the table of codes.
	own := []string{"A page of another site sent this.", "This address does not serve that host.",
		"There is no report yet; follow the application's state."}
	for _, root := range trees(t) {
		walk(root.(map[string]any)["components"].(map[string]any)["responses"], "", func(pointer string, content map[string]any) {
			if !strings.HasSuffix(pointer, "/application~1json") {
				return
			}
			properties, _ := content["schema"].(map[string]any)["properties"].(map[string]any)
			field, _ := properties["error"].(map[string]any)
			codes, examples := list(field["enum"]), values(root, content)
			if len(codes) > 0 && len(examples) != len(codes) {
				t.Errorf("%s has %d codes and %d examples", pointer, len(codes), len(examples))
			}
			for _, c := range codes {
				e, _ := examples[c.(string)].(map[string]any)
				words := []string{contract.Code(c.(string)).Info().Message, contract.WidgetError(c.(string)).Info().Engineer}
				if message, _ := e["message"].(string); e["error"] != c || !slices.Contains(append(words, own...), message) {
					t.Errorf("%s: the example of %s is %v", pointer, c, e)
				}
			}
		})
	}
}

func list(n tree) []any {
	l, _ := n.([]any)
	return l
}

// TestDocumentsDescribeEveryPart: every schema, property, parameter, header, tag and
// operation says in words what it is. A reference to a type such as a date says it
// itself.
func TestDocumentsDescribeEveryPart(t *testing.T) {
	types := []string{"UUID", "NullableUUID", "Timestamp", "Date", "NullableDate", "NullableString", "DateTime"}
	for _, root := range trees(t) {
		described := func(pointer string, n tree) {
			object := n.(map[string]any)
			ref, _ := object["$ref"].(string)
			words, _ := object["description"].(string)
			if words == "" && !slices.Contains(types, ref[strings.LastIndexByte(ref, '/')+1:]) {
				words, _ = at(root, n)["description"].(string)
			}
			if !strings.HasSuffix(words, ".") {
				t.Errorf("%s has no description: %q", pointer, words)
			}
		}
		walk(root, "", func(pointer string, object map[string]any) {
			_, beside := object["$ref"] // which describes them
			if properties, ok := object["properties"].(map[string]any); ok && !beside {
				for name, p := range properties {
					described(pointer+"/"+name, p)
				}
			}
			if pointer == "/components/schemas" || strings.HasSuffix(pointer, "/headers") {
				for name, p := range object {
					described(pointer+"/"+name, p)
				}
			}
			for _, p := range list(object["parameters"]) {
				described(pointer, p)
			}
			for _, tag := range list(object["tags"]) {
				if tag, ok := tag.(map[string]any); ok {
					described(pointer+"/tags", tag)
				}
			}
			if id, ok := object["operationId"].(string); ok {
				described(id, object)
				verb, _, _ := strings.Cut(object["summary"].(string), " ")
				verbs := strings.Fields("Assign Change Create Derive Email Enable Get List Receive Remove Replace Send Share Start Submit Withdraw")
				if !slices.Contains(verbs, verb) {
					t.Errorf("%s: the summary %q does not begin with a verb", id, object["summary"])
				}
			}
		})
	}
}

// TestReportExamplesMatchTheSandbox compares the reports of the documents with the golden
// files, which the sandbox computes.
func TestReportExamplesMatchTheSandbox(t *testing.T) {
	for name, golden := range map[string]string{
		"cashflow": "profiles/testdata/single-2026-07-14.json", "income": "profiles/testdata/income-single-2026-07-14.json",
		"eligibility": "profiles/testdata/eligibility-default-income_and_assets.json", "passport": "suppliers/testdata/UKR_CI.json",
	} {
		want := testutil.ReadFile(t, filepath.Join("../internal/provider/sandbox", golden))
		file := filepath.Join("reports", name+".json")
		if *update {
			testutil.Must(t, os.WriteFile(file, want, 0o644))
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not %s (-update copies it): %v", file, golden, err)
		}
	}
}

// TestOperationIDsAreStable: generated clients name their methods by these.
func TestOperationIDsAreStable(t *testing.T) {
	for d, want := range map[openapitest.Document]string{
		openapitest.OfTheService: `
			accessToken assignConfiguration assignedConfigurations cashflowFile cashflowFiles cashflowReport
			changeConsumer consumer consumerACH consumerBankAccounts createAccount createConsumer createProduct
			deriveReport eligibilityFile eligibilityFiles eligibilityReport ensureAccount ensureProduct incomeFile
			incomeFiles incomeReport initialize invite inviteLink keySet keySetAtRoot oauthDestinations passport passportPDF
			productConfigurations refreshReport removeAssignment reportACH rotateCredentials sandboxEvents secureRedirect shareReport status submit
			suppliers testEvent visitEvent withdrawConsent withdrawReport`,
		openapitest.OfThePortal: `
			application applicationEvent applications createApplication deliveries delivery enableWebhooks events file
			files openapi redeliver renewEmbedToken report reportPDF sandboxEvents webhookTarget`,
	} {
		var got []string
		walk(trees(t)[d], "", func(_ string, object map[string]any) {
			if id, ok := object["operationId"].(string); ok {
				got = append(got, id)
			}
		})
		slices.Sort(got)
		if want := strings.Fields(want); !slices.Equal(got, want) {
			t.Errorf("operationIds = %q, want %q", got, want)
		}
	}
}
