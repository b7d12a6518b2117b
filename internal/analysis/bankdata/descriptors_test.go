package bankdata

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"vestibule/internal/testutil/tools"
)

// TestRealDescriptors checks the categories of real descriptors, and separately those that
// the score or a decision depends on.
//
// The descriptors are not part of the project, so a label identifies its line by number and
// by the beginning of its SHA-256. They were labeled by hand from the descriptor and the
// direction alone, before the rules were run on them. Lines whose words say nothing are
// OTHER. The author of the rules had read these lines: on unseen lines the share is lower.
func TestRealDescriptors(t *testing.T) {
	lines := bufio.NewScanner(bytes.NewReader(tools.SharedData(t, "descriptors/bank-descriptors.tsv")))
	var all, vital, right, vitalRight int
	for n := 1; lines.Scan(); n++ {
		if n == 1 {
			continue
		}
		label, known := labelOf(n, lines.Text())
		if !known {
			t.Fatalf("line %d is not the labeled one", n)
		}
		col := strings.Split(lines.Text(), "\t")
		got := categorize(Transaction{Description: col[0]}, col[1] == "CREDIT")
		all++
		if isVital(label) {
			vital++
		}
		switch {
		case got.Leaf == label && isVital(label):
			vitalRight++
			fallthrough
		case got.Leaf == label:
			right++
		default:
			t.Logf("line %d is %v by %v, want %v", n, got.Leaf, got.Tier, label)
		}
	}
	t.Logf("%d of %d right; of the vital %d of %d", right, all, vitalRight, vital)
	if all != len(labels) {
		t.Errorf("%d lines, %d labels", all, len(labels))
	}
	if 100*right < 85*all {
		t.Errorf("%d of %d right, want 85%%", right, all)
	}
	if 100*vitalRight < 98*vital {
		t.Errorf("%d of %d of the vital right, want 98%%", vitalRight, vital)
	}
}

func labelOf(n int, line string) (Leaf, bool) {
	sum := sha256.Sum256([]byte(line))
	for _, l := range labels {
		if l.line == n {
			return l.leaf, strings.HasPrefix(hex.EncodeToString(sum[:]), l.sum)
		}
	}
	return LeafOther, false
}

// isVital reports whether the score or a decision depends on a category: payroll, NSF and
// overdraft, loans, advances, transfers and rent.
func isVital(l Leaf) bool {
	switch {
	case l == LeafPayroll, l == LeafNSFFee, l == LeafOverdraftFee, l == LeafRent:
		return true
	case l.Group() == GroupTransfer:
		return true
	}
	return l.Group() == GroupLending && l != LeafCardPayment
}

