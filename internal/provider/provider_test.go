package provider_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/jose"
	"vestibule/internal/provider"
	"vestibule/internal/provider/visits"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/storetest"
)

// TestHelpNamesSharesOfFiles checks that an operator who sets --widget-files reads what one
// visit and one network can use of it.
func TestHelpNamesSharesOfFiles(t *testing.T) {
	field, _ := reflect.TypeFor[provider.Limits]().FieldByName("WidgetFiles")
	want := fmt.Sprintf("(a visit 1/%d, a network 1/%d)", visits.VisitShare, visits.NetworkShare)
	if help := field.Tag.Get("help"); !strings.Contains(help, want) {
		t.Errorf("the help is %q, want %q in it", help, want)
	}
}

func TestCashflowReport(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		token := b.begin("externalId", "application-1", "userArgs", "campaign=autumn")
		done := b.complete(token, nil)
		publicToken := done.text("publicToken")
		if done.text("status") != "SUCCESS" || done.body["substatus"] != nil {
			t.Fatalf("completed as %s", done.raw)
		}
		events := b.inbox.wait(t, 1)
		if e := events[0]; e.PublicToken != publicToken || e.Status != contract.StatusSuccess || e.ExternalID != "application-1" ||
			e.UserArgs != "campaign=autumn" || e.PublicID != b.seed.PublicID || e.Environment != contract.Sandbox ||
			e.ProductID != b.seed.Products[contract.Cashflow] || e.ConsumerID == "" {
			t.Errorf("the webhook is %+v", e)
		}
		bearer := b.bearer(b.basic())
		byToken := append(headers{"X-Public-Token", publicToken}, bearer...)
		status := b.get("/connect/status", byToken)
		if string(bytes.TrimSpace(status.raw)) != `{"status":"SUCCESS","substatus":null}` {
			t.Errorf("status is %s", status.raw)
		}
		first := b.get("/connect/cashflow/v2/json", byToken)
		second := b.get("/connect/cashflow/v2/json", append(headers{"X-External-Id", "application-1", "X-Environment", "sandbox"}, bearer...))
		if first.status != http.StatusOK || !bytes.Equal(first.raw, second.raw) {
			t.Fatalf("the report is not the same each time: %d, %d", first.status, second.status)
		}
		plain := b.get("/connect/cashflow/v2/json", append(headers{"Accept-Encoding", "identity"}, byToken...)) // net/http asks for gzip
		if !bytes.Equal(plain.raw, first.raw) {
			t.Errorf("without gzip, the report has %d bytes instead of %d", len(plain.raw), len(first.raw))
		}
		r, err := report.ParseCashflow(first.raw)
		if err != nil {
			t.Fatal(err)
		}
		if report.Text(r.Meta.ExternalID) != "application-1" || r.Meta.PublicToken != publicToken ||
			r.Product.ProductID != b.seed.Products[contract.Cashflow] {
			t.Errorf("meta is %+v, product %+v", r.Meta, r.Product)
		}
		if m := r.Identities[0].Matching; m == nil || len(m.FullName.Matched) != 1 || len(m.FullName.Unmatched) != 0 {
			t.Errorf("the applicant's name is that of the profile, but matching is %+v", m)
		}
		if len(r.AccountDetails) != 1 || r.AccountDetails[0].MonthsAvailable != 24 {
			t.Errorf("accounts are %+v", r.AccountDetails)
		}
		if len(r.Attributes) != 120 || len(r.Scores) != 1 || r.Scores[0].ScoreVersion != "v2.0" || len(r.Properties) != 4 {
			t.Fatalf("%d attributes, scores %+v, properties %+v", len(r.Attributes), r.Scores, r.Properties)
		}
		if v := r.Scores[0].Value; v == nil || *v != 685 {
			t.Errorf("the default consumer's score is %v, want the contract's 685", v)
		}
		if first.header.Get("Cache-Control") != "no-store" {
			t.Error("a report may not be cached")
		}
	})
}

