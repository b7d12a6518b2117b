package profiles

import (
	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// otherProfiles returns profiles that only a sign-in selects: irregular income, a spiral of
// overdrafts, benefits, and one person with accounts at two banks.
func otherProfiles() []profile {
	return []profile{gigProfile(), overdraftProfile(), benefitsProfile(), transfersProfile(), transfersSavingsProfile()}
}

// gigProfile is the payroll providers' user gig at her bank.
func gigProfile() profile {
	return profile{
		name: "gig", institution: "Trellis Bank",
		owners: []bankdata.Person{{FirstName: "Gigi", LastName: "Marlow", Emails: []string{"gigi.marlow@mail.example"}}},
		homes:  []bankdata.Address{{Street: "2210 Saguaro Way Unit 8", City: "Phoenix", State: "AZ", ZIP: "85004"}},
		accounts: []account{{
			key: "checking", name: "Spending Account", subtype: report.Checking, number: "000308819054", monthsOpen: 33,
			end: 840_00,
			streams: []stream{
				{days: []int{2, 9, 17, 24}, amount: 402_60, percent: []int{100, 61, 133, 82, 117, 46, 126, 94, 71, 139, 88, 108, 55},
					text: "ZIPPORAH RIDES DRIVER PAY UBER BV"},
				{days: []int{5, 11, 13, 22, 28}, amount: 118_35, percent: []int{100, 140, 42, 125, 66, 151, 60, 108, 135, 39, 92, 77, 144},
					without: []int{4, 13}, text: "DOORDASH INC DASHER PAYOUT"},
				{days: []int{7, 20}, amount: 171_80, without: []int{1, 6, 9, 15}, text: "INSTACART SHOPPER PAY"},
				{days: []int{1}, amount: -690_00, text: "ACH WEB PMT SAGUARO COURT RENT"},
				{days: []int{16}, amount: -248_15, text: "ACH DEBIT TOYOTA FINANCIAL AUTO LOAN PMT"},
				{days: []int{18}, amount: -131_40, text: "PROGRESSIVE INSURANCE PREM"},
				{days: []int{21}, amount: -45_00, text: "CRICKET WIRELESS AUTOPAY"},
			},
			events: []event{
				{month: 3, day: 15, amount: -512_00, text: "IRS USATAXPYMT ESTIMATED TAX"},
				{month: 6, day: 15, amount: -498_00, text: "IRS USATAXPYMT ESTIMATED TAX"},
				{month: 5, day: 19, amount: -35_00, text: "OVERDRAFT ITEM FEE"},
			},
			net:     []report.Cents{0, -180_00, 140_00, 60_00, -220_00, -310_00, 90_00, 120_00, -60_00, 210_00, 130_00, 50_00, -150_00},
			baskets: everyday(),
		}},
	}
}

// overdraftProfile pays fees for overdrafts that the fees before have caused.
func overdraftProfile() profile {
	fees := []event{
		{month: 4, day: 28, amount: -35_00, text: "OVERDRAFT ITEM FEE"},
		{month: 3, day: 26, amount: -35_00, text: "OVERDRAFT ITEM FEE"},
		{month: 3, day: 27, amount: -35_00, text: "OVERDRAFT ITEM FEE"},
		{month: 3, day: 29, amount: 400_00, text: "ADVANCE AMERICA PAYDAY LOAN"},
		{month: 2, day: 14, amount: -460_00, text: "ADVANCE AMERICA PAYDAY LOAN PMT"},
		{month: 2, day: 24, amount: -35_00, text: "NSF RETURNED ITEM FEE"},
		{month: 2, day: 25, amount: -35_00, text: "OVERDRAFT ITEM FEE"},
		{month: 2, day: 26, amount: -35_00, text: "OVERDRAFT ITEM FEE"},
		{month: 2, day: 27, amount: 500_00, text: "ADVANCE AMERICA PAYDAY LOAN"},
		{month: 1, day: 14, amount: -575_00, text: "ADVANCE AMERICA PAYDAY LOAN PMT"},
		{month: 1, day: 20, amount: -35_00, text: "NSF RETURNED ITEM FEE"},
		{month: 1, day: 21, amount: -35_00, text: "OVERDRAFT ITEM FEE"},
		{month: 1, day: 22, amount: -35_00, text: "OVERDRAFT ITEM FEE"},
		{month: 1, day: 26, amount: -35_00, text: "OVERDRAFT ITEM FEE"},
		{month: 1, day: 27, amount: -35_00, text: "NSF RETURNED ITEM FEE"},
	}
	return profile{
		name: "overdraft", institution: "Silverthread Bank",
		owners: []bankdata.Person{{FirstName: "Odell", LastName: "Pruitt", Emails: []string{"odell.pruitt@mail.example"}}},
		homes:  []bankdata.Address{{Street: "640 Tannery Road", City: "Reno", State: "NV", ZIP: "89502"}},
		accounts: []account{{
			key: "checking", name: "Essential Checking", subtype: report.Checking, number: "000619920317", monthsOpen: 47,
			end: -487_00,
			streams: []stream{
				{days: []int{15, 31}, amount: 1_310_00, percent: []int{100, 78, 84, 88, 95, 100, 101, 99, 100, 102, 100, 98},
					banking: true, text: "PAYROLL DEPOSIT FOXGLOVE FULFILMENT"},
				{days: []int{3}, amount: -910_00, text: "BILL PAY TRUCKEE TERRACE RENT"},
				{days: []int{17}, amount: -286_40, text: "ACH DEBIT ALLY AUTO LOAN PMT"},
				{days: []int{19}, amount: -118_00, text: "NV ENERGY UTILITY BILL PAY"},
				{days: []int{20}, amount: -65_00, text: "BOOST MOBILE AUTOPAY"},
			},
			events:  fees,
			net:     []report.Cents{-40_00, -460_00, -310_00, -180_00, -240_00, -20_00, 30_00, -15_00, 25_00, 40_00, -30_00, 10_00},
			baskets: everyday(),
		}},
	}
}

// benefitsProfile is the payroll providers' user benefit at her bank.
func benefitsProfile() profile {
	return profile{
		name: "benefits", institution: "Harbor National Bank",
		owners: []bankdata.Person{{FirstName: "Benita", LastName: "Okoro", Emails: []string{"benita.okoro@mail.example"}}},
		homes:  []bankdata.Address{{Street: "14 Orchard Row", City: "Cloverfield", State: "PA", ZIP: "17101"}},
		accounts: []account{{
			key: "checking", name: "Everyday Checking", subtype: report.Checking, number: "000412995512", monthsOpen: 112,
			end: 1_260_00,
			streams: []stream{
				{days: []int{3}, amount: 1_860_00, banking: true, text: "CLOVERFIELD COUNTY SURVIVOR BENEFIT"},
				{days: []int{12}, amount: 1_042_00, banking: true, text: "SSA TREAS 310 XXSOC SEC PPD"},
				{days: []int{20}, amount: 325_00, text: "PA SCDU CHILD SUPPORT"},
				{days: []int{1}, amount: -1_040_00, text: "BILL PAY ORCHARD ROW RENT"},
				{days: []int{15}, amount: -102_75, text: "PPL ELECTRIC UTILITY BILL PAY"},
				{days: []int{18}, amount: -60_00, text: "CONSUMER CELLULAR AUTOPAY"},
				{days: []int{22}, amount: -88_10, text: "ERIE INSURANCE PREM"},
			},
			net:     []report.Cents{0, 45_00, -30_00, 60_00, -75_00, 20_00, 35_00, -50_00, 25_00, 40_00, -65_00, 30_00},
			baskets: everyday(),
		}},
	}
}

// The person of transfers and transfers_savings moves money between the two banks.
const (
	movedOut  = 400_00
	movedBack = 150_00
)

func transferOwner() []bankdata.Person {
	return []bankdata.Person{{FirstName: "Tomas", LastName: "Reyes", Emails: []string{"tomas.reyes@mail.example"}}}
}

func transferHome() []bankdata.Address {
	return []bankdata.Address{{Street: "733 Telegraph Hill Place", City: "San Francisco", State: "CA", ZIP: "94133"}}
}

func transfersProfile() profile {
	return profile{
		name: "transfers", institution: "Meridian Quay Bank", owners: transferOwner(), homes: transferHome(),
		accounts: []account{{
			key: "checking", name: "Harborfront Checking", subtype: report.Checking, number: "000528818842", monthsOpen: 40,
			end: 2_910_00,
			streams: []stream{
				{days: []int{15, 31}, amount: 2_480_00, banking: true, text: "DIRECT DEP BAYLIGHT STUDIOS PAYROLL PPD"},
				{days: []int{1}, amount: -1_720_00, text: "ACH WEB PMT HILLSIDE FLATS RENT"},
				{days: []int{16}, amount: -movedOut, text: "ONLINE TRANSFER TO NIGHTJAR DIGITAL SAVINGS XXXXXX3310"},
				{days: []int{26}, amount: movedBack, text: "ONLINE TRANSFER FROM NIGHTJAR DIGITAL SAVINGS XXXXXX3310"},
				{days: []int{18}, amount: -104_20, text: "PACIFIC GAS ELECTRIC UTILITY BILL PAY"},
				{days: []int{21}, amount: -75_00, text: "T-MOBILE AUTOPAY"},
				{days: []int{23}, amount: -540_00, text: "ONLINE PMT CAPITAL ONE CREDIT CARD PAYMENT"},
			},
			net:     []report.Cents{0, 85_00, -60_00, 110_00, 70_00, -140_00, 95_00, 40_00, -110_00, 65_00, 50_00, -90_00, 75_00},
			baskets: everyday(),
		}},
	}
}

func transfersSavingsProfile() profile {
	return profile{
		name: "transfers_savings", institution: "Nightjar Digital Bank", owners: transferOwner(), homes: transferHome(),
		accounts: []account{{
			key: "savings", name: "Rainy Day Savings", subtype: report.Savings, number: "000900213310", monthsOpen: 28, end: 6_450_00,
			streams: []stream{
				{days: []int{16}, amount: movedOut, text: "ONLINE TRANSFER FROM MERIDIAN QUAY CHECKING XXXXXX8842"},
				{days: []int{26}, amount: -movedBack, text: "ONLINE TRANSFER TO MERIDIAN QUAY CHECKING XXXXXX8842"},
				{days: []int{31}, amount: 18_37, text: "INTEREST PAYMENT"},
			},
		}},
	}
}
