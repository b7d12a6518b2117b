package visits_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"vestibule/docs/openapitest"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/prefilltest"
	"vestibule/internal/testutil/providertest"
	"vestibule/internal/testutil/storetest"
)

// start runs a test of a provider on SQLite, and in make test-full on PostgreSQL too.
func start(t *testing.T, f func(t *testing.T, r *providertest.Server)) {
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) { f(t, providertest.Start(t, db, "get")) })
}

// startOnEach runs a test of concurrent requests on both database engines.
func startOnEach(t *testing.T, f func(t *testing.T, r *providertest.Server)) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) { f(t, providertest.Start(t, db, "get")) })
}

func initialize(r *providertest.Server, body map[string]any) providertest.Answer {
	if body["productId"] == nil {
		body["productId"] = r.Seed.Products[contract.Cashflow]
	}
	return r.Do("POST", "/connect/initialization", body, r.Basic)
}

// token is a good initialization token for a visit with these members.
func token(r *providertest.Server, body map[string]any) string {
	r.T.Helper()
	if body["prefill"] == nil && body["consumerId"] == nil {
		body["prefill"] = providertest.Prefill()
	}
	a := initialize(r, body)
	if a.Status != 200 {
		r.T.Fatalf("initialization: %d %s", a.Status, a.Body)
	}
	return a.JSON["token"].(string)
}

// TestInitializationAgreesWithThePrefillTable sends the prefill cases to the endpoint: code and
// details are those of browser and portal, and a refused request stores nothing.
func TestInitializationAgreesWithThePrefillTable(t *testing.T) {
	r := providertest.Start(t, storetest.SQLite(t, store.Provider), "get")
	assetsOnly := verifying(r, "ASSETS")
	for _, c := range prefilltest.Cases(t) {
		product := r.Seed.Products[c.Product]
		if c.AssetsOnly {
			product = assetsOnly
		}
		t.Run(c.Name, func(t *testing.T) {
			day, err := time.Parse(time.DateOnly, c.Today)
			if err != nil {
				t.Fatal(err)
			}
			r.Advance(day.Add(12 * time.Hour).Sub(r.Now()))
			env := contract.Sandbox
			if c.Environment != "" {
				env = c.Environment
			}
			r.Count(`UPDATE customers SET environment = $1 WHERE public_id = $2 RETURNING 1`, string(env), r.Seed.PublicID)
			before := r.Count(`SELECT (SELECT count(*) FROM visits) + (SELECT count(*) FROM consumers) + (SELECT count(*)
				FROM reports) + (SELECT count(*) FROM initialization_tokens)`)
			raw, _ := json.Marshal(map[string]any{"productId": product, "prefill": c.Prefill})
			a := r.Do("POST", "/connect/initialization", string(raw), r.Basic,
				func(req *http.Request) {
					req.Header.Set("X-ENVIRONMENT", string(env))
					if env == contract.Production { // which passes over keys that it does not know, of any type
						openapitest.Loose(req)
					}
				})
			after := r.Count(`SELECT (SELECT count(*) FROM visits) + (SELECT count(*) FROM consumers) + (SELECT count(*)
				FROM reports) + (SELECT count(*) FROM initialization_tokens)`)
			if c.Code() == "" {
				if a.Status != 200 || after != before+4 {
					t.Fatalf("answered %d %s; %d rows more", a.Status, a.Body, after-before)
				}
				return
			}
			if a.Status != 400 || a.JSON["error"] != string(c.Code()) {
				t.Errorf("answered %d %v, want 400 %s", a.Status, a.JSON["error"], c.Code())
			}
			got := []string{}
			for _, d := range a.JSON["details"].([]any) {
				d := d.(map[string]any)
				got = append(got, strings.TrimPrefix(d["field"].(string), "prefill.")+" "+d["code"].(string))
			}
			if diff := cmp.Diff(c.Problems, got); diff != "" {
				t.Errorf("details (-want +got):\n%s", diff)
			}
			if after != before {
				t.Errorf("%d rows were kept of what was refused", after-before)
			}
		})
	}
}