func TestAuthentication(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		raw := b.seed.ClientID + ":" + b.seed.SecretKey
		encoded := base64.StdEncoding.EncodeToString([]byte(raw))
		for _, c := range []struct {
			what   string
			h      headers
			status int
			code   contract.Code
		}{
			{"valid credentials", headers{"Authorization", "Basic " + encoded}, 200, ""},
			{"credentials without padding", headers{"Authorization", "basic " + strings.TrimRight(encoded, "=")}, 200, ""},
			{"the environment named", headers{"Authorization", "Basic " + encoded, "X-Environment", "sandbox"}, 200, ""},
			{"the other environment", headers{"Authorization", "Basic " + encoded, "X-Environment", "production"},
				403, contract.CodeUnknownCustomer},
			{"no such environment", headers{"Authorization", "Basic " + encoded, "X-Environment", "Sandbox"}, 400, contract.CodeMalformedHeaders},
			{"two environments", headers{"Authorization", "Basic " + encoded, "X-Environment", "sandbox", "X-Environment", "sandbox"},
				400, contract.CodeMalformedHeaders},
			{"no header", nil, 400, contract.CodeMalformedHeaders},
			{"two headers", headers{"Authorization", "Basic " + encoded, "Authorization", "Basic " + encoded}, 400, contract.CodeMalformedHeaders},
			{"another scheme", headers{"Authorization", "Digest " + encoded}, 400, contract.CodeMalformedHeaders},
			{"a scheme alone", headers{"Authorization", "Basic "}, 400, contract.CodeMalformedHeaders},
			{"two values", headers{"Authorization", "Basic " + encoded + " x"}, 400, contract.CodeMalformedHeaders},
			{"bytes that are no text", headers{"Authorization", "Basic \xff\xfe"}, 400, contract.CodeMalformedHeaders},
			{"no base-64", headers{"Authorization", "Basic " + raw}, 403, contract.CodeUnknownCustomer},
			{"no colon", headers{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte("client"))},
				403, contract.CodeUnknownCustomer},
			{"a zero byte", basic("client\x00", "x"), 403, contract.CodeUnknownCustomer},
			{"no text inside", basic("\xff\xfe", "x"), 403, contract.CodeUnknownCustomer},
			{"an unknown client", basic("unknown", b.seed.SecretKey), 403, contract.CodeUnknownCustomer},
			{"a wrong secret", basic(b.seed.ClientID, store.NewSecret()), 403, contract.CodeUnknownCustomer},
			{"an empty secret", basic(b.seed.ClientID, ""), 403, contract.CodeUnknownCustomer},
			{"another customer's secret", basic(b.seed.ClientID, b.seed.ThirdParty.SecretKey), 403, contract.CodeUnknownCustomer},
		} {
			b.want(c.what, b.get("/connect/accesstoken", c.h), c.status, c.code)
		}
		if a := b.get("/connect/accesstoken", b.basic()); a.header.Get("Cache-Control") != "no-store" {
			t.Error("an access token may not be cached")
		}
	})
}

