package bankdata

import (
	"testing"

	"vestibule/internal/report"
)

// TestMechanismBeatsNames checks that a merchant's credit is a refund unless its words name
// pay, and that names of accounts and streets do not decide.
func TestMechanismBeatsNames(t *testing.T) {
	const in, out = true, false
	for _, c := range []struct {
		text string
		in   bool
		leaf Leaf
	}{
		{"DOORDASH, INC. WEEKLY PAY PPD ID: 9999999998", in, LeafGig},
		{"DOORDASH DES:DOORDASH, ID:ST-J1K2 INDN:EVAN HALL CO ID:1800948598 CCD", in, LeafGig},
		{"ACH CREDIT GRUBHUB INC 062512", in, LeafGig},
		{"GRUBHUB INC ACTIVITY DRIVERPAY PPD ID", in, LeafGig},
		{"INSTACART SHOPPER PAYOUT PPD ID: 4270465600", in, LeafGig},
		{"UBER USA 6787 EDI PAYMNT PPD ID: 7320456349", in, LeafGig},
		{"LYFT INC DES:LYFT ID:88 INDN:ROSE T CO ID:1 PPD", in, LeafGig},
		{"POSTMATES INC COURIER", in, LeafGig},
		{"DOORDASH REFUND 855-973-1040 CA", in, LeafRefund},
		{"DD *DOORDASH BURGERS 855-973-1040 CA", in, LeafRefund},
		{"PURCHASE RETURN UBER EATS SAN FRANCISCO CA", in, LeafRefund},
		{"UBER *TRIP HELP.UBER.COM CA", in, LeafRefund},
		{"DD *DOORDASH BURGERS 855-973-1040 CA", out, LeafDining},
		{"KROGER CO DES:ACH PMT ID:8812 INDN:SMITH KAYLA CO ID:44551 PPD", in, LeafPayroll},
		{"TARGET CORP DIR DEP PPD ID: 1410215170", in, LeafPayroll},
		{"ELECTRONIC DEPOSIT CVS PHARMACY", in, LeafPayroll},
		{"AMAZON.COM CCD ID: 12 EDI PYMNTS", in, LeafSelfEmployed},
		{"TARGET 00012344 CHICAGO IL", in, LeafRefund},
		{"CVS/PHARMACY #01 CARD 8821", in, LeafRefund},

		{"Internet transfer to Interest Checking account XXXXXX4412", out, LeafOwnOut},
		{"Internet transfer from Interest Checking account XXXXXX4412", in, LeafOwnIn},
		{"TRANSFER FROM REWARDS CHECKING 8812", in, LeafOwnIn},
		{"ONLINE TRANSFER TO DIVIDEND SAVINGS 8812", out, LeafSavingsOut},
		{"INTEREST PAYMENT", in, LeafInterest},
		{"INTEREST CHECKING INTEREST PAID", in, LeafInterest},

		{"Cash eWithdrawal in Branch/Store 05/14/2025 10:22 AM 455 MARKET ST SAN FRANCISCO CA 8821", out, LeafCashWithdrawal},
		{"TX TLR cash withdrawal from CHK 1182", out, LeafCashWithdrawal},
		{"COUNTER WITHDRAWAL", out, LeafCashWithdrawal},
		{"NONTD ATM DEBIT, AUT 051425 DDA WITHDRAW CARDTRONICS", out, LeafCashWithdrawal},
		{"BKOFAMERICA ATM 05/14 #000004412 WITHDRWL SOUTH LAMAR AUSTIN TX", out, LeafCashWithdrawal},
		{"WITHDRAWN 1200 COLLEGE AVE OAKLAND CA", out, LeafOther},
		{"PURCHASE MARKET STREET GROCERS", out, LeafGrocery},
		{"PURCHASE 12 KROGER ST LOUIS MO", out, LeafGrocery},
		{"PURCHASE KROGER #12 ST CLAIR MI", out, LeafGrocery},

		{"FRANCHISE TAX BD CASTTAXRFD 250401 XXXXX REED", in, LeafTaxRefund},
		{"NYS DTF PIT NYSTTAXRFD", in, LeafTaxRefund},
		{"COMMONWEALTH OF PA PASTTAXRFD", in, LeafTaxRefund},
		{"OREGON REVENUE ORSTTAXRFD", in, LeafTaxRefund},
		{"IRS TREAS 310 TAX REF", in, LeafTaxRefund},
		{"MN DEPT OF REVEN MN Refund", in, LeafTaxRefund},
		{"COMPTROLLER OF MD TAX REFND", in, LeafTaxRefund},
	} {
		if got := categorize(Transaction{Description: c.text}, c.in); got.Leaf != c.leaf {
			t.Errorf("%q, in %v, is %v by %v, want %v", c.text, c.in, got.Leaf, got.Tier, c.leaf)
		}
	}
}

