package provider_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/operator"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/templates/ui"
)

// entitle enables or disables entitlements of an account, as the operator does.
func (b *testServer) entitle(publicID string, on bool, all ...customers.Entitlement) {
	b.t.Helper()
	set := operator.Off
	if on {
		set = operator.On
	}
	if err := b.setFeatures(publicID, set, all...); err != nil {
		b.t.Fatal(err)
	}
}

// setFeatures sets features of an account, as the command line does.
func (b *testServer) setFeatures(publicID string, set operator.Setting, all ...customers.Entitlement) error {
	to := map[customers.Entitlement]operator.Setting{}
	for _, e := range all {
		to[e] = set
	}
	return b.provider.ChangeAccount(b.t.Context(), publicID, func(ctx context.Context, tx *store.Tx,
		a customers.Account) (staff.Entry, error) {
		return b.provider.Operator().SetFeatures(ctx, tx, a, to)
	})
}

func (b *testServer) rotate(h headers) answer {
	b.t.Helper()
	return b.post("/credentials/rotate", h, nil)
}

func TestRotateCredential(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.want("not enabled", b.rotate(b.thirdParty()), 403, contract.CodeForbidden)
		now := time.Now()
		a := b.rotate(b.basic())
		b.want("rotation", a, 200, "")
		ends, err := time.Parse("2006-01-02T15:04:05.000Z", a.text("previousExpiresAt"))
		if err != nil || ends.Before(now.Add(24*time.Hour-time.Second)) || ends.After(now.Add(24*time.Hour+time.Minute)) {
			t.Errorf("the previous secret ends %q, want in 24 hours", a.text("previousExpiresAt"))
		}
		if a.text("clientId") != b.seed.ClientID || len(a.text("secretKey")) < 40 ||
			a.header.Get("Cache-Control") != "no-store" || len(a.body) != 3 {
			t.Errorf("answered %v, %v", a.body, a.header)
		}
		old, current := b.basic(), basic(b.seed.ClientID, a.text("secretKey"))
		for what, h := range map[string]headers{"the previous secret": old, "the new secret": current} {
			b.want(what, b.get("/connect/accesstoken", h), 200, "")
			b.want("rotating again with "+what, b.rotate(h), 409, contract.CodeInvalidState)
		}
		if strings.Contains(b.log.String(), a.text("secretKey")) {
			t.Error("the log has the secret")
		}
		b.advance("23h59m")
		b.want("the previous secret in its last minute", b.get("/connect/accesstoken", old), 200, "")
		token := b.bearer(old)
		b.advance("1m1s")
		b.want("the previous secret after 24 hours", b.get("/connect/accesstoken", old), 403, contract.CodeUnknownCustomer)
		b.want("a rotation with it", b.rotate(old), 403, contract.CodeUnknownCustomer)
		b.want("an access token that it obtained", b.get("/connect/status", append(token, "X-EXTERNAL-ID", "x")),
			403, contract.CodeUnknownCustomer)
		b.want("the new one then", b.get("/connect/accesstoken", current), 200, "")
		// A restart updates the generated customer, but does not restore its old secret.
		if err := b.provider.Seed(t.Context(), b.seed); err != nil {
			t.Fatal(err)
		}
		b.want("the previous secret after a restart", b.get("/connect/accesstoken", old), 403, contract.CodeUnknownCustomer)

		second := b.rotate(current)
		b.want("a second rotation", second, 200, "")
		b.want("the newest", b.get("/connect/accesstoken", basic(b.seed.ClientID, second.text("secretKey"))), 200, "")
		b.want("another's client", b.get("/connect/accesstoken", basic(b.seed.ThirdParty.ClientID, second.text("secretKey"))),
			403, contract.CodeUnknownCustomer)
		if n := b.one(`SELECT CAST(count(*) AS TEXT) FROM credentials WHERE client_id = $1`, b.seed.ClientID); n != "3" {
			t.Errorf("%s secrets are kept, want 3 hashes", n)
		}
	})
}

