package app_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vestibule/internal/report"
	"vestibule/internal/testutil"
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

// reportDir is a folder with exports of banks, for the command report.
type reportDir string

// reportFiles are the files of a reportDir besides harbor.csv, an export that is complete.
var reportFiles = map[string]string{
	"person.json": `{"personal": {"firstName": "Ana", "lastName": "Pérez"}}`,
	"short.csv":   "Date,Description,Amount\n10/01/2026,ACME PAYROLL,2000.00\n10/03/2026,RENT,-900.00\n",
	"later.csv":   "Date,Description,Amount,Balance\n12/01/2026,ACME PAYROLL,2000.00,2500.00\n12/13/2026,RENT,-900.00,1600.00\n",
	"paid.csv":    "Date,Description,Amount\n12/01/2026,PAYMENT RECEIVED,2000.00\n12/13/2026,RENT,-900.00\n",
	"valor.csv":   "Data,Valor,Descrição,Saldo\n13/10/2026,2000.00,ACME,2500.00\n14/10/2026,-900.00,ALUGUEL,1600.00\n",
	"two.csv": "Date,Account Name,Description,Amount\n12/01/2026,Main Checking,ACME,2000.00\n" +
		"12/13/2026,Main Checking,RENT,-900.00\n12/13/2026,Rainy Day Savings,INTEREST,1.00\n",
	"Harbor checking.csv": statement(time.Date(2026, 10, 31, 0, 0, 0, 0, time.UTC)),
}

// report runs the command report. Arguments that name a file of the folder get its path.
func (dir reportDir) report(t *testing.T, args ...string) (code int, out, log string) {
	t.Helper()
	args = append([]string{"report"}, args...)
	for i, arg := range args {
		if reportFiles[arg] != "" || arg == "nothing.csv" || arg == "report.html" {
			args[i] = filepath.Join(string(dir), arg)
		}
	}
	return run(t, args...)
}

const harbor = "Harbor checking.csv"

// reportMistakes are commands that are refused, each with words of the refusal.
var reportMistakes = []struct {
	args []string
	says string
}{
	{[]string{"short.csv"}, "--balance short.csv=AMOUNT"},
	{[]string{harbor, "later.csv"}, "say --same or --different"},
	{[]string{harbor, "later.csv", "--same", "--different"}, "--same"},
	{[]string{"paid.csv"}, "--kind paid.csv=card"},
	{[]string{"paid.csv", "--kind", "paid.csv=card"}, "credit card left out with 2 lines"},
	{[]string{"paid.csv", "--kind", "paid.csv=tree"}, "not checking, savings or card"},
	{[]string{"paid.csv", "--kind", "paid.csv=checking"}, "--balance paid.csv=AMOUNT"},
	{[]string{harbor, "--kind", "paid.csv=checking"}, "--kind paid.csv: no file"},
	{[]string{"valor.csv"}, "say --currency valor.csv=CODE"},
	{[]string{"valor.csv", "--currency", "valor.csv=real"}, `"real" is not a code`},
	{[]string{"valor.csv", "--currency", "other.csv=BRL", "--currency", "valor.csv=BRL"}, "--currency other.csv: no file"},
	{[]string{"two.csv", "--balance", "two.csv=1"}, `--balance "two.csv:Main Checking=AMOUNT"`},
	{[]string{"short.csv", "--balance", "short.csv=much"}, `"much" is not an amount`},
	{[]string{"short.csv", "--balance", "short.csv=1,250.00", "--balance", "other.csv=1"}, "--balance other.csv"},
	{[]string{"nothing.csv"}, "no such file"},
	{[]string{"person.json"}, "a JSON file is not read"},
	{[]string{"short.csv", "--balance", "short.csv=1", "--submit"}, "--submit needs --personal"},
	{[]string{harbor, "--personal", "short.csv"}, "--personal"},
}