func TestAccessTokens(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		publicToken := b.complete(b.begin(), nil).text("publicToken")
		a := b.get("/connect/accesstoken", b.basic())
		token := a.text("accessToken")
		exp := time.Unix(int64(a.body["exp"].(float64)), 0)
		if left := time.Until(exp); left > 5*time.Minute || left < 4*time.Minute+50*time.Second {
			t.Errorf("a token lives %s, want 5 minutes", left)
		}
		encode := base64.StdEncoding.EncodeToString
		encoded := encode([]byte(token))
		parts := strings.Split(token, ".")
		flipped := parts[0] + "." + parts[1] + "." + "A" + parts[2][1:]
		if parts[2][0] == 'A' {
			flipped = parts[0] + "." + parts[1] + "." + "B" + parts[2][1:]
		}
		for _, c := range []struct {
			what   string
			h      headers
			status int
			code   contract.Code
		}{
			{"a valid token", headers{"Authorization", "Bearer " + encoded}, 200, ""},
			{"without padding", headers{"Authorization", "Bearer " + strings.TrimRight(encoded, "=")}, 200, ""},
			{"no header", nil, 400, contract.CodeMalformedHeaders},
			{"Basic", b.basic(), 400, contract.CodeMalformedHeaders},
			{"the token without a scheme", headers{"Authorization", "Bearer " + token}, 403, contract.CodeUnknownCustomer},
			{"no token inside", headers{"Authorization", "Bearer " + encode([]byte("hello"))}, 403, contract.CodeUnknownCustomer},
			{"a flipped signature", headers{"Authorization", "Bearer " + encode([]byte(flipped))}, 403, contract.CodeUnknownCustomer},
			{"the other environment", headers{"Authorization", "Bearer " + encoded, "X-Environment", "production"},
				403, contract.CodeUnknownCustomer},
			{"another customer's publicId", headers{"Authorization", "Bearer " + encoded, "X-Public-Id", b.seed.ThirdParty.PublicID},
				403, contract.CodeUnknownCustomer},
			{"an unknown publicId", headers{"Authorization", "Bearer " + encoded, "X-Public-Id", "svc-unknown"}, 403, contract.CodeUnknownCustomer},
			{"the own publicId", headers{"Authorization", "Bearer " + encoded, "X-Public-Id", b.seed.PublicID}, 200, ""},
		} {
			b.want(c.what, b.get("/connect/status", append(c.h, "X-Public-Token", publicToken)), c.status, c.code)
		}
		byToken := headers{"Authorization", "Bearer " + encoded, "X-Public-Token", publicToken}
		b.do("POST", "/clock", map[string]string{"advance": "4m50s"})
		b.want("a token of 4 minutes and 50 seconds", b.get("/connect/status", byToken), 200, "")
		b.do("POST", "/clock", map[string]string{"advance": "11s"})
		b.want("a token of over 5 minutes", b.get("/connect/status", byToken), 401, contract.CodeExpiredToken)
		b.do("POST", "/clock", map[string]string{"advance": "72h"})
		b.want("a token of three days", b.get("/connect/status", byToken), 401, contract.CodeExpiredToken)
	})
}

func TestKeySet(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		keys := func() []string {
			a := b.get("/connect/jwkset", headers{"Origin", "https://anywhere.example"})
			if a.header.Get("Cache-Control") != "public, max-age=300" || a.header.Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("headers of the key set: %v", a.header)
			}
			var set struct{ Keys []map[string]any }
			if err := json.Unmarshal(a.raw, &set); err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, k := range set.Keys {
				if k["d"] != nil || k["use"] != "sig" || k["alg"] != "ES256" {
					t.Errorf("a key is published as %v", k)
				}
				ids = append(ids, k["kid"].(string))
			}
			if same := b.get("/jwkset", nil); string(same.raw) != string(a.raw) {
				t.Errorf("/jwkset answers %d %s", same.status, same.raw)
			}
			return ids
		}
		signer := func() string {
			token := b.post("/secure-redirect", b.basic(),
				map[string]any{"productId": b.seed.Products[contract.Cashflow], "prefill": applicant}).text("redirectToken")
			_, jwt, ok := strings.Cut(b.complete(token, map[string]any{"end": "exit"}).text("completeUrl"), "jwt=")
			if !ok {
				t.Fatal("no signed result was returned")
			}
			header, err := base64.RawURLEncoding.DecodeString(strings.Split(jwt, ".")[0])
			if err != nil {
				t.Fatal(err)
			}
			var h struct{ Kid, Typ string }
			if err := json.Unmarshal(header, &h); err != nil || h.Typ != "outcome+jwt" {
				t.Fatalf("header %s: %v", header, err)
			}
			return h.Kid
		}
		first := keys()
		if len(first) != 1 || signer() != first[0] {
			t.Fatalf("at first there are %v", first)
		}
		b.want("rotate", b.do("POST", "/keys/rotate", nil), 204, "")
		both := keys()
		if len(both) != 2 || signer() != first[0] {
			t.Errorf("a new key signed before its readers could have it: %v", both)
		}
		b.do("POST", "/clock", map[string]string{"advance": "6m1s"})
		if signer() != both[1] || len(keys()) != 2 {
			t.Errorf("the new key does not sign after its lead time, or the old one is missing: %v", keys())
		}
		b.do("POST", "/clock", map[string]string{"advance": "11m1s"})
		if got := keys(); len(got) != 1 || got[0] != both[1] {
			t.Errorf("the old key outlived its tokens: %v", got)
		}
		b.want("rotate immediately", b.do("POST", "/keys/rotate", map[string]bool{"atOnce": true}), 204, "")
		if got := keys(); len(got) != 2 || signer() != got[1] {
			t.Errorf("the key does not sign immediately: %v", got)
		}
		b.do("POST", "/clock", map[string]string{"advance": "721h"}) // 30 days and more
		if got := keys(); len(got) != 2 {
			t.Errorf("after 30 days the keys are %v, want a new one beside the old", got)
		}
	})
}

