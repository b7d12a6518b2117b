package bankfile

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"strings"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// The parts of camt.053 (Bank to Customer Statement of ISO 20022) that are read, in any
// version.
type (
	camtDocument struct {
		Statements []camtStatement `xml:"BkToCstmrStmt>Stmt"`
	}
	camtStatement struct {
		IBAN     string        `xml:"Acct>Id>IBAN"`
		Other    string        `xml:"Acct>Id>Othr>Id"`
		Currency string        `xml:"Acct>Ccy"`
		Name     string        `xml:"Acct>Nm"`
		Kind     string        `xml:"Acct>Tp>Cd"`
		Bank     string        `xml:"Acct>Svcr>FinInstnId>Nm"`
		Balances []camtBalance `xml:"Bal"`
		Entries  []camtEntry   `xml:"Ntry"`
	}
	camtBalance struct {
		Kind   string     `xml:"Tp>CdOrPrtry>Cd"`
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
			Text string `xml:",chardata"` // before version 8
		} `xml:"Sts"`
		Booked    camtDay  `xml:"BookgDt"`
		Valued    camtDay  `xml:"ValDt"`
		Reference string   `xml:"AcctSvcrRef"`
		Info      string   `xml:"AddtlNtryInf"`
		Texts     []string `xml:"NtryDtls>TxDtls>RmtInf>Ustrd"`
		Creditor  string   `xml:"NtryDtls>TxDtls>RltdPties>Cdtr>Nm"`
		Debtor    string   `xml:"NtryDtls>TxDtls>RltdPties>Dbtr>Nm"`
		Creditor8 string   `xml:"NtryDtls>TxDtls>RltdPties>Cdtr>Pty>Nm"` // from version 8
		Debtor8   string   `xml:"NtryDtls>TxDtls>RltdPties>Dbtr>Pty>Nm"`
	}
)

// readCAMT parses camt.053. The decoder resolves only character entities.
func readCAMT(f *File, text string) error {
	var d camtDocument
	decoder := xml.NewDecoder(strings.NewReader(text))
	decoder.CharsetReader = nil
	if err := decoder.Decode(&d); err != nil {
		return errors.New("the camt.053 file is not well-formed XML in UTF-8")
	}
	if len(d.Statements) > maxAccounts {
		return fmt.Errorf("more than %d statements", maxAccounts)
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
	number := clean(cmp.Or(s.IBAN, s.Other))
	a := Account{NoBalance: true}
	a.Type, a.Subtype, a.Number, a.Currency = report.CashEquivalent, report.Checking, number, strings.ToUpper(clean(s.Currency))
	if s.Kind == "SVGS" {
		a.Subtype = report.Savings
	}
	a.Institution = cmp.Or(clean(s.Bank), "Bank")
	a.Name = cmp.Or(clean(s.Name), strings.ToLower(a.Subtype)+endingIn(number))
	for _, kind := range []string{"CLBD", "ITBD"} { // closing, else interim booked
		for _, b := range s.Balances {
			amount, ok := signed(b.Amount.Value, b.Side)
			day, dated := b.Day.parse()
			if b.Kind == kind && ok && dated && (a.NoBalance || day.After(a.BalanceDate.Time)) {
				a.Balance, a.BalanceDate, a.NoBalance = amount, &day, false
				a.Currency = cmp.Or(a.Currency, strings.ToUpper(clean(b.Amount.Currency)))
			}
		}
		if !a.NoBalance {
			break
		}
	}
	foreign, unreadable := 0, 0
	for _, e := range s.Entries {
		a.Currency = cmp.Or(a.Currency, strings.ToUpper(clean(e.Amount.Currency)))
		amount, ok := signed(e.Amount.Value, e.Side)
		day, dated := e.Booked.parse()
		if !dated {
			day, dated = e.Valued.parse()
		}
		pending := strings.TrimSpace(e.Status.Code+e.Status.Text) == "PDNG"
		switch {
		case pending:
			continue
		case !ok || !dated:
			unreadable++
			continue
		case e.Amount.Currency != "" && strings.ToUpper(clean(e.Amount.Currency)) != a.Currency:
			foreign++
			continue
		}
		party := cmp.Or(e.Creditor, e.Creditor8)
		if amount >= 0 {
			party = cmp.Or(e.Debtor, e.Debtor8)
		}
		t := bankdata.Transaction{Posted: day, Amount: amount, Debit: e.Side == "DBIT",
			Merchant: clean(party), Memo: clean(strings.Join(e.Texts, " "))}
		t.Description = cmp.Or(clean(e.Info), t.Merchant, t.Memo, "Transaction")
		if t.Memo == t.Description {
			t.Memo = ""
		}
		if err := a.add(t, fmt.Sprintf("%s %d %s", day, amount, cmp.Or(clean(e.Reference), t.Description))); err != nil {
			return err
		}
	}
	a.Currency = cmp.Or(a.Currency, "USD")
	if unreadable+foreign > 0 {
		f.leaveOut(fmt.Sprintf("%s of %s without an amount or a day, or in another currency than %s, left out",
			count(unreadable+foreign, "transaction"), a.Name, a.Currency))
	}
	for i := range f.Accounts {
		if f.Accounts[i].Number == number && f.Accounts[i].Subtype == a.Subtype && number != "" {
			f.Accounts[i].merge(&a)
			return nil
		}
	}
	f.Accounts = append(f.Accounts, a)
	return nil
}

// signed parses an amount with its side; money out is negative. The side of a reversal
// is that of the reversal itself.
func signed(value, side string) (report.Cents, bool) {
	c, ok := parseAmount(value)
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
	if len(s) < 10 || s[4] != '-' || s[7] != '-' {
		return report.Date{}, false
	}
	return ofxDay(s[:4] + s[5:7] + s[8:10])
}
