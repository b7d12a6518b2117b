package cashflow

import "vestibule/internal/analysis/bankdata"

// subject is a kind of posted transaction that attributes measure.
type subject uint8

const (
	everything subject = iota
	credits
	debits
	moneyIn  // credits from outside the consumer's accounts
	moneyOut // debits to outside the consumer's accounts
	external
	income
	payroll
	benefit
	gig
	cashDeposit
	interest
	borrowed
	advance
	housing
	utility
	loanPayment
	cardPayment
	advanceRepaid
	essential
	discretionary
	bankFee
	nsf
	returned
	gambling
	cashOut
	saving
	transfer
	recurring
	obligation
	activeDay

	subjects
)

// direction selects the sign of a subject's amounts, and how they are added up.
type direction uint8

const (
	in     direction = iota // credits, unchanged
	out                     // debits, as positive amounts
	netOut                  // both, debits positive
	gross                   // both, as positive amounts
)

// subjectTable defines the subjects: by their leaves, or in words if masks and facts
// define them.
var subjectTable = [subjects]struct {
	name   string
	dir    direction
	leaves []bankdata.Leaf
	about  string
}{
	everything: {name: "everything", dir: gross, about: "every posted transaction"},
	credits:    {name: "credits", dir: in, about: "every posted credit"},
	debits:     {name: "debits", dir: out, about: "every posted debit"},
	moneyIn:    {name: "money in", dir: in, about: "credits, except own transfers"},
	moneyOut:   {name: "money out", dir: out, about: "debits, except own transfers"},
	external: {name: "external credits", dir: in,
		about: "money in, without loan proceeds, advances, refunds, reversals and fee reversals"},
	income:        {name: "income", dir: in, leaves: group(bankdata.GroupIncome)},
	payroll:       {name: "payroll", dir: in, leaves: list(bankdata.LeafPayroll)},
	benefit:       {name: "benefits", dir: in, leaves: list(bankdata.LeafGovBenefit, bankdata.LeafUnemployment, bankdata.LeafRetirement)},
	gig:           {name: "gig and self-employment", dir: in, leaves: list(bankdata.LeafGig, bankdata.LeafSelfEmployed)},
	cashDeposit:   {name: "cash deposits", dir: in, leaves: list(bankdata.LeafCashDeposit, bankdata.LeafCheckMobile)},
	interest:      {name: "interest", dir: in, leaves: list(bankdata.LeafInterest)},
	borrowed:      {name: "loans and advances received", dir: in, leaves: list(bankdata.LeafLoanProceeds, bankdata.LeafAdvanceIn)},
	advance:       {name: "advances received", dir: in, leaves: list(bankdata.LeafAdvanceIn)},
	housing:       {name: "housing", dir: out, leaves: list(bankdata.LeafRent, bankdata.LeafMortgage)},
	utility:       {name: "utilities", dir: out, leaves: list(bankdata.LeafUtility, bankdata.LeafTelecom)},
	loanPayment:   {name: "loan payments", dir: out, leaves: list(bankdata.LeafAutoLoan, bankdata.LeafStudentLoan, bankdata.LeafPersonalLoan)},
	cardPayment:   {name: "card payments", dir: out, leaves: list(bankdata.LeafCardPayment)},
	advanceRepaid: {name: "advances repaid", dir: out, leaves: list(bankdata.LeafAdvanceOut, bankdata.LeafBNPLOut)},
	essential: {name: "essentials", dir: out, leaves: list(bankdata.LeafRent,
		bankdata.LeafMortgage, bankdata.LeafUtility, bankdata.LeafTelecom,
		bankdata.LeafInsurance, bankdata.LeafGrocery, bankdata.LeafFuelTransport, bankdata.LeafHealth, bankdata.LeafChildcareEdu)},
	discretionary: {name: "discretionary", dir: out, leaves: list(bankdata.LeafDining, bankdata.LeafRetail,
		bankdata.LeafEntertainment, bankdata.LeafTravel, bankdata.LeafSubscription)},
	bankFee: {name: "bank fees", dir: netOut, leaves: group(bankdata.GroupFee)},
	nsf: {name: "NSF and overdraft events", dir: gross, about: "fees that were not reversed, and returned payments; a fee " +
		"and one returned payment within two days are one event"},
	returned:   {name: "returned payments", dir: in, leaves: list(bankdata.LeafReversal)},
	gambling:   {name: "gambling", dir: out, leaves: list(bankdata.LeafGambling)},
	cashOut:    {name: "cash withdrawals", dir: out, leaves: list(bankdata.LeafCashWithdrawal)},
	saving:     {name: "savings transfers", dir: out, leaves: list(bankdata.LeafSavingsOut, bankdata.LeafInvestOut)},
	transfer:   {name: "own transfers", dir: gross, about: "the debit and the credit of each transfer between own accounts"},
	recurring:  {name: "recurring outflows", dir: out, about: "debits that belong to a recurring stream"},
	obligation: {name: "recurring obligations", dir: out, about: "recurring outflows that are bills, loan payments or card payments"},
	activeDay:  {name: "active days", dir: gross, about: "the first transaction of each day"},
}

func list(leaves ...bankdata.Leaf) []bankdata.Leaf { return leaves }

func group(g bankdata.Group) []bankdata.Leaf {
	var out []bankdata.Leaf
	for _, l := range bankdata.Leaves() {
		if l.Group() == g {
			out = append(out, l)
		}
	}
	return out
}

// mask is a set of subjects.
type mask uint32

func (s subject) bit() mask { return 1 << s }

// masks holds the subjects of a credit and of a debit of each leaf.
type masks [256]struct{ credit, debit mask }

// leafMasks is the inverse of subjectTable.
var leafMasks = func() *masks {
	m := new(masks)
	for i := range m {
		m[i].credit, m[i].debit = credits.bit(), debits.bit()
	}
	for s := range subjects {
		for _, l := range subjectTable[s].leaves {
			if d := subjectTable[s].dir; d != out {
				m[l].credit |= s.bit()
			}
			if d := subjectTable[s].dir; d != in {
				m[l].debit |= s.bit()
			}
		}
	}
	return m
}()

// notExternal lists the leaves of credits from outside that are not new money.
var notExternal = list(bankdata.LeafLoanProceeds, bankdata.LeafAdvanceIn, bankdata.LeafRefund,
	bankdata.LeafReversal, bankdata.LeafFeeReversal)