// TestCredentialUse finds the hour of a secret's last use on the dashboard, and no earlier one.
func TestCredentialUse(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		b.noon()
		b.addUsers()
		d := b.signIn(customerUser)
		never := i18ntest.EN("dashboard.credentials.never_used")
		if !strings.Contains(d.page("/dashboard/credentials"), never) {
			t.Fatal("a new secret is not called unused")
		}
		b.want("a wrong secret", b.get("/connect/accesstoken", basic(b.seed.ClientID, store.NewSecret())), 403, contract.CodeUnknownCustomer)
		if !strings.Contains(d.page("/dashboard/credentials"), never) {
			t.Error("a wrong secret counts as a use")
		}
		used := func(when string) time.Time {
			t.Helper()
			hour := b.now().Truncate(time.Hour)
			if page := d.page("/dashboard/credentials"); !strings.Contains(page, ui.MachineTime(hour)) {
				t.Errorf("%s: the page lacks %q", when, ui.MachineTime(hour))
			}
			return hour
		}
		for _, a := range b.concurrently(20, "GET", "/connect/accesstoken", b.basic(), nil) {
			b.want("a use", a, 200, "")
		}
		first := used("after the first uses")
		b.exec(`UPDATE credentials SET used_at = $1 WHERE client_id = $2`, store.Micros(first.Add(5*time.Hour)), b.seed.ClientID)
		b.want("a use in an earlier hour than the last", b.get("/connect/accesstoken", b.basic()), 200, "")
		if page := d.page("/dashboard/credentials"); !strings.Contains(page, ui.MachineTime(first.Add(5*time.Hour).Truncate(time.Hour))) {
			t.Error("an earlier use replaced a later one")
		}
		token := b.bearer(b.basic())
		b.exec(`UPDATE credentials SET used_at = $1 WHERE client_id = $2`, store.Micros(first.Add(-time.Hour)), b.seed.ClientID)
		if a := b.get("/connect/status", append(token, "X-EXTERNAL-ID", "x")); a.status == 403 {
			t.Errorf("an access token: %d", a.status)
		}
		used("after a use in a later hour")
	})
}

// TestChildWithCredentials acts as a child account with a secret.
func TestChildWithCredentials(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		child := b.child("Child")
		product := b.productOf(child, "Loan")
		service := &customers.Service{DB: b.db, Now: time.Now}
		id := b.one(`SELECT id FROM customers WHERE public_id = $1`, child)
		var issued customers.Issued
		if err := b.db.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
			issued, err = service.IssueCredential(ctx, tx, id, "")
			return err
		}); err != nil {
			t.Fatal(err)
		}
		own := basic(issued.ClientID, issued.SecretKey)
		b.want("a visit", b.post("/connect/initialization", own,
			map[string]any{"productId": product, "externalId": "own", "prefill": applicant}), 200, "")
		b.want("its report", b.get("/connect/status", append(b.bearer(own), "X-EXTERNAL-ID", "own")), 200, "")
		b.want("its parent's reading",
			b.get("/connect/status", append(b.bearer(b.basic()), "X-EXTERNAL-ID", "own", "X-PUBLIC-ID", child)), 200, "")
		b.want("acting for its parent", b.get("/connect/status", append(b.bearer(own), "X-EXTERNAL-ID", "own",
			"X-PUBLIC-ID", b.seed.PublicID)), 403, contract.CodeUnknownCustomer)
		b.want("adding a child", b.post("/accounts", own, map[string]any{"accountName": "x"}), 403, contract.CodeForbidden)
		b.want("adding a product", b.post("/accounts/"+child+"/products", own, map[string]any{"productName": "x"}),
			403, contract.CodeForbidden)
		b.want("its configurations", b.get("/config/v1/accounts/"+child+"/products", own), 403, contract.CodeForbidden)
		b.entitle(child, false, customers.CredentialRotation)
		b.want("rotation, which is disabled for it alone", b.rotate(own), 403, contract.CodeForbidden)
		b.entitle(child, true, customers.CredentialRotation)
		b.want("rotation for it", b.rotate(append(b.basic(), "X-PUBLIC-ID", child)), 403, contract.CodeForbidden)
		b.want("rotation", b.rotate(own), 200, "")
	})
}
