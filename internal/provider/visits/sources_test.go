package visits_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/providertest"
)

// earner is an applicant in the visit of an income report.
func earner(t *testing.T, r *providertest.Server, prefill map[string]any) applicant {
	t.Helper()
	a := register(r, map[string]any{"prefill": prefill, "productId": r.Seed.Products[contract.Income]})
	if a.Status != 201 {
		t.Fatalf("register: %d %s", a.Status, a.Body)
	}
	return applicant{r, "/visit/" + a.JSON["handle"].(string), a.JSON["publicToken"].(string)}
}

func (a applicant) toSource(t *testing.T, way string) {
	t.Helper()
	a.post(t, "action", "consent")
	a.post(t, "action", "source", "source", way)
}

func (a applicant) toPayrollCode(t *testing.T, username string) {
	t.Helper()
	a.toSource(t, "payroll")
	a.post(t, "action", "employer", "employer", "northwind-logistics")
	a.post(t, "action", "sign-in", "username", username, "password", "anything")
}

// walkTo is a way through the pages of a visit.
type walkTo func(*testing.T, applicant)

func byPayroll(username string) walkTo {
	return func(t *testing.T, a applicant) {
		a.toPayrollCode(t, username)
		a.post(t, "action", "code", "code", "123456")
		a.post(t, "action", "finish")
	}
}

func byStubs(names ...string) walkTo {
	return func(t *testing.T, a applicant) {
		a.toSource(t, "paystubs")
		for _, n := range names {
			if got := a.upload(t, n, pdfOf(n)); got.Status != http.StatusSeeOther {
				t.Fatalf("%s answers %d %s", n, got.Status, got.Body)
			}
		}
		a.post(t, "action", "hand-in")
		a.post(t, "action", "finish")
	}
}

func byBank(username string) walkTo {
	return func(t *testing.T, a applicant) {
		a.toSource(t, "bank")
		a.post(t, "action", "bank", "bank", "kestrel-bank")
		a.post(t, "action", "sign-in", "username", username, "password", "x")
		a.post(t, "action", "code", "code", "123456")
		form := []string{"action", "accounts"}
		for _, m := range accounts.FindAllStringSubmatch(a.get(t).Body, -1) {
			form = append(form, "account", m[1])
		}
		a.post(t, form...)
		a.post(t, "action", "finish")
	}
}

func byLateCode(t *testing.T, a applicant) {
	a.toPayrollCode(t, "default")
	a.Advance(10 * time.Minute)
	a.post(t, "action", "code", "code", "123456")
}

// byWrongPasswords gives three, two of them at a bank.
func byWrongPasswords(t *testing.T, a applicant) {
	a.toSource(t, "payroll")
	a.post(t, "action", "employer", "employer", "paywright")
	a.post(t, "action", "sign-in", "username", "default", "password", "wrong")
	a.post(t, "action", "rechoose")
	a.post(t, "action", "turn")
	a.post(t, "action", "source", "source", "bank")
	a.post(t, "action", "bank", "bank", "kestrel-bank")
	a.post(t, "action", "sign-in", "username", "default", "password", "wrong")
	a.post(t, "action", "sign-in", "username", "default", "password", "wrong")
}

