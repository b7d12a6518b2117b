package bankfile

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
)

// kindOfExport is a file and how it must be read: a line per account as summary formats it,
// "left" per part that is left out, or "refused: " and a part of the error. note must be among
// the notes. days is the first and the last day of its transactions, or empty.
type kindOfExport struct{ file, content, want, note, days, currency string }

// kindsOfExports reads files that have the forms in which banks and tools export.
func kindsOfExports(t *testing.T, names ...string) map[string]kindOfExport {
	t.Helper()
	var raw []byte
	for _, name := range names {
		more, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		raw = append(raw, more...)
	}
	all := map[string]kindOfExport{}
	for _, part := range strings.Split("\n"+string(raw), "\n=== ")[1:] {
		head, content, _ := strings.Cut(part, "\n---\n")
		name, lines, _ := strings.Cut(head, "\n")
		if _, twice := all[name]; twice {
			t.Fatalf("two files are named %q", name)
		}
		k := kindOfExport{content: content + "\n"}
		for line := range strings.SplitSeq(lines, "\n") {
			switch key, value, _ := strings.Cut(line, " "); key {
			case "file":
				k.file = value
			case "want":
				k.want = strings.TrimPrefix(k.want+"\n"+value, "\n")
			case "note":
				k.note = value
			case "days":
				k.days = value
			case "currency":
				k.currency = value
			case "as":
				if k.content = strings.TrimSuffix(k.content, "\n"); value != "cut" {
					k.content = encode(t, k.content+"\n", value)
				}
			}
		}
		all[name] = k
	}
	return all
}

// encodings encode a text in another encoding than UTF-8.
var encodings = map[string]encoding.Encoding{
	"utf16":        unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
	"utf16be":      unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
	"windows-1250": charmap.Windows1250,
	"windows-1252": charmap.Windows1252,
	"shift-jis":    japanese.ShiftJIS,
}