func TestReportFromFiles(t *testing.T) {
	assets.Portal(t)
	dir := reportDir(t.TempDir())
	for name, content := range reportFiles {
		testutil.Must(t, os.WriteFile(filepath.Join(string(dir), name), []byte(content), 0o600))
	}
	t.Run("JSON", func(t *testing.T) {
		code, out, log := dir.report(t, harbor, "--personal", "person.json")
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
	})
	t.Run("page", func(t *testing.T) {
		code, out, log := dir.report(t, harbor, "--page", "report.html", "--lang", "es")
		html, err := os.ReadFile(filepath.Join(string(dir), "report.html"))
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
	})
	t.Run("mistakes", func(t *testing.T) {
		for _, c := range reportMistakes {
			if code, out, log := dir.report(t, c.args...); code == 0 || out != "" || !strings.Contains(log, c.says) {
				t.Errorf("%v: %d %q, want %q", c.args, code, log, c.says)
			}
		}
	})
	for name, c := range map[string]struct {
		args []string
		want string // on standard output or in the log
	}{
		"without a name": {[]string{harbor}, `"current_balance"`},
		"one account": {[]string{harbor, "later.csv", "--same"},
			"  Harbor checking, checking: 242 transactions, balance 1600.00 USD on 2026-12-13"},
		"flags between files": {[]string{harbor, "--lang", "es", "later.csv", "--same"},
			"  Harbor checking, checking: 242 transactions, balance 1600.00 USD on 2026-12-13"},
		"a currency":                  {[]string{"--currency", "valor.csv=BRL", "valor.csv"}, "balance 1600.00 BRL"},
		"different accounts together": {[]string{harbor, "later.csv", "--different"}, "Together"},
		"different accounts": {[]string{harbor, "later.csv", "--different"}, "later, checking: 2 transactions, " +
			"balance 1600.00 USD on 2026-12-13; 2026-12-01 to 2026-12-13, in 2000.00, out -900.00"},
		"two accounts of one file": {[]string{"two.csv", "--balance", "two.csv:Main Checking=5", "--balance", "two.csv:Rainy Day Savings=7"},
			"Rainy Day Savings: 1 transactions, balance 7.00"},
		"a stated balance": {[]string{"short.csv", "--balance", "short.csv=1,250.00"}, "1250.00"},
	} {
		t.Run(name, func(t *testing.T) {
			if code, out, log := dir.report(t, c.args...); code != 0 || !strings.Contains(out+log, c.want) {
				t.Errorf("%d: it says %s, want %s", code, log, c.want)
			}
		})
	}
}

// TestReportFromFilesBySubmission has the provider make the report, with the same
// figures as on this machine, also in a shell with the exports of vestibule credentials.
func TestReportFromFilesBySubmission(t *testing.T) {
	eachEngineInFull(t, func(t *testing.T, w *testServer) {
		dir := t.TempDir()
		path, person := filepath.Join(dir, "harbor.csv"), filepath.Join(dir, "person.json")
		today := time.Now().UTC().Truncate(24 * time.Hour)
		for name, content := range map[string]string{path: statement(today.AddDate(0, 0, -2)),
			person: `{"personal": {"firstName": "Ana", "lastName": "Pérez", "email": "ana@example.com", "dob": "1990-06-15"}}`} {
			testutil.Must(t, os.WriteFile(name, []byte(content), 0o600))
		}
		address, err := url.Parse(w.Provider)
		testutil.Must(t, err)
		submit := []string{"report", "--data-dir=" + w.dir, "--provider-addr=" + address.Host, "--submit", "--personal=" + person, path}
		c := w.Credentials
		var products []string
		for kind, id := range c.Products {
			products = append(products, kind+"="+id)
		}
		exported := []string{"--public-id=" + c.PublicID, "--client-id=" + c.ClientID, "--secret-key=" + c.SecretKey,
			"--products=" + strings.Join(products, ",")}
		for _, args := range [][]string{submit, append(submit, exported...)} {
			code, out, log := run(t, args...)
			var made report.Cashflow
			if err := json.Unmarshal([]byte(out), &made); code != 0 || err != nil {
				t.Fatalf("%d %v %s", code, err, log)
			}
			if len(made.Scores) != 1 || made.Scores[0].Value == nil || len(made.AccountDetails) != 1 {
				t.Errorf("the report has scores %v and %d accounts", made.Scores, len(made.AccountDetails))
			}
		}
		other := append(submit, "--public-id=other", "--client-id=other", "--secret-key="+c.SecretKey)
		if code, _, log := run(t, other...); code != 2 || !strings.Contains(log, "needs --provider-url") {
			t.Errorf("another account without its provider: %d %s", code, log)
		}
	})
}