// incomeOutcomes are how visits of an income report end.
var incomeOutcomes = []struct {
	name        string
	first, last string
	walk        walkTo
	end         string
	status      contract.Status
	substatus   contract.Substatus
}{
	{"a bank", "Ana", "Pérez", byBank("single"), "success", contract.StatusSuccess, ""},
	{"default", "Ana", "Pérez", byPayroll("default"), "success", contract.StatusSuccess, ""},
	{"no_statements", "Ana", "Pérez", byPayroll("no_statements"), "success", contract.StatusSuccess, contract.SubNoRecentInformation},
	{"incomplete", "Ana", "Pérez", byPayroll("incomplete"), "success", contract.StatusError, contract.SubIncomplete},
	{"error", "Ana", "Pérez", byPayroll("error"), "success", contract.StatusError, ""},
	{"supplier_unresponsive", "Ana", "Pérez", byPayroll("supplier_unresponsive"), "error", contract.StatusSupplierUnresponsive, ""},
	{"session_expired", "Ana", "Pérez", byPayroll("session_expired"), "error", contract.StatusSupplierUnresponsive,
		contract.SubWidgetSessionExpired},
	{"mfa", "Ana", "Pérez", byPayroll("mfa"), "error", contract.StatusNotAuthenticated, contract.SubMFARequired},
	{"a code that comes late", "Ana", "Pérez", byLateCode, "error", contract.StatusSupplierUnresponsive, contract.SubWidgetSessionExpired},
	{"three wrong passwords, two of them at a bank", "Ana", "Pérez", byWrongPasswords, "error", contract.StatusNotAuthenticated, ""},
	{"lastName supplierdown at a bank", "Ana", "supplierdown", byBank("default"), "error", contract.StatusBureauUnresponsive, ""},
	{"lastName supplierdown at a payroll provider, which is no bank", "Ana", "supplierdown", byPayroll("default"),
		"success", contract.StatusSuccess, ""},
	{"firstName mfa required at a bank", "mfa required", "Pérez", byBank("default"), "error",
		contract.StatusNotAuthenticated, contract.SubMFARequired},
	{"firstName mfa required at a payroll provider", "mfa required", "Pérez", byPayroll("default"),
		"error", contract.StatusNotAuthenticated, contract.SubMFARequired},
	{"paystub.pdf", "Ana", "Pérez", byStubs("paystub.pdf"), "success", contract.StatusSuccess, ""},
	{"missingfields.pdf", "Ana", "Pérez", byStubs("missingfields.pdf"), "success", contract.StatusSuccess, ""},
	{"empty.pdf", "Ana", "Pérez", byStubs("empty.pdf"), "success", contract.StatusNotAuthenticated, ""},
	{"down.pdf", "Ana", "Pérez", byStubs("down.pdf"), "success", contract.StatusBureauUnresponsive, ""},
	{"something.pdf", "Ana", "Pérez", byStubs("something.pdf"), "success", contract.StatusNotAuthenticated, ""},
	{"one of three is good", "Ana", "Pérez", byStubs("something.pdf", "down.pdf", "my paystub.pdf"), "success", contract.StatusSuccess, ""},
	{"pdfHighRisk", "getAdaptiveDecisionResult", "pdfHighRisk", byStubs("scan.pdf"), "success", contract.StatusSuccess, ""},
}

// TestIncomeVisitOutcomes completes visits by plain forms with every username of the payroll
// providers, every file name and every scenario, and compares the outcomes with the contract.
func TestIncomeVisitOutcomes(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		for _, c := range incomeOutcomes {
			t.Run(c.name, func(t *testing.T) {
				a := earner(t, r, named(c.first, c.last))
				c.walk(t, a)
				a.ends(t, c.end, c.status, c.substatus)
			})
		}
		if log := r.Log(); strings.Contains(log, "Pérez") || strings.Contains(log, "anything") || strings.Contains(log, "paystub") {
			t.Error("something personal is in the log")
		}
	})
}

// TestAddingASource checks that applicants see their connected sources, can add others, and
// lose nothing if another source fails.
func TestAddingASource(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		a := earner(t, r, named("Ana", "Pérez"))
		a.toPayrollCode(t, "default")
		a.post(t, "action", "code", "code", "123456")
		if body := a.get(t).Body; a.step(t) != "connected" || !strings.Contains(body, "Northwind Logistics") ||
			strings.Contains(body, i18ntest.EN("visit.connected.failed")) {
			t.Fatalf("after the code: %s", body)
		}
		a.post(t, "action", "more")
		a.post(t, "action", "source", "source", "bank")
		a.post(t, "action", "bank", "bank", "kestrel-bank")
		a.post(t, "action", "sign-in", "username", "supplier_unresponsive", "password", "x")
		if body := a.get(t).Body; a.step(t) != "connected" || strings.Count(body, i18ntest.EN("visit.connected.failed")) != 1 ||
			!strings.Contains(body, "Kestrel Bank") {
			t.Errorf("after a bank that is down: %s", body)
		}
		if n := r.Count(`SELECT count(*) FROM events WHERE subject_id = $1`, a.publicToken); n != 0 {
			t.Errorf("%d events of a visit that goes on", n)
		}
		a.post(t, "action", "finish")
		r.Until("the end", func() bool { return a.step(t) == "end" })
		if event := r.Webhooks(a.publicToken, 1)[0]; event["status"] != "SUCCESS" {
			t.Errorf("the webhook says %v", event)
		}
		if body := r.Do("GET", a.path+"?lang=es", nil).Body; !strings.Contains(body, "Los datos de sus ingresos") {
			t.Errorf("the end: %s", body)
		}
	})
}