// verifying is an eligibility product of the customer that verifies so: INCOME, ASSETS
// or INCOME_AND_ASSETS.
func verifying(r *providertest.Server, workflow string) string {
	id := uuid.NewString()
	if r.Count(`INSERT INTO products (id, customer_id, kind, name, inquiry_type, created_at, configuration_id)
		SELECT $1, p.customer_id, p.kind, $3, p.inquiry_type, p.created_at, g.id FROM products p
			JOIN product_configurations g ON g.customer_id = p.customer_id AND g.eligibility_kind = $3
		WHERE p.id = $2 RETURNING 1`, id, r.Seed.Products[contract.Eligibility], workflow) != 1 {
		r.T.Fatal("no product was added")
	}
	return id
}

func TestInitializationRejects(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		token(r, map[string]any{"externalId": "taken"})
		consumer := r.Do("POST", "/connect/consumers", map[string]any{"prefill": providertest.Prefill()}, r.ThirdParty).JSON["consumerId"]
		for _, c := range []struct {
			name   string
			body   any
			status int
			code   string
			field  string
		}{
			{"no body", "", 400, "MALFORMED_BODY", ""},
			{"an array", "[]", 400, "MALFORMED_BODY", ""},
			{"something after the object", `{} {}`, 400, "MALFORMED_BODY", ""},
			{"a member twice", `{"productId":"a","productId":"b"}`, 400, "MALFORMED_BODY", "productId"},
			{"an unknown member", map[string]any{"product": "x"}, 400, "MALFORMED_BODY", "product"},
			{"a number for a string", map[string]any{"externalId": 5}, 400, "MALFORMED_BODY", "externalId"},
			{"a string for prefill", map[string]any{"prefill": "Ana"}, 400, "MALFORMED_BODY", "prefill"},
			{"a list for prefill", map[string]any{"prefill": []any{}}, 400, "MALFORMED_BODY", "prefill"},
			{"externalId that reorders text", map[string]any{"externalId": "a\u202eb"}, 400, "MALFORMED_BODY", "externalId"},
			{"userArgs that hide text", map[string]any{"userArgs": "a\u200bb"}, 400, "MALFORMED_BODY", "userArgs"},
			{"externalId of 65 characters", map[string]any{"externalId": strings.Repeat("é", 65)}, 400, "MALFORMED_BODY", "externalId"},
			{"userArgs of 256 characters", map[string]any{"userArgs": strings.Repeat("é", 256)}, 400, "MALFORMED_BODY", "userArgs"},
			{"no product", map[string]any{"productId": ""}, 400, "INVALID_PRODUCT", "productId"},
			{"an unknown product", map[string]any{"productId": uuid.NewString()}, 400, "INVALID_PRODUCT", "productId"},
			{"an unknown consumer", map[string]any{"consumerId": uuid.NewString()}, 400, "INVALID_CONSUMER_ID", "consumerId"},
			{"another customer's consumer", map[string]any{"consumerId": consumer}, 400, "INVALID_CONSUMER_ID", "consumerId"},
			{"a consumer who is none", map[string]any{"consumerId": "' OR 1=1"}, 400, "INVALID_CONSUMER_ID", "consumerId"},
			{"consumer and prefill", map[string]any{"consumerId": uuid.NewString(), "prefill": providertest.Prefill()},
				400, "INVALID_CONSUMER_ID", "consumerId"},
			{"neither consumer nor prefill", map[string]any{}, 400, "INVALID_PREFILLS_PII_MISSING", "prefill.firstName"},
			{"an invalid prepared report", map[string]any{"sandboxReportId": "x", "prefill": providertest.Prefill()},
				400, "MALFORMED_BODY", "sandboxReportId"},
			{"an unknown prepared report", map[string]any{"sandboxReportId": uuid.NewString(), "prefill": providertest.Prefill()},
				400, "MALFORMED_BODY", "sandboxReportId"},
			{"an externalId that is taken", map[string]any{"externalId": "taken", "prefill": providertest.Prefill()},
				400, "DUPLICATE_EXTERNAL_ID", "externalId"},
			{"a body too large", map[string]any{"userArgs": strings.Repeat("a", 70_000)}, 413, "BODY_TOO_LARGE", ""},
		} {
			t.Run(c.name, func(t *testing.T) {
				if m, ok := c.body.(map[string]any); ok && m["productId"] == nil {
					m["productId"] = r.Seed.Products[contract.Cashflow]
				}
				before := r.Count(`SELECT (SELECT count(*) FROM visits) + (SELECT count(*) FROM consumers) + (SELECT count(*) FROM reports)`)
				a := r.Do("POST", "/connect/initialization", c.body, r.Basic)
				if a.Status != c.status || a.JSON["error"] != c.code {
					t.Errorf("answered %d %s, want %d %s", a.Status, a.Body, c.status, c.code)
				}
				if c.field != "" && !strings.Contains(a.Body, `"field":"`+c.field+`"`) {
					t.Errorf("details name no %s: %s", c.field, a.Body)
				}
				if a.JSON["terminated"] != false || a.JSON["requestId"] == "" {
					t.Errorf("not the shape of an error: %s", a.Body)
				}
				if after := r.Count(`SELECT (SELECT count(*) FROM visits) + (SELECT count(*)
					FROM consumers) + (SELECT count(*) FROM reports)`); after != before {
					t.Errorf("%d rows were kept of what was refused", after-before)
				}
			})
		}
		if a := r.Do("POST", "/connect/initialization", map[string]any{}); a.Status != 400 {
			t.Errorf("without credentials: %d %s", a.Status, a.Body)
		}
		if a := r.Do("GET", "/connect/initialization", nil); a.Status != 405 || a.JSON["error"] != "METHOD_NOT_ALLOWED" {
			t.Errorf("GET: %d %s", a.Status, a.Body)
		}
	})
}

