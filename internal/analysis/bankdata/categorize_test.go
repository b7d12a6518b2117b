package bankdata

import (
	"strings"
	"testing"
)

func TestCategorize(t *testing.T) {
	const in, out = true, false
	for _, c := range []struct {
		text string
		in   bool
		leaf Leaf
		tier Tier
	}{
		{"ACME CORP DES:PAYROLL ID:123 INDN:DOE,PAT CO ID:99 PPD", in, LeafPayroll, TierMechanism},
		{"WALMART INC DIRECT DEP", in, LeafPayroll, TierMechanism},
		{"UBER USA 6787 DIRECT DEPOSIT", in, LeafGig, TierMechanism},
		{"SSA TREAS 310 XXSOC SEC", in, LeafGovBenefit, TierMechanism},
		{"IRS TREAS 310 TAX REF", in, LeafTaxRefund, TierMechanism},
		{"IRS USATAXPYMT", out, LeafTax, TierMechanism},
		{"ST OF OHIO UNEMPLOYMENT BENEFITS", in, LeafUnemployment, TierMechanism},
		{"OPM1 TREAS 310 XXCIV SERV", in, LeafRetirement, TierMechanism},
		{"CHILD SUPPORT PYMT", in, LeafChildSupport, TierMechanism},
		{"CHILD SUPPORT PYMT", out, LeafChildcareEdu, TierMechanism},
		{"STRIPE TRANSFER ST-A1B2C3", in, LeafSelfEmployed, TierMechanism},
		{"AIRBNB PAYMENTS", in, LeafRental, TierMerchant},
		{"AIRBNB HMXYZ", out, LeafTravel, TierMerchant},
		{"INTEREST PAYMENT", in, LeafInterest, TierMechanism},
		{"VANGUARD DIVIDEND", in, LeafDividend, TierMechanism},

		{"MOBILE DEPOSIT", in, LeafCheckMobile, TierMechanism},
		{"ATM CASH DEPOSIT 12 MAIN ST", in, LeafCashDeposit, TierMechanism},
		{"TARGET T-0412 COLUMBUS OH", in, LeafRefund, TierDirection},
		{"PURCHASE RETURN LOWES #0012", in, LeafRefund, TierMechanism},
		{"RETURNED ACH PAYMENT CITY WATER", in, LeafReversal, TierMechanism},

		{"ONLINE TRANSFER TO CHECKING XX1234", out, LeafOwnOut, TierMechanism},
		{"ONLINE TRANSFER FROM SAVINGS XX1234", in, LeafSavingsIn, TierMechanism},
		{"TRANSFER TO SAVINGS", out, LeafSavingsOut, TierMechanism},
		{"TRANSFER TO SAVINGS", in, LeafOwnIn, TierMechanism},
		{"PURTARGET T-1182 ORLANDO FL", out, LeafRetail, TierMerchant},
		{"PURTARGET T-1182 ORLANDO FL", in, LeafRefund, TierDirection},
		{"DD EMPLOYER CREDIT NORTHSTAR HVAC", in, LeafPayroll, TierMechanism},
		{"DD *DOORDASH TACOBELL", out, LeafDining, TierMerchant},
		{"PAYPAL *JOHNSMITH 4029357733 CA", out, LeafP2POut, TierPattern},
		{"PAYPAL *MARIAS BAKERY", out, LeafDining, TierPattern},
		{"PAYPAL *SHERWIN WILLIAMS", out, LeafRetail, TierMerchant},
		{"ACE CASH EXPRESS LOAN PROCEEDS", in, LeafAdvanceIn, TierMerchant},
		{"GREAT PLAINS LENDING LOAN PROCEEDS", in, LeafLoanProceeds, TierMechanism},
		{"GREAT PLAINS LENDING 8812", out, LeafAdvanceOut, TierMerchant},
		{"Direct Dep GRANITE STATE CONCRETE PAY", in, LeafPayroll, TierMechanism},
		{"SAINT PAUL TOYOTA LEASING FS", out, LeafAutoLoan, TierMechanism},
		{"AMERICAN HOME SHIELD OF CALIFORNIA"[:16], out, LeafInsurance, TierMerchant},
		{"STUDENTLOAN 8812", out, LeafStudentLoan, TierMechanism},
		{"M1 FINANCE LLC ACH", out, LeafInvestOut, TierMerchant},
		{"AUDIBLE*AB12CD AMZN.COM/BILL NJ", out, LeafSubscription, TierMerchant},
		{"PURCHASE AMZN.COM/BILL WA", out, LeafRetail, TierMerchant},
		{"MURPHY7118ATWALMART", out, LeafFuelTransport, TierMerchant},
		{"AUTOZONETX 8812", out, LeafFuelTransport, TierMerchant},
		{"TARGET CORP SAL 0412", in, LeafPayroll, TierMerchant},
		{"TARGET APPLE PAY RETURN", in, LeafRefund, TierDirection},
		{"PAYPAL INST XFER", out, LeafRetail, TierMechanism},
		{"PAYPAL INST XFER SPOTIFY USA", out, LeafSubscription, TierMerchant},
		{"ACH CREDIT NORTHSTAR PARTS", in, LeafPayroll, TierPattern},
		{"MARCUS GOLDMAN SACHS LOAN PROCEEDS", in, LeafLoanProceeds, TierMechanism},
		{"FARMERS BANK LOAN PYMT", out, LeafPersonalLoan, TierMechanism},
		{"ROBINHOOD FUNDS", out, LeafInvestOut, TierMerchant},
		{"COINBASE INC.", in, LeafInvestIn, TierMerchant},
		{"ZELLE PAYMENT FROM ALEX", in, LeafP2PIn, TierMechanism},
		{"VENMO PAYMENT 1029384756", out, LeafP2POut, TierMechanism},
		{"ZELLE TO LANDLORD RENT", out, LeafRent, TierMechanism},
		{"INCOMING WIRE TRF# 0012", in, LeafWireIn, TierMechanism},
		{"OUTGOING WIRE FEE", out, LeafFeeOther, TierMechanism},

		{"EARNIN ACTIVE PAYMENTRET", out, LeafAdvanceOut, TierMerchant},
		{"DAVE INC EXTRACASH", in, LeafAdvanceIn, TierMerchant},
		{"ONEMAIN LOAN PAYMENT", out, LeafPersonalLoan, TierMerchant},
		{"NAVIENT LOAN PAYMENT", out, LeafStudentLoan, TierMerchant},
		{"FIRST COMMUNITY CU LOAN PAYMENT", out, LeafPersonalLoan, TierMechanism},
		{"PERSONAL LOAN PROCEEDS", in, LeafLoanProceeds, TierMechanism},
		{"ROCKET MORTGAGE LOAN PMT", out, LeafMortgage, TierMechanism},
		{"TOYOTA FINANCIAL RETAIL", out, LeafAutoLoan, TierMechanism},
		{"AFFIRM PAY 0412", out, LeafBNPLOut, TierMechanism},
		{"CHASE CREDIT CRD AUTOPAY", out, LeafCardPayment, TierMechanism},
		{"DEBIT CARD PAYMENT 0412", out, LeafOther, TierOther},

		{"NSF FEE", out, LeafNSFFee, TierMechanism},
		{"RETURNED ITEM FEE", out, LeafNSFFee, TierMechanism},
		{"OVERDRAFT FEE FOR AMAZON", out, LeafOverdraftFee, TierMechanism},
		{"OVERDRAFT FEE REVERSAL", in, LeafFeeReversal, TierMechanism},
		{"OVERDRAFT FEE", in, LeafFeeReversal, TierMechanism},
		{"ATM FEE NON NETWORK", out, LeafATMFee, TierMechanism},
		{"MONTHLY SERVICE FEE", out, LeafMonthlyFee, TierMechanism},
		{"INTEREST CHARGE", out, LeafInterestCharge, TierMechanism},

		{"OAK HILL APARTMENTS WEB PMTS", out, LeafRent, TierPattern},
		{"RENT A CAR 12", out, LeafTravel, TierPattern},
		{"PG&E WEB ONLINE", out, LeafUtility, TierMerchant},
		{"VERIZON WIRELESS PAYMENT", out, LeafTelecom, TierMerchant},
		{"GEICO AUTO", out, LeafInsurance, TierMerchant},
		{"NETFLIX.COM", out, LeafSubscription, TierMerchant},
		{"PLANET FITNESS MONTHLY FEE", out, LeafSubscription, TierMerchant},
		{"POS PURCHASE KROGER #0412 COLUMBUS OH", out, LeafGrocery, TierMerchant},
		{"SHELL OIL 57442", out, LeafFuelTransport, TierMerchant},
		{"PAYPAL *LYFT RIDE", out, LeafFuelTransport, TierMerchant},
		{"UBER EATS 8005928996", out, LeafDining, TierMerchant},
		{"CVS/PHARMACY #01", out, LeafHealth, TierMerchant},
		{"LITTLE STARS PRESCHOOL", out, LeafChildcareEdu, TierPattern},
		{"SQ *CORNER COFFEE HOUSE", out, LeafDining, TierPattern},
		{"SUNRISE HOSPITALITY", out, LeafTravel, TierPattern},
		{"AMZN MKTP US*2K4T81", out, LeafRetail, TierMerchant},
		{"AMAZON PRIME*2K4", out, LeafSubscription, TierMerchant},
		{"FANDANGO", out, LeafEntertainment, TierMerchant},
		{"DELTA AIR LINES", out, LeafTravel, TierMerchant},
		{"DRAFTKINGS", out, LeafGambling, TierMerchant},
		{"ATM WITHDRAWAL 0412 MAIN ST", out, LeafCashWithdrawal, TierMechanism},
		{"QWZRT 123", out, LeafOther, TierOther},
		{"", in, LeafOther, TierOther},
	} {
		if got := categorize(Transaction{Description: c.text}, c.in); got != (Verdict{c.leaf, c.tier}) {
			t.Errorf("categorize(%q, in %v) = %v by %v, want %v by %v", c.text, c.in, got.Leaf, got.Tier, c.leaf, c.tier)
		}
	}
}

