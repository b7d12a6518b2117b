package app_test

import (
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil/svcapitest"
)

// TestClientCreatesAccountHierarchy uses the hierarchy by svcapi: a child account, a
// product, a configuration, a report of the child, and a new secret.
func TestClientCreatesAccountHierarchy(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *testServer) {
		ctx, c := t.Context(), w.Credentials
		client := w.client(c.Account)
		w.child(t)
		must := func(what string, err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
		}
		code := func(what string, err error, want contract.Code) {
			t.Helper()
			if got := svcapi.CodeOf(err); got != want {
				t.Errorf("%s: %v, want %s", what, err, want)
			}
		}
		shop, _, err := client.Account(ctx, "POST", svcapitest.Names{Name: "Shop", DisplayName: "The Shop"})
		must("account", err)
		_, _, err = client.Account(ctx, "POST", svcapitest.Names{Name: "Shop"})
		code("account again", err, contract.CodeDuplicateCustomer)
		_, _, err = client.Account(ctx, "POST", svcapitest.Names{})
		code("account without a name", err, contract.CodeMalformedBody)
		if same, created, err := client.Account(ctx, "PUT", svcapitest.Names{Name: "Shop"}); err != nil || created || same != shop {
			t.Errorf("PUT of an account = %s, %v, %v, want %s", same, created, err, shop)
		}
		loan, _, err := client.Product(ctx, "POST", shop, "Loan")
		must("product", err)
		_, _, err = client.Product(ctx, "POST", shop, "Loan")
		code("product again", err, contract.CodeDuplicateProduct)
		if same, created, err := client.Product(ctx, "PUT", shop, "Loan"); err != nil || created || same != loan {
			t.Errorf("PUT of a product = %s, %v, %v, want %s", same, created, err, loan)
		}
		_, _, err = client.Product(ctx, "POST", c.ThirdParty.PublicID, "Loan")
		code("product of another", err, contract.CodeUnknownChild)

		all, err := client.Configurations(ctx)
		must("configurations", err)
		var old svcapitest.Configuration
		for _, p := range all {
			if p.Alias == "Cashflow with AV attributes and score v1.0" && p.Product == contract.Cashflow {
				old = p
			}
		}
		must("assignment", client.Assign(ctx, old.ID, svcapitest.Target{Type: "product", ID: loan}))
		code("assignment to another", client.Assign(ctx, old.ID,
			svcapitest.Target{Type: "account", ID: c.ThirdParty.PublicID}), contract.CodeUnknownChild)
		code("assignment of nothing", client.Assign(ctx, "nothing", svcapitest.Target{Type: "account", ID: shop}),
			contract.CodeUnknownConfiguration)
		reviewed, err := client.AssignedProducts(ctx, shop)
		if must("review", err); len(reviewed) != 1 || reviewed[0].ProductID != loan ||
			reviewed[0].Configuration.ID != old.ID || reviewed[0].Configuration.Inherited {
			t.Errorf("reviewed %+v", reviewed)
		}

		sent, err := client.Submit(ctx, svcapi.Submission{ProductID: loan, PublicID: shop, ExternalID: "loan-1",
			PullDate: svcapi.DateTime{Time: time.Now().Add(-time.Hour)},
			Personal: svcapi.SubmittedPerson{FirstName: "Default", LastName: "Any", Email: "any@example.org", DOB: "1990-06-15"},
			Accounts: []svcapi.SubmittedAccount{{ID: "A1", InstitutionName: "Amber Coast Bank", AccountType: "CHECKING",
				Currency: "USD", CurrentBalance: report.Cents(100)}}})
		must("submission", err)
		child := svcapi.Ref{ExternalID: "loan-1", PublicID: shop}
		_, err = client.WaitStatus(ctx, child)
		must("status", err)
		body, err := client.Cashflow(ctx, child)
		if must("report", err); body.Meta.PublicToken != sent.PublicToken || len(body.Attributes) != 144 ||
			len(body.Scores) != 2 || body.Product.Name != "Loan" {
			t.Errorf("the report has %d attributes, scores %+v, product %+v", len(body.Attributes), body.Scores, body.Product)
		}
		_, err = client.Status(ctx, svcapi.Ref{ExternalID: "loan-1"})
		code("the child's report without the child", err, contract.CodeInvalidToken)

		must("removal", client.Unassign(ctx, svcapitest.Target{Type: "product", ID: loan}))
		if reviewed, err = client.AssignedProducts(ctx, shop); err != nil || !reviewed[0].Configuration.Inherited {
			t.Errorf("reviewed %+v, %v", reviewed, err)
		}
		other := w.client(c.ThirdParty.Account)
		_, err = other.Configurations(ctx)
		code("configurations that are not enabled", err, contract.CodeForbidden)
		_, err = other.RotateCredentials(ctx)
		code("rotation that is not enabled", err, contract.CodeForbidden)

		next, err := client.RotateCredentials(ctx)
		must("rotation", err)
		_, err = client.RotateCredentials(ctx)
		code("rotation in the overlap", err, contract.CodeInvalidState)
		must("with the new secret", next.Check(ctx))
		must("with the former", w.client(c.Account).Check(ctx))
	})
}