// register is what the frame sends.
func register(r *providertest.Server, options map[string]any) providertest.Answer {
	all := map[string]any{"env": "sandbox", "productId": r.Seed.Products[contract.Cashflow], "publicId": r.Seed.PublicID}
	for k, v := range options {
		all[k] = v
	}
	return r.Do("POST", "/widget/v1/visits", all)
}

func TestRegister(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		consumer := r.Do("POST", "/connect/consumers", map[string]any{"prefill": providertest.Prefill()}, r.Basic).JSON["consumerId"]
		token(r, map[string]any{"externalId": "taken"})
		for _, c := range []struct {
			name    string
			options map[string]any
			want    string // error type; empty: it opens
		}{
			{"a token", map[string]any{"token": token(r, map[string]any{})}, ""},
			{"a token and labels", map[string]any{"token": token(r, map[string]any{}), "externalId": "mine", "userArgs": "u"}, ""},
			{"prefill", map[string]any{"prefill": providertest.Prefill()}, ""},
			{"a consumer", map[string]any{"consumerId": consumer}, ""},
			{"a consumer and its token", map[string]any{"consumerId": consumer, "token": token(r, map[string]any{"consumerId": consumer})}, ""},
			{"nothing of the three", nil, "INVALID_TOKEN"},
			{"token and prefill", map[string]any{"token": token(r, map[string]any{}), "prefill": providertest.Prefill()}, "INVALID_TOKEN"},
			{"prefill and consumer", map[string]any{"consumerId": consumer, "prefill": providertest.Prefill()}, "INVALID_CONSUMER_ID"},
			{"a token and another's consumer", map[string]any{"consumerId": consumer, "token": token(r, map[string]any{})}, "INVALID_CONSUMER_ID"},
			{"an unknown token", map[string]any{"token": "unknown"}, "INVALID_TOKEN"},
			{"an unknown consumer", map[string]any{"consumerId": uuid.NewString()}, "INVALID_CONSUMER_ID"},
			{"no environment", map[string]any{"env": "", "prefill": providertest.Prefill()}, "UNKNOWN_CUSTOMER"},
			{"the other environment", map[string]any{"env": "production", "prefill": providertest.Prefill()}, "UNKNOWN_CUSTOMER"},
			{"an unknown customer", map[string]any{"publicId": "unknown", "prefill": providertest.Prefill()}, "UNKNOWN_CUSTOMER"},
			{"another customer's token", map[string]any{"publicId": r.Seed.ThirdParty.PublicID,
				"token": token(r, map[string]any{})}, "INVALID_PRODUCT"},
			{"an unknown product", map[string]any{"productId": uuid.NewString(), "prefill": providertest.Prefill()}, "INVALID_PRODUCT"},
			{"an invalid product", map[string]any{"productId": "cashflow", "prefill": providertest.Prefill()}, "INVALID_PRODUCT"},
			{"another product than the token's", map[string]any{"productId": r.Seed.Products[contract.Income],
				"token": token(r, map[string]any{})}, "MISMATCHED_PRODUCT_ID"},
			{"an externalId that is taken", map[string]any{"externalId": "taken", "prefill": providertest.Prefill()}, "DUPLICATE_EXTERNAL_ID"},
			{"an externalId that is taken, with a token", map[string]any{"externalId": "taken",
				"token": token(r, map[string]any{})}, "DUPLICATE_EXTERNAL_ID"},
			{"an unsupported key", map[string]any{"prefill": map[string]any{"nickname": "A"}}, "INVALID_PREFILL_KEY"},
			{"an empty prefill", map[string]any{"prefill": map[string]any{}}, "INVALID_PREFILLS_PII_MISSING"},
			{"userArgs too long", map[string]any{"userArgs": strings.Repeat("u", 256), "prefill": providertest.Prefill()}, "INTERNAL_ERROR"},
			{"an invalid prepared report", map[string]any{"sandboxReportId": "x", "prefill": providertest.Prefill()}, "INTERNAL_ERROR"},
			{"an invalid option", map[string]any{"prefil": map[string]any{}}, "INTERNAL_ERROR"},
			{"a number for a token", map[string]any{"token": 5}, "INTERNAL_ERROR"},
		} {
			t.Run(c.name, func(t *testing.T) {
				a := register(r, c.options)
				if c.want == "" {
					if a.Status != 201 || !contract.IsUUID(a.JSON["publicToken"].(string)) || len(a.JSON["handle"].(string)) != 43 {
						t.Errorf("answered %d %s, want 201 with handle and publicToken", a.Status, a.Body)
					}
					return
				}
				if a.JSON["error"] != c.want || a.Status < 400 || a.Status >= 500 {
					t.Errorf("answered %d %v, want 4xx %s", a.Status, a.JSON["error"], c.want)
				}
			})
		}
	})
}