func TestCategorizeReadsMerchantAndMemo(t *testing.T) {
	if got := categorize(Transaction{Merchant: "Kroger", Description: "POS 0412"}, false); got.Leaf != LeafGrocery {
		t.Errorf("by the merchant: %v", got.Leaf)
	}
	if got := categorize(Transaction{Description: "ZELLE TO PAT", Memo: "rent for May"}, false); got.Leaf != LeafRent {
		t.Errorf("by the memo: %v", got.Leaf)
	}
}

// TestEveryPhraseCanMatch checks that normalization does not change the phrases' words.
func TestEveryPhraseCanMatch(t *testing.T) {
	for _, r := range rules() {
		if r.in == LeafOther && r.out == LeafOther {
			t.Errorf("a rule says nothing: %q", r.phrases)
		}
		for _, p := range splitTrim(r.phrases, ",") {
			for _, w := range strings.FieldsFunc(p, func(r rune) bool { return strings.ContainsRune(" +-|*", r) }) {
				if got := Normalize(w); got != strings.ToUpper(w) {
					t.Errorf("in %q the word %q is read as %q", p, w, got)
				}
			}
		}
	}
}

func TestEveryLeafHasARule(t *testing.T) {
	has := map[Leaf]bool{LeafOther: true}
	for _, r := range rules() {
		has[r.in], has[r.out] = true, true
	}
	leaves := Leaves()
	if len(leaves) != 59 {
		t.Errorf("%d leaves, want 59", len(leaves))
	}
	groups := map[Group]bool{}
	for _, l := range leaves {
		groups[l.Group()] = true
		if !has[l] {
			t.Errorf("no rule gives %v", l)
		}
		if l.About() == "" || l != LeafOther && !strings.HasPrefix(l.String(), l.Group().String()+".") {
			t.Errorf("leaf %d is %q, %q", l, l, l.About())
		}
	}
	if len(groups) != 11 {
		t.Errorf("%d groups, want 11", len(groups))
	}
}

// categorize returns the category of one transaction by its words and the direction of the
// money. Read also finds own transfers by their other leg.
func categorize(t Transaction, in bool) Verdict {
	r := newReader()
	r.read(&t)
	c, d := r.verdicts()
	if in {
		return c
	}
	return d
}

// splitTrim splits s, and removes spaces around and repeated in its parts.
func splitTrim(s, sep string) []string {
	var out []string
	for _, p := range strings.Split(s, sep) {
		if p = strings.Join(strings.Fields(p), " "); p != "" {
			out = append(out, p)
		}
	}
	return out
}
