package bankfile

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// The parts of camt.053 (Bank to Customer Statement of ISO 20022) and of camt.052 (Account
// Report) that are read, in any version.
type (
	camtDocument struct {
		Statements []camtStatement `xml:"BkToCstmrStmt>Stmt"`
		Reports    []camtStatement `xml:"BkToCstmrAcctRpt>Rpt"` // camt.052
	}
	camtStatement struct {
		IBAN     string        `xml:"Acct>Id>IBAN"`
		Other    string        `xml:"Acct>Id>Othr>Id"`
		Currency string        `xml:"Acct>Ccy"`
		Name     string        `xml:"Acct>Nm"`
		Kind     string        `xml:"Acct>Tp>Cd"`
		OwnKind  string        `xml:"Acct>Tp>Prtry"`
		Bank     string        `xml:"Acct>Svcr>FinInstnId>Nm"`
		Balances []camtBalance `xml:"Bal"`
		Entries  []camtEntry   `xml:"Ntry"`
	}
	camtBalance struct {
		Kind   string     `xml:"Tp>CdOrPrtry>Cd"`
		Own    string     `xml:"Tp>CdOrPrtry>Prtry"`
		Amount camtAmount `xml:"Amt"`
		Side   string     `xml:"CdtDbtInd"`
		Day    camtDay    `xml:"Dt"`
	}
	camtAmount struct {
		Value    string `xml:",chardata"`
		Currency string `xml:"Ccy,attr"`
	}
	camtDay struct {
		Date     string `xml:"Dt"`
		DateTime string `xml:"DtTm"`
	}
	camtEntry struct {
		Amount camtAmount `xml:"Amt"`
		Side   string     `xml:"CdtDbtInd"`
		Status struct {
			Code string `xml:"Cd"`
			Own  string `xml:"Prtry"`
			Text string `xml:",chardata"` // before version 8
		} `xml:"Sts"`
		Booked    camtDay      `xml:"BookgDt"`
		Valued    camtDay      `xml:"ValDt"`
		Reference string       `xml:"AcctSvcrRef"`
		Info      string       `xml:"AddtlNtryInf"`
		Details   []camtDetail `xml:"NtryDtls>TxDtls"`
	}
	camtDetail struct {
		Amount    camtAmount `xml:"Amt"`
		Older     camtAmount `xml:"AmtDtls>TxAmt>Amt"` // before version 3
		Side      string     `xml:"CdtDbtInd"`
		Texts     []string   `xml:"RmtInf>Ustrd"`
		Creditor  []string   `xml:"RltdPties>Cdtr>Nm"`
		Debtor    []string   `xml:"RltdPties>Dbtr>Nm"`
		Creditor8 []string   `xml:"RltdPties>Cdtr>Pty>Nm"` // from version 8
		Debtor8   []string   `xml:"RltdPties>Dbtr>Pty>Nm"`
	}
)

// readCAMT parses camt.053. The decoder resolves only character entities.
func readCAMT(f *File, text string) error {
	var d camtDocument
	decoder := xml.NewDecoder(strings.NewReader(text))
	decoder.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // decode has converted it
	for done := false; !done; {
		token, err := decoder.Token()
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "Document" {
			err = decoder.DecodeElement(&d, &start)
		}
		if done = err == io.EOF; err != nil && !done { // documents may be within an envelope, or follow each other
			return errors.New("the " + f.Format + " file is not well-formed XML in the encoding that it declares")
		}
	}
	if d.Statements = append(d.Statements, d.Reports...); len(d.Statements) > 10*maxAccounts { // each may be of a day
		return fmt.Errorf("more than %d statements", 10*maxAccounts)
	}
	all := 0
	for _, s := range d.Statements {
		if all += len(s.Entries); all > MaxTransactions {
			return fmt.Errorf("more than %d transactions", MaxTransactions)
		}
		if err := f.camt(s); err != nil {
			return err
		}
	}
	return nil
}