// TestRegistrationNamesMissingMembers checks that the message names the missing member, and
// does not say that the page was open for too long.
func TestRegistrationNamesMissingMembers(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		eligible := map[string]any{"productId": r.Seed.Products[contract.Eligibility], "prefill": map[string]any{
			"firstName": "Ana", "lastName": "Pérez", "email": "ana@example.com", "dob": "1990-06-15", "state": "CA"}}
		for _, c := range []struct {
			name             string
			options          map[string]any
			code             string
			message, field   string
			english, spanish string
		}{
			{"nothing of the three", nil, "INVALID_TOKEN", "no token, no prefill and no consumerId",
				"token", i18ntest.EN("widget.error.setup"), i18ntest.ES("widget.error.setup")},
			{"token and prefill", map[string]any{"token": token(r, map[string]any{}), "prefill": providertest.Prefill()},
				"INVALID_TOKEN", "exclude each other", "token", i18ntest.EN("widget.error.setup"), i18ntest.ES("widget.error.setup")},
			{"an unknown token", map[string]any{"token": "unknown"}, "INVALID_TOKEN", "unknown, used, expired",
				"token", i18ntest.EN("widget.error.token"), i18ntest.ES("widget.error.token")},
			{"no employers", eligible, "INVALID_PREFILLS_PII_MISSING", "missing: statedEmployerNames.",
				"prefill.statedEmployerNames", i18ntest.EN("prefill.employers.missing"), i18ntest.ES("prefill.employers.missing")},
			{"an empty prefill", map[string]any{"prefill": map[string]any{}}, "INVALID_PREFILLS_PII_MISSING",
				"firstName, lastName, email, dob or a full address", "prefill.firstName",
				i18ntest.EN("prefill.last_name.missing"), i18ntest.ES("prefill.last_name.missing")},
			{"a wrong value", map[string]any{"prefill": map[string]any{"firstName": "Ana", "lastName": "Pérez", "email": "x",
				"dob": "1990-06-15"}}, "INVALID_PREFILL_EMAIL", "email must be", "prefill.email",
				i18ntest.EN("widget.error.details_refused"), i18ntest.ES("widget.error.details_refused")},
		} {
			t.Run(c.name, func(t *testing.T) {
				for lang, words := range map[string]string{"en": c.english, "es": c.spanish} {
					body := map[string]any{"env": "sandbox", "publicId": r.Seed.PublicID, "productId": r.Seed.Products[contract.Cashflow]}
					maps.Copy(body, c.options)
					a := r.Do("POST", "/widget/v1/visits?lang="+lang, body)
					var got struct {
						Error, Message, Applicant string
						Details                   []httpx.Detail
					}
					if err := json.Unmarshal([]byte(a.Body), &got); err != nil {
						t.Fatal(err)
					}
					if a.Status != 400 || got.Error != c.code || !strings.Contains(got.Message, c.message) || len(got.Details) == 0 ||
						got.Details[0].Field != c.field || !strings.Contains(got.Applicant, words) {
						t.Errorf("%s: answered %d %s, want %s with %q, %s, %q", lang, a.Status, a.Body, c.code, c.message, c.field, words)
					}
				}
			})
		}
	})
}

