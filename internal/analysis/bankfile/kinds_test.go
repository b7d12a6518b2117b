package bankfile

import (
	"strings"
	"testing"
	"unicode/utf16"
)

// utf16le encodes a text as spreadsheets save it.
func utf16le(s string) string {
	b := []byte{0xFF, 0xFE}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

// TestKindsOfExports reads the forms in which banks and tools export. want has a line per
// account as summary formats it, "left" per part that is left out, or "refused: " and a part
// of the error. note must be among the notes.
func TestKindsOfExports(t *testing.T) {
	const a100, b40 = "2 transactions, in 10000, out -4000, balance ", "1 transactions, in 0, out -4000, balance "
	for name, c := range map[string]struct{ file, content, want, note string }{
		"Bank of America": {"stmt.csv", "Description,,Summary Amt.\nBeginning balance as of 03/01/2026,,\"1,000.00\"\nTotal credits,,\"100.00\"\n" +
			"Total debits,,\"-40.00\"\nEnding balance as of 03/31/2026,,\"1,060.00\"\n\nDate,Description,Amount,Running Bal.\n" +
			"03/01/2026,Beginning balance as of 03/01/2026,,\"1,000.00\"\n03/02/2026,\"PAYROLL\",\"100.00\",\"1,100.00\"\n" +
			"03/03/2026,\"SHOP\",\"-40.00\",\"1,060.00\"\n", a100 + "106000", "the balance agrees"},
		"Wells Fargo without header": {"Checking1.csv", "\"03/03/2026\",\"-40.00\",\"*\",\"\",\"SHOP\"\n\"03/02/2026\",\"100.00\",\"*\",\"\",\"PAYROLL\"\n",
			a100 + "none", ""},
		"Wells Fargo card": {"CreditCard3.csv", "\"03/03/2026\",\"-40.00\",\"*\",\"\",\"SHOP\"\n\"03/02/2026\",\"100.00\",\"*\",\"\",\"AUTOMATIC PAYMENT - THANK YOU\"\n",
			"left", ""},
		"TD Canada without header": {"x.csv", "03/02/2026,PAYROLL,,100.00,1100.00\n03/03/2026,SHOP,40.00,,1060.00\n", a100 + "106000", ""},
		"CommBank without header": {"x.csv", "03/03/2026,\"-40.00\",\"SHOP SYDNEY\",\"+1060.00\"\n02/03/2026,\"+100.00\",\"Salary\",\"+1100.00\"\n",
			a100 + "106000", "day/month/year"},
		"Scotiabank without header": {"x.csv", "3/3/2026,-40.00,-,\"Point of sale\",\"SHOP\"\n3/2/2026,100.00,-,\"Payroll dep.\",\"ACME\"\n", a100 + "none", ""},
		"USAA without header":       {"x.csv", "posted,,03/03/2026,,SHOP,Groceries,-40.00\nposted,,03/02/2026,,PAYROLL,Income,100.00\n", a100 + "none", ""},
		"Chase with a comma at each end": {"Chase.csv", "Details,Posting Date,Description,Amount,Type,Balance,Check or Slip #\n" +
			"DEBIT,03/03/2026,\"SHOP\",-40.00,DEBIT_CARD,1060.00,,\nCREDIT,03/02/2026,\"PAYROLL\",100.00,ACH_CREDIT,1100.00,,\n", a100 + "106000", ""},
		"Capital One card": {"x.csv", "Transaction Date,Posted Date,Card No.,Description,Category,Debit,Credit\n2026-03-02,2026-03-03,1234,SHOP,Food,40.00,\n" +
			"2026-03-02,2026-03-03,1234,CAPITAL ONE MOBILE PYMT,Payment/Credit,,40.00\n", "left", ""},
		"Apple Card": {"x.csv", "Transaction Date,Clearing Date,Description,Merchant,Category,Type,Amount (USD),Purchased By\n" +
			"03/02/2026,03/03/2026,SHOP,Shop,Grocery,Purchase,40.00,Ana\n03/02/2026,03/03/2026,ACH DEPOSIT,Payment,Payment,Payment,-40.00,Ana\n", "left", ""},
		"American Express": {"activity.csv", "Date,Description,Amount\n03/02/2026,SHOP,40.00\n03/03/2026,CAFE,4.00\n03/12/2026,AUTOPAY PAYMENT - THANK YOU,-44.00\n",
			"left", ""},
		"a store card with a balance": {"x.csv", "Date,Description,Amount,Balance\n03/02/2026,SHOES,40.00,40.00\n03/03/2026,BELT,4.00,44.00\n" +
			"03/12/2026,PAYMENT - THANK YOU,-44.00,0.00\n", "left", ""},
		"freelance income is no payment to a card": {"x.csv", "Date,Description,Amount,Balance\n03/02/2026,PAYMENT RECEIVED ACME LTD,100.00,1100.00\n" +
			"03/03/2026,SHOP,-40.00,1060.00\n", a100 + "106000", ""},
		"Ally": {"transactions.csv", "Date, Time, Amount, Type, Description\n2026-03-03, 10:00:00, -40.00, Withdrawal, SHOP\n" +
			"2026-03-02, 10:00:00, 100.00, Deposit, PAYROLL\n", a100 + "none", ""},
		"USAA": {"bk_download.csv", "Date,Description,Original Description,Category,Amount,Status\n2026-03-04,Cafe,CAFE,Food,-5.00,Pending\n" +
			"2026-03-03,Shop,SHOP,Food,-40.00,Posted\n2026-03-02,Payroll,ACME PAYROLL,Income,100.00,Posted\n", a100 + "none\nleft", ""},
		"Navy Federal": {"x.csv", "Posting Date,Transaction Date,Amount,Credit Debit Indicator,type,Type Group,Reference,Instructed Currency," +
			"Currency Exchange Rate,Instructed Amount,Description,Category,Check Serial Number,Card Ending\n" +
			"03/03/2026,03/02/2026,40.00,Debit,Debit Card,Debit,,,,,SHOP,Food,,1234\n03/02/2026,03/02/2026,100.00,Credit,ACH,Credit,,,,,ACME,Pay,,\n",
			a100 + "none", "signed by the column"},
		"U.S. Bank": {"x.csv", "\"Date\",\"Transaction\",\"Name\",\"Memo\",\"Amount\"\n\"2026-03-03\",\"DEBIT\",\"SHOP\",\"Download from usbank.com.\",\"-40.00\"\n" +
			"\"2026-03-02\",\"CREDIT\",\"ACME\",\"Download from usbank.com.\",\"100.00\"\n", a100 + "none", ""},
		"PNC": {"x.csv", "Transaction Date,Transaction Description,Amount,Category,Balance\n\"03/03/2026\",SHOP,\"- $40\",Food,\"$1,060.00\"\n" +
			"\"03/02/2026\",ACME,\"+ $100\",Pay,\"$1,100.00\"\n", a100 + "106000", ""},
		"Schwab with sections": {"x.csv", "\"Transactions  for Checking account XXXX-1234 as of 03/31/2026\"\n" +
			"\"Date\",\"Type\",\"Check #\",\"Description\",\"Withdrawal (-)\",\"Deposit (+)\",\"RunningBalance\"\n\"Pending Transactions\"\n" +
			"\"03/04/2026\",\"VISA\",,\"CAFE\",\"$5.00\",,\n\"Posted Transactions\"\n\"03/03/2026\",\"VISA\",,\"SHOP\",\"$40.00\",,\"$1,060.00\"\n" +
			"\"03/02/2026\",\"ACH\",,\"ACME\",,\"$100.00\",\"$1,100.00\"\n", a100 + "106000\nleft", ""},
		"PayPal": {"Download.CSV", "\ufeff\"Date\",\"Time\",\"TimeZone\",\"Name\",\"Type\",\"Status\",\"Currency\",\"Gross\",\"Fee\",\"Net\",\"Transaction ID\",\"Balance\"\n" +
			"\"03/02/2026\",\"10:00:00\",\"PST\",\"Acme\",\"General Payment\",\"Completed\",\"USD\",\"103.00\",\"-3.00\",\"100.00\",\"A1\",\"1,100.00\"\n" +
			"\"03/03/2026\",\"10:00:00\",\"PST\",\"Shop\",\"Express Checkout Payment\",\"Completed\",\"USD\",\"-40.00\",\"0.00\",\"-40.00\",\"A2\",\"1,060.00\"\n" +
			"\"03/04/2026\",\"10:00:00\",\"PST\",\"Shop\",\"General Authorization\",\"Pending\",\"USD\",\"-9.00\",\"0.00\",\"-9.00\",\"A3\",\"1,060.00\"\n" +
			"\"03/04/2026\",\"10:00:00\",\"PST\",\"Shop\",\"Express Checkout Payment\",\"Denied\",\"USD\",\"-9.00\",\"0.00\",\"-9.00\",\"A4\",\"1,060.00\"\n",
			a100 + "106000\nleft\nleft", ""},
		"Venmo": {"venmo.csv", "Account Statement - (@ana),,,,,,,,,,\nAccount Activity,,,,,,,,,,\n" +
			",ID,Datetime,Type,Status,Note,From,To,Amount (total),Amount (fee),Funding Source,Destination,Beginning Balance,Ending Balance\n" +
			",,,,,,,,,,,,$1000.00,\n,\"1\",2026-03-02T10:00:00,Payment,Complete,Rent,Bo,Ana,+ $100.00,,,Venmo balance,,\n" +
			",\"2\",2026-03-03T10:00:00,Payment,Complete,Food,Ana,Bo,- $40.00,,Venmo balance,,,\n,,,,,,,,,,,,,$1060.00\n", a100 + "106000", ""},
		"Cash App": {"cash_app_report.csv", "\"Transaction ID\",\"Date\",\"Transaction Type\",\"Currency\",\"Amount\",\"Fee\",\"Net Amount\",\"Status\",\"Notes\",\"Name of sender/receiver\"\n" +
			"\"a\",\"2026-03-03 10:00:00 EST\",\"Sent P2P\",\"USD\",\"-$40.00\",\"$0\",\"-$40.00\",\"PAYMENT SENT\",\"food\",\"Bo\"\n" +
			"\"b\",\"2026-03-02 10:00:00 EST\",\"Received P2P\",\"USD\",\"$103.00\",\"-$3.00\",\"$100.00\",\"PAYMENT DEPOSITED\",\"\",\"Acme\"\n", a100 + "none", ""},
		"Wise": {"statement.csv", "\"TransferWise ID\",Date,Amount,Currency,Description,\"Payment Reference\",\"Running Balance\"\n" +
			"T-1,03-03-2026,-40.00,EUR,Shop,,1060.00\nT-2,02-03-2026,100.00,EUR,Acme,,1100.00\n", a100 + "106000", "day/month/year"},
		"N26": {"n26.csv", "\"Date\",\"Payee\",\"Account number\",\"Transaction type\",\"Payment reference\",\"Amount (EUR)\",\"Amount (Foreign Currency)\",\"Type Foreign Currency\"\n" +
			"\"2026-03-02\",\"Acme\",\"DE11\",\"Income\",\"Lohn\",\"100.0\",\"\",\"\"\n\"2026-03-03\",\"Shop\",\"\",\"MasterCard Payment\",\"\",\"-40.0\",\"-40.0\",\"EUR\"\n",
			a100 + "none", "other party's account"},
		"Revolut with fees and products": {"x.csv", "Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance\n" +
			"TOPUP,Current,2026-03-02 10:00:00,2026-03-02 10:00:01,Acme,100.00,0.00,USD,COMPLETED,1100.00\n" +
			"TRANSFER,Savings,2026-03-02 11:00:00,2026-03-02 11:00:00,To pocket,5.00,0.00,USD,COMPLETED,5.00\n" +
			"TRANSFER,Savings,2026-03-04 11:00:00,2026-03-04 11:00:00,To pocket,5.00,0.00,USD,COMPLETED,10.00\n" +
			"ATM,Current,2026-03-03 10:00:00,2026-03-03 10:00:01,Cash,-39.00,1.00,USD,COMPLETED,1060.00\n",
			a100 + "106000\n2 transactions, in 1000, out 0, balance 1000", "fees are subtracted"},
		"Monzo": {"x.csv", "Transaction ID,Date,Time,Type,Name,Emoji,Category,Amount,Currency,Local amount,Local currency,Notes and #tags,Address,Receipt,Description,Category split,Money Out,Money In\n" +
			"tx1,02/03/2026,10:00:00,Faster payment,Acme,,Income,100.00,GBP,100.00,GBP,,,,ACME,,,100.00\n" +
			"tx2,03/03/2026,10:00:00,Card payment,Shop,,Food,-40.00,GBP,-40.00,GBP,,\"1 High St\",,SHOP,,-40.00,\n", a100 + "none", "day/month/year"},
		"ING Netherlands": {"NL.csv", "\"Datum\";\"Naam / Omschrijving\";\"Rekening\";\"Tegenrekening\";\"Code\";\"Af Bij\";\"Bedrag (EUR)\";\"Mutatiesoort\";\"Mededelingen\";\"Saldo na mutatie\"\n" +
			"\"20260303\";\"Winkel\";\"NL01INGB0001\";\"\";\"BA\";\"Af\";\"40,00\";\"Betaalautomaat\";\"x\";\"1060,00\"\n" +
			"\"20260302\";\"Acme\";\"NL01INGB0001\";\"NL99\";\"GT\";\"Bij\";\"100,00\";\"Online bankieren\";\"y\";\"1100,00\"\n", a100 + "106000", ""},
		"ING Germany": {"x.csv", "Umsatzanzeige;Datei erstellt am: 31.03.2026 10:00\n;Letztes Update: aktuell\n\nIBAN;DE12 3456\nKontoname;Girokonto\nBank;ING\nSaldo;1.060,00;EUR\n\n" +
			"Buchung;Valuta;Auftraggeber/Empfänger;Buchungstext;Verwendungszweck;Saldo;Währung;Betrag;Währung\n" +
			"03.03.2026;03.03.2026;Laden;Lastschrift;Einkauf;1.060,00;EUR;-40,00;EUR\n02.03.2026;02.03.2026;Acme;Gehalt;Lohn;1.100,00;EUR;100,00;EUR\n",
			a100 + "106000", ""},
		"Sparkasse": {"x.csv", "\"Auftragskonto\";\"Buchungstag\";\"Valutadatum\";\"Buchungstext\";\"Verwendungszweck\";\"Beguenstigter/Zahlungspflichtiger\";\"Kontonummer/IBAN\";\"BIC (SWIFT-Code)\";\"Betrag\";\"Waehrung\";\"Info\"\n" +
			"\"DE01\";\"04.03.26\";\"04.03.26\";\"KARTENZAHLUNG\";\"x\";\"Caf\xe9\";\"DE77\";\"X\";\"-5,00\";\"EUR\";\"Umsatz vorgemerkt\"\n" +
			"\"DE01\";\"03.03.26\";\"03.03.26\";\"KARTENZAHLUNG\";\"x\";\"Laden\";\"DE77\";\"X\";\"-40,00\";\"EUR\";\"Umsatz gebucht\"\n" +
			"\"DE01\";\"02.03.26\";\"02.03.26\";\"LOHN\";\"x\";\"Acme\";\"DE88\";\"X\";\"100,00\";\"EUR\";\"Umsatz gebucht\"\n", a100 + "none\nleft", ""},
		"DKB": {"x.csv", "\"Girokonto\";\"DE0123\"\n\"\"\n\"Kontostand vom 31.03.2026:\";\"1.060,00 €\"\n\"\"\n" +
			"\"Buchungsdatum\";\"Wertstellung\";\"Status\";\"Zahlungspflichtige*r\";\"Zahlungsempfänger*in\";\"Verwendungszweck\";\"Umsatztyp\";\"IBAN\";\"Betrag (€)\"\n" +
			"\"03.03.26\";\"03.03.26\";\"Gebucht\";\"Ana\";\"Laden\";\"x\";\"Ausgang\";\"DE77\";\"-40,00\"\n" +
			"\"02.03.26\";\"02.03.26\";\"Gebucht\";\"Acme\";\"Ana\";\"Lohn\";\"Eingang\";\"DE88\";\"100,00\"\n" +
			"\"02.03.26\";\"02.03.26\";\"Gebucht\";\"Acme\";\"Ana\";\"Lohn\";\"Eingang\";\"\";\"0,00\"\n",
			"3 transactions, in 10000, out -4000, balance 106000", "line outside of the table"},
		"Santander": {"x.csv", "CUENTA;ES12 3456\nSaldo:;1.060,00 EUR\n\nFECHA OPERACIÓN;FECHA VALOR;CONCEPTO;IMPORTE EUR;SALDO\n" +
			"03/03/2026;03/03/2026;TIENDA;−40,00;1.060,00\n02/03/2026;02/03/2026;NOMINA;100,00;1.100,00\n", a100 + "106000", "day/month/year"},
		"BBVA": {"x.csv", "F.Valor;Fecha;Concepto;Movimiento;Importe;Divisa;Disponible;Divisa;Observaciones\n" +
			"03/03/2026;03/03/2026;Tienda;Pago con tarjeta;-40,00;EUR;1060,00;EUR;x\n02/03/2026;02/03/2026;Acme;Nómina;100,00;EUR;1100,00;EUR;y\n",
			a100 + "106000", ""},
		"Nationwide": {"x.csv", "\"Account Name:\",\"FlexAccount ****1234\"\n\"Account Balance:\",\"£1,060.00\"\n\"Available Balance: \",\"£2,060.00\"\n\n" +
			"\"Date\",\"Transaction type\",\"Description\",\"Paid out\",\"Paid in\",\"Balance\"\n\"03 Mar 2026\",\"Visa purchase\",\"SHOP\",\"£40.00\",\"\",\"£1060.00\"\n" +
			"\"02 Mar 2026\",\"Bank credit\",\"ACME\",\"\",\"£100.00\",\"£1100.00\"\n", a100 + "106000", ""},
		"YNAB": {"x.csv", "\"Account\",\"Flag\",\"Date\",\"Payee\",\"Category Group/Category\",\"Category Group\",\"Category\",\"Memo\",\"Outflow\",\"Inflow\",\"Cleared\"\n" +
			"\"Checking\",\"\",\"03/03/2026\",\"Shop\",\"A\",\"B\",\"C\",\"\",$40.00,$0.00,\"Cleared\"\n" +
			"\"Checking\",\"\",\"03/02/2026\",\"Acme\",\"A\",\"B\",\"C\",\"\",$0.00,$100.00,\"Reconciled\"\n" +
			"\"Visa Card\",\"\",\"03/02/2026\",\"Shop\",\"A\",\"B\",\"C\",\"\",$7.00,$0.00,\"Cleared\"\n", a100 + "none\nleft", ""},
		"a budget tool with two accounts": {"x.csv", "Date,Merchant,Category,Account,Original Statement,Notes,Amount,Tags\n2026-03-03,Shop,Food,Main Checking (...11),SHOP,,-40.00,\n" +
			"2026-03-02,Acme,Pay,Main Checking (...11),ACME,,100.00,\n2026-03-03,Bank,Interest,High Yield Savings (...22),INT,,1.00,\n",
			a100 + "none\n1 transactions, in 100, out 0, balance none", ""},
		"Barclays": {"x.csv", "Number,Date,Account,Amount,Subcategory,Memo\n,03/03/2026,20-00-00 12345678,-40.00,Debit,SHOP\n,02/03/2026,20-00-00 12345678,100.00,Counter Credit,ACME\n",
			a100 + "none", ""},
		"NatWest": {"x.csv", "Date, Type, Description, Value, Balance, Account Name, Account Number\n03/03/2026,POS,\"'SHOP\",-40.00,1060.00,\"'ANA\",\"'600000-12345678\"\n" +
			"02/03/2026,BAC,\"'ACME\",100.00,1100.00,\"'ANA\",\"'600000-12345678\"\n", a100 + "106000", ""},
		"CaixaBank": {"x.csv", "Fecha;Fecha valor;Movimiento;Más datos;Importe;Saldo\n03/03/2026;03/03/2026;TIENDA;x;-40,00EUR;1.060,00EUR\n" +
			"02/03/2026;02/03/2026;NOMINA;y;100,00EUR;1.100,00EUR\n", a100 + "106000", ""},
		"Coinbase": {"x.csv", "Timestamp,Transaction Type,Asset,Quantity Transacted,Spot Price Currency,Subtotal,Total,Notes,Amount\n2026-03-02T10:00:00Z,Buy,BTC,0.1,USD,10,10,x,10\n",
			"left", ""},
		"Fidelity": {"x.csv", "\n\nBrokerage\n\nRun Date,Action,Symbol,Description,Type,Quantity,Price ($),Amount ($),Settlement Date\n03/02/2026,YOU BOUGHT,BND,BOND,Cash,1,70.00,-70.00,03/04/2026\n",
			"left", ""},
		"a mortgage": {"x.csv", "Date,Description,Principal,Interest,Escrow,Amount,Balance\n03/02/2026,PAYMENT,1.00,2.00,3.00,6.00,100.00\n", "left", ""},

		"UTF-16":                   {"x.csv", utf16le("Date\tDescription\tAmount\r\n03/02/2026\tACME\t100.00\r\n03/03/2026\tSHOP\t-40.00\r\n"), a100 + "none", ""},
		"a totals line at the end": {"x.csv", "Date,Description,Amount\n03/02/2026,ACME,100.00\n03/03/2026,SHOP,-40.00\nTotal,,60.00\n", a100 + "none", ""},
		"parentheses and spaces":   {"x.csv", "Date,Description,Amount\n03/02/2026,ACME,\" $ 100.00 \"\n03/03/2026,SHOP,\"( 40.00 )\"\n", a100 + "none", ""},
		"non-breaking spaces":      {"x.csv", "Date;Libellé;Montant\n02/03/2026;ACME;1\u202f100,00\n13/03/2026;SHOP;-40,00\u00a0€\n", "2 transactions, in 110000, out -4000, balance none", ""},
		"memos of several lines":   {"x.csv", "Date,Description,Amount\n03/02/2026,\"ACME\nLine 2, with 3/2 and 5.00\nLine 3\",100.00\n03/03/2026,SHOP,-40.00\n", a100 + "none", ""},
		"the same header again":    {"x.csv", "Date,Description,Amount,Balance\n03/02/2026,ACME,100.00,1100.00\nDate,Description,Amount,Balance\n03/02/2026,ACME,100.00,1100.00\n03/03/2026,SHOP,-40.00,1060.00\n", a100 + "106000", "counted once"},
		"floats":                   {"x.csv", "Date,Description,Amount\n03/02/2026,ACME,100.00000000000001\n03/03/2026,SHOP,-39.99999999999999\n", a100 + "none", ""},
		"three decimals":           {"x.csv", "Date,Description,Amount\n03/02/2026,ACME,100.000\n03/03/2026,SHOP,-40.00\n", a100 + "none", ""},
		"formulas of a spreadsheet": {"x.csv", "Date,Description,Amount,Account Number\n=\"03/02/2026\",ACME,100.00,=\"0012345\"\n=\"03/03/2026\",SHOP,-40.00,=\"0012345\"\n",
			a100 + "none", ""},
		"days with names":   {"x.csv", "Date,Description,Amount\n\"Mon, Mar 2, 2026\",ACME,100.00\n\"Tue, Mar 3, 2026\",SHOP,-40.00\n", a100 + "none", ""},
		"months in Spanish": {"x.csv", "Fecha,Descripción,Importe\n2 de marzo de 2026,ACME,100.00\n3-mar-2026,SHOP,-40.00\n", a100 + "none", ""},
		"a balance that is the same in each line": {"x.csv", "Date,Description,Amount,Balance\n03/02/2026,ACME,100.00,1060.00\n03/03/2026,SHOP,-40.00,1060.00\n03/03/2026,SHOP,-1.00,1060.00\n",
			"3 transactions, in 10000, out -4100, balance 106000", "same balance"},
		"a thousands separator without quotes": {"x.csv", "Date,Description,Amount,Balance\n03/02/2026,ACME,1,100.00,2,100.00\n03/03/2026,SHOP,-40.00,2,060.00\n",
			"refused: line 2", ""},
		"newest first, but each day in order": {"x.csv", "Date,Description,Amount,Balance\n03/03/2026,A,-10.00,90.00\n03/03/2026,B,-20.00,70.00\n03/02/2026,C,-5.00,105.00\n03/02/2026,D,-5.00,100.00\n",
			"4 transactions, in 0, out -4000, balance 7000", ""},
		"opening and closing balances give the signs": {"x.csv", "Opening balance,500.00\nClosing balance,440.00\n\nDate,Description,Amount\n03/02/2026,SHOP,100.00\n03/03/2026,REFUND,-40.00\n",
			"2 transactions, in 4000, out -10000, balance 44000", ""},
		"unsigned amounts with Spanish words": {"x.csv", "Fecha,Descripción,Tipo,Monto\n15/03/2026,ACME,Abono,100.00\n16/03/2026,TIENDA,Cargo,40.00\n", a100 + "none", ""},
		"plus and minus as a column":          {"x.csv", "Date,Description,Sign,Amount\n03/02/2026,ACME,+,100.00\n03/03/2026,SHOP,-,40.00\n", a100 + "none", ""},
		"CR only":                             {"x.csv", "Date,Description,Amount,Balance\n03/02/2026,ACME,100.00CR,1100.00CR\n03/03/2026,SHOP,40.00,1060.00CR\n", a100 + "106000", ""},
		"debits written negative":             {"x.csv", "Date,Description,Debit,Credit\n03/02/2026,ACME,,100.00\n03/03/2026,SHOP,-40.00,\n", a100 + "none", ""},
		"zeros beside amounts":                {"x.csv", "Date,Description,Debit,Credit\n03/02/2026,ACME,0.00,100.00\n03/03/2026,SHOP,40.00,0.00\n", a100 + "none", ""},
		"pipes":                               {"x.txt", "Date|Description|Amount\n03/02/2026|ACME, INC|100.00\n03/03/2026|SHOP|-40.00\n", a100 + "none", ""},
		"a note of the separator":             {"x.csv", "sep=;\nDate;Description;Amount\n03/02/2026;ACME;100.00\n03/03/2026;SHOP;-40.00\n", a100 + "none", ""},
		"an unknown language":                 {"x.csv", "Päivä;Selitys;Määrä;Jäljellä\n02.03.2026;ACME OY;100,00;1100,00\n03.03.2026;KAUPPA;-40,00;1060,00\n", a100 + "106000", "read by their values"},
		"foreign rows":                        {"x.csv", "Date,Description,Amount,Currency\n03/02/2026,ACME,100.00,USD\n03/03/2026,SHOP,-40.00,USD\n03/04/2026,HOTEL,-9.00,EUR\n", a100 + "none\nleft", ""},

		"payments that may be income": {"x.csv", "Date,Description,Amount\n03/02/2026,PAYMENT RECEIVED,100.00\n03/03/2026,SHOP,-40.00\n", "refused: nothing tells", ""},
		"an unknown name of the balance": {"x.csv", "Date,Description,Amount,Left over\n03/02/2026,ACME,100.00,1100.00\n03/03/2026,SHOP,-40.00,1060.00\n03/03/2026,SHOP,-1.00,1059.00\n",
			"3 transactions, in 10000, out -4100, balance 105900", "read as the balance"},
		"two accounts one below the other": {"x.csv", "Account Number: 11112222\nDate,Description,Amount,Balance\n03/02/2026,ACME,100.00,1100.00\n03/03/2026,SHOP,-40.00,1060.00\n\n" +
			"Account Number: 33334444\nDate,Description,Amount,Balance\n03/31/2026,INTEREST,1.00,501.00\n", a100 + "106000\n1 transactions, in 100, out 0, balance 50100", ""},
		"two tables of different columns":       {"x.csv", "Date,Description,Amount\n03/02/2026,ACME,100.00\nDate,Payee,Debit,Credit\n03/02/2026,ACME,,100.00\n", "refused: line 3", ""},
		"a line of a title above unknown names": {"x.csv", "Tiliote;;;\nPäivä;Selitys;Määrä;Jäljellä\n02.03.2026;ACME OY;100,00;1100,00\n03.03.2026;KAUPPA;-40,00;1060,00\n", a100 + "106000", ""},
		"incoming payments with their signs": {"x.csv", "Date,Type,Description,Amount\n03/02/2026,Payment,Bo,100.00\n03/02/2026,Payment,Cy,100.00\n03/03/2026,Payment,Shop,-40.00\n",
			"3 transactions, in 20000, out -4000, balance none", ""},
		"asterisks and Indian groups":           {"x.csv", "Date,Description,Amount\n03/02/2026,ACME,\"1,00,000.00\"\n03/03/2026,SHOP,-40.00*\n", "2 transactions, in 10000000, out -4000, balance none", ""},
		"an extra column without a name":        {"x.csv", "Date,Description,Amount\n03/02/2026,ACME,100.00,note\n03/03/2026,SHOP,-40.00,other\n", a100 + "none", ""},
		"a description at the end with a comma": {"x.csv", "Date,Amount,Description\n03/02/2026,100.00,ACME, INC\n03/03/2026,-40.00,SHOP\n", a100 + "none", "joined"},
		"booked and made in two orders":         {"x.csv", "Transaction Date,Posted Date,Description,Amount\n2026-03-02T10:00:00Z,03/02/2026,ACME,100.00\n2026-03-03T10:00:00Z,03/03/2026,SHOP,-40.00\n", a100 + "none", ""},
		"a status column of other texts":        {"x.csv", "Date,Description,Info,Amount\n03/02/2026,ACME,order for the canceled trip in May,100.00\n03/03/2026,SHOP,x,-40.00\n", a100 + "none", ""},
		"interest on the first of each month": {"x.csv", "Date,Description,Amount,Balance\n01/01/2026,INTEREST,1.00,101.00\n02/01/2026,INTEREST,1.00,102.00\n03/01/2026,INTEREST,1.00,103.00\n",
			"3 transactions, in 300, out 0, balance 10300", "month/day/year"},
		"a Visa debit account": {"x.csv", "Date,Account,Description,Amount\n03/02/2026,Visa Debit Checking,ACME,100.00\n03/03/2026,Visa Debit Checking,SHOP,-40.00\n", a100 + "none", ""},
		"a credit union": {"x.csv", "Account Name : SHARE DRAFT\nAccount Number : ***1234\nDate Range : 03/01/2026-03/31/2026\n" +
			"Transaction Number,Date,Description,Memo,Amount Debit,Amount Credit,Balance,Check Number,Fees\n\"1\",03/03/2026,SHOP,POS,-40.00,,1060.00,,\n" +
			"\"2\",03/02/2026,ACME,ACH,,100.00,1100.00,,\n", a100 + "106000", ""},
		"Spanish debits and credits": {"x.csv", "Fecha;Concepto;Cargo;Abono;Saldo\n02/03/2026;ACME;;100,00;1.100,00\n03/03/2026;TIENDA;40,00;;1.060,00\n", a100 + "106000", ""},
		"an authorized and a held row": {"x.csv", "Date,Description,Amount,Status\n03/02/2026,ACME,100.00,Posted\n03/03/2026,SHOP,-40.00,Posted\n03/04/2026,GAS,-1.00,Authorized\n03/04/2026,HOTEL,-9.00,On hold\n03/04/2026,X,-9.00,Cancelled\n",
			a100 + "none\nleft\nleft", ""},
		"a day that is pending": {"x.csv", "Date,Description,Amount\nPending,GAS,-1.00\n03/02/2026,ACME,100.00\n03/03/2026,SHOP,-40.00\n", a100 + "none\nleft", ""},
		"amounts in euros":      {"x.csv", "Date,Description,Amount\n2026-03-02,ACME,€100.00\n2026-03-03,SHOP,-€40.00\n", a100 + "none", ""},

		"only a header":              {"x.csv", "Date,Description,Amount\n", "refused: no transaction", ""},
		"blanks":                     {"x.csv", " \n\n", "refused: empty", ""},
		"a balance that contradicts": {"x.csv", "Date,Description,Amount,Balance\n03/02/2026,A,-1.00,9.00\n03/03/2026,B,-1.00,8.00\n03/04/2026,C,-1.00,6.00\n", "refused: line 4", ""},
		"an amount of words":         {"x.csv", "Date,Description,Amount\n03/02/2026,A,-1.00\n03/03/2026,B,1.00 or 2.00\n", "refused: line 3", ""},
		"an amount of two readings":  {"x.csv", "Date,Description,Amount\n03/02/2026,A,-1.200\n03/03/2026,B,5\n", "refused: line 2", ""},
		"an unknown word for a side": {"x.csv", "Date,Description,Type,Amount\n03/02/2026,A,Debit,1.00\n03/03/2026,B,Blip,2.00\n", "refused: line 3", ""},
		"debit and credit in a line": {"x.csv", "Date,Description,Debit,Credit\n03/02/2026,A,1.00,2.00\n", "refused: line 2", ""},
		"a day that does not exist":  {"x.csv", "Date,Description,Amount\n03/22/2026,A,-1.00\n03/23/2026,A,-1.00\n23/03/2026,B,-2.00\n", "refused: line 4", ""},
		"a cut last line":            {"x.csv", "Date,Description,Amount,Balance\n03/02/2026,A,-1.00,9.00\n03/03/2026,B,-1", "refused: line 3", ""},
		"a spreadsheet":              {"x.xlsx", "PK\x03\x04abc", "refused: not a statement", ""},

		"MT940":                           {"x.sta", ":20:STARTUMS\n:25:50010517/0123456789\n:28C:1\n:60F:C260301EUR1000,00\n", "refused: not read", ""},
		"QIF":                             {"x.qif", "!Type:Bank\nD3/2'26\nT100.00\nPACME\n^\n", "refused: not read", ""},
		"camt.052":                        {"x.xml", strings.NewReplacer("camt.053", "camt.052", "BkToCstmrStmt", "BkToCstmrAcctRpt", "<Stmt>", "<Rpt>", "</Stmt>", "</Rpt>").Replace(camt), "2 transactions, in 5000, out -20050, balance -5050\nleft", ""},
		"camt.053 that does not add up":   {"x.xml", strings.Replace(camt, ">100.00<", ">101.00<", 1), "2 transactions, in 5000, out -20050, balance -5050\nleft\nleft", ""},
		"OFX cut within the list":         {"x.ofx", sgml[:strings.Index(sgml, "<STMTTRN><TRNTYPE>CHECK")], "refused: ends within", ""},
		"OFX with a repeated transaction": {"x.ofx", strings.Replace(sgml, "</BANKTRANLIST>", "<STMTTRN><TRNTYPE>CHECK<DTPOSTED>20261031<TRNAMT>-10<FITID>3<CHECKNUM>102</STMTTRN></BANKTRANLIST>", 1), "3 transactions, in 210000, out -5550, balance 524423\nleft\nleft\nleft", "counted once"},
		"OFX with a bad amount":           {"x.ofx", strings.Replace(sgml, "-45.5", "x45.5", 1), "refused: transaction 2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Read(c.file, []byte(c.content))
			var got []string
			for _, a := range f.Accounts {
				got = append(got, summary(a))
			}
			for range f.LeftOut {
				got = append(got, "left")
			}
			if err != nil {
				got = []string{"refused: " + err.Error()}
			}
			text, notes := strings.Join(got, "\n"), strings.Join(f.Notes, "\n")
			if refused, ok := strings.CutPrefix(c.want, "refused: "); ok && err != nil && strings.Contains(err.Error(), refused) {
				return
			}
			if text != c.want || !strings.Contains(notes, c.note) {
				t.Errorf("got\n%s\nwant\n%s (note %q)\nread\n%s%s", text, c.want, c.note, show(f), notes)
			}
		})
	}
	_ = b40
}
