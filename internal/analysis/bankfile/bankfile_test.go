package bankfile

import (
	"fmt"
	"strings"
	"testing"

	"vestibule/internal/analysis/bankdata"
)

// show formats a file as one line per account and transaction.
func show(f File) string {
	var b strings.Builder
	fmt.Fprintln(&b, f.Format)
	for _, a := range f.Accounts {
		balance := "no balance"
		if !a.NoBalance {
			balance = fmt.Sprintf("%s at %v", a.Balance, a.BalanceDate)
		}
		fmt.Fprintf(&b, "%s %s %s %s %q %s\n", a.Institution, a.Name, a.Subtype, a.Currency, a.Number, balance)
		for _, t := range a.Transactions {
			fmt.Fprintf(&b, "%s %s %s", t.Posted, t.Amount, t.Description)
			for _, more := range []string{t.Merchant, t.Memo} {
				if more != "" {
					fmt.Fprintf(&b, " | %s", more)
				}
			}
			b.WriteByte('\n')
		}
	}
	for _, l := range f.LeftOut {
		fmt.Fprintln(&b, "left out:", l)
	}
	return b.String()
}

const sgml = `OFXHEADER:100
DATA:OFXSGML
VERSION:102
SECURITY:NONE
ENCODING:USASCII
CHARSET:1252
COMPRESSION:NONE

<OFX>
<SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS><DTSERVER>20261101120000[-5:EST]<LANGUAGE>ENG
<FI><ORG>Kestrel Bank<FID>1234</FI></SONRS></SIGNONMSGSRSV1>
<BANKMSGSRSV1><STMTTRNRS><TRNUID>1<STMTRS><CURDEF>USD
<BANKACCTFROM><BANKID>021000021<ACCTID>000123456789<ACCTTYPE>CHECKING</BANKACCTFROM>
<BANKTRANLIST><DTSTART>20260101<DTEND>20261101
<STMTTRN><TRNTYPE>DIRECTDEP<DTPOSTED>20261030120000[-5:EST]<TRNAMT>2100.00<FITID>1<NAME>NORTHWIND LLC PAYROLL
<MEMO>NORTHWIND LLC PAYROLL PPD ID: 99
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261031<TRNAMT>-45.5<FITID>2<NAME>SMITH &amp; SONS
<BANKACCTTO><ACCTID>777</BANKACCTTO><MEMO>caf` + "\xe9" + `
</STMTTRN>
<STMTTRN><TRNTYPE>CHECK<DTPOSTED>20261031<TRNAMT>-10<FITID>3<CHECKNUM>102</STMTTRN>
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261031<TRNAMT>-9<FITID>4<NAME>Hotel<CURRENCY><CURRATE>1.1<CURSYM>EUR</CURRENCY></STMTTRN>
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261031<TRNAMT><FITID>5<NAME>Later</STMTTRN>
</BANKTRANLIST>
<LEDGERBAL><BALAMT>5244.23<DTASOF>20261101120000</LEDGERBAL><AVAILBAL><BALAMT>1.00<DTASOF>20261102</AVAILBAL>
</STMTRS></STMTTRNRS></BANKMSGSRSV1>
<CREDITCARDMSGSRSV1><CCSTMTTRNRS><CCSTMTRS><CURDEF>USD<CCACCTFROM><ACCTID>4111111111111111</CCACCTFROM>
<BANKTRANLIST><STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261031<TRNAMT>-1<FITID>9<NAME>X</STMTTRN></BANKTRANLIST>
</CCSTMTRS></CCSTMTTRNRS></CREDITCARDMSGSRSV1>
</OFX>`

// sgmlRead is how sgml is read.
const sgmlRead = `OFX
Kestrel Bank checking …6789 CHECKING USD "000123456789" 5244.23 at 2026-11-01
2026-10-30 2100.00 NORTHWIND LLC PAYROLL PPD ID: 99
2026-10-31 -45.50 SMITH & SONS | café
2026-10-31 -10.00 Check 102
left out: 1 transaction of checking …6789 in another currency than the account left out
left out: 1 transaction of checking …6789 without an amount left out
left out: credit card …1111 left out: a cashflow report is made of checking and savings accounts
`

const xmlOFX = `<?xml version="1.0" encoding="UTF-8" standalone="no"?><?OFX OFXHEADER="200" VERSION="211"?>
<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD</CURDEF>
<BANKACCTFROM><BANKID>1</BANKID><ACCTID>55</ACCTID><ACCTTYPE>MONEYMRKT</ACCTTYPE></BANKACCTFROM>
<BANKTRANLIST>
  <STMTTRN><TRNTYPE>INT</TRNTYPE><DTPOSTED>20260131</DTPOSTED><TRNAMT>+1.20</TRNAMT><FITID>a</FITID></STMTTRN>
  <STMTTRN><TRNTYPE>XFER</TRNTYPE><DTPOSTED>20260130</DTPOSTED><TRNAMT>-1,000.00</TRNAMT><FITID>b</FITID>
  <PAYEE><NAME>Ada</NAME><CITY>X</CITY></PAYEE></STMTTRN>
</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`