// TestInitializationProductHeader checks that X-PRODUCT-ID replaces
// productId at all three endpoints that begin a visit.
func TestInitializationProductHeader(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		const unset = "unset"
		cashflow, income := r.Seed.Products[contract.Cashflow], r.Seed.Products[contract.Income]
		for _, path := range []string{"/connect/initialization", "/secure-redirect", "/connect/invite-link"} {
			for _, c := range []struct {
				name   string
				body   any
				header string
				status int
				code   string
			}{
				{"the header alone", unset, cashflow, 200, ""},
				{"null in the body", nil, cashflow, 200, ""},
				{"in capitals", unset, strings.ToUpper(cashflow), 200, ""},
				{"the body alone", cashflow, "", 200, ""},
				{"the same in both", cashflow, strings.ToUpper(cashflow), 200, ""},
				{"two that differ", cashflow, income, 400, "MALFORMED_HEADERS"},
				{"an unknown one in the header", unset, uuid.NewString(), 400, "INVALID_PRODUCT"},
				{"neither", unset, "", 400, "INVALID_PRODUCT"},
				{"a number in the body", 5, cashflow, 400, "MALFORMED_BODY"},
			} {
				body := map[string]any{"prefill": providertest.Prefill()}
				if c.body != unset {
					body["productId"] = c.body
				}
				a := r.Do("POST", path, body, r.Basic, func(req *http.Request) {
					if c.header != "" {
						req.Header.Set("X-PRODUCT-ID", c.header)
					}
				})
				if a.Status != c.status || c.code != "" && a.JSON["error"] != c.code {
					t.Errorf("%s, %s: %d %s, want %d %s", path, c.name, a.Status, a.Body, c.status, c.code)
				}
			}
		}
	})
}