func TestSignedResultIsNotAccessToken(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		token := b.post("/secure-redirect", b.basic(),
			map[string]any{"productId": b.seed.Products[contract.Cashflow], "prefill": applicant}).text("redirectToken")
		_, jwt, _ := strings.Cut(b.complete(token, nil).text("completeUrl"), "jwt=")
		h := headers{"Authorization", "Bearer " + base64.StdEncoding.EncodeToString([]byte(jwt)), "X-External-Id", "x"}
		b.want("a signed result as Bearer", b.get("/connect/status", h), 403, contract.CodeUnknownCustomer)

		key, err := jose.GenerateKey()
		if err != nil {
			t.Fatal(err)
		}
		forged, err := jose.Signer{Key: key, Type: "access+jwt"}.Sign(time.Now(), time.Now().Add(5*time.Minute), jose.Claims{"sub": "x"})
		if err != nil {
			t.Fatal(err)
		}
		h[1] = "Bearer " + base64.StdEncoding.EncodeToString([]byte(forged))
		b.want("a token of another key", b.get("/connect/status", h), 403, contract.CodeUnknownCustomer)
	})
}

func TestConsumers(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		create := func(body any) answer { return b.post("/connect/consumers", b.basic(), body) }
		a := create(map[string]any{"consumerExternalId": "c-1", "prefill": applicant})
		b.want("a consumer", a, 201, "")
		id := a.text("consumerId")
		path := "/connect/consumers/" + id
		b.want("a consumer without anything", create(map[string]any{}), 201, "")
		b.want("another one without external id", create(map[string]any{"consumerExternalId": nil}), 201, "")
		b.want("its external id again", create(map[string]any{"consumerExternalId": "c-1"}), 400, contract.CodeDuplicateExternalID)
		b.want("an external id that is too long", create(map[string]any{"consumerExternalId": strings.Repeat("x", 65)}),
			400, contract.CodeMalformedBody)
		b.want("a zero byte", create(map[string]any{"consumerExternalId": "a\x00b"}), 400, contract.CodeMalformedBody)
		b.want("a number", create(map[string]any{"consumerExternalId": 7}), 400, contract.CodeMalformedBody)
		b.want("an unknown member", create(map[string]any{"name": "x"}), 400, contract.CodeMalformedBody)
		b.want("a prefill that is not an object", create(map[string]any{"prefill": "x"}), 400, contract.CodeMalformedBody)
		b.want("a bad e-mail", create(map[string]any{"prefill": with(applicant, "email", "x")}), 400, contract.Code(contract.WidgetPrefillEmail))
		b.want("a bad key", create(map[string]any{"prefill": with(applicant, "shoeSize", "44")}), 400, contract.Code(contract.WidgetPrefillKey))
		b.want("another content type", b.ask(b.service.URL, "POST", "/connect/consumers",
			append(b.basic(), "Content-Type", "text/plain"), nil), 400, contract.CodeMalformedHeaders)
		b.want("a large body", create(`{"prefill":"`+strings.Repeat("x", 64<<10+1-14)+`"}`), 413, contract.CodeBodyTooLarge)

		read := b.get(path, b.basic())
		if read.status != 200 || read.text("consumerExternalId") != "c-1" || read.body["prefill"].(map[string]any)["dob"] != "1990-04-12" {
			t.Errorf("it reads back as %s", read.raw)
		}
		for what, p := range map[string]string{"an unknown consumer": "/connect/consumers/7f7c1f1e-54a9-4a0c-9a2e-6f6c6f6f0001",
			"no UUID": "/connect/consumers/%00"} {
			b.want(what, b.get(p, b.basic()), 404, contract.CodeNotFound)
		}
		for _, method := range []string{"GET", "PATCH", "DELETE"} {
			var body any
			if method == "PATCH" {
				body = map[string]any{}
			}
			b.want(method+" by another customer", b.ask(b.service.URL, method, path, b.thirdParty(), body), 404, contract.CodeNotFound)
		}
		patch := func(body any) answer { return b.ask(b.service.URL, "PATCH", path, b.basic(), body) }
		changed := patch(map[string]any{"prefill": map[string]any{"phone": "555-010-0199", "dob": "1991-01-01"}})
		if changed.status != 200 || changed.body["prefill"].(map[string]any)["firstName"] != "Default" ||
			changed.body["prefill"].(map[string]any)["dob"] != "1991-01-01" {
			t.Errorf("changed to %s", changed.raw)
		}
		b.want("a required member removed", patch(map[string]any{"prefill": map[string]any{"firstName": nil}}),
			400, contract.Code(contract.WidgetPIIMissing))
		create(map[string]any{"consumerExternalId": "c-2"})
		b.want("a duplicate external id", patch(map[string]any{"consumerExternalId": "c-2"}), 400, contract.CodeDuplicateExternalID)
		if a := patch(map[string]any{"consumerExternalId": nil}); a.body["consumerExternalId"] != nil || a.status != 200 {
			t.Errorf("the external id removed: %s", a.raw)
		}

		visit := b.complete(b.begin("prefill", nil, "consumerId", id), nil)
		r, err := report.ParseCashflow(b.get("/connect/cashflow/v2/json",
			append(headers{"X-Public-Token", visit.text("publicToken")}, b.bearer(b.basic())...)).raw)
		if err != nil || report.Text(r.Meta.ConsumerID) != id {
			t.Errorf("the report's consumer is not %s: %v", id, err)
		}
		b.want("consent withdrawn", b.ask(b.service.URL, "DELETE", path, b.basic(), nil), 204, "")
		b.advance("1h")
		b.want("consent withdrawn twice", b.ask(b.service.URL, "DELETE", path, b.basic(), nil), 204, "")
		if n := b.count(`SELECT count(*) FROM consumers WHERE withdrawn_at = updated_at`); n != 1 {
			t.Error("the second withdrawal counts for the retention")
		}
		if a := b.get(path, b.basic()); a.body["consentWithdrawn"] != true {
			t.Errorf("after withdrawal it reads %s", a.raw)
		}
		b.want("a change after withdrawal", patch(map[string]any{}), 409, contract.CodeInvalidState)
		b.want("a visit after withdrawal", b.post("/connect/initialization", b.basic(),
			map[string]any{"productId": b.seed.Products[contract.Cashflow], "consumerId": id}), 400, contract.CodeInvalidConsumerID)
	})
}

