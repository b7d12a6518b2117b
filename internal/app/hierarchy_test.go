package app_test

import (
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/svcapitest"
)

// must returns a value of the client, or ends the test.
func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		testutil.Must(t, err)
		return v
	}
}

// refused checks the code of an error of the client.
func refused(t *testing.T, what string, err error, want contract.Code) {
	t.Helper()
	if got := svcapi.CodeOf(err); got != want {
		t.Errorf("%s: %v, want %s", what, err, want)
	}
}

// hierarchy is a child account of a customer, with one product.
type hierarchy struct {
	*testServer
	client     svcapitest.Client
	shop, loan string
}

// TestClientCreatesAccountHierarchy uses the hierarchy by svcapi: a child account, a
// product, a configuration, a report of the child, and a new secret.
func TestClientCreatesAccountHierarchy(t *testing.T) {
	eachEngineInFull(t, func(t *testing.T, w *testServer) {
		h := &hierarchy{testServer: w, client: w.client(w.Credentials.Account)}
		w.child(t)
		t.Run("account", h.testAccount)
		t.Run("product", h.testProduct)
		t.Run("configuration", h.testConfiguration)
		t.Run("report", h.testReport)
		t.Run("features that are not enabled", func(t *testing.T) {
			other := w.client(w.Credentials.ThirdParty.Account)
			_, err := other.Configurations(t.Context())
			refused(t, "configurations", err, contract.CodeForbidden)
			_, err = other.RotateCredentials(t.Context())
			refused(t, "rotation", err, contract.CodeForbidden)
		})
		t.Run("rotation", func(t *testing.T) {
			next := must(h.client.RotateCredentials(t.Context()))(t)
			_, err := h.client.RotateCredentials(t.Context())
			refused(t, "rotation in the overlap", err, contract.CodeInvalidState)
			if now, before := next.Check(t.Context()), w.client(w.Credentials.Account).Check(t.Context()); now != nil || before != nil {
				t.Errorf("with the new secret %v, with the former %v", now, before)
			}
		})
	})
}

func (h *hierarchy) testAccount(t *testing.T) {
	ctx, client := t.Context(), h.client
	var err error
	if h.shop, _, err = client.Account(ctx, "POST", svcapitest.Names{Name: "Shop", DisplayName: "The Shop"}); err != nil {
		t.Fatal(err)
	}
	_, _, err = client.Account(ctx, "POST", svcapitest.Names{Name: "Shop"})
	refused(t, "account again", err, contract.CodeDuplicateCustomer)
	_, _, err = client.Account(ctx, "POST", svcapitest.Names{})
	refused(t, "account without a name", err, contract.CodeMalformedBody)
	if same, created, err := client.Account(ctx, "PUT", svcapitest.Names{Name: "Shop"}); err != nil || created || same != h.shop {
		t.Errorf("PUT of an account = %s, %v, %v, want %s", same, created, err, h.shop)
	}
}

func (h *hierarchy) testProduct(t *testing.T) {
	ctx, client := t.Context(), h.client
	var err error
	if h.loan, _, err = client.Product(ctx, "POST", h.shop, "Loan"); err != nil {
		t.Fatal(err)
	}
	_, _, err = client.Product(ctx, "POST", h.shop, "Loan")
	refused(t, "product again", err, contract.CodeDuplicateProduct)
	if same, created, err := client.Product(ctx, "PUT", h.shop, "Loan"); err != nil || created || same != h.loan {
		t.Errorf("PUT of a product = %s, %v, %v, want %s", same, created, err, h.loan)
	}
	_, _, err = client.Product(ctx, "POST", h.Credentials.ThirdParty.PublicID, "Loan")
	refused(t, "product of another", err, contract.CodeUnknownChild)
}

// testConfiguration assigns a configuration to the product, which the report uses.
func (h *hierarchy) testConfiguration(t *testing.T) {
	ctx, client, loan := t.Context(), h.client, svcapitest.Target{Type: "product", ID: h.loan}
	var old svcapitest.Configuration
	for _, p := range must(client.Configurations(ctx))(t) {
		if p.Alias == "Cashflow with AV attributes and score v1.0" && p.Product == contract.Cashflow {
			old = p
		}
	}
	testutil.Must(t, client.Assign(ctx, old.ID, loan))
	refused(t, "assignment to another", client.Assign(ctx, old.ID, svcapitest.Target{Type: "account", ID: h.Credentials.ThirdParty.PublicID}),
		contract.CodeUnknownChild)
	refused(t, "assignment of nothing", client.Assign(ctx, "nothing", svcapitest.Target{Type: "account", ID: h.shop}),
		contract.CodeUnknownConfiguration)
	if all := must(client.AssignedProducts(ctx, h.shop))(t); len(all) != 1 || all[0].ProductID != h.loan ||
		all[0].Configuration.ID != old.ID || all[0].Configuration.Inherited {
		t.Errorf("reviewed %+v", all)
	}
}

// testReport submits data for the child, and removes the assignment after the report.
func (h *hierarchy) testReport(t *testing.T) {
	ctx, client := t.Context(), h.client
	sent := must(client.Submit(ctx, svcapi.Submission{ProductID: h.loan, PublicID: h.shop, ExternalID: "loan-1",
		PullDate: svcapi.DateTime{Time: time.Now().Add(-time.Hour)},
		Personal: svcapi.SubmittedPerson{FirstName: "Default", LastName: "Any", Email: "any@example.org", DOB: "1990-06-15"},
		Accounts: []svcapi.SubmittedAccount{{ID: "A1", InstitutionName: "Amber Coast Bank", AccountType: "CHECKING",
			Currency: "USD", CurrentBalance: report.Cents(100)}}}))(t)
	child := svcapi.Ref{ExternalID: "loan-1", PublicID: h.shop}
	must(client.WaitStatus(ctx, child))(t)
	if body := must(client.Cashflow(ctx, child))(t); body.Meta.PublicToken != sent.PublicToken || len(body.Attributes) != 144 ||
		len(body.Scores) != 2 || body.Product.Name != "Loan" {
		t.Errorf("the report has %d attributes, scores %+v, product %+v", len(body.Attributes), body.Scores, body.Product)
	}
	_, err := client.Status(ctx, svcapi.Ref{ExternalID: "loan-1"})
	refused(t, "the child's report without the child", err, contract.CodeInvalidToken)
	testutil.Must(t, client.Unassign(ctx, svcapitest.Target{Type: "product", ID: h.loan}))
	if all, err := client.AssignedProducts(ctx, h.shop); err != nil || !all[0].Configuration.Inherited {
		t.Errorf("reviewed %+v, %v", all, err)
	}
}