func encode(t *testing.T, text, name string) string {
	t.Helper()
	out, err := encodings[name].NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// daysOf returns the first and the last day of a file's transactions.
func daysOf(f File) string {
	var days []string
	for _, a := range f.Accounts {
		for _, t := range a.Transactions {
			days = append(days, t.Posted.String())
		}
	}
	if len(days) == 0 {
		return ""
	}
	return slices.Min(days) + " " + slices.Max(days)
}

func TestKindsOfExports(t *testing.T) {
	const table, read = "Date\tDescription\tAmount\r\n03/02/2026\tCafé\t100.00\r\n03/03/2026\tSHOP\t-40.00\r\n",
		"2 transactions, in 10000, out -4000, balance none"
	all := kindsOfExports(t, "testdata/kinds.txt", "testdata/banks.txt", "testdata/layouts.txt", "testdata/exports.txt",
		"testdata/regions.txt", "testdata/statements.txt", "testdata/troubles.txt")
	for name, k := range map[string]kindOfExport{
		"UTF-16":              {"x.csv", encode(t, table, "utf16"), read, "", "", ""},
		"UTF-8 with its mark": {"x.csv", "\ufeff" + table, read, "", "", ""},
		"Windows-1252":        {"x.csv", strings.ReplaceAll(table, "é", "\xe9"), read, "", "", ""},
		"a cut last line": {"x.csv", "Date,Description,Amount,Balance\n03/02/2026,A,-1.00,9.00\n03/03/2026,B,-1",
			"refused: line 3", "", "", ""},
		"blanks":        {"x.csv", " \n\n", "refused: empty", "", "", ""},
		"a spreadsheet": {"x.xlsx", "PK\x03\x04abc", "refused: a spreadsheet or archive", "", "", ""},
		"camt.052": {"x.xml", strings.NewReplacer("camt.053", "camt.052", "BkToCstmrStmt", "BkToCstmrAcctRpt", "<Stmt>", "<Rpt>",
			"</Stmt>", "</Rpt>").Replace(camt), "2 transactions, in 5000, out -20050, balance -5050\nleft", "", "", ""},
		"camt.053 that does not add up": {"x.xml", strings.Replace(camt, ">100.00<", ">101.00<", 1),
			"2 transactions, in 5000, out -20050, balance -5050\nleft\nleft", "", "", ""},
		"OFX cut within the list": {"x.ofx", sgml[:strings.Index(sgml, "<STMTTRN><TRNTYPE>CHECK")], "refused: ends within", "", "", ""},
		"OFX with a bad amount":   {"x.ofx", strings.Replace(sgml, "-45.5", "x45.5", 1), "refused: transaction 2", "", "", ""},
		"OFX with a repeated transaction": {"x.ofx", strings.Replace(sgml, "</BANKTRANLIST>",
			"<STMTTRN><TRNTYPE>CHECK<DTPOSTED>20261031<TRNAMT>-10<FITID>3<CHECKNUM>102</STMTTRN></BANKTRANLIST>", 1),
			"3 transactions, in 210000, out -5550, balance 524423\nleft\nleft\nleft", "counted once", "", ""},
		"OFX whose signs contradict its types": {"x.ofx", strings.NewReplacer("-45.5", "45.5", "-9<FITID>4", "9<FITID>4",
			"<TRNTYPE>CHECK", "<TRNTYPE>CREDIT").Replace(sgml), "refused: contradict", "", "", ""},
	} {
		all[name] = k
	}
	for name, k := range all {
		t.Run(name, k.check)
	}
}

// check reads the file and compares it.
func (k kindOfExport) check(t *testing.T) {
	f, err := Read(k.file, []byte(k.content), "")
	var got []string
	for _, a := range f.Accounts {
		got = append(got, summary(a))
	}
	for range f.LeftOut {
		got = append(got, "left")
	}
	if refused, ok := strings.CutPrefix(k.want, "refused: "); ok {
		if err == nil || !strings.Contains(err.Error(), refused) {
			t.Errorf("error %v, want %q", err, refused)
		}
		return
	}
	text, notes := strings.Join(got, "\n"), strings.Join(f.Notes, "\n")
	if k.currency != "" && len(f.Accounts) > 0 && f.Accounts[0].Currency != k.currency {
		t.Errorf("currency %s, want %s", f.Accounts[0].Currency, k.currency)
	}
	if days := daysOf(f); k.days != "" && days != k.days {
		t.Errorf("days %s, want %s", days, k.days)
	}
	if err != nil || text != k.want || !strings.Contains(notes, k.note) {
		t.Errorf("%v, got\n%s\nwant\n%s (note %q)\nread\n%s%s", err, text, k.want, k.note, show(f), notes)
	}
}

// TestDebitOfZero reads a zero as money in or out, however the file writes its side.
func TestDebitOfZero(t *testing.T) {
	const others = "\n2026-03-03,,SHOP,%s\n2026-03-04,,ACME PAYROLL,%s\n"
	signed, marked := fmt.Sprintf(others, "-5.00", "50.00"), fmt.Sprintf(others, "5.00 DR", "50.00 CR")
	apart := "\n2026-03-03,,SHOP,5.00,\n2026-03-04,,PAYROLL,,50.00\n"
	const head, columns, typed = "Date,Type,Description,Amount\n2026-03-02,", "Date,Type,Description,Debit,Credit\n2026-03-02,",
		"\n2026-03-03,Debit,SHOP,5.00\n2026-03-04,Credit,PAYROLL,5.00\n"
	ofx := func(kind, amount string) string {
		return "<OFX><STMTRS><BANKACCTFROM><ACCTID>1<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST><STMTTRN><TRNTYPE>" + kind +
			"<DTPOSTED>20260302<TRNAMT>" + amount + "<NAME>CARD CHECK</STMTTRN></BANKTRANLIST></STMTRS></OFX>"
	}
	entry := func(side string) string {
		return "<Document xmlns='camt.053'><BkToCstmrStmt><Stmt><Acct><Id><IBAN>X1</IBAN></Id></Acct><Ntry><Amt Ccy='EUR'>0.00</Amt><CdtDbtInd>" +
			side + "</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-03-02</Dt></BookgDt></Ntry></Stmt></BkToCstmrStmt></Document>"
	}
	for name, c := range map[string]struct {
		content string
		out     bool
	}{
		"DR":                             {head + ",CHECK,0.00 DR" + marked, true},
		"CR":                             {head + ",CHECK,0.00 CR" + marked, false},
		"parentheses":                    {head + ",CHECK,(0.00)" + signed, true},
		"a minus":                        {head + ",CHECK,-0.00" + signed, true},
		"a minus behind":                 {head + ",CHECK,0.00-" + signed, true},
		"a minus before the currency":    {head + ",CHECK,-$0.00" + signed, true},
		"no sign among signed":           {head + ",CHECK,0.00" + signed, false},
		"positive for money out":         {head + ",ACME PAYROLL,-50.00\n2026-03-05,,GROCERY STORE,5.00\n2026-03-06,,CHECK,0.00\n", true},
		"no CR where CR is money in":     {head + ",CHECK,0.00\n2026-03-03,,SHOP,5.00\n2026-03-04,,ACME PAYROLL,50.00 CR\n", true},
		"no plus where plus is money in": {head + ",CHECK,0.00\n2026-03-03,,SHOP,5.00\n2026-03-04,,ACME PAYROLL,+50.00\n", true},
		"a word":                         {head + "Debit,CHECK,0.00" + typed, true},
		"a word of money in":             {head + "Credit,CHECK,0.00" + typed, false},
		"a column":                       {columns + ",CHECK,0.00," + apart, true},
		"a column with a minus":          {columns + ",CHECK,-0.00," + apart, true},
		"the other column":               {columns + ",CHECK,,0.00" + apart, false},
		"both columns, and a minus":      {columns + ",CHECK,-0.00,0.00" + apart, true},
		"both columns, and a word":       {columns + "Debit,CHECK,0.00,0.00" + apart, true},
		"OFX by its type":                {ofx("DEBIT", "0.00"), true},
		"OFX by its sign":                {ofx("OTHER", "-0.00"), true},
		"OFX with DR":                    {ofx("OTHER", "0.00 DR"), true},
		"OFX of a credit":                {ofx("CREDIT", "0.00"), false},
		"camt":                           {entry("DBIT"), true},
		"camt with spaces":               {entry(" DBIT "), true},
		"camt of a credit":               {entry("CRDT"), false},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Read("x", []byte(c.content), "")
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range f.Accounts[0].Transactions {
				if x.Amount == 0 && x.Out() != c.out {
					t.Errorf("a debit: %t, want %t\n%s", x.Out(), c.out, c.content)
				}
			}
		})
	}
}

// TestKindOfOFX reads a file without a type of account as the caller says.
func TestKindOfOFX(t *testing.T) {
	content := []byte(strings.Replace(sgml, "<ACCTTYPE>CHECKING", "", 1))
	for kind, want := range map[string]string{"": "checking …6789", "checking": "checking …6789", "savings": "savings …6789",
		"credit card": ""} {
		f, err := Read("x.ofx", content, kind)
		got := ""
		if len(f.Accounts) > 0 {
			got = f.Accounts[0].Name
		}
		if err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", kind, got, err, want)
		}
	}
}