func TestUnknownPathsAndMethods(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.want("an unknown path", b.get("/connect/nothing", b.basic()), 404, contract.CodeNotFound)
		b.want("the root", b.get("/", nil), 404, contract.CodeNotFound)
		browser := headers{"Accept", "text/html,application/xhtml+xml,*/*;q=0.8"}
		for _, path := range []string{"/", "/nothing", "/docs/nothing", "/%2Fevil.example"} {
			a := b.get(path, browser)
			if a.status != 404 || !bytes.Contains(a.raw, []byte(i18ntest.EN("notice.not_found.title"))) || bytes.Contains(a.raw, []byte(`"//evil`)) {
				t.Errorf("a browser gets at %s: %d %s", path, a.status, a.raw)
			}
		}
		for _, path := range []string{"/connect/nothing", "/config/v1/nothing", "/accounts/a/b/c/d", "/widget/v1/nothing"} {
			b.want("a browser at "+path, b.get(path, browser), 404, contract.CodeNotFound)
		}
		b.want("a browser's wrong method of the API", b.get("/secure-redirect", browser), 405, contract.CodeMethodNotAllowed)
		a := b.post("/connect/status", b.basic(), map[string]any{})
		b.want("a wrong method", a, 405, contract.CodeMethodNotAllowed)
		if a.header.Get("Allow") == "" {
			t.Error("the answer to a wrong method does not name the allowed ones")
		}
		b.want("an unknown path of the control", b.do("GET", "/nothing", nil), 404, contract.CodeNotFound)
		b.want("a wrong method of the control", b.do("GET", "/reset", nil), 405, contract.CodeMethodNotAllowed)
	})
}

