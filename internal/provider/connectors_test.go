package provider_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/providertest"
)

// product opens a visit for a product.
func (r refreshServer) product(kind contract.Product) providertest.Answer {
	r.T.Helper()
	a := r.Do("POST", "/widget/v1/visits", map[string]any{"env": "sandbox", "productId": r.Seed.Products[kind],
		"publicId": r.Seed.PublicID, "consumerId": r.consumer})
	if a.Status != http.StatusCreated {
		r.T.Fatalf("a visit: %d %s", a.Status, a.Body)
	}
	return a
}

func (r refreshServer) income(publicToken string) *report.Income {
	r.T.Helper()
	a := r.Do("GET", "/connect/income/v2/json", nil, r.Bearer(publicToken))
	got, err := report.ParseIncome([]byte(a.Body))
	if err != nil {
		r.T.Fatalf("%d %s: %v", a.Status, a.Body, err)
	}
	return got
}

func TestPayrollOfConnector(t *testing.T) {
	withOpenBank(t, func(t *testing.T, r refreshServer) {
		token := r.ConnectOpenPayroll(r.product(contract.Income))
		r.ended(token, contract.StatusSuccess)
		got := r.income(token)
		if len(got.Income.Payroll) != 1 || report.Text(got.Income.Payroll[0].ProviderName) != "Open Payroll" ||
			*got.Income.Payroll[0].AnnualSalaryRate != 65_400_00 || len(got.Employment) != 1 ||
			report.Text(got.Employment[0].EmployerName) != "Elmstead University" {
			t.Fatalf("income %+v, employment %+v", got.Income.Payroll, got.Employment)
		}
		if source := got.Sources[len(got.Sources)-1]; source.SourceType != report.SourcePayroll || source.Status != contract.StatusSuccess {
			t.Errorf("sources %+v", got.Sources)
		}
		if id := report.Text(got.Employment[0].SourceRecordID); !contract.IsUUID(id) {
			t.Errorf("the record has the id %q", id)
		}
		r.advance(time.Hour)
		again := r.refresh(token)
		r.want("refresh", again, http.StatusOK, "")
		second, _ := again.JSON["publicToken"].(string)
		r.ended(second, contract.StatusSuccess)
		if fresh := r.income(second); len(fresh.Income.Payroll) != 1 || len(fresh.Employment) != 1 {
			t.Errorf("refreshed: %+v", fresh.Income.Payroll)
		}
	})
}

func TestPayrollOfConnectorFails(t *testing.T) {
	withOpenBank(t, func(t *testing.T, r refreshServer) {
		for reason, want := range map[sources.Reason]contract.Status{sources.Unresponsive: contract.StatusSupplierUnresponsive,
			sources.Ended: contract.StatusNotAuthenticated, sources.Challenged: contract.StatusNotAuthenticated,
			sources.Rejected: contract.StatusError} {
			r.bank.FetchError = sources.Fail(reason, errors.New("for a test"))
			event := r.ended(r.ConnectOpenPayroll(r.product(contract.Income)), want)
			if confirm := event["substatus"] == string(contract.SubMFARequired); confirm != (reason == sources.Challenged) {
				t.Errorf("%s ends with %v", reason, event)
			}
		}
	})
}

// TestPayrollOfConnectorAsksForNoPassword checks that a payroll provider with its own
// pages has no sign-in form in the widget.
func TestPayrollOfConnectorAsksForNoPassword(t *testing.T) {
	withOpenBank(t, func(t *testing.T, r refreshServer) {
		path := "/visit/" + r.product(contract.Income).JSON["handle"].(string)
		for _, form := range []url.Values{{"action": {"consent"}}, {"action": {"source"}, "source": {"payroll"}},
			{"action": {"employer"}, "employer": {"open-payroll"}}} {
			if a := r.Do("POST", path, form); a.Status != http.StatusSeeOther {
				t.Fatalf("%v: %d %s", form, a.Status, a.Body)
			}
		}
		if page := r.Do("GET", path, nil); !strings.Contains(page.Body, i18ntest.EN("visit.title.authorize", "bank", "Open Payroll")) ||
			strings.Contains(page.Body, `type="password"`) {
			t.Errorf("the page: %s", page.Body)
		}
		form := url.Values{"action": {"sign-in"}, "username": {"default"}, "password": {"x"}}
		if a := r.Do("POST", path, form); a.Status != http.StatusSeeOther || r.bank.Count("authorize") != 0 {
			t.Errorf("a password is answered with %d, calls %v", a.Status, r.bank.Calls())
		}
	})
}

