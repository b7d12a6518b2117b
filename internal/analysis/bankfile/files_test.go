package bankfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// expected is how a file of testdata must be read.
type expected struct {
	File string `json:"file"`
	Note string `json:"note"`
	Exp  struct {
		Accounts  [][4]*int64 `json:"accounts"` // transactions, cents in, cents out, balance
		Left      bool        `json:"left"`     // the file is left out and named
		LeftAny   bool        `json:"leftany"`  // something is left out and named
		NAccounts int         `json:"naccounts"`
		NMin      int         `json:"nmin"`
		Dates     []string    `json:"dates"`
		Desc      []string    `json:"desc"`
		OrRefuse  bool        `json:"or_refuse"`
	} `json:"exp"`
}

// summary returns what expected.Exp.Accounts states of an account.
func summary(a Account) string {
	var in, out int64
	for _, t := range a.Transactions {
		if t.Amount > 0 {
			in += int64(t.Amount)
		} else {
			out += int64(t.Amount)
		}
	}
	balance := "none"
	if !a.NoBalance {
		balance = fmt.Sprint(int64(a.Balance))
	}
	return fmt.Sprintf("%d transactions, in %d, out %d, balance %s", len(a.Transactions), in, out, balance)
}

// TestExportedFiles reads the files of testdata, each of a kind that banks export, and
// compares them with expected.json.
func TestExportedFiles(t *testing.T) {
	raw, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []expected
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		t.Run(e.File, func(t *testing.T) {
			content, err := os.ReadFile(filepath.Join("testdata", e.File))
			if err != nil {
				t.Fatal(err)
			}
			f, err := Read(e.File, content, "")
			if err != nil {
				if !e.Exp.OrRefuse {
					t.Fatalf("refused: %v (%s)", err, e.Note)
				}
				return
			}
			e.check(t, f)
			if t.Failed() {
				t.Logf("%s\n%s\n%s", e.Note, show(f), strings.Join(f.Notes, "\n"))
			}
		})
	}
}

func (e expected) check(t *testing.T, f File) {
	t.Helper()
	if e.Exp.Left && (len(f.Accounts) > 0 || len(f.LeftOut) == 0) || e.Exp.LeftAny && len(f.LeftOut) == 0 {
		t.Errorf("not left out")
	}
	if n := len(f.Accounts); e.Exp.Accounts != nil && n != len(e.Exp.Accounts) || e.Exp.NAccounts > 0 && n+len(f.LeftOut) != e.Exp.NAccounts {
		t.Fatalf("%d accounts, and left out %v", n, f.LeftOut)
	}
	var days, texts []string
	for i, a := range f.Accounts {
		for _, x := range a.Transactions {
			days, texts = append(days, x.Posted.String()), append(texts, x.Description)
		}
		if e.Exp.NMin > len(a.Transactions) {
			t.Errorf("%d transactions", len(a.Transactions))
		}
		if e.Exp.Accounts == nil {
			continue
		}
		w := e.Exp.Accounts[i]
		balance := "none"
		if w[3] != nil {
			balance = fmt.Sprint(*w[3])
		}
		if want := fmt.Sprintf("%d transactions, in %d, out %d, balance %s", *w[0], *w[1], *w[2], balance); summary(a) != want {
			t.Errorf("got %s, want %s", summary(a), want)
		}
	}
	for _, d := range e.Exp.Dates {
		if !slices.Contains(days, d) {
			t.Errorf("no transaction on %s", d)
		}
	}
	for _, d := range e.Exp.Desc {
		if !slices.Contains(texts, d) {
			t.Errorf("no description %q", d)
		}
	}
}

// readStatement reads a file, or the one of that name in testdata/combine if content is empty.
func readStatement(t *testing.T, name, content string) File {
	t.Helper()
	if content == "" {
		raw, err := os.ReadFile("testdata/combine/" + name)
		if err != nil {
			t.Fatal(err)
		}
		content = string(raw)
	}
	f, err := Read(name, []byte(content), "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Accounts {
		if a := &f.Accounts[i]; a.NoBalance {
			if err := a.SetBalance("5.00"); err != nil {
				t.Fatal(err)
			}
		}
	}
	return f
}

