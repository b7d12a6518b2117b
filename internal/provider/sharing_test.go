package provider_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/provider/customers"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/webhook"
)

const relayPath = "/connect/relay-tokens"

// share shares a report with the third party.
func (b *testServer) share(publicToken string) answer {
	b.t.Helper()
	return b.post(relayPath, b.basic(), map[string]any{"publicToken": publicToken, "publicId": b.seed.ThirdParty.PublicID})
}

// relayed shares a report and returns its relay token.
func (b *testServer) relayed(publicToken string) string {
	b.t.Helper()
	a := b.share(publicToken)
	b.want("sharing", a, 200, "")
	return a.text("relayToken")
}

// relay returns the headers by which the third party names a report.
func (b *testServer) relay(token string) headers {
	b.t.Helper()
	return append(b.bearer(b.thirdParty()), "X-PUBLIC-TOKEN", token)
}

func (b *testServer) withdraw(token string) answer {
	b.t.Helper()
	return b.ask(b.service.URL, "DELETE", relayPath+"/"+token, b.basic(), nil)
}

// thirdPartyInbox sets a callback of the third party and returns its receiver.
func (b *testServer) thirdPartyInbox() *inbox {
	b.t.Helper()
	in := &inbox{arrived: make(chan struct{}, 100), receiver: webhook.Receiver{Now: time.Now}}
	receiver := httptest.NewServer(in)
	b.t.Cleanup(receiver.Close)
	a := b.do("POST", "/callbacks", map[string]any{"publicId": b.seed.ThirdParty.PublicID, "url": receiver.URL})
	b.want("callback", a, 200, "")
	secret, err := webhook.ParseSecret(a.text("secret"))
	if err != nil {
		b.t.Fatal(err)
	}
	in.receiver.Secrets = []webhook.Secret{secret}
	return in
}

// account adds a customer and returns its credentials.
func (b *testServer) account(publicID string, env contract.Environment, parent string) headers {
	b.t.Helper()
	id, secret := uuid.NewString(), store.NewSecret()
	for _, q := range []struct {
		query string
		args  []any
	}{
		{`INSERT INTO customers (id, public_id, environment, parent_id, name, created_at)
			VALUES ($1, $2, $3, (SELECT id FROM customers WHERE public_id = $4), $2, 0)`, []any{id, publicID, string(env), parent}},
		{`INSERT INTO credentials (id, customer_id, client_id, secret_hash, created_at) VALUES ($1, $1, $2, $3, 0)`,
			[]any{id, "client-" + publicID, store.Hash(secret)}},
	} {
		if _, err := b.db.SQL.ExecContext(b.t.Context(), q.query, q.args...); err != nil {
			b.t.Fatal(err)
		}
	}
	return basic("client-"+publicID, secret)
}

func (b *testServer) count(query string, args ...any) int {
	b.t.Helper()
	var n int
	if err := b.db.SQL.QueryRowContext(b.t.Context(), query, args...).Scan(&n); err != nil {
		b.t.Fatal(err)
	}
	return n
}