var labels = []struct {
	line int
	sum  string
	leaf Leaf
}{
	{2, "29c1acad2f64", LeafATMFee},
	{3, "782d5e60af12", LeafATMFee},
	{4, "8d312f6972b2", LeafATMFee},
	{5, "1eba419cb1dc", LeafFeeOther},
	{6, "a21440ad582c", LeafFeeOther},
	{7, "a9976dc21035", LeafMonthlyFee},
	{8, "153bd4fb7b21", LeafFeeOther},
	{9, "58117218877c", LeafOverdraftFee},
	{10, "6ab8a61f3882", LeafOverdraftFee},
	{11, "579c9ef97201", LeafNSFFee},
	{12, "7bd9dfa56c9b", LeafNSFFee},
	{13, "f16886c3a2d1", LeafChildcareEdu},
	{14, "bf55d3041e7e", LeafDining},
	{15, "aaf508f99b2e", LeafGambling},
	{16, "f8ceac2b7316", LeafEntertainment},
	{17, "adfc152296c5", LeafEntertainment},
	{18, "e93b07b12de4", LeafRetail},
	{19, "0be523bfdc40", LeafRetail},
	{20, "9c964d2be2a0", LeafRetail},
	{21, "e3e1d071a217", LeafRetail},
	{22, "fba337dd9a6c", LeafRetail},
	{23, "b576abc5de37", LeafRetail},
	{24, "4d7482d82cdb", LeafAutoLoan},
	{25, "4da957f976d2", LeafRetail},
	{26, "a44de9a5cfdc", LeafSelfEmployed},
	{27, "fa386631a8ff", LeafUnemployment},
	{28, "a8f0cd4939cf", LeafUnemployment},
	{29, "905397765fd2", LeafGovBenefit},
	{30, "fb78c876bd34", LeafCheckMobile},
	{31, "64a2b0ab9d11", LeafGig},
	{32, "4f2d986262db", LeafSelfEmployed},
	{33, "0df2d2a219b1", LeafSelfEmployed},
	{34, "0eea704ec673", LeafSelfEmployed},
	{35, "70698a67443a", LeafInsurance},
	{36, "2bf641587b48", LeafInsurance},
	{37, "e5d27d7d958a", LeafTax},
	{38, "353a4fcb44c0", LeafTax},
	{39, "f00160e69288", LeafTax},
	{40, "77bff76e53a7", LeafInterestCharge},
	{41, "362de01cb5df", LeafInterestCharge},
	{42, "c21c7d65fed8", LeafInterest},
	{43, "fdc1c873e736", LeafInterest},
	{44, "fbe1e6e7905f", LeafInterest},
	{45, "01485e45c540", LeafPayroll},
	{46, "0fb73378d62e", LeafOwnIn},
	{47, "a8f735484278", LeafPayroll},
	{48, "e4e8e74e0e84", LeafAdvanceIn},
	{49, "136dc67e9650", LeafAdvanceIn},
	{50, "076696f9c01b", LeafAdvanceIn},
	{51, "a5472dd814cf", LeafSavingsIn},
	{52, "733641668a7b", LeafAdvanceIn},
	{53, "42facafec85f", LeafAdvanceIn},
	{54, "e0845fc5a126", LeafAdvanceIn},
	{55, "b613f23b8c26", LeafOwnIn},
	{56, "b055b7d2ff85", LeafOwnIn},
	{57, "dbeac03f876c", LeafAdvanceOut},
	{58, "75c5277a2519", LeafAdvanceOut},
	{59, "379b592d8575", LeafOther},
	{60, "a8517b344f5d", LeafPersonalLoan},
	{61, "f8311c308c63", LeafAdvanceOut},
	{62, "7948dd06713b", LeafCardPayment},
	{63, "7b40f4ad62ef", LeafCardPayment},
	{64, "16846aadd2e5", LeafMortgage},
	{65, "8935db7949d5", LeafMortgage},
	{66, "459d0a0c40c4", LeafBNPLOut},
	{67, "a684678af6ef", LeafBNPLOut},
	{68, "377c8abac604", LeafStudentLoan},
	{69, "a11418e90636", LeafStudentLoan},
	{70, "b0ad2235ddca", LeafPersonalLoan},
	{71, "feb1835dfd8b", LeafPersonalLoan},
	{72, "f6fec07afc60", LeafPersonalLoan},
	{73, "a07d47748247", LeafHealth},
	{74, "b9e92e75d57c", LeafHealth},
	{75, "12ad3652015e", LeafSubscription},
	{76, "baf2ca99f847", LeafRetail},
	{77, "3c876c6f9bfb", LeafHealth},
	{78, "7ce8c2dbf7da", LeafCardPayment},
	{79, "2bfbabbe365e", LeafRent},
	{80, "e63e9979516b", LeafTelecom},
	{81, "0a3787a8e5e4", LeafTaxRefund},
	{82, "59c357cc4b92", LeafTaxRefund},
	{83, "4398d20fe97f", LeafGovBenefit},
	{84, "60d2db16d33b", LeafP2PIn},
	{85, "5d1b9ed786b0", LeafOwnIn},
	{86, "973876e3abdc", LeafOwnIn},
	{87, "d8a97c282f85", LeafSavingsIn},
	{88, "5a5e9736453f", LeafOwnIn},
	{89, "0a622dd85167", LeafSavingsIn},
	{90, "6f8e3f8e3336", LeafOwnIn},
	{91, "4cfb7c4d16fb", LeafOwnIn},
	{92, "de94895be3c5", LeafWireIn},
	{93, "e082dd360bbb", LeafWireIn},
	{94, "76de62189493", LeafOwnOut},
	{95, "9ca79f412926", LeafOwnOut},
	{96, "1acb70c9bd65", LeafOther},
	{97, "610093eccc39", LeafCashWithdrawal},
	{98, "72d98e99ba24", LeafCardPayment},
	{99, "d1f3966dd88d", LeafSubscription},
	{100, "b5a8178925bc", LeafInvestOut},
	{101, "177b766c3cea", LeafInvestOut},
	{102, "5430f17d3160", LeafInvestOut},
	{103, "efc9252a5371", LeafGambling},
	{104, "fe0ba28d88e9", LeafSavingsOut},
	{105, "731bd1e8e0c9", LeafSavingsOut},
	{106, "c1a33a8082da", LeafP2POut},
	{107, "a152b7269cdf", LeafP2POut},
	{108, "36aefabdf5c5", LeafP2POut},
	{109, "e9dbe4408b4d", LeafWireOut},
	{110, "b45c0b94afd2", LeafFuelTransport},
	{111, "78050800d0a2", LeafTravel},
	{112, "abcc3a0785ee", LeafFuelTransport},
	{113, "3b973fae5f59", LeafFuelTransport},
}
