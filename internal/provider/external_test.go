package provider_test

import (
	"strings"
	"testing"

	"vestibule/internal/store"
	"vestibule/internal/store/storetest"
	"vestibule/internal/svc"
)

// A label that its header could not carry back as it is, is refused wherever one is
// given, and others are found by what was given.
func TestAnExternalIDIsReadBackAsItWasGiven(t *testing.T) {
	b := newBench(t, storetest.SQLite(t, store.Provider))
	token, resident := b.bearer(b.basic()), with(applicant, "state", "OH")
	source, _ := b.walked("single", "prefill", resident)
	begin := func(id string, more ...any) map[string]any {
		return with(map[string]any{"productId": b.seed.Products[svc.Cashflow], "prefill": resident, "externalId": id}, more...)
	}
	doors := map[string]struct {
		give func(id string) answer
		code svc.Code
	}{
		"initialization": {func(id string) answer { return b.post("/connect/initialization", b.basic(), begin(id)) }, svc.CodeMalformedBody},
		"redirect":       {func(id string) answer { return b.post("/secure-redirect", b.basic(), begin(id)) }, svc.CodeMalformedBody},
		"invite":         {func(id string) answer { return b.post("/connect/invite", b.basic(), begin(id, "deliverTo", "ana@example.com")) }, svc.CodeMalformedBody},
		"invite link":    {func(id string) answer { return b.post("/connect/invite-link", b.basic(), begin(id)) }, svc.CodeMalformedBody},
		"widget": {func(id string) answer {
			return b.post("/widget/v1/visits", nil, begin(id, "env", "sandbox", "publicId", b.seed.PublicID))
		}, svc.CodeInternal},
		"submission": {func(id string) answer { return b.submit(submission("externalId", id)) }, svc.CodeMalformedBody},
		"multi-product": {func(id string) answer {
			return b.multi(source, b.seed.Products[svc.Income], "externalId", id)
		}, svc.CodeInvalidParameters},
		"consumer": {func(id string) answer {
			return b.post("/connect/consumers", b.basic(), map[string]any{"consumerExternalId": id})
		}, svc.CodeMalformedBody},
	}
	before := b.count(`SELECT (SELECT count(*) FROM reports) + (SELECT count(*) FROM consumers)`)
	for name, door := range doors {
		for _, id := range []string{" x", "x ", " ", "x\t", "\nx", "a\x7fb", "x\u00a0", "\u2003x", "x\u0085"} {
			if a := door.give(id); a.status != 400 || a.text("error") != string(door.code) || !strings.Contains(string(a.raw), "xternalId") {
				t.Errorf("%s of %q: %d %s, want 400 %s that names it", name, id, a.status, a.raw, door.code)
			}
		}
	}
	if after := b.count(`SELECT (SELECT count(*) FROM reports) + (SELECT count(*) FROM consumers)`); after != before {
		t.Errorf("%d rows were kept of what was refused", after-before)
	}
	for name, door := range doors {
		id := "Case é  " + name
		if a := door.give(id); a.status/100 != 2 {
			t.Errorf("%s of %q: %d %s", name, id, a.status, a.raw)
		} else if name != "consumer" {
			b.want("status of "+id, b.get("/connect/status", append(append(headers{}, token...), "X-EXTERNAL-ID", id)), 200, "")
		}
	}
}