func TestOwnChecksAndCash(t *testing.T) {
	for _, c := range []struct {
		name  string
		moves []movement
		own   bool
	}{
		{"a check that clears five days after its deposit", []movement{{2, "2026-05-01", 400_00, "MOBILE DEPOSIT"},
			{0, "2026-05-06", -400_00, "CHECK # 1042"}}, true},
		{"a check over the counter", []movement{{2, "2026-05-01", 400_00, "DEPOSIT"}, {0, "2026-05-04", -400_00, "CHECK PAID 1042"}}, true},
		{"six days", []movement{{2, "2026-05-01", 400_00, "MOBILE DEPOSIT"}, {0, "2026-05-07", -400_00, "CHECK # 1042"}}, false},
		{"one account", []movement{{0, "2026-05-01", 400_00, "MOBILE DEPOSIT"}, {0, "2026-05-02", -400_00, "CHECK # 1042"}}, false},
		{"another amount", []movement{{2, "2026-05-01", 400_01, "MOBILE DEPOSIT"}, {0, "2026-05-02", -400_00, "CHECK # 1042"}}, false},
		{"cash that is deposited at another bank", []movement{{0, "2026-05-01", -300_00, "ATM WITHDRAWAL 0412 MAIN ST"},
			{2, "2026-05-05", 300_00, "ATM CASH DEPOSIT"}}, true},
		{"cash over the counter", []movement{{0, "2026-05-01", -300_00, "TELLER WITHDRAWAL"}, {2, "2026-05-02", 300_00, "COUNTER CREDIT"}}, true},
		{"cash that is deposited before it is withdrawn", []movement{{2, "2026-05-01", 300_00, "CASH DEPOSIT"},
			{0, "2026-05-02", -300_00, "ATM WITHDRAWAL"}}, false},
		{"a check is not cash", []movement{{0, "2026-05-01", -300_00, "CHECK 1042"}, {2, "2026-05-02", 300_00, "CASH DEPOSIT"}}, false},
		{"cash is not a check", []movement{{0, "2026-05-01", -300_00, "ATM WITHDRAWAL"},
			{2, "2026-05-02", 300_00, "MOBILE CHECK DEPOSIT"}}, false},
		{"a check is not a transfer", []movement{{0, "2026-05-01", -300_00, "CHECK 1042"},
			{2, "2026-05-02", 300_00, "ONLINE TRANSFER FROM CHK"}}, false},
		{"a check card is no check", []movement{{0, "2026-05-01", -300_00, "CHECK CARD 1042 QWZRT"},
			{2, "2026-05-05", 300_00, "MOBILE DEPOSIT"}}, false},
		{"cash and a wage", []movement{{0, "2026-05-01", -300_00, "ATM WITHDRAWAL"}, {2, "2026-05-01", 300_00, "ACME PAYROLL"}}, false},
	} {
		l := ledgerOf(c.moves...)
		for i, m := range c.moves {
			e := entry(t, l, i)
			paired := e.Own && e.Tier == TierDirection
			if paired != c.own {
				t.Errorf("%s: movement %d is %v by %v, own %v; want a pair %v", c.name, i, e.Leaf, e.Tier, e.Own, c.own)
			}
			if want := map[bool]Leaf{true: LeafOwnIn, false: LeafOwnOut}[m.amount > 0]; c.own && e.Leaf != want {
				t.Errorf("%s: movement %d is %v, want %v", c.name, i, e.Leaf, want)
			}
		}
	}
}

func TestZeroAmountsKeepTheirSide(t *testing.T) {
	for _, c := range []struct {
		debit bool
		text  string
		leaf  Leaf
	}{
		{true, "AIRBNB * HMSPXW", LeafTravel},
		{false, "KROGER", LeafRefund},
		{true, "KROGER", LeafGrocery},
		{false, "ACME PAYROLL", LeafPayroll},
		{true, "QWZRT", LeafOther},
	} {
		a := Account{ID: "0", Type: report.CashEquivalent, Transactions: []Transaction{
			{ID: "t", Posted: day(fetchDate), Debit: c.debit, Description: c.text},
		}}
		l := Read(Data{Connections: []Connection{{Accounts: []Account{a}}}}, day(fetchDate))
		if e := l.Entries[0]; e.Out != c.debit || e.Leaf != c.leaf || e.NSF != 0 {
			t.Errorf("%q, debit %v: %+v, want %v", c.text, c.debit, e, c.leaf)
		}
	}
	l := ledgerOf(movement{0, "2026-05-01", -1, "KROGER"}, movement{0, "2026-05-02", 1, "KROGER"})
	if !entry(t, l, 0).Out || entry(t, l, 1).Out {
		t.Errorf("the sign of an amount is its side: %+v", l.Entries)
	}
}