func TestThirdPartyReadsSharedReports(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		in := b.thirdPartyInbox()
		publicToken, own := b.cashflowVisit("joint", "externalId", "mine", "userArgs", "private=words")
		relayToken := b.relayed(publicToken)
		if relayToken == publicToken || !contract.IsUUID(relayToken) {
			t.Fatalf("relay token %q", relayToken)
		}
		theirs := b.relay(relayToken)

		status := b.get("/connect/status", theirs)
		if string(bytes.TrimSpace(status.raw)) != `{"status":"SUCCESS","substatus":null}` {
			t.Errorf("status: %d %s", status.status, status.raw)
		}
		first := b.get("/connect/cashflow/v2/json", theirs)
		b.want("report", first, 200, "")
		r, err := report.ParseCashflow(first.raw)
		if err != nil {
			t.Fatal(err)
		}
		if m := r.Meta; m.PublicToken != relayToken || m.ExternalID != nil || m.UserArgs != nil ||
			m.ConsumerID != nil || m.ConsumerExternalID != nil {
			t.Errorf("meta: %+v", m)
		}
		for _, secret := range []string{publicToken, "mine", "private=words", report.Text(own.Meta.ConsumerID)} {
			if bytes.Contains(first.raw, []byte(`"`+secret)) {
				t.Errorf("the third party reads %q", secret)
			}
		}
		// All other bytes equal those that the owner reads.
		full := b.get("/connect/cashflow/v2/json", b.named(publicToken)).raw
		if at := bytes.Index(full, []byte(`"product":`)); at < 0 || !bytes.HasSuffix(first.raw, full[at:]) {
			t.Error("the third party's report differs beyond its meta")
		}
		if report.Text(own.Meta.ExternalID) != "mine" {
			t.Errorf("the owner's own report lost its label: %+v", own.Meta)
		}

		list := b.get("/connect/cashflow/v2/files", theirs)
		b.want("files", list, 200, "")
		var files []map[string]string
		if err := json.Unmarshal(list.raw, &files); err != nil || len(files) != 2 {
			t.Fatalf("files: %s", list.raw)
		}
		for _, f := range files {
			file := b.get(filePath+f["source_filepath"], theirs)
			b.want(f["document_type"], file, 200, "")
			if bytes.Contains(append(list.raw, file.raw...), []byte(publicToken)) {
				t.Errorf("%s names the owner's publicToken", f["document_type"])
			}
			if f["document_type"] == "CASHFLOW_ANALYSIS" && file.text("public_token") != relayToken {
				t.Errorf("the analysis is of %q, want the relay token", file.text("public_token"))
			}
		}

		event := in.wait(t, 1)[0]
		if event.PublicToken != relayToken || event.Status != contract.StatusSuccess || event.PublicID != b.seed.ThirdParty.PublicID ||
			event.Environment != contract.Sandbox || event.ProductID != b.seed.Products[contract.Cashflow] ||
			event.ExternalID != "" || event.UserArgs != "" || event.ConsumerID != "" {
			t.Errorf("webhook: %+v", event)
		}
		b.want("fired again", b.do("POST", "/webhooks/fire", map[string]any{"publicToken": relayToken}), 200, "")
		if again := in.wait(t, 2)[1]; again.EventID != event.EventID {
			t.Errorf("fired as %+v", again)
		}
		if log := b.log.String(); strings.Contains(log, relayToken) || strings.Contains(log, "private=words") {
			t.Error("the log has the relay token or the owner's words")
		}
	})
}

