package provider_test

import (
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

// TestExternalIDs checks that every endpoint rejects an id that a header cannot carry
// unchanged, and that reports are found by other ids.
func TestExternalIDs(t *testing.T) {
	b := newTestServer(t, storetest.SQLite(t, store.Provider))
	token, resident := b.bearer(b.basic()), with(applicant, "state", "OH")
	source, _ := b.cashflowVisit("single", "prefill", resident)
	begin := func(id string, more ...any) map[string]any {
		return with(map[string]any{"productId": b.seed.Products[contract.Cashflow], "prefill": resident, "externalId": id}, more...)
	}
	endpoints := map[string]struct {
		give func(id string) answer
		code contract.Code
	}{
		"initialization": {func(id string) answer { return b.post("/connect/initialization", b.basic(), begin(id)) }, contract.CodeMalformedBody},
		"redirect":       {func(id string) answer { return b.post("/secure-redirect", b.basic(), begin(id)) }, contract.CodeMalformedBody},
		"invite": {func(id string) answer {
			return b.post("/connect/invite", b.basic(), begin(id, "deliverTo", "ana@example.com"))
		}, contract.CodeMalformedBody},
		"invite link": {func(id string) answer { return b.post("/connect/invite-link", b.basic(), begin(id)) }, contract.CodeMalformedBody},
		"widget": {func(id string) answer {
			return b.post("/widget/v1/visits", nil, begin(id, "env", "sandbox", "publicId", b.seed.PublicID))
		}, contract.CodeInternal},
		"submission": {func(id string) answer { return b.submit(submission("externalId", id)) }, contract.CodeMalformedBody},
		"multi-product": {func(id string) answer {
			return b.multi(source, b.seed.Products[contract.Income], "externalId", id)
		}, contract.CodeInvalidParameters},
		"consumer": {func(id string) answer {
			return b.post("/connect/consumers", b.basic(), map[string]any{"consumerExternalId": id})
		}, contract.CodeMalformedBody},
	}
	before := b.count(`SELECT (SELECT count(*) FROM reports) + (SELECT count(*) FROM consumers)`)
	for name, endpoint := range endpoints {
		for _, id := range []string{" x", "x ", " ", "x\t", "\nx", "a\x7fb", "x\u00a0", "\u2003x", "x\u0085"} {
			if a := endpoint.give(id); a.status != 400 || a.text("error") != string(endpoint.code) || !strings.Contains(string(a.raw), "xternalId") {
				t.Errorf("%s of %q: %d %s, want 400 %s that names it", name, id, a.status, a.raw, endpoint.code)
			}
		}
	}
	if after := b.count(`SELECT (SELECT count(*) FROM reports) + (SELECT count(*) FROM consumers)`); after != before {
		t.Errorf("%d rows were kept of what was refused", after-before)
	}
	for name, endpoint := range endpoints {
		id := "Case é  " + name
		if a := endpoint.give(id); a.status/100 != 2 {
			t.Errorf("%s of %q: %d %s", name, id, a.status, a.raw)
		} else if name != "consumer" {
			b.want("status of "+id, b.get("/connect/status", append(append(headers{}, token...), "X-EXTERNAL-ID", id)), 200, "")
		}
	}
}

// TestUppercaseUUIDs checks that every endpoint accepts uppercase UUIDs, and responds with
// lowercase ones.
func TestUppercaseUUIDs(t *testing.T) {
	b := newTestServer(t, storetest.SQLite(t, store.Provider))
	upper := strings.ToUpper
	cashflow, bearer := upper(b.seed.Products[contract.Cashflow]), b.bearer(b.basic())
	uploaded := b.do("POST", "/sandbox-reports", map[string]any{"product": contract.Cashflow, "profile": "single"})
	b.want("a prepared report", uploaded, 201, "")
	prepared, consumer := upper(uploaded.text("sandboxReportId")), upper(b.consumer())
	resident := with(applicant, "state", "OH")

	token, ids := b.consumerVisit(consumer, "single", "")
	begin := func(more ...any) map[string]any {
		return with(map[string]any{"productId": cashflow, "prefill": resident, "sandboxReportId": prepared}, more...)
	}
	widget := func(more ...any) map[string]any {
		return begin(append(more, "env", "sandbox", "publicId", b.seed.PublicID)...)
	}
	for what, a := range map[string]answer{
		"redirect": b.post("/secure-redirect", b.basic(), begin()),
		"invite":   b.post("/connect/invite-link", b.basic(), begin("consumerId", consumer, "prefill", nil)),
		"widget":   b.post("/widget/v1/visits", nil, widget()),
		"widget with a token": b.post("/widget/v1/visits", nil,
			widget("token", b.begin("productId", cashflow, "sandboxReportId", prepared), "prefill", nil)),
		"widget and a consumer": b.post("/widget/v1/visits", nil,
			widget("token", b.begin("consumerId", consumer, "prefill", nil), "prefill", nil, "consumerId", consumer)),
		"submission": b.post(submissionPath, append(append(headers{}, bearer...), "X-PRODUCT-ID", cashflow),
			submission("sandboxReportId", prepared)),
		"status":            b.get("/connect/status", b.named(upper(token))),
		"report":            b.get("/connect/cashflow/v2/json", b.named(upper(token))),
		"files":             b.get("/connect/cashflow/v2/files", b.named(upper(token))),
		"ACH of a report":   b.reportACH(upper(token), upper(ids[0])),
		"consumer":          b.get("/connect/consumers/"+consumer, b.basic()),
		"accounts":          b.get(consumerPath(consumer), b.basic()),
		"ACH of a consumer": b.get(achPath(consumer, upper(ids[0])), b.basic()),
		"share":             b.share(upper(token)),
		"webhook":           b.do("POST", "/webhooks/fire", map[string]any{"publicToken": upper(token)}),
	} {
		if a.status/100 != 2 {
			t.Errorf("%s: %d %s", what, a.status, a.raw)
		}
	}
	relay := b.relayed(token)
	b.want("a relay token", b.get("/connect/status", b.relay(upper(relay))), 200, "")
	b.want("withdrawn", b.withdraw(upper(relay)), 200, "")
	source, _ := b.cashflowVisit("single", "prefill", resident)
	b.want("multi-product", b.multi(upper(source), upper(b.seed.Products[contract.Income])), 200, "")
	configurations := b.configurations()
	child := b.child("Capital")
	product := b.productOf(child, "One")
	b.want("assign", b.assign(upper(configurations[plain]), "product", upper(product)), 200, "")
	b.want("unassign", b.unassign("product", upper(product)), 204, "")

	for _, table := range []string{"visits WHERE product_id", "visits WHERE consumer_id",
		"visits WHERE sandbox_report_id", "reports WHERE product_id"} {
		column := table[strings.LastIndexByte(table, ' ')+1:]
		if n := b.count(`SELECT count(*) FROM ` + table + ` <> lower(` + column + `)`); n != 0 {
			t.Errorf("%d of %s are kept in capitals", n, table)
		}
	}
}