// TestCombineWithoutNumbers combines files that name no account: by transactions that both
// have, by a balance that goes on, or by the caller's answer.
func TestCombineWithoutNumbers(t *testing.T) {
	read := func(name, content string) File { t.Helper(); return readStatement(t, name, content) }
	feb, mar := read("feb.csv", ""), read("mar.csv", "")
	const head = "Date,Description,Amount\n"
	april := read("april.csv", head+"2026-04-02,A,-1.00\n2026-04-03,B,2.00\n")
	ofx := read("x.ofx", strings.Replace(xmlOFX, "</BANKTRANLIST>", "</BANKTRANLIST><LEDGERBAL><BALAMT>7.00<DTASOF>20260131</LEDGERBAL>", 1))
	numbered := func(number, name string) File { // with other FITIDs
		return read(name, strings.NewReplacer("<ACCTID>55", "<ACCTID>"+number, "<FITID>", "<FITID>"+name, "</BANKTRANLIST>",
			"</BANKTRANLIST><LEDGERBAL><BALAMT>7.00<DTASOF>20260131</LEDGERBAL>").Replace(xmlOFX))
	}
	same := func(string, string) (bool, bool) { return true, true }
	different := func(string, string) (bool, bool) { return false, true }
	for name, c := range map[string]struct {
		files    []File
		answer   Answer
		accounts string // number of transactions of each
	}{
		"the same file twice":                     {[]File{feb, feb}, nil, "[3]"},
		"a balance that goes on":                  {[]File{feb, mar}, nil, "[6]"},
		"a balance that goes on, newer first":     {[]File{mar, feb}, nil, "[6]"},
		"a balance that goes on, and overlapping": {[]File{mar, feb, mar}, nil, "[6]"},
		"transactions of both":                    {[]File{april, read("b.csv", head+"2026-04-03,B,2.00\n2026-04-04,C,-3.00\n")}, nil, "[3]"},
		"transactions of both, in other columns": {[]File{april,
			read("b.csv", "Date,Payee,Debit,Credit\n2026-04-02,Ay,1.00,\n2026-04-03,Bee,,2.00\n2026-04-04,C,3.00,\n")},
			nil, "[3]"},
		"one amount on one day of both": {[]File{april,
			read("b.csv", head+"2026-04-03,Other,2.00\n2026-04-04,C,-3.00\n")}, nil, "undecided"},
		"days of both without the same transactions": {[]File{april,
			read("b.csv", head+"2026-04-02,C,-7.00\n2026-04-03,D,-9.00\n")}, nil, "[2 2]"},
		"a checking and a savings account": {[]File{read("checking.csv", head+"2026-04-02,A,-1.00\n"),
			read("savings.csv", head+"2026-05-02,A,-1.00\n")},
			nil, "[1 1]"},
		"the number in one file and its end in another": {[]File{ofx,
			read("b.csv", "Account Number: 55\nDate,Description,Amount\n2026-01-31,Interest,1.20\n2026-01-30,Ada,-1000.00\n")},
			nil, "[2]"},
		"other FITIDs for the same transactions":     {[]File{numbered("123456", "a.ofx"), numbered("123456", "b.ofx")}, nil, "[2]"},
		"a number with zeros before it":              {[]File{numbered("000123456", "a.ofx"), numbered("123456", "b.ofx")}, nil, "[2]"},
		"a number with a mask":                       {[]File{numbered("XXXXXX3456", "a.ofx"), numbered("0012-3456", "b.ofx")}, nil, "[2]"},
		"a number with that of the branch before it": {[]File{numbered("987/123456", "a.ofx"), numbered("123456", "b.ofx")}, nil, "[2]"},
		"other numbers":                              {[]File{numbered("123456", "a.ofx"), numbered("123457", "b.ofx")}, nil, "[2 2]"},
		"undecided":                                  {[]File{feb, april}, nil, "undecided"},
		"undecided, then same":                       {[]File{feb, april}, same, "[5]"},
		"undecided, then different":                  {[]File{feb, april}, different, "[3 2]"},
	} {
		t.Run(name, func(t *testing.T) {
			var answers []Answer
			if c.answer != nil {
				answers = append(answers, c.answer)
			}
			data, _, _, err := Combine(c.files, answers...)
			var undecided *UndecidedError
			if errors.As(err, &undecided) && c.accounts == "undecided" {
				return
			}
			var got []int
			for _, connection := range data.Connections {
				for _, a := range connection.Accounts {
					got = append(got, len(a.Transactions))
				}
			}
			if err != nil || fmt.Sprint(got) != c.accounts {
				t.Errorf("accounts with %v transactions, %v, want %s", got, err, c.accounts)
			}
		})
	}
}

// TestGaps names the days between two files of one account, if they are more than a week.
func TestGaps(t *testing.T) {
	const head = "Account Number: 123456\nDate,Description,Amount,Balance\n"
	june := readStatement(t, "june.csv", head+"2026-06-02,A,-1.00,9.00\n2026-06-29,B,2.00,11.00\n2026-06-30,C,1.00,12.00\n")
	for next, want := range map[string]string{
		"2026-07-06,D,-1.00,11.00\n2026-07-08,E,2.00,13.00\n": "",
		"2026-08-01,D,-1.00,11.00\n2026-08-08,E,2.00,13.00\n": "covers the 31 days between 2026-06-30 and 2026-08-01",
	} {
		for _, files := range [][]File{{june, readStatement(t, "next.csv", head+next)}, {readStatement(t, "next.csv", head+next), june}} {
			_, _, gaps, err := Combine(files)
			if got := strings.Join(gaps, "\n"); err != nil || !strings.Contains(got, want) || want == "" && got != "" {
				t.Errorf("gaps %q, %v, want %q", got, err, want)
			}
		}
	}
}