// TestTokenIsUsedOnce checks that a token opens one visit, also with concurrent requests; that
// a refused request does not use it up; and that old and used tokens remain invalid.
func TestTokenIsUsedOnce(t *testing.T) {
	startOnEach(t, func(t *testing.T, r *providertest.Server) {
		tok := token(r, map[string]any{})
		if a := register(r, map[string]any{"token": tok,
			"productId": r.Seed.Products[contract.Income]}); a.JSON["error"] != "MISMATCHED_PRODUCT_ID" {
			t.Fatalf("with another product: %s", a.Body)
		}
		var wg sync.WaitGroup
		answers := make([]providertest.Answer, 20)
		for i := range answers {
			wg.Go(func() { answers[i] = register(r, map[string]any{"token": tok}) })
		}
		wg.Wait()
		opened := 0
		for _, a := range answers {
			if a.Status == 201 {
				opened++
			} else if a.JSON["error"] != "INVALID_TOKEN" {
				t.Errorf("answered %d %s", a.Status, a.Body)
			}
		}
		if opened != 1 {
			t.Errorf("%d visits were opened", opened)
		}
		old := token(r, map[string]any{})
		r.Advance(30 * time.Minute)
		if a := register(r, map[string]any{"token": old}); a.JSON["error"] != "INVALID_TOKEN" {
			t.Errorf("after 30 minutes: %d %s", a.Status, a.Body)
		}
		if n := r.Count(`SELECT count(*) FROM initialization_tokens WHERE hash = $1`, []byte(tok)); n != 0 {
			t.Error("the token itself is in the database")
		}
	})
}

// TestRateLimitOfVisitsWithoutToken checks the limits by address and by account. Requests beyond
// them store nothing, and visits with a token do not count.
func TestRateLimitOfVisitsWithoutToken(t *testing.T) {
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := providertest.Start(t, db, "get", func(c *provider.Config) {
			c.Limits.WidgetRate, c.Limits.WidgetAccountRate, c.BehindProxy = 2, 5, true
		})
		from := func(address string, options map[string]any) providertest.Answer {
			all := map[string]any{"env": "sandbox", "productId": r.Seed.Products[contract.Cashflow], "publicId": r.Seed.PublicID}
			for k, v := range options {
				all[k] = v
			}
			return r.Do("POST", "/widget/v1/visits", all, func(req *http.Request) { req.Header.Set("X-Forwarded-For", address) })
		}
		loose := map[string]any{"prefill": providertest.Prefill()}
		for i, want := range []struct {
			address string
			status  int
			wait    string
		}{
			{"203.0.113.1", 201, ""}, {"203.0.113.1", 201, ""}, {"203.0.113.1", 429, "30"},
			{"203.0.113.2", 201, ""}, {"203.0.113.2", 201, ""}, {"203.0.113.3", 201, ""}, {"203.0.113.3", 429, "12"},
		} {
			before := r.Count(`SELECT count(*) FROM visits`)
			a := from(want.address, loose)
			if a.Status != want.status || a.Header.Get("Retry-After") != want.wait {
				t.Errorf("visit %d: %d, Retry-After %q; want %d, %q", i, a.Status, a.Header.Get("Retry-After"), want.status, want.wait)
			}
			if a.Status == 429 && (a.JSON["error"] != "INTERNAL_ERROR" || r.Count(`SELECT count(*) FROM visits`) != before) {
				t.Errorf("visit %d: %s, or something was stored", i, a.Body)
			}
		}
		if a := from("203.0.113.1", map[string]any{"token": token(r, map[string]any{})}); a.Status != 201 {
			t.Errorf("with a token: %d %s", a.Status, a.Body)
		}
		if page := r.Do("GET", "/widget/v1/problems/RATE_LIMITED", nil); page.Status != 200 ||
			!strings.Contains(page.Body, i18ntest.EN("visit.too_many")) || !strings.Contains(page.Body, "RATE_LIMITED") {
			t.Errorf("its words: %d %s", page.Status, page.Body)
		}
	})
}
