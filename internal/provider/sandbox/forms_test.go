package sandbox

import (
	"testing"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/provider/sandbox/signin"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
)

// TestForms checks each user's sign-in at the forms, and the data that the access gives.
func TestForms(t *testing.T) {
	banks, jobs := bankForms(), payrollForms()
	for _, c := range []struct {
		form                   sources.Form
		institution, username  string
		password, code, access sources.Reason // of the failure; empty for none
		empty                  bool
	}{
		{form: banks, institution: "trellis-bank", username: "default"},
		{form: banks, institution: "trellis-bank", username: "noincome", empty: true},
		{form: banks, institution: "trellis-bank", username: "investment_only"},
		{form: banks, institution: "trellis-bank", username: "unknown", password: sources.Denied, code: sources.Denied, access: "none"},
		{form: banks, institution: "trellis-bank", username: "mfa", access: sources.Challenged},
		{form: banks, institution: "trellis-bank", username: "error", access: sources.Rejected},
		{form: banks, institution: "trellis-bank", username: "supplier_unresponsive", password: sources.Unresponsive,
			access: sources.Unresponsive},
		{form: banks, institution: "trellis-bank", username: "e_banking_unsupported", password: sources.Unsupported,
			access: sources.Unsupported},
		{form: jobs, institution: "paywright", username: "default"},
		{form: jobs, institution: "paywright", username: "no_statements", empty: true},
		{form: jobs, institution: "paywright", username: "session_expired", access: sources.TimedOut},
	} {
		check := func(q sources.Question, answer string, want sources.Reason) {
			t.Helper()
			err := c.form.Check(c.institution, c.username, q, answer)
			if got := sources.ReasonOf(err); (err != nil) != (want != "") || err != nil && got != want {
				t.Errorf("%s at %s answers %s to the %s: %v, want %q", c.username, c.institution, answer, q, err, want)
			}
		}
		check(sources.Password, "wrong", sources.Denied)
		check(sources.Password, "right", c.password)
		check(sources.Code, "654321", sources.Denied)
		check(sources.Code, signin.Code, c.code)
		access, err := c.form.Grant(c.institution, c.username, "link")
		if (err != nil) != (c.access != "") || err != nil && c.access != "none" && sources.ReasonOf(err) != c.access {
			t.Errorf("the access of %s at %s: %v, want %q", c.username, c.institution, err, c.access)
		}
		if err != nil {
			continue
		}
		to := report.DateOf(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
		data, err := c.form.Fetch(t.Context(), c.institution, access, bankdata.HistoryStart(to), to)
		if err != nil || data.Empty() != c.empty || len(data.Accounts) == 0 && data.Payroll == nil {
			t.Errorf("the data of %s at %s: empty %v, %d accounts, %v", c.username, c.institution, data.Empty(), len(data.Accounts), err)
		}
	}
	if status, sub := sources.TimedOut.Status(); status != contract.StatusSupplierUnresponsive || sub != contract.SubWidgetSessionExpired {
		t.Errorf("a session that ended is %s %s", status, sub)
	}
}