// TestBankAnswersInPart checks that a report says in its sources that a bank answered in
// part. Without any account that the report can use, it ends as if the bank had not
// answered.
func TestBankAnswersInPart(t *testing.T) {
	withOpenBank(t, func(t *testing.T, r refreshServer) {
		for name, c := range map[string]struct {
			change func(*sources.Fetched)
			ends   contract.Status
			source contract.Status
		}{
			"an account is left out": {func(f *sources.Fetched) {
				f.Failed = []sources.AccountFailure{{ID: "x", Reason: sources.Unresponsive}}
			}, contract.StatusSuccess, contract.StatusSupplierUnresponsive},
			"older transactions are missing": {func(f *sources.Fetched) {
				f.Failed = []sources.AccountFailure{{ID: f.Accounts[0].ID, Partial: true, Reason: sources.Rejected}}
			}, contract.StatusSuccess, contract.StatusError},
			"no transactions are offered": {func(f *sources.Fetched) {
				empty := f.Accounts[0]
				empty.ID, empty.Transactions = "x", nil
				f.Accounts = append(f.Accounts, empty)
				f.Failed = []sources.AccountFailure{{ID: "x", Partial: true, Reason: sources.Unsupported}}
			}, contract.StatusSuccess, contract.StatusError},
			"the history is short": {func(f *sources.Fetched) {
				f.Failed = []sources.AccountFailure{{ID: f.Accounts[0].ID, Partial: true, Reason: sources.Unsupported}}
			}, contract.StatusSuccess, contract.StatusSuccess},
			"an insurance is left out": {func(f *sources.Fetched) {
				f.Failed = []sources.AccountFailure{{ID: "x", Reason: sources.Unsupported}}
			}, contract.StatusSuccess, contract.StatusSuccess},
			"an investment is not readable": {func(f *sources.Fetched) {
				f.Failed = []sources.AccountFailure{{ID: "x", Type: report.Investment, Reason: sources.Rejected}}
			}, contract.StatusSuccess, contract.StatusSuccess},
			"all accounts are left out": {func(f *sources.Fetched) {
				f.Accounts, f.Failed = nil, []sources.AccountFailure{{ID: "x", Reason: sources.Unresponsive}}
			}, contract.StatusSupplierUnresponsive, ""},
			"only an investment is left": {func(f *sources.Fetched) {
				f.Accounts[0].Type = report.Investment
				f.Accounts, f.Failed = f.Accounts[:1], []sources.AccountFailure{{ID: "x", Reason: sources.Rejected}}
			}, contract.StatusError, ""},
		} {
			r.bank.Change = c.change
			token := r.ConnectOpenBank(r.visit())
			r.ended(token, c.ends)
			if c.source == "" {
				continue
			}
			got, err := report.ParseCashflow([]byte(r.Do("GET", "/connect/cashflow/v2/json", nil, r.Bearer(token)).Body))
			if err != nil {
				t.Fatal(err)
			}
			if source := got.Sources[len(got.Sources)-1]; source.SourceID != "OPEN_BANK" || source.Status != c.source {
				t.Errorf("%s: the source is %+v, want %s", name, source, c.source)
			}
		}
	})
}

// TestAccessEndsWithinAFetch checks that access that is rejected after some accounts is
// renewed, and the data are fetched again. If that fails, the report has the accounts of
// the first answer.
func TestAccessEndsWithinAFetch(t *testing.T) {
	withOpenBank(t, func(t *testing.T, r refreshServer) {
		for _, again := range []error{nil, sources.Fail(sources.Unresponsive, errors.New("for a test"))} {
			first := true
			r.bank.FetchError = nil
			r.bank.Change = func(f *sources.Fetched) {
				if f.Failed = nil; first {
					f.Failed = []sources.AccountFailure{{ID: "x", Reason: sources.Unauthorized}}
					first, r.bank.FetchError = false, again
				}
			}
			renewed, fetched := r.bank.Count("renew refresh-1"), r.bank.Count("fetch access-2")
			token := r.ConnectOpenBank(r.visit())
			r.ended(token, contract.StatusSuccess)
			if r.bank.Count("renew refresh-1") != renewed+1 || r.bank.Count("fetch access-2") != fetched+1 {
				t.Errorf("calls %v", r.bank.Calls())
			}
			want := map[bool]string{true: "fetched", false: "partial unauthorized"}[again == nil]
			var kind string
			if err := r.DB.SQL.QueryRowContext(t.Context(), `SELECT e.kind || CASE e.reason WHEN '' THEN '' ELSE ' ' END || e.reason
				FROM source_events e JOIN source_connections c ON c.id = e.connection_id
				WHERE c.public_token = $1 AND e.kind IN ('fetched', 'partial', 'failed')`, token).Scan(&kind); err != nil || kind != want {
				t.Errorf("the audit trail says %q, %v, want %q", kind, err, want)
			}
		}
	})
}

func TestBureauOfConnector(t *testing.T) {
	withOpenBank(t, func(t *testing.T, r refreshServer) {
		visit := func() string {
			t.Helper()
			v := r.product(contract.Passport)
			path := "/visit/" + v.JSON["handle"].(string)
			for _, form := range []url.Values{{"action": {"consent"}}, {"action": {"supplier"}, "supplier": {"MEX_CDC"}}, {"action": {"confirm"}}} {
				if a := r.Do("POST", path, form); a.Status != http.StatusSeeOther {
					t.Fatalf("%v: %d %s", form, a.Status, a.Body)
				}
			}
			return v.JSON["publicToken"].(string)
		}
		token := visit()
		r.ended(token, contract.StatusSuccess)
		if r.bank.Count("file MEX_CDC") != 1 {
			t.Errorf("calls %v", r.bank.Calls())
		}
		got, err := report.ParsePassport([]byte(r.Do("GET", "/connect/passport/v4/json", nil, r.Bearer(token)).Body))
		if err != nil || len(got.Identities) < 2 {
			t.Errorf("%+v, %v", got, err)
		}
		r.bank.FetchError = sources.Fail(sources.Unresponsive, errors.New("for a test"))
		r.ended(visit(), contract.StatusSupplierUnresponsive)
	})
}