func TestRelayTokenOfAnotherThirdParty(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		publicToken, own := b.cashflowVisit("single", "externalId", "mine")
		relayToken := b.relayed(publicToken)
		stranger := b.account("svc-stranger", contract.Sandbox, "")
		third := b.bearer(b.thirdParty())
		b.entitle(b.seed.ThirdParty.PublicID, true, customers.AccountNumbers)
		b.entitle("svc-stranger", true, customers.AccountNumbers)
		unknown := b.get("/connect/status", append(b.bearer(b.basic()), "X-PUBLIC-TOKEN", uuid.NewString()))
		for what, h := range map[string]headers{
			"the owner by the relay token":         append(b.bearer(b.basic()), "X-PUBLIC-TOKEN", relayToken),
			"a stranger by the relay token":        append(b.bearer(stranger), "X-PUBLIC-TOKEN", relayToken),
			"the third party by the publicToken":   append(append(headers{}, third...), "X-PUBLIC-TOKEN", publicToken),
			"the third party by the external id":   append(append(headers{}, third...), "X-EXTERNAL-ID", "mine"),
			"the relay token for an external id":   append(append(headers{}, third...), "X-EXTERNAL-ID", relayToken),
			"another token by the third party":     append(append(headers{}, third...), "X-PUBLIC-TOKEN", uuid.NewString()),
			"no UUID by the third party":           append(append(headers{}, third...), "X-PUBLIC-TOKEN", "' OR 1=1 --"),
			"the relay token as the owner's child": append(b.bearer(b.basic()), "X-PUBLIC-TOKEN", relayToken, "X-PUBLIC-ID", b.seed.PublicID),
		} {
			for _, path := range []string{"/connect/status", "/connect/cashflow/v2/json", "/connect/cashflow/v2/files"} {
				a := b.get(path, h)
				b.want(what+" "+path, a, 404, contract.CodeInvalidToken)
				if a.text("message") != unknown.text("message") {
					t.Errorf("%s: the message is %q", what, a.text("message"))
				}
			}
		}
		ach := "/connect/bank-accounts/" + own.AccountDetails[0].AccountID + "/ach-details"
		b.want("account numbers by the relay token", b.get(ach, b.relay(relayToken)), 404, contract.CodeInvalidToken)
		b.want("account numbers to the owner", b.get(ach, b.named(publicToken)), 200, "")
		// The third party cannot share it.
		b.want("sharing on", b.post(relayPath, b.thirdParty(), map[string]any{"publicToken": relayToken, "publicId": "svc-stranger"}),
			404, contract.CodeInvalidToken)
		b.want("sharing on, to the owner", b.post(relayPath, b.thirdParty(),
			map[string]any{"publicToken": relayToken, "publicId": b.seed.PublicID}), 404, contract.CodeInvalidToken)
		// Only the owner can withdraw it.
		for what, h := range map[string]headers{"the third party": b.thirdParty(), "a stranger": stranger} {
			b.want("withdrawal by "+what, b.ask(b.service.URL, "DELETE", relayPath+"/"+relayToken, h, nil), 404, contract.CodeNotFound)
		}
		if n := b.count(`SELECT count(*) FROM relay_tokens WHERE read_at IS NOT NULL`); n != 0 {
			t.Errorf("refused requests read %d reports", n)
		}
		b.want("after all that", b.get("/connect/cashflow/v2/json", b.relay(relayToken)), 200, "")
	})
}

// badShares are bodies that differ from a good one for the third party.
var badShares = []refusedBody{
	{"an unknown member", []any{"days", 3}, 400, contract.CodeMalformedBody, "days"},
	{"null for the publicToken", []any{"publicToken", nil}, 400, contract.CodeInvalidParameters, "publicToken"},
	{"a number for the publicToken", []any{"publicToken", 7}, 400, contract.CodeInvalidParameters, "publicToken"},
	{"an invalid publicToken", []any{"publicToken", "mine"}, 400, contract.CodeInvalidParameters, "publicToken"},
	{"an object for the publicId", []any{"publicId", map[string]any{}}, 400, contract.CodeInvalidParameters, "publicId"},
	{"an empty publicId", []any{"publicId", ""}, 400, contract.CodeInvalidParameters, "publicId"},
	{"a NUL in the publicId", []any{"publicId", "a\x00"}, 400, contract.CodeInvalidParameters, "publicId"},
	{"a publicId of 129 characters", []any{"publicId", strings.Repeat("é", 129)}, 400, contract.CodeInvalidParameters, "publicId"},
	{"an unknown report", []any{"publicToken", uuid.NewString()}, 404, contract.CodeInvalidToken, ""},
	{"an unknown report and publicId", []any{"publicToken", uuid.NewString(), "publicId", "unknown"}, 404, contract.CodeInvalidToken, ""},
	{"an unknown publicId", []any{"publicId", "unknown"}, 400, contract.CodeInvalidPublicID, ""},
	{"a publicId of 128 characters", []any{"publicId", strings.Repeat("é", 128)}, 400, contract.CodeInvalidPublicID, ""},
	{"a third party of the other environment", []any{"publicId", "svc-production"}, 400, contract.CodeInvalidPublicID, ""},
	{"oneself", []any{"publicId", "svc-portal"}, 400, contract.CodeInvalidPublicID, ""},
}