// camt adds the account of a statement. It merges several statements of one account.
func (f *File) camt(s camtStatement) error {
	number := strings.Join(strings.Fields(cmp.Or(s.IBAN, s.Other)), "")
	a := Account{NoBalance: true, layout: "camt", guessed: s.Kind != "SVGS" && s.Kind != "CACC"}
	a.Type, a.Subtype, a.Number, a.Currency = report.CashEquivalent, report.Checking, number, strings.ToUpper(clean(s.Currency))
	kind := cmp.Or(map[string]string{"CARD": "credit card", "LOAN": "loan", "SVGS": "savings"}[s.Kind], kindOf(s.OwnKind+" "+s.Name))
	if kind == "savings" {
		a.Subtype = report.Savings
	}
	a.Institution = cmp.Or(clean(s.Bank), "Bank")
	a.Name = cmp.Or(clean(s.Name), strings.ToLower(a.Subtype)+endingIn(number))
	if leftKinds[kind] {
		f.leaveOut(kind + endingIn(number) + " left out: " + onlyAccounts)
		return nil
	}
	opening, err := a.readBalances(s.Balances)
	if err != nil {
		return err
	}
	total := report.Cents(0)
	states := map[string]int{}
	var payments []camtEntry
	for _, e := range s.Entries {
		payments = append(payments, f.payments(e)...)
	}
	for n, e := range payments {
		a.Currency = cmp.Or(a.Currency, strings.ToUpper(clean(e.Amount.Currency)))
		code := cmp.Or(clean(e.Status.Code), clean(e.Status.Own), clean(e.Status.Text), "BOOK")
		state := lookUp("status", code)
		if state == "" {
			f.note(fmt.Sprintf("the unknown status %q is read as booked", code))
		}
		if states[cmp.Or(state, "booked")]++; state != "booked" && state != "" {
			continue
		}
		amount, ok := signed(e.Amount.Value, e.Side)
		day, dated := e.Booked.parse()
		if !dated {
			day, dated = e.Valued.parse()
		}
		if !ok || !dated {
			return fmt.Errorf("entry %d of %s has an amount, a side or a day that cannot be read", n+1, a.Name)
		}
		if e.Amount.Currency != "" && strings.ToUpper(clean(e.Amount.Currency)) != a.Currency {
			states["foreign"]++
			continue
		}
		total += amount
		if err := a.addEntry(e, day, amount); err != nil {
			return err
		}
	}
	a.cover(*cmp.Or(opening.day, new(report.Date)))
	f.leaveOutStates(a.Name, states)
	switch {
	case opening.day == nil || a.balanceKind != "CLBD":
	case opening.cents+total == a.Balance:
		f.note("the entries of " + a.Name + " explain the change of its balance")
		a.opening = &opening.cents
	case states["foreign"] == 0 && len(s.Entries) > 0:
		f.leaveOut(fmt.Sprintf("%s: its entries add up to %s, but its balance changes by %s", a.Name, total, a.Balance-opening.cents))
	}
	return f.addAccount(a)
}

// readBalances sets the balance of an account: the closing one, else the newest interim one. It
// returns the opening balance, else the closing one of the previous statement; without a day if it states neither.
func (a *Account) readBalances(all []camtBalance) (opening statedBalance, err error) {
	for _, kind := range []string{"CLBD", "ITBD", "OPBD", "PRCD"} {
		for _, b := range all {
			in := strings.ToUpper(clean(b.Amount.Currency))
			if strings.ToUpper(clean(cmp.Or(b.Kind, b.Own))) != kind || cmp.Or(in, a.Currency) != cmp.Or(a.Currency, in) {
				continue
			}
			amount, ok := signed(b.Amount.Value, b.Side)
			day, dated := b.Day.parse()
			switch {
			case !ok:
				return opening, fmt.Errorf("a balance of %s cannot be read", a.Name)
			case kind == "OPBD" || kind == "PRCD":
				opening = cmp.Or(opening, statedBalance{amount, &day})
			case dated && (a.NoBalance || a.balanceKind == kind && day.After(a.BalanceDate.Time)):
				a.Balance, a.BalanceDate, a.NoBalance, a.balanceKind = amount, &day, false, kind
				a.Currency = cmp.Or(a.Currency, in)
			}
		}
	}
	return opening, nil
}

// payments returns the payments of an entry, if all have an amount and they add up to it, else the entry.
func (f *File) payments(e camtEntry) (all []camtEntry) {
	rest, _ := signed(e.Amount.Value, e.Side)
	for _, d := range e.Details {
		part := e
		part.Details, part.Info, part.Amount, part.Side = []camtDetail{d}, "", cmp.Or(d.Amount, d.Older), cmp.Or(d.Side, e.Side)
		amount, ok := signed(part.Amount.Value, part.Side)
		if rest -= amount; ok && part.Amount.Currency == e.Amount.Currency {
			all = append(all, part)
		}
	}
	if len(all) < max(2, len(e.Details)) || rest != 0 {
		return []camtEntry{e}
	}
	f.note("entries of several payments are read as these payments")
	return all
}

// addEntry adds the transaction of a booked entry.
func (a *Account) addEntry(e camtEntry, day report.Date, amount report.Cents) error {
	var parties, texts []string
	for _, d := range e.Details {
		if texts = append(texts, d.Texts...); amount >= 0 {
			d.Creditor, d.Creditor8 = d.Debtor, d.Debtor8
		}
		parties = slices.Concat(parties, d.Creditor, d.Creditor8)
	}
	t := bankdata.Transaction{Posted: day, Amount: amount, Debit: strings.TrimSpace(e.Side) == "DBIT",
		Merchant: clean(strings.Join(slices.Compact(parties), ", ")), Memo: clean(strings.Join(texts, " "))}
	t.Description = cmp.Or(clean(e.Info), t.Merchant, t.Memo, "Transaction")
	if t.Memo == t.Description {
		t.Memo = ""
	}
	return a.add(t, fmt.Sprintf("%s %d %s", day, amount, cmp.Or(clean(e.Reference), t.Description)))
}

// signed parses an amount with its side; money out is negative. The side of a reversal
// is that of the reversal itself.
func signed(value, side string) (report.Cents, bool) {
	f, ok := parseFigure(value, '.')
	c := f.cents
	ok = ok && c >= 0 && !f.rounded
	switch strings.TrimSpace(side) {
	case "CRDT":
	case "DBIT":
		c = -c
	default:
		ok = false
	}
	return c, ok
}

func (d camtDay) parse() (report.Date, bool) {
	s := strings.TrimSpace(cmp.Or(d.Date, d.DateTime))
	return ofxDay(s[:min(len(s), 10)]) // without time and zone
}