// TestRegisterAfterExpiredSession begins a new visit after the session at the source ended.
func TestRegisterAfterExpiredSession(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		for _, username := range []string{"session_expired", "default"} {
			a := earner(t, r, named("Ana", "Pérez"))
			a.toPayrollCode(t, username)
			a.post(t, "action", "code", "code", "123456")
			a.post(t, "action", "finish")
			a.giveUp(t)
			r.Until("the end", func() bool { return a.step(t) == "end" })
			body := a.get(t).Body
			if again := strings.Contains(body, "Start again"); again != (username == "session_expired") ||
				strings.Contains(body, `data-end="error"`) != again {
				t.Errorf("%s: %s", username, body)
			}
		}
	})
}

// TestSourceTypesOutOfOrder posts the forms of each source type in another order.
func TestSourceTypesOutOfOrder(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		forms := [][]string{
			{"action", "consent"}, {"action", "source", "source", "elsewhere"}, {"action", "source", "source", "payroll"}, {"action", "turn"},
			{"action", "bank", "bank", "kestrel-bank"}, {"action", "bank", "bank", "paywright"}, {"action", "employer", "employer", "paywright"},
			{"action", "employer", "employer", "kestrel-bank"},
			{"action", "rechoose"}, {"action", "code", "code", "123456"}, {"action", "no-code"}, {"action", "accounts", "account", "x"},
			{"action", "hand-in"}, {"action", "remove", "document", "x"}, {"action", "reopen"},
		}
		takes := map[string]string{"consent": "consent", "source": "source payroll", "employer": "employer paywright turn",
			"sign-in": "rechoose", "code": "code no-code rechoose"}
		a := earner(t, r, providertest.Prefill())
		for _, step := range []string{"consent", "source", "employer", "sign-in", "code"} {
			for _, form := range forms {
				if last := form[len(form)-1]; strings.Contains(takes[step], form[1]) &&
					(len(form) == 2 || form[1] == "code" || strings.Contains(takes[step], last)) {
					continue
				}
				a.post(t, form...)
				if got := a.step(t); got != step {
					t.Fatalf("%v at %s led to %s", form, step, got)
				}
			}
			if got := a.upload(t, "paystub.pdf", pdfOf("")); got.Status != http.StatusSeeOther || r.Count(`SELECT count(*) FROM documents`) != 0 {
				t.Errorf("an upload at %s answers %d, and %d files stay", step, got.Status, r.Count(`SELECT count(*) FROM documents`))
			}
			switch step {
			case "consent":
				a.post(t, "action", "consent")
			case "source":
				a.post(t, "action", "source", "source", "payroll")
			case "employer":
				a.post(t, "action", "turn")
				a.post(t, "action", "source", "source", "payroll")
				if page := r.Do("GET", a.path+"?q="+strings.Repeat("z", 60_000), nil); page.Status != 200 ||
					strings.Contains(page.Body, strings.Repeat("z", 101)) {
					t.Errorf("a query of 60 KB: %d, and it is repeated whole", page.Status)
				}
				if page := r.Do("GET", a.path+"?q=zipporah", nil); !strings.Contains(page.Body, "Zipporah Rides") ||
					strings.Contains(page.Body, "Northwind") {
					t.Errorf("the search finds %s", page.Body)
				}
				a.post(t, "action", "employer", "employer", "zipporah-rides")
			case "sign-in":
				a.post(t, "action", "sign-in", "username", "default", "password", "x")
			}
		}
		// A cashflow report is made from banks only.
		b := newcomer(t, r, providertest.Prefill())
		b.post(t, "action", "consent")
		for _, form := range [][]string{{"action", "turn"}, {"action", "source", "source", "payroll"},
			{"action", "employer", "employer", "paywright"}, {"action", "hand-in"}} {
			b.post(t, form...)
			if got := b.step(t); got != "bank" {
				t.Fatalf("%v led to %s", form, got)
			}
		}
	})
}