func TestRejectedShares(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		publicToken, _ := b.cashflowVisit("single")
		b.account("svc-production", contract.Production, "")
		good := map[string]any{"publicToken": publicToken, "publicId": b.seed.ThirdParty.PublicID}
		b.run("wrong bodies", func(*testing.T) {
			b.refuses(relayPath, good, badShares)
			b.want("no object", b.post(relayPath, b.basic(), "null"), 400, contract.CodeMalformedBody)
			b.wantField("a member twice", b.post(relayPath, b.basic(), `{"publicToken":"a","publicToken":"b"}`),
				400, contract.CodeMalformedBody, "publicToken")
			b.want("a large body", b.post(relayPath, b.basic(), `{"publicId":"`+strings.Repeat("x", 5<<10)+`"}`), 413, contract.CodeBodyTooLarge)
			b.wantField("no publicToken", b.post(relayPath, b.basic(), map[string]any{"publicId": "svc-third"}),
				400, contract.CodeInvalidParameters, "publicToken")
			b.wantField("nothing", b.post(relayPath, b.basic(), map[string]any{}), 400, contract.CodeInvalidParameters, "publicId")
		})
		b.run("another customer", func(*testing.T) {
			b.wantField("an access token", b.post(relayPath, b.bearer(b.basic()), good), 400, contract.CodeMalformedHeaders, "Authorization")
			b.want("the other environment", b.post(relayPath, append(b.basic(), "X-ENVIRONMENT", "production"), good),
				403, contract.CodeUnknownCustomer)
			theirs := b.post(relayPath, b.thirdParty(), with(good, "publicId", b.seed.PublicID))
			b.want("another customer's report", theirs, 404, contract.CodeInvalidToken)
		})
		b.run("a report that failed", func(t *testing.T) {
			a := b.share(b.submit(submission("personal", nil)).text("publicToken"))
			b.want("sharing it", a, 404, contract.CodeReportNotReady)
			if a.text("status") != "ERROR" {
				t.Errorf("%s does not say its status", a.raw)
			}
		})
		if n := b.count(`SELECT count(*) FROM relay_tokens`); n != 0 {
			t.Errorf("refused requests left %d relay tokens", n)
		}
		b.run("withdrawing what is not there", func(*testing.T) {
			path := relayPath + "/" + uuid.NewString()
			for what, token := range map[string]string{"an unknown token": uuid.NewString(), "no UUID": "x", "a NUL": "%00"} {
				b.want(what, b.withdraw(token), 404, contract.CodeNotFound)
			}
			b.want("without authorization", b.ask(b.service.URL, "DELETE", path, nil, nil), 400, contract.CodeMalformedHeaders)
			b.want("with wrong credentials", b.ask(b.service.URL, "DELETE", path, basic("x", "y"), nil), 403, contract.CodeUnknownCustomer)
		})
		b.run("a report over 30 days old", func(t *testing.T) { b.sharesOldReport(t, publicToken) })
	})
}

// sharesOldReport shares a report that becomes older than 30 days: with those who had it before, and no others.
func (b *testServer) sharesOldReport(t *testing.T, publicToken string) {
	shareWith := func(publicID string) answer {
		return b.post(relayPath, b.basic(), map[string]any{"publicToken": publicToken, "publicId": publicID})
	}
	b.account("svc-late", contract.Sandbox, "")
	b.account("svc-later", contract.Sandbox, "")
	shared := b.share(strings.ToUpper(publicToken))
	b.want("in capitals", shared, 200, "")
	relayToken := shared.text("relayToken")
	b.advance("719h59m")
	other, _ := b.cashflowVisit("single")
	b.want("within 30 days", shareWith("svc-late"), 200, "")
	b.advance("2m")
	b.want("after 30 days, again", shareWith("svc-late"), 200, "")
	b.want("after 30 days, for the first time", shareWith("svc-later"), 400, contract.CodeRelayTokenExpired)
	b.want("expired", b.get("/connect/status", b.relay(relayToken)), 400, contract.CodeRelayTokenExpired)
	if again := b.relayed(publicToken); again != relayToken {
		t.Errorf("shared again: %s, want %s", again, relayToken)
	}
	b.want("for another 72 hours", b.get("/connect/status", b.relay(relayToken)), 200, "")
	b.want("withdrawn", b.withdraw(relayToken), 200, "")
	b.want("what was withdrawn, after 30 days", b.share(publicToken), 400, contract.CodeRelayTokenRevoked)
	b.want("a younger report", b.share(other), 200, "")
	b.advance("1440h")
	b.want("after 90 days", b.share(publicToken), 404, contract.CodeInvalidToken)
}

