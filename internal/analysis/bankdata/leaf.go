package bankdata

// Leaf is the category of a transaction: one of 59, in eleven groups. The zero value
// is LeafOther, a separate group: nothing is known.
type Leaf uint8

// The leaves in display order, except that LeafOther, the zero value, is displayed last.
const (
	LeafOther Leaf = iota

	LeafPayroll
	LeafGovBenefit
	LeafUnemployment
	LeafRetirement
	LeafGig
	LeafSelfEmployed
	LeafRental
	LeafChildSupport
	LeafInterest
	LeafDividend
	LeafTaxRefund
	LeafIncomeOther

	LeafCashDeposit
	LeafCheckMobile
	LeafRefund
	LeafReversal

	LeafOwnIn
	LeafOwnOut
	LeafSavingsIn
	LeafSavingsOut
	LeafInvestIn
	LeafInvestOut
	LeafP2PIn
	LeafP2POut
	LeafWireIn
	LeafWireOut

	LeafLoanProceeds
	LeafAdvanceIn
	LeafAdvanceOut
	LeafBNPLOut
	LeafMortgage
	LeafAutoLoan
	LeafStudentLoan
	LeafPersonalLoan
	LeafCardPayment

	LeafNSFFee
	LeafOverdraftFee
	LeafATMFee
	LeafMonthlyFee
	LeafInterestCharge
	LeafFeeReversal
	LeafFeeOther

	LeafRent

	LeafUtility
	LeafTelecom
	LeafInsurance
	LeafSubscription

	LeafGrocery
	LeafFuelTransport
	LeafHealth
	LeafChildcareEdu
	LeafTax

	LeafDining
	LeafRetail
	LeafEntertainment
	LeafTravel
	LeafGambling

	LeafCashWithdrawal

	leafEnd
)

// Group is a group of leaves.
type Group uint8

// The groups in display order.
const (
	GroupIncome Group = iota
	GroupDeposit
	GroupTransfer
	GroupLending
	GroupFee
	GroupHousing
	GroupBill
	GroupLiving
	GroupLeisure
	GroupCash
	GroupOther

	groupEnd
)

// String returns the group's name, as in "INCOME".
func (g Group) String() string {
	if g >= groupEnd {
		return "OTHER"
	}
	return groupNames[g]
}

var groupNames = [groupEnd]string{
	"INCOME", "DEPOSIT", "TRANSFER", "LENDING", "FEE", "HOUSING", "BILL", "LIVING", "LEISURE", "CASH", "OTHER",
}

// Tier is the step that decided a transaction's leaf. The steps are tried in this order.
type Tier uint8

// The tiers.
const (
	TierDirection Tier = iota // the direction of the money alone, or the other leg of an own transfer
	TierMechanism             // how the money moved: payroll, fee, benefit, transfer phrases
	TierMerchant              // the dictionary of merchants and lenders
	TierPattern               // words that businesses of a kind have in their names
	TierOther                 // no step decided
	TierCorrected             // staff, after a dispute

	tierEnd
)

// String returns the tier's name, as in "mechanism".
func (t Tier) String() string {
	if t >= tierEnd {
		return "other"
	}
	return tierNames[t]
}

var tierNames = [tierEnd]string{"direction", "mechanism", "merchant", "pattern", "other", "corrected"}

// String returns the leaf's full name, as in "INCOME.PAYROLL"; LeafOther is "OTHER".
func (l Leaf) String() string { return leafTable[l.valid()].name }

// Group returns the group that the leaf belongs to.
func (l Leaf) Group() Group { return leafTable[l.valid()].group }

// About returns a short description of the leaf.
func (l Leaf) About() string { return leafTable[l.valid()].about }

func (l Leaf) valid() Leaf {
	if l >= leafEnd {
		return LeafOther
	}
	return l
}

// Leaves lists all 59 leaves in display order: group by group, LeafOther last.
func Leaves() []Leaf {
	out := make([]Leaf, 0, leafEnd)
	for l := LeafOther + 1; l < leafEnd; l++ {
		out = append(out, l)
	}
	return append(out, LeafOther)
}