// TestPersonalDataIsNotInLogsOrPlainColumns searches the log and the files of the database,
// with free pages, for personal data. For PostgreSQL it searches a dump, also in
// hexadecimal.
func TestPersonalDataIsNotInLogsOrPlainColumns(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		canary := with(resident, "firstName", "Canaria", "lastName", "Zwitscher", "email", "canaria.zwitscher@mail.example",
			"address", "7 Canary Row", "city", "Birdville", "state", "TX", "zip", "76101")
		publicToken := b.complete(b.begin("prefill", canary), nil).text("publicToken")
		b.inbox.wait(t, 1)
		a := b.get("/connect/cashflow/v2/json", append(headers{"X-Public-Token", publicToken}, b.bearer(b.basic())...))
		if !bytes.Contains(a.raw, []byte("Zwitscher")) {
			t.Fatal("the canary is not in the report")
		}
		// All other endpoints that receive personal data.
		b.incomeVisit(canary, map[string]any{"payStubs": []map[string]string{
			{"fileName": "Zwitscher.pdf", "contentBase64": "JVBERi0xLjcKWndpdHNjaGVyCg=="}}})
		b.eligibilityVisit("Eligibility", "prefill", with(canary, "statedEmployerNames", []string{"Zwitscher Works"}))
		b.want("invite", b.post("/connect/invite", b.basic(), map[string]any{"productId": b.seed.Products[contract.Cashflow],
			"prefill": canary, "deliverTo": "canaria.zwitscher@mail.example"}), 200, "")
		b.want("redirect", b.post("/secure-redirect", b.basic(), map[string]any{"productId": b.seed.Products[contract.Cashflow],
			"prefill": canary, "redirectArgs": "who=Zwitscher"}), 200, "")
		b.ready(b.submit(submission("personal", personal("lastName", "Zwitscher"))).text("publicToken"))
		b.relayed(publicToken)
		b.addUsers()
		b.signIn(b.seed.Staff)

		disk, log := string(storetest.OnDisk(t, b.db)), b.log.String()
		if !strings.Contains(disk, publicToken) {
			t.Fatal("the search is blind")
		}
		text := regexp.MustCompile(`\\x[0-9a-f]+`).ReplaceAllString(disk, "") // bytes in hexadecimal may look like an account number
		for _, secret := range []string{"Canaria", "Zwitscher", "zwitscher", "Canary Row", "Birdville",
			"1990-04-12", "0004128", "Everyday Checking", customerUser.Email, customerUser.Password,
			b.seed.SecretKey, b.seed.WebhookSecret, b.seed.ThirdParty.SecretKey} {
			if strings.Contains(log, secret) {
				t.Errorf("the log has %q", secret)
			}
			if strings.Contains(text, secret) || strings.Contains(disk, hex.EncodeToString([]byte(secret))) {
				t.Errorf("the database has %q in plain", secret)
			}
		}
		if strings.Contains(log, publicToken) {
			t.Error("the log has a publicToken")
		}
	})
}

func TestProductionHasNoSandbox(t *testing.T) {
	db := storetest.SQLite(t, store.Provider)
	p, err := provider.New(t.Context(), provider.Config{DB: db, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		URL: "https://provider.example", Environment: contract.Production, Assets: assets.Provider(t)})
	if err != nil {
		t.Fatal(err)
	}
	if p.Seed(t.Context(), provider.Seed{PublicID: "x"}) == nil {
		t.Error("production accepted generated customers")
	}
	for _, path := range []string{"/clock", "/faults", "/reset", "/"} {
		rec := httptest.NewRecorder()
		p.Control().ServeHTTP(rec, httptest.NewRequest("POST", path, strings.NewReader("{}")))
		if rec.Code != http.StatusNotFound {
			t.Errorf("POST %s in production: %d, want 404", path, rec.Code)
		}
	}
}
