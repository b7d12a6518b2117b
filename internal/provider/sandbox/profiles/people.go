package profiles

import (
	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// all returns the five profiles. A submission selects one by the first name of its
// owner, and a sign-in at the mock bank by its username.
func all() []profile {
	return []profile{defaultProfile(), singleProfile(), multiProfile(), jointProfile(), noIncomeProfile()}
}

// everyday returns baskets of common purchases; the last one absorbs rounding.
func everyday() []basket {
	return []basket{
		{weight: 42, count: 9, texts: []string{"POS DEBIT KROGER #418 AUSTIN TX", "POS DEBIT TRADER JOES #452 AUSTIN TX",
			"POS DEBIT ALDI 71042 AUSTIN TX", "POS DEBIT FRESH ACRE MARKET AUSTIN TX"}},
		{weight: 13, count: 4, texts: []string{"SHELL OIL 57442019 AUSTIN TX", "CHEVRON 0093812 AUSTIN TX", "CITY TRANSIT AUTHORITY"}},
		{weight: 16, count: 6, texts: []string{"SQ *CORNER CAFE AUSTIN TX", "TST* GREEN BOWL KITCHEN", "CHIPOTLE 2188 AUSTIN TX"}},
		{weight: 19, count: 4, texts: []string{"AMZN MKTP US*2K4RT1", "TARGET 00021873 AUSTIN TX", "DOLLAR GENERAL #11422"}},
		{weight: 6, count: 2, texts: []string{"CVS/PHARMACY #08841", "WALGREENS #5530"}},
		{weight: 4, count: 1, texts: []string{"ATM WITHDRAWAL 002817 CONGRESS AVE"}},
	}
}

func defaultProfile() profile {
	return profile{
		name: "default", institution: "Harbor National Bank",
		owners: []bankdata.Person{{FirstName: "Default", LastName: "Harper", Emails: []string{"default.harper@mail.example"}}},
		homes: []bankdata.Address{
			{Street: "418 Maple Avenue Apt 2", City: "Austin", State: "TX", ZIP: "78701"},
			{Street: "77 Birch Lane", City: "Round Rock", State: "TX", ZIP: "78664"},
		},
		accounts: []account{{
			key: "checking", name: "Everyday Checking", subtype: report.Checking, number: "000412887301", monthsOpen: 61,
			end: 3_690_00, pending: true,
			streams: []stream{
				{days: []int{15, 31}, amount: 2_900_00, percent: []int{100, 118, 84, 98, 122, 80, 104, 116, 82, 100, 112, 86, 102},
					banking: true, text: "DIRECT DEP NORTHWIND LOGISTICS PAYROLL PPD"},
				{days: []int{1}, amount: -1_380_00, text: "ACH WEB PMT CEDAR COURT APARTMENTS RENT"},
				{days: []int{17}, amount: -412_18, text: "ACH DEBIT TOYOTA FINANCIAL AUTO LOAN PMT"},
				{days: []int{19}, amount: -640_00, text: "ONLINE PMT CAPITAL ONE CREDIT CARD PAYMENT"},
				{days: []int{20}, amount: -295_40, text: "ACH DEBIT NELNET STUDENT LOAN"},
				{days: []int{18}, amount: -124_60, percent: []int{100, 92, 88, 104, 118, 126, 110, 96, 90, 94, 108, 120},
					text: "AUSTIN ENERGY UTILITY BILL PAY"},
				{days: []int{22}, amount: -70_00, text: "VERIZON WIRELESS AUTOPAY"},
				{days: []int{23}, amount: -59_99, text: "SPECTRUM INTERNET AUTOPAY"},
				{days: []int{21}, amount: -138_20, text: "GEICO AUTO INSURANCE PREM"},
				{days: []int{9}, amount: -15_49, text: "NETFLIX.COM SUBSCRIPTION"},
				{days: []int{12}, amount: -10_99, text: "SPOTIFY USA SUBSCRIPTION"},
			},
			events: []event{
				{month: 8, day: 14, amount: -34_00, text: "NSF RETURNED ITEM FEE"},
				{month: 5, day: 18, amount: -85_00, text: "ZELLE PAYMENT TO J RIVERA"},
				{month: 2, day: 20, amount: 42_16, text: "TARGET REFUND 00021873"},
				{month: 11, day: 16, amount: 611_00, text: "IRS TREAS 310 TAX REF"},
			},
			net:     []report.Cents{0, 60_00, -120_00, 75_00, 90_00, -160_00, 110_00, 55_00, -210_00, 80_00, 70_00, -130_00, 60_00},
			baskets: everyday(),
		}},
	}
}

func singleProfile() profile {
	return profile{
		name: "single", institution: "Prairie Federal Bank",
		owners: []bankdata.Person{{FirstName: "Single", LastName: "Rivera", Emails: []string{"single.rivera@mail.example"}}},
		homes:  []bankdata.Address{{Street: "9 Station Road", City: "Topeka", State: "KS", ZIP: "66603"}},
		accounts: []account{{
			key: "checking", name: "Primary Checking", subtype: report.Checking, number: "000093310442", monthsOpen: 38,
			end: 2_330_00,
			streams: []stream{
				{days: []int{15, 31}, amount: 2_250_00, without: []int{5}, percent: []int{100, 108, 94, 98, 110, 100, 92,
					106, 96, 104, 90, 102, 98}, text: "PAYROLL DEPOSIT SUNFLOWER FOODS INC"},
				{days: []int{1}, amount: -980_00, text: "BILL PAY MEADOW VIEW RENTALS RENT"},
				{days: []int{16}, amount: -318_75, text: "ACH DEBIT ALLY AUTO LOAN PMT"},
				{days: []int{17}, amount: -310_00, text: "ONLINE PMT DISCOVER CREDIT CARD PAYMENT"},
				{days: []int{18}, amount: -138_00, text: "EVERGY UTILITY BILL PAY"},
				{days: []int{16}, amount: -45_00, text: "CRICKET WIRELESS AUTOPAY"},
				{days: []int{17}, amount: -96_30, text: "PROGRESSIVE INSURANCE PREM"},
				{days: []int{8}, amount: -9_99, text: "HULU SUBSCRIPTION"},
			},
			events: []event{
				{month: 2, day: 11, amount: -470_00, text: "POS DEBIT MIDTOWN AUTO REPAIR TOPEKA KS"},
				{month: 2, day: 12, amount: -35_00, text: "OVERDRAFT ITEM FEE"},
				{month: 7, day: 12, amount: -35_00, text: "NSF RETURNED ITEM FEE"},
			},
			net:     []report.Cents{0, 40_00, -95_00, -145_00, 180_00, -1_980_00, 310_00, 290_00, 260_00, 45_00, 240_00, -60_00, 330_00},
			baskets: everyday(),
		}},
	}
}

func multiProfile() profile {
	return profile{
		name: "multi", institution: "Lakeshore Bank and Trust",
		owners: []bankdata.Person{{FirstName: "Multi", LastName: "Chen", Emails: []string{"multi.chen@mail.example"}}},
		homes:  []bankdata.Address{{Street: "1200 Lake Shore Drive Unit 31", City: "Chicago", State: "IL", ZIP: "60610"}},
		accounts: []account{
			{
				key: "checking", name: "Premier Checking", subtype: report.Checking, number: "000551204466", monthsOpen: 88,
				end: 9_800_00, pending: true,
				streams: []stream{
					{days: []int{31}, amount: 6_300_00, percent: []int{100, 84, 118, 98, 122, 80, 104, 116, 82, 100, 112, 86, 102},
						banking: true, text: "DIRECT DEP GREAT LAKES MEDICAL PAYROLL PPD"},
					{days: []int{1}, amount: -1_480_00, text: "ACH WEB PMT LINCOLN PARK LOFTS RENT"},
					{days: []int{17}, amount: -455_00, text: "ACH DEBIT HONDA FINANCE AUTO LOAN PMT"},
					{days: []int{19}, amount: -820_00, text: "ONLINE PMT CHASE CREDIT CARD PAYMENT"},
					{days: []int{20}, amount: -360_00, text: "ACH DEBIT NELNET STUDENT LOAN"},
					{days: []int{18}, amount: -131_00, text: "COMED UTILITY BILL PAY"},
					{days: []int{22}, amount: -85_00, text: "T-MOBILE AUTOPAY"},
					{days: []int{23}, amount: -64_99, text: "XFINITY INTERNET AUTOPAY"},
					{days: []int{21}, amount: -149_00, text: "STATE FARM INSURANCE PREM"},
					{days: []int{9}, amount: -15_49, text: "NETFLIX.COM SUBSCRIPTION"},
					{days: []int{16}, amount: -160_00, text: "ONLINE TRANSFER TO SAVINGS XXXXXX7718"},
					{days: []int{26}, amount: 165_00, text: "ONLINE TRANSFER FROM SAVINGS XXXXXX7718"},
				},
				events: []event{
					{month: 6, day: 13, amount: -34_00, text: "NSF RETURNED ITEM FEE"},
				},
				net: []report.Cents{200_00, 760_00, 1_110_00, 900_00, -900_00, -1_150_00, 480_00,
					520_00, -1_050_00, 450_00, 470_00, -1_200_00, 430_00},
				baskets: everyday(),
			},
			{
				key: "savings", name: "Reserve Savings", subtype: report.Savings, number: "000551207718", monthsOpen: 88,
				end: 600_00,
				streams: []stream{
					{days: []int{16}, amount: 160_00, text: "ONLINE TRANSFER FROM CHECKING XXXXXX4466"},
					{days: []int{31}, amount: 4_12, text: "INTEREST PAYMENT"},
					{days: []int{26}, amount: -165_00, text: "ONLINE TRANSFER TO CHECKING XXXXXX4466"},
				},
			},
			{
				key: "investment", name: "Brokerage Account", number: "000551209903", monthsOpen: 52,
				end:     18_240_00,
				streams: []stream{{days: []int{20}, amount: 31_50, text: "DIVIDEND REINVESTED INDEX FUND"}},
			},
		},
	}
}

func jointProfile() profile {
	return profile{
		name: "joint", institution: "Cascade Community Bank",
		owners: []bankdata.Person{
			{FirstName: "Joint", LastName: "Okafor", Emails: []string{"joint.okafor@mail.example"}},
			{FirstName: "Jordan", LastName: "Okafor", Emails: []string{"jordan.okafor@mail.example"}},
		},
		homes: []bankdata.Address{{Street: "305 Alder Street", City: "Portland", State: "OR", ZIP: "97205"}},
		accounts: []account{{
			key: "checking", name: "Household Checking", subtype: report.Checking, number: "000770118820", monthsOpen: 70,
			end: 13_700_00, pending: true,
			streams: []stream{
				{days: []int{31}, amount: 4_200_00, percent: []int{100, 150, 60, 140, 60, 100, 175, 48, 98, 170, 42, 160, 64},
					banking: true, text: "DIRECT DEP ALDER DESIGN STUDIO PAYROLL PPD"},
				{days: []int{31}, amount: 4_700_00, percent: []int{100, 120, 85, 110, 80, 100, 118, 82, 96, 116, 84, 112, 88},
					banking: true, text: "DIRECT DEP PACIFIC PRINT CO PAYROLL PPD"},
				{days: []int{4}, amount: -2_350_00, text: "ACH WEB PMT ROSE CITY PROPERTIES RENT"},
				{days: []int{12}, amount: -640_00, text: "ACH DEBIT FORD CREDIT AUTO LOAN PMT"},
				{days: []int{16}, amount: -1_280_00, text: "ONLINE PMT AMEX CREDIT CARD PAYMENT"},
				{days: []int{18}, amount: -420_00, text: "ACH DEBIT NELNET STUDENT LOAN"},
				{days: []int{19}, amount: -190_00, text: "PORTLAND GENERAL ELECTRIC UTILITY BILL PAY"},
				{days: []int{21}, amount: -140_00, text: "VERIZON WIRELESS AUTOPAY"},
				{days: []int{22}, amount: -212_00, text: "STATE FARM INSURANCE PREM"},
				{days: []int{9}, amount: -22_99, text: "NETFLIX.COM SUBSCRIPTION"},
			},
			events: []event{
				{month: 4, day: 9, amount: -240_00, text: "CHECK 1042"},
			},
			net: []report.Cents{400_00, 1_900_00, 300_00, 1_700_00, -2_900_00, 350_00, 1_200_00,
				-2_600_00, 300_00, 900_00, -2_800_00, 850_00, 800_00},
			baskets: everyday(),
		}},
	}
}

func noIncomeProfile() profile {
	return profile{
		name: "noincome", institution: "Granite State Bank",
		owners:   []bankdata.Person{{FirstName: "Noincome", LastName: "Doyle", Emails: []string{"noincome.doyle@mail.example"}}},
		homes:    []bankdata.Address{{Street: "51 Quarry Hill", City: "Concord", State: "NH", ZIP: "03301"}},
		accounts: []account{{key: "checking", name: "Basic Checking", subtype: report.Checking, number: "000260410075", monthsOpen: 4, end: 0}},
	}
}

// unusable returns profiles without a checking or savings account, whose reports end
// accordingly.
func unusable() []profile {
	return []profile{
		{
			name: "debt_only", institution: "Copperline Card Bank",
			owners: []bankdata.Person{{FirstName: "Debra", LastName: "Lowe", Emails: []string{"debra.lowe@mail.example"}}},
			homes:  []bankdata.Address{{Street: "16 Foundry Street", City: "Dayton", State: "OH", ZIP: "45402"}},
			accounts: []account{
				{key: "card", name: "Rewards Credit Card", kind: report.Debt, number: "000610022218", monthsOpen: 34, end: -2_140_00,
					streams: []stream{
						{days: []int{6}, amount: -184_20, text: "POS DEBIT KROGER #207 DAYTON OH"},
						{days: []int{14}, amount: -96_40, text: "SHELL OIL 57440871 DAYTON OH"},
						{days: []int{24}, amount: 280_60, text: "PAYMENT RECEIVED THANK YOU"},
					}},
				{key: "loan", name: "Auto Loan", kind: report.Debt, number: "000610077340", monthsOpen: 20, end: -11_860_00,
					streams: []stream{{days: []int{17}, amount: 342_75, text: "LOAN PAYMENT RECEIVED"}}},
			},
		},
		{
			name: "investment_only", institution: "Summit Ridge Brokerage",
			owners: []bankdata.Person{{FirstName: "Ivan", LastName: "Castell", Emails: []string{"ivan.castell@mail.example"}}},
			homes:  []bankdata.Address{{Street: "2 Overlook Terrace", City: "Boise", State: "ID", ZIP: "83702"}},
			accounts: []account{{key: "investment", name: "Brokerage Account", number: "000733019951", monthsOpen: 45, end: 42_310_00,
				streams: []stream{{days: []int{20}, amount: 118_40, text: "DIVIDEND REINVESTED INDEX FUND"}}}},
		},
	}
}