var leafTable = [leafEnd]struct {
	name  string
	group Group
	about string
}{
	LeafOther: {"OTHER", GroupOther, "nothing is known"},

	LeafPayroll:      {"INCOME.PAYROLL", GroupIncome, "wages and salaries, direct deposits of employers"},
	LeafGovBenefit:   {"INCOME.GOV_BENEFIT", GroupIncome, "social security, veterans' and other public benefits"},
	LeafUnemployment: {"INCOME.UNEMPLOYMENT", GroupIncome, "unemployment insurance"},
	LeafRetirement:   {"INCOME.RETIREMENT", GroupIncome, "pensions and annuities"},
	LeafGig:          {"INCOME.GIG", GroupIncome, "payouts of gig platforms"},
	LeafSelfEmployed: {"INCOME.SELF_EMPLOYED", GroupIncome, "card and invoice payouts to the applicant's own business"},
	LeafRental:       {"INCOME.RENTAL", GroupIncome, "rent received"},
	LeafChildSupport: {"INCOME.CHILD_SUPPORT", GroupIncome, "child support and alimony received"},
	LeafInterest:     {"INCOME.INTEREST", GroupIncome, "interest credited on deposits"},
	LeafDividend:     {"INCOME.DIVIDEND", GroupIncome, "dividends and distributions"},
	LeafTaxRefund:    {"INCOME.TAX_REFUND", GroupIncome, "tax refunds, federal and state, also through a preparer's bank"},
	LeafIncomeOther:  {"INCOME.OTHER", GroupIncome, "insurance claims, settlements, awards, rewards"},

	LeafCashDeposit: {"DEPOSIT.CASH", GroupDeposit, "cash and deposits at a branch or machine"},
	LeafCheckMobile: {"DEPOSIT.CHECK_MOBILE", GroupDeposit, "checks, also by mobile deposit"},
	LeafRefund:      {"DEPOSIT.REFUND", GroupDeposit, "money back from a merchant"},
	LeafReversal:    {"DEPOSIT.REVERSAL", GroupDeposit, "payments returned or reversed by the bank"},

	LeafOwnIn:      {"TRANSFER.OWN_IN", GroupTransfer, "from another account of the same person"},
	LeafOwnOut:     {"TRANSFER.OWN_OUT", GroupTransfer, "to another account of the same person"},
	LeafSavingsIn:  {"TRANSFER.SAVINGS_IN", GroupTransfer, "from savings"},
	LeafSavingsOut: {"TRANSFER.SAVINGS_OUT", GroupTransfer, "to savings"},
	LeafInvestIn:   {"TRANSFER.INVEST_IN", GroupTransfer, "from a broker, retirement plan or exchange"},
	LeafInvestOut:  {"TRANSFER.INVEST_OUT", GroupTransfer, "to a broker, retirement plan or exchange"},
	LeafP2PIn:      {"TRANSFER.P2P_IN", GroupTransfer, "from a person, by a payment app"},
	LeafP2POut:     {"TRANSFER.P2P_OUT", GroupTransfer, "to a person, by a payment app"},
	LeafWireIn:     {"TRANSFER.WIRE_IN", GroupTransfer, "incoming wires"},
	LeafWireOut:    {"TRANSFER.WIRE_OUT", GroupTransfer, "outgoing wires"},

	LeafLoanProceeds: {"LENDING.LOAN_PROCEEDS", GroupLending, "loans paid out"},
	LeafAdvanceIn:    {"LENDING.ADVANCE_IN", GroupLending, "payday, earned-wage and cash advances received"},
	LeafAdvanceOut:   {"LENDING.ADVANCE_OUT", GroupLending, "payday, earned-wage and cash advances repaid"},
	LeafBNPLOut:      {"LENDING.BNPL_OUT", GroupLending, "buy now, pay later"},
	LeafMortgage:     {"LENDING.MORTGAGE", GroupLending, "mortgage payments"},
	LeafAutoLoan:     {"LENDING.AUTO", GroupLending, "car loans and leases"},
	LeafStudentLoan:  {"LENDING.STUDENT", GroupLending, "student loans"},
	LeafPersonalLoan: {"LENDING.PERSONAL", GroupLending, "personal and installment loans"},
	LeafCardPayment:  {"LENDING.CARD_PAYMENT", GroupLending, "payments to a credit card"},

	LeafNSFFee:         {"FEE.NSF", GroupFee, "fees for insufficient funds and returned items"},
	LeafOverdraftFee:   {"FEE.OVERDRAFT", GroupFee, "overdraft fees"},
	LeafATMFee:         {"FEE.ATM", GroupFee, "fees for the use of a cash machine"},
	LeafMonthlyFee:     {"FEE.MONTHLY", GroupFee, "monthly fees for the account"},
	LeafInterestCharge: {"FEE.INTEREST_CHARGE", GroupFee, "interest and finance charges"},
	LeafFeeReversal:    {"FEE.FEE_REVERSAL", GroupFee, "fees given back"},
	LeafFeeOther:       {"FEE.OTHER", GroupFee, "wire, foreign and other bank fees"},

	LeafRent: {"HOUSING.RENT", GroupHousing, "rent paid"},

	LeafUtility:      {"BILL.UTILITY", GroupBill, "electricity, gas, water, waste"},
	LeafTelecom:      {"BILL.TELECOM", GroupBill, "telephone, internet, cable"},
	LeafInsurance:    {"BILL.INSURANCE", GroupBill, "insurance premiums"},
	LeafSubscription: {"BILL.SUBSCRIPTION", GroupBill, "streaming, software, memberships"},

	LeafGrocery:       {"LIVING.GROCERY", GroupLiving, "groceries"},
	LeafFuelTransport: {"LIVING.FUEL_TRANSPORT", GroupLiving, "fuel, rides, parking, tolls, public transport, car care"},
	LeafHealth:        {"LIVING.HEALTH", GroupLiving, "doctors, pharmacies, veterinarians"},
	LeafChildcareEdu:  {"LIVING.CHILDCARE_EDU", GroupLiving, "child care, schools, tuition, child support paid"},
	LeafTax:           {"LIVING.TAX", GroupLiving, "taxes paid"},

	LeafDining:        {"LEISURE.DINING", GroupLeisure, "restaurants, coffee, delivery of meals"},
	LeafRetail:        {"LEISURE.RETAIL", GroupLeisure, "shops, online purchases, services about the home and person"},
	LeafEntertainment: {"LEISURE.ENTERTAINMENT", GroupLeisure, "cinema, games, events, sport"},
	LeafTravel:        {"LEISURE.TRAVEL", GroupLeisure, "air, hotels, car hire"},
	LeafGambling:      {"LEISURE.GAMBLING", GroupLeisure, "betting, casinos, lotteries"},

	LeafCashWithdrawal: {"CASH.WITHDRAWAL", GroupCash, "cash from a machine or counter"},
}
