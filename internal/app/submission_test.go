package app_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil"
	"vestibule/internal/webhook"
)

// TestCustomerSubmitsData goes the whole way with the customer's own client:
// the data are sent, status and webhook say when the report is made, and it has
// attributes, properties and a score, and files.
func TestCustomerSubmitsData(t *testing.T) {
	eachEngineInFull(t, func(t *testing.T, w *testServer) {
		ctx, c := t.Context(), w.Credentials
		secret, err := webhook.ParseSecret(c.WebhookSecret)
		testutil.Must(t, err)
		receiver := webhook.Receiver{Secrets: []webhook.Secret{secret}, Now: time.Now}
		events := make(chan webhook.Event, 10)
		server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			event, err := receiver.Receive(r)
			if err != nil {
				t.Errorf("webhook: %v", err)
			}
			events <- event
			rw.WriteHeader(http.StatusNoContent)
		}))
		t.Cleanup(server.Close)
		good(t, 200, ask(t, "POST", w.Control+"/callbacks", `{"publicId":"`+c.PublicID+`","url":"`+server.URL+`"}`, "Content-Type", asJSON))

		client := w.client(c.Account)
		in := salaried(time.Now().Add(-time.Hour))
		in.ProductID = c.Products["cashflow"]
		sent, err := client.Submit(ctx, in)
		if err != nil || sent.Status != contract.StatusPending {
			t.Fatalf("Submit = %+v, %v", sent, err)
		}
		if _, err := client.Submit(ctx, in); svcapi.CodeOf(err) != contract.CodeDuplicateExternalID {
			t.Errorf("the same again: %v", err)
		}
		ref := svcapi.Ref{PublicToken: sent.PublicToken}
		if got, err := client.WaitStatus(ctx, ref); err != nil || got.Status != contract.StatusSuccess || got.Substatus != "" {
			t.Fatalf("WaitStatus = %+v, %v", got, err)
		}
		select {
		case e := <-events:
			if e.PublicToken != sent.PublicToken || e.Status != contract.StatusSuccess ||
				e.ExternalID != in.ExternalID || e.UserArgs != in.UserArgs {
				t.Errorf("the webhook says %+v", e)
			}
		case <-time.After(2 * time.Minute):
			t.Fatal("no webhook")
		}
		r, err := client.Cashflow(ctx, svcapi.Ref{ExternalID: in.ExternalID})
		testutil.Must(t, err)
		if r.Meta.PublicToken != sent.PublicToken || report.Text(r.Meta.UserArgs) != in.UserArgs ||
			r.Meta.Revision != nil || r.Meta.RevisionCreatedAt != nil {
			t.Errorf("meta: %+v", r.Meta)
		}
		if len(r.AccountDetails) != 1 || *r.AccountDetails[0].CurrentBalance != in.Accounts[0].CurrentBalance ||
			r.AccountDetails[0].MonthsAvailable < 12 {
			t.Errorf("accounts: %+v", r.AccountDetails)
		}
		if len(r.Attributes) < 100 || len(r.Properties) == 0 {
			t.Errorf("%d attributes and %d properties", len(r.Attributes), len(r.Properties))
		}
		if len(r.Scores) == 0 || r.Scores[0].Value == nil || len(r.Scores[0].AdverseActionCodes) == 0 {
			t.Errorf("scores: %+v", r.Scores)
		}
		files, err := client.Files(ctx, contract.Cashflow, ref)
		if err != nil || len(files) == 0 {
			t.Fatalf("Files = %v, %v", files, err)
		}
		for _, f := range files {
			if body, err := client.File(ctx, contract.Cashflow, ref, f.Path); err != nil || len(body.Body) == 0 {
				t.Errorf("%s: %v", f.DocumentType, err)
			}
		}
	})
}

// salaried is a year of pay twice a month, rent and shopping, retrieved at pulled.
func salaried(pulled time.Time) svcapi.Submission {
	account := svcapi.SubmittedAccount{ID: "A1", InstitutionName: "Amber Coast Bank",
		AccountType: "CHECKING", CurrentBalance: 320405, Currency: "USD"}
	add := func(daysAgo int, amount report.Cents, description, direction string) {
		account.Transactions = append(account.Transactions,
			svcapi.SubmittedTransaction{ID: fmt.Sprint("T", len(account.Transactions)), Status: "POSTED",
				DatePosted: svcapi.DateTime{Time: pulled.AddDate(0, 0, -daysAgo)}, Amount: amount, Description: description, CreditOrDebit: direction})
	}
	for day := 1; day <= 365; day++ {
		switch {
		case day%14 == 3:
			add(day, 210050, "ACME CORP PAYROLL DIRECT DEP", "CREDIT")
		case day%30 == 5:
			add(day, 140000, "HARBOR APARTMENTS RENT", "DEBIT")
		case day%4 == 0:
			add(day, report.Cents(1800+day*7), "KROGER #0412", "DEBIT")
		}
	}
	return svcapi.Submission{ExternalID: "own-data-1", UserArgs: "branch 7", PullDate: svcapi.DateTime{Time: pulled},
		Personal: svcapi.SubmittedPerson{FirstName: "Ana", LastName: "Perez", Email: "ana@example.com", DOB: "1990-06-15"},
		Accounts: []svcapi.SubmittedAccount{account}}
}