func TestRelayTokenLifetime(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		publicToken, _ := b.cashflowVisit("single")
		relayToken := b.relayed(publicToken)
		read := func() answer { t.Helper(); return b.get("/connect/cashflow/v2/json", b.relay(relayToken)) }
		status := func() answer { t.Helper(); return b.get("/connect/status", b.relay(relayToken)) }

		// A request for the status is not a read, so that the token expires after 72 hours.
		b.advance("71h59m")
		b.want("status within 72 hours", status(), 200, "")
		b.advance("2m")
		b.want("status after 72 hours", status(), 400, contract.CodeRelayTokenExpired)
		b.want("report after 72 hours", read(), 400, contract.CodeRelayTokenExpired)
		b.want("files after 72 hours", b.get("/connect/cashflow/v2/files", b.relay(relayToken)), 400, contract.CodeRelayTokenExpired)

		// Another grant gives the same token and another 72 hours.
		if again := b.relayed(publicToken); again != relayToken {
			t.Fatalf("granted again: %s, want %s", again, relayToken)
		}
		b.advance("71h")
		if again := b.relayed(publicToken); again != relayToken {
			t.Fatalf("granted while active: %s, want %s", again, relayToken)
		}
		b.advance("71h")
		b.want("first reading, in the third 72 hours", read(), 200, "")

		// Only the creation of the token has a webhook.
		if n := b.count(`SELECT count(*) FROM events WHERE subject_id = $1`, relayToken); n != 1 {
			t.Errorf("%d events of the relay token, want 1", n)
		}

		// After a read, the token is valid as long as the report exists.
		b.advance("1400h")
		b.want("after that", read(), 200, "")
		b.want("its status", status(), 200, "")
		b.advance("600h")
		b.want("after the report's 90 days", read(), 404, contract.CodeInvalidToken)
	})
}

func TestWithdrawShare(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		token, _ := b.cashflowVisit("single")
		relayToken := b.relayed(token)
		b.want("read", b.get("/connect/cashflow/v2/json", b.relay(relayToken)), 200, "")
		b.want("withdrawn", b.withdraw(strings.ToUpper(relayToken)), 200, "")
		for _, path := range []string{"/connect/status", "/connect/cashflow/v2/json", "/connect/cashflow/v2/files"} {
			b.want(path, b.get(path, b.relay(relayToken)), 400, contract.CodeRelayTokenRevoked)
		}
		b.want("withdrawn again", b.withdraw(relayToken), 400, contract.CodeRelayTokenRevoked)
		b.want("shared again", b.share(token), 400, contract.CodeRelayTokenRevoked)
		b.want("another third party", b.get("/connect/status", b.named(token)), 200, "")
		b.account("svc-second", contract.Sandbox, "")
		b.want("with another third party", b.post(relayPath, b.basic(), map[string]any{"publicToken": token, "publicId": "svc-second"}), 200, "")

		other, _ := b.cashflowVisit("single")
		late := b.relayed(other)
		b.advance("73h")
		b.want("expired", b.get("/connect/status", b.relay(late)), 400, contract.CodeRelayTokenExpired)
		b.want("an expired one is withdrawn", b.withdraw(late), 200, "")
		b.want("and then revoked", b.get("/connect/status", b.relay(late)), 400, contract.CodeRelayTokenRevoked)
		b.want("shared after the withdrawal", b.share(other), 400, contract.CodeRelayTokenRevoked)
		if log := b.log.String(); strings.Contains(log, relayToken) || strings.Contains(log, late) {
			t.Error("the log has a relay token")
		}
	})
}

