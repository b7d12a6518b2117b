package bankfile

import (
	"encoding/json"
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
			f, err := Read(e.File, content)
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
