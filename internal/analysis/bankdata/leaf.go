package bankdata

import (
	_ "embed"
	"slices"
	"strings"
)

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

//go:embed leaves.tsv
var leavesFile string

// leafTable has the name, group and description of each leaf, in their order.
var leafTable = func() (table [leafEnd]struct {
	name  string
	group Group
	about string
}) {
	for i, line := range strings.Split(strings.TrimSuffix(leavesFile, "\n"), "\n") {
		l := &table[i]
		l.name, l.about, _ = strings.Cut(line, "\t")
		group, _, _ := strings.Cut(l.name, ".")
		l.group = Group(slices.Index(groupNames[:], group))
	}
	return table
}()
