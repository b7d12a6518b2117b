package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vestibule/internal/app"
	"vestibule/internal/report"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/i18ntest"
)

// statement returns a bank's CSV export with two years of wages, rent and purchases.
func statement(until time.Time) string {
	var b strings.Builder
	b.WriteString("Date,Description,Amount,Balance\n")
	balance := 100_000
	for day := until.AddDate(-2, 0, 0); !day.After(until); day = day.AddDate(0, 0, 1) {
		for _, x := range []struct {
			on    bool
			what  string
			cents int
		}{{day.Day() == 1 || day.Day() == 15, "ACME LOGISTICS DIRECT DEP", 180_000}, {day.Day() == 3, "GREENLEAF PROPERTIES RENT", -120_000},
			{day.Day()%4 == 0, "KROGER #123", -8_640}} {
			if x.on {
				balance += x.cents
				fmt.Fprintf(&b, "%s,%s,%d.%02d,%d.%02d\n", day.Format("01/02/2006"), x.what, x.cents/100, max(x.cents%100, -x.cents%100),
					balance/100, balance%100)
			}
		}
	}
	return b.String()
}

func TestReportFromFiles(t *testing.T) {
	assets.Portal(t)
	dir := t.TempDir()
	write := func(name, content string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	run := func(args ...string) (code int, out, log string) {
		var stdout, stderr bytes.Buffer
		code = app.Run(t.Context(), append([]string{"report"}, args...), &stdout, &stderr)
		return code, stdout.String(), stderr.String()
	}
	long := write("Harbor checking.csv", statement(time.Date(2026, 10, 31, 0, 0, 0, 0, time.UTC)))
	person := write("person.json", `{"personal": {"firstName": "Ana", "lastName": "Pérez"}}`)

	code, out, log := run(long, "--personal", person)
	var made report.Cashflow
	if err := json.Unmarshal([]byte(out), &made); code != 0 || err != nil {
		t.Fatalf("%d %v %s", code, err, log)
	}
	if len(made.Scores) != 1 || made.Scores[0].Value == nil || len(made.AccountDetails) != 1 || len(made.Attributes) < 100 ||
		len(made.Identities) == 0 || report.Text(made.Identities[0].FullName) != "Ana Pérez" {
		t.Errorf("the report has %d scores, %d accounts, %d figures, identities %v", len(made.Scores), len(made.AccountDetails),
			len(made.Attributes), made.Identities)
	}
	if !strings.Contains(log, "Report as of 2026-10-28") || !strings.Contains(log, "balance") {
		t.Errorf("it says %q", log)
	}
	if _, again, _ := run(long); !strings.Contains(again, `"current_balance"`) {
		t.Errorf("without a name: %.200s", again)
	}

	page := filepath.Join(dir, "report.html")
	code, out, log = run(long, "--page", page, "--lang", "es")
	html, err := os.ReadFile(page)
	if code != 0 || err != nil || out != "" {
		t.Fatalf("%d %v %s %s", code, err, out, log)
	}
	for _, want := range []string{i18ntest.ES("review.report.cashflow"), "<style>", "ACME LOGISTICS"} {
		if !strings.Contains(string(html), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, never := range []string{`href="/`, `src="`, `action="`, "<script"} {
		if strings.Contains(string(html), never) {
			t.Errorf("the page is no single file: it has %s", never)
		}
	}

	short := write("short.csv", "Date,Description,Amount\n10/01/2026,ACME PAYROLL,2000.00\n10/03/2026,RENT,-900.00\n")
	later := write("later.csv", "Date,Description,Amount,Balance\n12/01/2026,ACME PAYROLL,2000.00,2500.00\n12/13/2026,RENT,-900.00,1600.00\n")
	paid := write("paid.csv", "Date,Description,Amount\n12/01/2026,PAYMENT RECEIVED,2000.00\n12/13/2026,RENT,-900.00\n")
	two := write("two.csv", "Date,Account Name,Description,Amount\n"+
		"12/01/2026,Main Checking,ACME,2000.00\n12/13/2026,Main Checking,RENT,-900.00\n"+
		"12/13/2026,Rainy Day Savings,INTEREST,1.00\n")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{short}, "--balance short.csv=AMOUNT"},
		{[]string{long, later}, "say --same or --different"},
		{[]string{long, later, "--same", "--different"}, "--same"},
		{[]string{paid}, "--kind paid.csv=card"},
		{[]string{paid, "--kind", "paid.csv=card"}, "credit card left out with 2 lines"},
		{[]string{paid, "--kind", "paid.csv=tree"}, "not checking, savings or card"},
		{[]string{paid, "--kind", "paid.csv=checking"}, "--balance paid.csv=AMOUNT"},
		{[]string{long, "--kind", "paid.csv=checking"}, "--kind paid.csv: no file"},
		{[]string{two, "--balance", "two.csv=1"}, `--balance "two.csv:Main Checking=AMOUNT"`},
		{[]string{short, "--balance", "short.csv=much"}, `"much" is not an amount`},
		{[]string{short, "--balance", "short.csv=1,250.00", "--balance", "other.csv=1"}, "--balance other.csv"},
		{[]string{filepath.Join(dir, "nothing.csv")}, "no such file"},
		{[]string{person}, "a JSON file is not read"},
		{[]string{short, "--balance", "short.csv=1", "--submit"}, "--submit needs --personal"},
		{[]string{long, "--personal", short}, "--personal"},
	} {
		if code, out, log := run(c.args...); code == 0 || out != "" || !strings.Contains(log, c.says) {
			t.Errorf("%v: %d %q, want %q", c.args, code, log, c.says)
		}
	}
	for _, c := range []struct {
		flag string
		want []string
	}{{"--same", []string{"  Harbor checking, checking: 242 transactions, balance 1600.00 USD on 2026-12-13"}},
		{"--different", []string{"Together", "later, checking: 2 transactions, balance 1600.00 USD on 2026-12-13; " +
			"2026-12-01 to 2026-12-13, in 2000.00, out -900.00"}}} {
		code, _, log := run(long, later, c.flag)
		for _, want := range c.want {
			if code != 0 || !strings.Contains(log, want) {
				t.Errorf("%s: %d, it says %s, want %s", c.flag, code, log, want)
			}
		}
	}
	if code, _, log := run(two, "--balance", "two.csv:Main Checking=5", "--balance", "two.csv:Rainy Day Savings=7"); code != 0 ||
		!strings.Contains(log, "Rainy Day Savings: 1 transactions, balance 7.00") {
		t.Errorf("two accounts: %d %s", code, log)
	}
	if code, out, log := run(short, "--balance", "short.csv=1,250.00"); code != 0 || !strings.Contains(out, "1250.00") {
		t.Errorf("with a balance: %d %s", code, log)
	}
}

// TestReportFromFilesBySubmission has the provider make the report, with the same
// figures as on this machine, also in a shell with the exports of vestibule credentials.
func TestReportFromFilesBySubmission(t *testing.T) {
	eachEngine(t, func(t *testing.T, w *testServer) {
		dir := t.TempDir()
		path, person := filepath.Join(dir, "harbor.csv"), filepath.Join(dir, "person.json")
		today := time.Now().UTC().Truncate(24 * time.Hour)
		for name, content := range map[string]string{path: statement(today.AddDate(0, 0, -2)),
			person: `{"personal": {"firstName": "Ana", "lastName": "Pérez", "email": "ana@example.com", "dob": "1990-06-15"}}`} {
			if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		address, err := url.Parse(w.Provider)
		if err != nil {
			t.Fatal(err)
		}
		submit := []string{"report", "--data-dir=" + w.dir, "--provider-addr=" + address.Host, "--submit", "--personal=" + person, path}
		c := w.Credentials
		var products []string
		for kind, id := range c.Products {
			products = append(products, kind+"="+id)
		}
		exported := []string{"--public-id=" + c.PublicID, "--client-id=" + c.ClientID, "--secret-key=" + c.SecretKey,
			"--products=" + strings.Join(products, ",")}
		for _, args := range [][]string{submit, append(submit, exported...)} {
			var stdout, stderr bytes.Buffer
			if code := app.Run(t.Context(), args, &stdout, &stderr); code != 0 {
				t.Fatalf("%d %s", code, &stderr)
			}
			var made report.Cashflow
			if err := json.Unmarshal(stdout.Bytes(), &made); err != nil {
				t.Fatal(err)
			}
			if len(made.Scores) != 1 || made.Scores[0].Value == nil || len(made.AccountDetails) != 1 {
				t.Errorf("the report has scores %v and %d accounts", made.Scores, len(made.AccountDetails))
			}
		}
		other := append(submit, "--public-id=other", "--client-id=other", "--secret-key="+c.SecretKey)
		var stdout, stderr bytes.Buffer
		if code := app.Run(t.Context(), other, &stdout, &stderr); code != 2 || !strings.Contains(stderr.String(), "needs --provider-url") {
			t.Errorf("another account without its provider: %d %s", code, &stderr)
		}
	})
}