// TestControlCompletesEverySource completes visits with each source type by the control.
func TestControlCompletesEverySource(t *testing.T) {
	start(t, func(t *testing.T, r *providertest.Server) {
		stub := func(names ...string) map[string]any {
			var all []map[string]any
			for _, n := range names {
				all = append(all, map[string]any{"fileName": n, "contentBase64": base64.StdEncoding.EncodeToString([]byte("anything"))})
			}
			return map[string]any{"payStubs": all}
		}
		payroll := func(provider, username string) map[string]any {
			return map[string]any{"payroll": map[string]any{"provider": provider, "username": username}}
		}
		for _, c := range []struct {
			name    string
			product contract.Product
			body    map[string]any
			code    int
			status  string
			sub     any
		}{
			{"nothing said", contract.Income, map[string]any{}, 200, "SUCCESS", nil},
			{"payroll by name", contract.Income, payroll("Zipporah Rides", "default"), 200, "SUCCESS", nil},
			{"payroll by id", contract.Income, payroll("paywright", "session_expired"), 200, "SUPPLIER_UNRESPONSIVE", "WIDGET_SESSION_EXPIRED"},
			{"any payroll", contract.Income, payroll("", ""), 200, "SUCCESS", nil},
			{"an unknown username", contract.Income, payroll("", "unknown"), 200, "NOT_AUTHENTICATED", nil},
			{"closing", contract.Income, map[string]any{"payroll": map[string]any{}, "end": "exit"}, 200, "PENDING", nil},
			{"no such provider", contract.Income, payroll("unknown", ""), 400, "", nil},
			{"two ways", contract.Income, map[string]any{"payroll": map[string]any{}, "username": "default"}, 200, "SUCCESS", nil},
			{"all ways, of which one fails", contract.Income, map[string]any{"username": "default",
				"payroll": map[string]any{"username": "supplier_unresponsive"}, "payStubs": stub("paystub.pdf")["payStubs"]}, 200, "SUCCESS", nil},
			{"two ways, of which the first fails", contract.Income, map[string]any{"username": "mfa", "payroll": map[string]any{}},
				200, "NOT_AUTHENTICATED", "MFA_REQUIRED_ON_FETCH"},
			{"a supplier and a bank", contract.Income, map[string]any{"username": "default", "supplier": "USA_XP"}, 400, "", nil},
			{"a bank and payroll for a cashflow report", contract.Cashflow,
				map[string]any{"username": "default", "payroll": map[string]any{}}, 400, "", nil},
			{"no base-64", contract.Income,
				map[string]any{"payStubs": []any{map[string]any{"fileName": "paystub.pdf", "contentBase64": "%"}}}, 400, "", nil},
			{"eleven files", contract.Income, stub(strings.Split("a b c d e f g h i j k", " ")...), 400, "", nil},
			{"payroll for a cashflow report", contract.Cashflow, payroll("", ""), 400, "", nil},
			{"pay stubs for a cashflow report", contract.Cashflow, stub("paystub.pdf"), 400, "", nil},
		} {
			tok := token(r, map[string]any{"productId": r.Seed.Products[c.product]})
			code, got := r.Control("POST", "/visits/"+tok+"/complete", c.body)
			if code != c.code || c.code == 200 && (got["status"] != c.status || got["substatus"] != c.sub) {
				t.Errorf("%s: %d %v, want %d %s %v", c.name, code, got, c.code, c.status, c.sub)
			}
			if c.code == 400 { // the visit is as it was
				if code, got := r.Control("POST", "/visits/"+tok+"/complete", map[string]any{}); code != 200 || got["status"] != "SUCCESS" {
					t.Errorf("%s, and then by a bank: %d %v", c.name, code, got)
				}
			}
		}
	})
}