func TestShareBeforeReportIsReady(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		in := b.thirdPartyInbox()
		share := func(init string) (publicToken, relayToken string) {
			t.Helper()
			if err := b.db.SQL.QueryRowContext(t.Context(), `SELECT public_token FROM reports
				WHERE external_id = $1`, init).Scan(&publicToken); err != nil {
				t.Fatal(err)
			}
			return publicToken, b.relayed(publicToken)
		}
		visit := b.begin("externalId", "early")
		_, early := share("early")
		if a := b.get("/connect/status", b.relay(early)); a.text("status") != "PENDING" {
			t.Errorf("status: %s", a.raw)
		}
		b.want("its report", b.get("/connect/cashflow/v2/json", b.relay(early)), 404, contract.CodeReportNotReady)
		if n := b.count(`SELECT count(*) FROM events WHERE subject_id = $1`, early); n != 0 {
			t.Errorf("%d events before there is anything to read", n)
		}
		other := b.begin("externalId", "withdrawn")
		withdrawnFrom, withdrawn := share("withdrawn")
		b.want("withdrawn", b.withdraw(withdrawn), 200, "")

		b.complete(other, nil)
		b.complete(visit, nil)
		if e := in.wait(t, 1)[0]; e.PublicToken != early || e.Status != contract.StatusSuccess {
			t.Errorf("webhook: %+v", e)
		}
		b.want("its report then", b.get("/connect/cashflow/v2/json", b.relay(early)), 200, "")
		if n := b.count(`SELECT count(*) FROM events WHERE subject_id = $1`, withdrawn); n != 0 {
			t.Errorf("%d events of what was withdrawn", n)
		}
		_ = withdrawnFrom

		failing := b.begin("externalId", "failing")
		_, failed := share("failing")
		b.complete(failing, map[string]any{"username": "error"})
		if e := in.wait(t, 2)[1]; e.PublicToken != failed || e.Status != contract.StatusError {
			t.Errorf("webhook of a failure: %+v", e)
		}
		if a := b.get("/connect/status", b.relay(failed)); a.text("status") != "ERROR" {
			t.Errorf("status: %s", a.raw)
		}
	})
}

func TestParentSharesForChild(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		child := b.account("svc-child", contract.Sandbox, b.seed.PublicID)
		product := uuid.NewString()
		if _, err := b.db.SQL.ExecContext(t.Context(), `INSERT INTO products (id, customer_id, kind, name, inquiry_type, created_at)
			SELECT $1, id, 'cashflow', 'x', 'OTHER', 0 FROM customers WHERE public_id = 'svc-child'`, product); err != nil {
			t.Fatal(err)
		}
		token := b.post(submissionPath, append(b.bearer(child), "X-PRODUCT-ID", product), submission()).text("publicToken")
		asChild := append(b.basic(), "X-PUBLIC-ID", "svc-child")
		body := map[string]any{"publicToken": token, "publicId": b.seed.ThirdParty.PublicID}
		b.want("the child's report as the parent", b.post(relayPath, b.basic(), body), 404, contract.CodeInvalidToken)
		a := b.post(relayPath, asChild, body)
		b.want("for the child", a, 200, "")
		if again := b.post(relayPath, child, body); again.text("relayToken") != a.text("relayToken") {
			t.Errorf("by the child itself: %s", again.raw)
		}
		b.want("the third party", b.get("/connect/status", b.relay(a.text("relayToken"))), 200, "")
		// A child, and its parent for it, can read a report that is shared with the child.
		mine, _ := b.cashflowVisit("single")
		down := b.post(relayPath, b.basic(), map[string]any{"publicToken": mine, "publicId": "svc-child"})
		b.want("to the child", down, 200, "")
		b.want("by the child", b.get("/connect/cashflow/v2/json", append(b.bearer(child), "X-PUBLIC-TOKEN", down.text("relayToken"))), 200, "")
		b.want("by the parent for it", b.get("/connect/status", append(b.bearer(b.basic()), "X-PUBLIC-ID",
			"svc-child", "X-PUBLIC-TOKEN", down.text("relayToken"))), 200, "")
		b.want("withdrawal for the child", b.ask(b.service.URL, "DELETE", relayPath+"/"+a.text("relayToken"), asChild, nil), 200, "")
	})
}