const camt = `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt>
<Acct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy><Svcr><FinInstnId><Nm>Musterbank</Nm></FinInstnId></Svcr></Acct>
<Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">100.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-10-01</Dt></Dt></Bal>
<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">50.50</Amt><CdtDbtInd>DBIT</CdtDbtInd><Dt><Dt>2026-10-31</Dt></Dt></Bal>
<Ntry><Amt Ccy="EUR">200.50</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-10-05</Dt></BookgDt>
<NtryDtls><TxDtls><RltdPties><Cdtr><Pty><Nm>Stadtwerke</Nm></Pty></Cdtr></RltdPties>
<RmtInf><Ustrd>Strom Oktober</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>
<Ntry><Amt Ccy="EUR">50.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><DtTm>2026-10-06T10:00:00</DtTm></BookgDt>
<AddtlNtryInf>Gehalt</AddtlNtryInf></Ntry>
<Ntry><Amt Ccy="EUR">9.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>PDNG</Cd></Sts><BookgDt><Dt>2026-10-31</Dt></BookgDt></Ntry>
</Stmt></BkToCstmrStmt></Document>`

// statements are files and how they are read, as show formats them.
var statements = map[string]struct{ file, content, want string }{
	"OFX 1 without end tags":                            {"a/stmt.qfx", sgml, sgmlRead},
	"OFX 1 without the end tag of the last transaction": {"x.ofx", strings.Replace(sgml, "Later</STMTTRN>", "Later", 1), sgmlRead},
	"OFX 2 in XML": {"x.ofx", xmlOFX, `OFX
Bank savings SAVINGS USD "55" no balance
2026-01-31 1.20 Interest
2026-01-30 -1000.00 Ada
`},
	"camt.053": {"x.xml", camt, `camt.053
Musterbank checking …3000 CHECKING EUR "DE89370400440532013000" -50.50 at 2026-10-31
2026-10-05 -200.50 Stadtwerke | Stadtwerke | Strom Oktober
2026-10-06 50.00 Gehalt
left out: 1 pending transaction of checking …3000 left out
`},
	"signed amounts, newest first, with a balance": {"Chase1234.csv",
		"Details,Posting Date,Description,Amount,Type,Balance,Check or Slip #\n" +
			"DEBIT,10/31/2026,\"SHOP, THE\",-20.00,DEBIT_CARD,,\n" +
			"DEBIT,10/31/2026,RENT,-900.00,ACH_DEBIT,1100.00,\n" +
			"CREDIT,10/30/2026,PAYROLL,1500.00,ACH_CREDIT,2000.00,\n", `CSV
Chase1234 checking CHECKING USD "" 1080.00 at 2026-10-31
2026-10-30 1500.00 PAYROLL
2026-10-31 -900.00 RENT
2026-10-31 -20.00 SHOP, THE
`},
	"a summary before the header": {"stmt.csv",
		"Description,,Summary Amt.\nBeginning balance as of 10/01/2026,,\"100.00\"\nTotal credits,,\"5.00\"\n\n" +
			"Date,Description,Amount,Running Bal.\n10/01/2026,Beginning balance as of 10/01/2026,,\"100.00\"\n" +
			"10/02/2026,\"INTEREST\",\"5.00\",\"105.00\"\n10/03/2026,\"ATM\",\"-1,005.00\",\"-900.00\"\n", `CSV
stmt checking CHECKING USD "" -900.00 at 2026-10-03
2026-10-02 5.00 INTEREST
2026-10-03 -1005.00 ATM
`},
	"no header": {"wells.csv",
		"\"10/31/2026\",\"-12.00\",\"*\",\"\",\"COFFEE\"\n\"10/29/2026\",\"40.00\",\"*\",\"\",\"MOBILE DEPOSIT\"\n", `CSV
wells checking CHECKING USD "" no balance
2026-10-29 40.00 MOBILE DEPOSIT
2026-10-31 -12.00 COFFEE
`},
	"debits and credits apart, several accounts": {"all.csv",
		"Account Number,Account Type,Transaction Date,Description,Debit,Credit,Balance\n" +
			"11112222,360 Savings,2026-10-31,Interest,,0.50,10.50\n" +
			"99998888,Checking,2026-10-31,Coffee,3.10,,96.90\n99998888,Checking,2026-10-30,Deposit,,100.00,100.00\n", `CSV
all savings …2222 SAVINGS USD "11112222" 10.50 at 2026-10-31
2026-10-31 0.50 Interest
all checking …8888 CHECKING USD "99998888" 96.90 at 2026-10-31
2026-10-30 100.00 Deposit
2026-10-31 -3.10 Coffee
`},
	"words for debit and credit": {"x.csv",
		"Account Number,Transaction Description,Transaction Date,Transaction Type,Transaction Amount,Balance\n" +
			"1,Deposit from Work,10/31/26,Credit,10.00,15.00\n1,Withdrawal to Shop,10/30/26,Debit,5.00,5.00\n", `CSV
x checking CHECKING USD "1" 15.00 at 2026-10-31
2026-10-30 -5.00 Withdrawal to Shop
2026-10-31 10.00 Deposit from Work
`},
	"the direction follows from the balance": {"x.csv",
		"Date,Description,Amount,Balance\n2026-10-01,Open,5.00,5.00\n2026-10-02,A,2.00,3.00\n2026-10-03,B,4.00,7.00\n", `CSV
x checking CHECKING USD "" 7.00 at 2026-10-03
2026-10-01 5.00 Open
2026-10-02 -2.00 A
2026-10-03 4.00 B
`},
	"day first, semicolons and commas": {"konto.csv", "Booking Date;Payee;Amount;Currency;Balance\n" +
		"31.10.2026;Miete;-1.200,50;EUR;99,50\n03.10.2026;Lohn;1.300,00;EUR;1.300,00\n", `CSV
konto checking CHECKING EUR "" 99.50 at 2026-10-31
2026-10-03 1300.00 Lohn
2026-10-31 -1200.50 Miete
`},
	"the order of lines distinguishes day and month": {"x.csv", "Date,Description,Amount\n" +
		"01/02/2026,A,-1\n02/01/2026,B,-1\n03/01/2026,C,-1\n", `CSV
x checking CHECKING USD "" no balance
2026-01-02 -1.00 A
2026-02-01 -1.00 B
2026-03-01 -1.00 C
`},
	"pending lines": {"x.csv", "Date,Status,Description,Amount,Balance\n2026-10-02,Pending,A,-1.00,\n2026-10-01,Posted,B,5.00,5.00\n", `CSV
x checking CHECKING USD "" 5.00 at 2026-10-01
2026-10-01 5.00 B
left out: 1 pending transaction left out, from line 2 on
`},
	"a credit card": {"card.csv", "Transaction Date,Post Date,Description,Category,Type,Amount,Memo\n" +
		"10/01/2026,10/02/2026,SHOP,Shopping,Sale,-5.00,\n", `CSV
left out: credit card left out with 1 line: a cashflow report is made of checking and savings accounts
`},
}

