package bankdata

import (
	"strings"
	"testing"
)

const incoming, outgoing = true, false

var categorized = []struct {
	text string
	in   bool
	leaf Leaf
	tier Tier
}{
	{"ACME CORP DES:PAYROLL ID:123 INDN:DOE,PAT CO ID:99 PPD", incoming, LeafPayroll, TierMechanism},
	{"WALMART INC DIRECT DEP", incoming, LeafPayroll, TierMechanism},
	{"UBER USA 6787 DIRECT DEPOSIT", incoming, LeafGig, TierMechanism},
	{"SSA TREAS 310 XXSOC SEC", incoming, LeafGovBenefit, TierMechanism},
	{"IRS TREAS 310 TAX REF", incoming, LeafTaxRefund, TierMechanism},
	{"IRS USATAXPYMT", outgoing, LeafTax, TierMechanism},
	{"ST OF OHIO UNEMPLOYMENT BENEFITS", incoming, LeafUnemployment, TierMechanism},
	{"OPM1 TREAS 310 XXCIV SERV", incoming, LeafRetirement, TierMechanism},
	{"CHILD SUPPORT PYMT", incoming, LeafChildSupport, TierMechanism},
	{"CHILD SUPPORT PYMT", outgoing, LeafChildcareEdu, TierMechanism},
	{"STRIPE TRANSFER ST-A1B2C3", incoming, LeafSelfEmployed, TierMechanism},
	{"AIRBNB PAYMENTS", incoming, LeafRental, TierMerchant},
	{"AIRBNB HMXYZ", outgoing, LeafTravel, TierMerchant},
	{"INTEREST PAYMENT", incoming, LeafInterest, TierMechanism},
	{"VANGUARD DIVIDEND", incoming, LeafDividend, TierMechanism},

	{"MOBILE DEPOSIT", incoming, LeafCheckMobile, TierMechanism},
	{"ATM CASH DEPOSIT 12 MAIN ST", incoming, LeafCashDeposit, TierMechanism},
	{"TARGET T-0412 COLUMBUS OH", incoming, LeafRefund, TierDirection},
	{"PURCHASE RETURN LOWES #0012", incoming, LeafRefund, TierMechanism},
	{"RETURNED ACH PAYMENT CITY WATER", incoming, LeafReversal, TierMechanism},

	{"ONLINE TRANSFER TO CHECKING XX1234", outgoing, LeafOwnOut, TierMechanism},
	{"ONLINE TRANSFER FROM SAVINGS XX1234", incoming, LeafSavingsIn, TierMechanism},
	{"TRANSFER TO SAVINGS", outgoing, LeafSavingsOut, TierMechanism},
	{"TRANSFER TO SAVINGS", incoming, LeafOwnIn, TierMechanism},
	{"PURTARGET T-1182 ORLANDO FL", outgoing, LeafRetail, TierMerchant},
	{"PURTARGET T-1182 ORLANDO FL", incoming, LeafRefund, TierDirection},
	{"DD EMPLOYER CREDIT NORTHSTAR HVAC", incoming, LeafPayroll, TierMechanism},
	{"DD *DOORDASH TACOBELL", outgoing, LeafDining, TierMerchant},
	{"PAYPAL *JOHNSMITH 4029357733 CA", outgoing, LeafP2POut, TierPattern},
	{"PAYPAL *MARIAS BAKERY", outgoing, LeafDining, TierPattern},
	{"PAYPAL *SHERWIN WILLIAMS", outgoing, LeafRetail, TierMerchant},
	{"ACE CASH EXPRESS LOAN PROCEEDS", incoming, LeafAdvanceIn, TierMerchant},
	{"GREAT PLAINS LENDING LOAN PROCEEDS", incoming, LeafLoanProceeds, TierMechanism},
	{"GREAT PLAINS LENDING 8812", outgoing, LeafAdvanceOut, TierMerchant},
	{"Direct Dep GRANITE STATE CONCRETE PAY", incoming, LeafPayroll, TierMechanism},
	{"SAINT PAUL TOYOTA LEASING FS", outgoing, LeafAutoLoan, TierMechanism},
	{"AMERICAN HOME SHIELD OF CALIFORNIA"[:16], outgoing, LeafInsurance, TierMerchant},
	{"STUDENTLOAN 8812", outgoing, LeafStudentLoan, TierMechanism},
	{"M1 FINANCE LLC ACH", outgoing, LeafInvestOut, TierMerchant},
	{"AUDIBLE*AB12CD AMZN.COM/BILL NJ", outgoing, LeafSubscription, TierMerchant},
	{"PURCHASE AMZN.COM/BILL WA", outgoing, LeafRetail, TierMerchant},
	{"MURPHY7118ATWALMART", outgoing, LeafFuelTransport, TierMerchant},
	{"AUTOZONETX 8812", outgoing, LeafFuelTransport, TierMerchant},
	{"TARGET CORP SAL 0412", incoming, LeafPayroll, TierMerchant},
	{"TARGET APPLE PAY RETURN", incoming, LeafRefund, TierDirection},
	{"PAYPAL INST XFER", outgoing, LeafRetail, TierMechanism},
	{"PAYPAL INST XFER SPOTIFY USA", outgoing, LeafSubscription, TierMerchant},
	{"ACH CREDIT NORTHSTAR PARTS", incoming, LeafPayroll, TierPattern},
	{"MARCUS GOLDMAN SACHS LOAN PROCEEDS", incoming, LeafLoanProceeds, TierMechanism},
	{"FARMERS BANK LOAN PYMT", outgoing, LeafPersonalLoan, TierMechanism},
	{"ROBINHOOD FUNDS", outgoing, LeafInvestOut, TierMerchant},
	{"COINBASE INC.", incoming, LeafInvestIn, TierMerchant},
	{"ZELLE PAYMENT FROM ALEX", incoming, LeafP2PIn, TierMechanism},
	{"VENMO PAYMENT 1029384756", outgoing, LeafP2POut, TierMechanism},
	{"ZELLE TO LANDLORD RENT", outgoing, LeafRent, TierMechanism},
	{"INCOMING WIRE TRF# 0012", incoming, LeafWireIn, TierMechanism},
	{"OUTGOING WIRE FEE", outgoing, LeafFeeOther, TierMechanism},

	{"EARNIN ACTIVE PAYMENTRET", outgoing, LeafAdvanceOut, TierMerchant},
	{"DAVE INC EXTRACASH", incoming, LeafAdvanceIn, TierMerchant},
	{"ONEMAIN LOAN PAYMENT", outgoing, LeafPersonalLoan, TierMerchant},
	{"NAVIENT LOAN PAYMENT", outgoing, LeafStudentLoan, TierMerchant},
	{"FIRST COMMUNITY CU LOAN PAYMENT", outgoing, LeafPersonalLoan, TierMechanism},
	{"PERSONAL LOAN PROCEEDS", incoming, LeafLoanProceeds, TierMechanism},
	{"ROCKET MORTGAGE LOAN PMT", outgoing, LeafMortgage, TierMechanism},
	{"TOYOTA FINANCIAL RETAIL", outgoing, LeafAutoLoan, TierMechanism},
	{"AFFIRM PAY 0412", outgoing, LeafBNPLOut, TierMechanism},
	{"CHASE CREDIT CRD AUTOPAY", outgoing, LeafCardPayment, TierMechanism},
	{"DEBIT CARD PAYMENT 0412", outgoing, LeafOther, TierOther},

	{"NSF FEE", outgoing, LeafNSFFee, TierMechanism},
	{"RETURNED ITEM FEE", outgoing, LeafNSFFee, TierMechanism},
	{"OVERDRAFT FEE FOR AMAZON", outgoing, LeafOverdraftFee, TierMechanism},
	{"OVERDRAFT FEE REVERSAL", incoming, LeafFeeReversal, TierMechanism},
	{"OVERDRAFT FEE", incoming, LeafFeeReversal, TierMechanism},
	{"ATM FEE NON NETWORK", outgoing, LeafATMFee, TierMechanism},
	{"MONTHLY SERVICE FEE", outgoing, LeafMonthlyFee, TierMechanism},
	{"INTEREST CHARGE", outgoing, LeafInterestCharge, TierMechanism},

	{"OAK HILL APARTMENTS WEB PMTS", outgoing, LeafRent, TierPattern},
	{"RENT A CAR 12", outgoing, LeafTravel, TierPattern},
	{"PG&E WEB ONLINE", outgoing, LeafUtility, TierMerchant},
	{"VERIZON WIRELESS PAYMENT", outgoing, LeafTelecom, TierMerchant},
	{"GEICO AUTO", outgoing, LeafInsurance, TierMerchant},
	{"NETFLIX.COM", outgoing, LeafSubscription, TierMerchant},
	{"PLANET FITNESS MONTHLY FEE", outgoing, LeafSubscription, TierMerchant},
	{"POS PURCHASE KROGER #0412 COLUMBUS OH", outgoing, LeafGrocery, TierMerchant},
	{"SHELL OIL 57442", outgoing, LeafFuelTransport, TierMerchant},
	{"PAYPAL *LYFT RIDE", outgoing, LeafFuelTransport, TierMerchant},
	{"UBER EATS 8005928996", outgoing, LeafDining, TierMerchant},
	{"CVS/PHARMACY #01", outgoing, LeafHealth, TierMerchant},
	{"LITTLE STARS PRESCHOOL", outgoing, LeafChildcareEdu, TierPattern},
	{"SQ *CORNER COFFEE HOUSE", outgoing, LeafDining, TierPattern},
	{"SUNRISE HOSPITALITY", outgoing, LeafTravel, TierPattern},
	{"AMZN MKTP US*2K4T81", outgoing, LeafRetail, TierMerchant},
	{"AMAZON PRIME*2K4", outgoing, LeafSubscription, TierMerchant},
	{"FANDANGO", outgoing, LeafEntertainment, TierMerchant},
	{"DELTA AIR LINES", outgoing, LeafTravel, TierMerchant},
	{"DRAFTKINGS", outgoing, LeafGambling, TierMerchant},
	{"ATM WITHDRAWAL 0412 MAIN ST", outgoing, LeafCashWithdrawal, TierMechanism},
	{"QWZRT 123", outgoing, LeafOther, TierOther},
	{"", incoming, LeafOther, TierOther},
}

func TestCategorize(t *testing.T) {
	for _, c := range categorized {
		if got := categorize(Transaction{Description: c.text}, c.in); got != (Verdict{c.leaf, c.tier}) {
			t.Errorf("categorize(%q, in %v) = %v by %v, want %v by %v", c.text, c.in, got.Leaf, got.Tier, c.leaf, c.tier)
		}
	}
}

func TestCategorizeReadsMerchantAndMemo(t *testing.T) {
	if got := categorize(Transaction{Merchant: "Kroger", Description: "POS 0412"}, outgoing); got.Leaf != LeafGrocery {
		t.Errorf("by the merchant: %v", got.Leaf)
	}
	if got := categorize(Transaction{Description: "ZELLE TO PAT", Memo: "rent for May"}, outgoing); got.Leaf != LeafRent {
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