// TestThirdPartyInbox checks that the generated third party receives events at the inbox of
// the control listener.
func TestThirdPartyInbox(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.seed.ThirdParty.CallbackURL, b.seed.ThirdParty.WebhookSecret = b.control.URL+"/inbox", webhook.NewSecret()
		if err := b.provider.Seed(t.Context(), b.seed); err != nil {
			t.Fatal(err)
		}
		type entry struct {
			ReceivedAt string
			Times      int
			Event      webhookEvent
		}
		inbox := func(n, times int) []entry {
			t.Helper()
			waitFor(t, b.db, fmt.Sprintf("SELECT count(*) FROM sandbox_inbox WHERE times = %d", times), n)
			var all []entry
			if err := json.Unmarshal(b.do("GET", "/inbox", nil).raw, &all); err != nil {
				t.Fatal(err)
			}
			return all
		}
		if a := b.do("GET", "/inbox", nil); strings.TrimSpace(string(a.raw)) != "[]" {
			t.Errorf("at first: %s", a.raw)
		}
		publicToken, _ := b.cashflowVisit("single")
		relayToken := b.relayed(publicToken)
		if all := inbox(1, 1); len(all) != 1 || all[0].Event.PublicToken != relayToken ||
			all[0].Event.Status != "SUCCESS" || all[0].ReceivedAt == "" {
			t.Errorf("inbox: %+v", all)
		}
		b.want("fired again", b.do("POST", "/webhooks/fire", map[string]any{"publicToken": relayToken}), 200, "")
		if all := inbox(1, 2); len(all) != 1 {
			t.Errorf("inbox after the same event again: %+v", all)
		}

		event := `{"status":"SUCCESS","publicToken":"` + publicToken + `"}`
		post := func(body string, h ...string) answer { return b.ask(b.control.URL, "POST", "/inbox", h, body) }
		sign := func(secret string) headers {
			key, err := webhook.ParseSecret(secret)
			h := http.Header{}
			if err != nil || webhook.Sign(h, []webhook.Secret{key}, "evt_1", time.Now(), []byte(event)) != nil {
				t.Fatal(err)
			}
			return headers{webhook.HeaderID, h.Get(webhook.HeaderID), webhook.HeaderTimestamp, h.Get(webhook.HeaderTimestamp),
				webhook.HeaderSignature, h.Get(webhook.HeaderSignature)}
		}
		b.want("unsigned", post(event), 400, contract.CodeMalformedHeaders)
		b.want("signed for another customer", post(event, sign(b.seed.WebhookSecret)...), 401, contract.CodeUnauthorized)
		b.want("changed", post(event+" ", sign(b.seed.ThirdParty.WebhookSecret)...), 401, contract.CodeUnauthorized)
		b.want("signed", post(event, sign(b.seed.ThirdParty.WebhookSecret)...), 204, "")
		if n := b.count(`SELECT count(*) FROM sandbox_inbox`); n != 2 {
			t.Errorf("%d events are kept, want 2", n)
		}

		b.want("reset", b.do("POST", "/reset", nil), 204, "")
		again, _ := b.cashflowVisit("single")
		relayToken = b.relayed(again)
		if all := inbox(1, 1); all[0].Event.PublicToken != relayToken {
			t.Errorf("after a reset: %+v", all)
		}
	})
}

type webhookEvent struct{ PublicToken, Status string }