func TestRead(t *testing.T) {
	for name, c := range statements {
		t.Run(name, func(t *testing.T) {
			f, err := Read(c.file, []byte(c.content), "")
			if err != nil {
				t.Fatal(err)
			}
			if got := show(f); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestRefusedFiles(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"a PDF":                {"%PDF-1.4", "a PDF file is not read: export"},
		"a web page":           {"<html><body>", "a web page is not read"},
		"QIF":                  {"!Type:Bank\nD01/02/2026\nT-1.00\n^\n", "a QIF file is not read: export OFX, camt.053 or CSV"},
		"QIF of Quicken":       {"!Option:AutoSwitch\n!Account\nNChecking\n^\n!Type:Bank\n", "a QIF file is not read"},
		"QIF after a line":     {"\n!type:bank \nD1/2'26\nT1,000.00\n^\n", "a QIF file is not read"},
		"MT940":                {":20:STMT\n:25:123456\n:28C:1/1\n:60F:C260101USD10,00\n:61:2601020102D1,00NTRF\n", "an MT940 file is not read"},
		"MT940 in an envelope": {"{1:F01BANKUS33}{2:I940BANK}{4:\r\n:20:STMT\r\n:25:1\r\n:60M:C260101USD10,00\r\n", "an MT940 file is not read"},
		"MT942":                {":20:STMT\n:25:123456\n:28C:1/1\n:34F:USD0,\n:13D:2601021200+0100\n", "an MT942 file is not read"},
		"BAI2":                 {"01,021000021,CUST,260102,0600,1,80,,2/\n02,CUST,021000021,1,260101,,USD,2/\n", "a BAI2 file is not read"},
		"a spreadsheet":        {"PK\x03\x04abc", "a spreadsheet or archive is not read: export"},
		"an old spreadsheet":   {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "a spreadsheet or archive is not read"},
		"text":                 {"Dear bank", "not a statement"},
		"empty":                {"", "not a statement"},
		"OFX without accounts": {"<OFX></OFX>", "no account"},
		"OFX cut within a tag": {"<OFX><STMTRS", "within a tag"},
		"XML with an entity":   {`<!DOCTYPE d [<!ENTITY x "y">]><Document xmlns="camt.053"><BkToCstmrStmt>&x;`, "well-formed"},
		"unknown columns":      {"a,b,c\n1,2,3\n", "names the columns"},
		"no sign":              {"Date,Description,Amount\n2026-01-01,A,5\n2026-01-02,B,6\n", "money out"},
		"invalid dates":        {"Date,Amount\nsoon,1\n", "no day"},
		"invalid lines":        {"Date,Amount\n2026-01-01,1\n2026-01-01,-1\n,\nx,x\ny,y\nz,z\nw,w\n", "4 of 6 lines"},
		"too large":            {strings.Repeat("x", MaxBytes+1), "larger than"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Read("x", []byte(c.content), ""); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestParseAmount(t *testing.T) {
	for s, want := range map[string]int64{"5": 500, "0.5": 50, ".5": 50, "-1,234.56": -123456, "(12.00)": -1200, "12.00-": -1200, "+3": 300,
		"$1,000": 100000, "1.234,56": 123456, "1.234.567,8": 123456780, "1 234,5": 123450, "USD 7.10": 710, "-$2.50": -250, "$-2.50": -250,
		"1,5": 150, "12.5000": 1250, "1'000.00": 100000, "\u22125": -500} {
		if c, ok := parseFigure(s, 0); !ok || int64(c.cents) != want {
			t.Errorf("%q = %v, %v, want %d cents", s, c, ok, want)
		}
	}
	for _, s := range []string{"", "-", "x", "1.234", "12.500", "--5", "(5", "1,23,4.5", "1e5", "5 apples", "99999999999999", "NaN", "()"} {
		if c, ok := parseFigure(s, 0); ok {
			t.Errorf("%q = %v, want none", s, c)
		}
	}
}

// TestCombine combines overlapping files of one account.
func TestCombine(t *testing.T) {
	read := func(name, content string) File {
		f, err := Read(name, []byte(content), "")
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	const head = "Account Number,Date,Description,Amount,Balance\n"
	older := read("older.csv", head+"12345,2026-09-30,A,-1.00,9.00\n12345,2026-10-01,B,-1.00,8.00\n12345,2026-10-01,B,-1.00,7.00\n")
	newer := read("newer.csv", head+"12345,2026-10-01,B,-1.00,8.00\n12345,2026-10-01,B,-1.00,7.00\n12345,2026-10-02,C,2.00,9.00\n")
	data, asOf, _, err := Combine([]File{newer, older})
	if err != nil {
		t.Fatal(err)
	}
	if len(data.Connections) != 1 || len(data.Connections[0].Accounts) != 1 || asOf.String() != "2026-10-02" {
		t.Fatalf("%+v as of %s", data, asOf)
	}
	a := data.Connections[0].Accounts[0]
	if len(a.Transactions) != 4 || a.Balance != 900 || a.BalanceDate.String() != "2026-10-02" {
		t.Errorf("%+v", a)
	}
	ids := map[string]bool{}
	for _, x := range a.Transactions {
		ids[x.ID] = true
	}
	if len(ids) != 4 {
		t.Errorf("ids %v, want one each", ids)
	}
	again, _, _, err := Combine([]File{newer, older})
	if err != nil || again.Connections[0].Accounts[0].ID != a.ID {
		t.Errorf("other ids the second time, %v", err)
	}
	if _, _, _, err := Combine([]File{read("x.csv", "Date,Description,Amount\n2026-01-01,A,-1\n")}); err == nil {
		t.Error("an account without a balance was combined")
	}
	if l := bankdata.Read(data, asOf); l == nil {
		t.Error("no ledger")
	}
}

// FuzzRead checks that no file causes a panic or values out of bounds.
func FuzzRead(f *testing.F) {
	for _, s := range []string{sgml, xmlOFX, camt,
		"Date,Description,Amount,Balance\n2026-10-01,Open,5.00,5.00\n", "\"10/31/2026\",\"-1\",\"x\"\n",
		"Date;Type;Debit;Credit;Status\n1/2/26;\"a\"b\";1.200;;x\n1/2/26;;,5;(1);x;y\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		file, err := Read("fuzz", content, "")
		if err != nil {
			return
		}
		for _, a := range file.Accounts {
			if len(a.keys) != len(a.Transactions) {
				t.Fatal("transactions without a key")
			}
			for _, x := range a.Transactions {
				if x.Posted.Year() < 1950 || x.Posted.Year() > 2099 || max(x.Amount, -x.Amount) > maxCents || x.Description == "" {
					t.Fatalf("%+v", x)
				}
			}
		}
		Combine([]File{file, file})
	})
}