// TestWithdrawnConsentEndsSharing checks that third parties can no longer read a report or
// its secondary report, by tokens that were read or not, and that neither can be shared
// again. The owner can still read both.
func TestWithdrawnConsentEndsSharing(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.account("svc-late", contract.Sandbox, "")
		publicToken, r := b.cashflowVisit("single", "prefill", resident)
		secondary := b.ready(b.secondaryReport(publicToken, b.seed.Products[contract.Income]))
		other, _ := b.cashflowVisit("single")
		read, unread, kept := b.relayed(publicToken), b.relayed(secondary), b.relayed(other)
		paths := []string{"/connect/status", "/connect/cashflow/v2/json", "/connect/cashflow/v2/files"}
		for _, path := range paths {
			b.want(path+" before", b.get(path, b.relay(read)), 200, "")
		}
		pending := b.begin("prefill", nil, "consumerId", report.Text(r.Meta.ConsumerID))
		b.want("withdrawal", b.ask(b.service.URL, "DELETE", "/connect/consumers/"+report.Text(r.Meta.ConsumerID), b.basic(), nil), 204, "")

		for _, path := range paths {
			b.want(path+" by a token that was read", b.get(path, b.relay(read)), 400, contract.CodeRelayTokenRevoked)
			b.want(path+" by the owner", b.get(path, b.named(publicToken)), 200, "")
			b.want(path+" of another customer", b.get(path, b.relay(kept)), 200, "")
		}
		for _, path := range []string{"/connect/status", "/connect/income/v2/json", "/connect/income/v2/files"} {
			b.want(path+" of what was made from it", b.get(path, b.relay(unread)), 400, contract.CodeRelayTokenRevoked)
			b.want(path+" of that by the owner", b.get(path, b.named(secondary)), 200, "")
		}
		for _, token := range []string{publicToken, secondary} {
			b.want("sharing again", b.share(token), 400, contract.CodeRelayTokenRevoked)
			b.want("sharing with another", b.post(relayPath, b.basic(), map[string]any{"publicToken": token, "publicId": "svc-late"}),
				400, contract.CodeRelayTokenRevoked)
		}
		b.want("withdrawal of an ended share", b.withdraw(read), 400, contract.CodeRelayTokenRevoked)
		if n := b.count(`SELECT count(*) FROM relay_tokens`); n != 3 {
			t.Errorf("%d relay tokens, want those of before", n)
		}

		// A pending visit of the consumer ends, and its report is EXPIRED.
		a := b.tryComplete(pending, map[string]any{"username": "single"})
		if a.status != 200 || a.text("status") != "EXPIRED" {
			t.Errorf("a visit continues after the withdrawal: %d %s", a.status, a.raw)
		}
		if n := b.count(`SELECT count(*) FROM reports WHERE status = 'PENDING'`); n != 0 {
			t.Errorf("%d reports stay pending", n)
		}

		// The dashboard shows the withdrawal.
		b.addUsers()
		d := b.signIn(b.seed.Staff)
		for _, token := range []string{publicToken, secondary} {
			if page := d.page("/dashboard/reports/" + d.reportNamed(token)); !strings.Contains(page, i18ntest.EN("dashboard.timeline.consent")) ||
				!strings.Contains(page, i18ntest.EN("dashboard.timeline.relay_revoked")) {
				t.Error("the dashboard does not show why the report is no longer shared")
			}
		}
		if page := d.page("/dashboard/reports/" + d.reportNamed(other)); strings.Contains(page, "withdrew consent") {
			t.Error("the dashboard shows withdrawn consent for another report")
		}
	})
}

// TestFrozenFileIsNotShared requires the documented refusal while the consumer's file is frozen, which
// TestFreezePreventsEverythingNew of package access walks whole.
func TestFrozenFileIsNotShared(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		publicToken, _ := b.cashflowVisit("single", "prefill", resident)
		b.exec(`UPDATE consumer_files SET frozen_at = 1`)
		b.want("sharing", b.post("/connect/relay-tokens", b.basic(), map[string]any{"publicToken": publicToken, "publicId": "svc-third"}),
			403, contract.CodeConsentNotProvided)
		b.exec(`DELETE FROM consumer_file_log`)
		b.addUsers()
		d := b.signIn(b.seed.Staff)
		for path, field := range map[string]string{"/dashboard/relay-tokens": "publicToken",
			"/dashboard/reports/" + d.reportNamed(publicToken) + "/share": "publicId"} {
			form := d.form("publicId", "svc-third")
			if field == "publicToken" {
				form.Set(field, publicToken)
			}
			if a := d.send(path, form); a.status != 422 ||
				!strings.Contains(html.UnescapeString(string(a.raw)), i18ntest.EN("dashboard.share.not_permitted")) {
				t.Errorf("%s: %d %s", path, a.status, a.raw)
			}
			if n := b.count(`SELECT count(*) FROM consumer_file_log WHERE action = 'refused'`); n != 1 {
				t.Errorf("%s: the person's history has %d entries", path, n)
			}
			b.exec(`DELETE FROM consumer_file_log`)
		}
	})
}
