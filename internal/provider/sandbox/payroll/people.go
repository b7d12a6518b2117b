package payroll

import (
	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/report"
)

// profile is a test consumer.
type profile struct {
	owner bankdata.Person
	jobs  []job
}

// job describes how a profile's job is generated.
type job struct {
	title, kind string
	employer    string // at a payroll company; elsewhere the first job's is the provider itself
	address     income.Address
	state       string // where taxes are paid
	hired       int    // months before the fetch date's month in which it began, on its first day
	ended       int    // months before it on whose last day it ended; 0: it has not
	rate        report.Cents
	per         string
	frequency   string
	hours       [2]int       // of a week of paid work, from and to
	bonus       int64        // percent of the year's rate, with December's last payment
	gigs        [2]int       // of a week, from and to
	fare        report.Cents // of a gig, on average
	deposits    []income.Deposit
}

// profiles are the test consumers by username. Those who also exist at the mock banks
// have their pay deposited to their accounts there.
var profiles = map[string]profile{
	"default": {
		owner: bankdata.Person{FirstName: "Default", LastName: "Harper", Emails: []string{"default.harper@mail.example"}},
		jobs: []job{{
			title: "Operations Analyst", kind: report.EmploymentFullTime, employer: "Northwind Logistics",
			address: income.Address{Line1: "2200 Congress Avenue", Line2: "Suite 400", City: "Austin", State: "TX"}, state: "TX",
			hired: 61, rate: 86_400_00, per: income.PerYear, frequency: report.PaySemiMonthly, bonus: 4,
			deposits: []income.Deposit{{Institution: "Harbor National Bank", Mask: "7301"}},
		}},
	},
	"hourly": {
		owner: bankdata.Person{FirstName: "Single", LastName: "Rivera", Emails: []string{"single.rivera@mail.example"}},
		jobs: []job{{
			title: "Line Lead", kind: report.EmploymentFullTime, employer: "Sunflower Foods Inc",
			address: income.Address{Line1: "15 Mill Street", City: "Topeka", State: "KS"}, state: "KS",
			hired: 38, rate: 28_50, per: income.PerHour, frequency: report.PayBiweekly, hours: [2]int{36, 45},
			deposits: []income.Deposit{{Institution: "Prairie Federal Bank", Mask: "0442"}},
		}},
	},
	"two_jobs": {
		owner: bankdata.Person{FirstName: "Multi", LastName: "Chen", Emails: []string{"multi.chen@mail.example"}},
		jobs: []job{
			{
				title: "Registered Nurse", kind: report.EmploymentFullTime, employer: "Great Lakes Medical",
				address: income.Address{Line1: "700 Lake Shore Drive", City: "Chicago", State: "IL"}, state: "IL",
				hired: 50, rate: 91_200_00, per: income.PerYear, frequency: report.PayMonthly,
				deposits: []income.Deposit{{Institution: "Lakeshore Bank and Trust", Mask: "4466"}},
			},
			{
				title: "Weekend Instructor", kind: report.EmploymentPartTime, employer: "Lantern Street Learning",
				address: income.Address{Line1: "88 Lantern Street", Line2: "Floor 2", City: "Chicago", State: "IL"}, state: "IL",
				hired: 7, rate: 34_00, per: income.PerHour, frequency: report.PayBiweekly, hours: [2]int{6, 12},
				deposits: []income.Deposit{{Institution: "Lakeshore Bank and Trust", Mask: "7718"}},
			},
		},
	},
	"gig": {
		owner: bankdata.Person{FirstName: "Gigi", LastName: "Marlow", Emails: []string{"gigi.marlow@mail.example"}},
		jobs: []job{{
			title: "Driver", kind: report.EmploymentContractor, employer: "Zipporah Rides", state: "AZ",
			hired: 26, frequency: report.PayWeekly, hours: [2]int{18, 44}, gigs: [2]int{32, 84}, fare: 15_40,
			deposits: []income.Deposit{{Institution: "Trellis Bank", Mask: "9054"}},
		}},
	},
	"new_hire": {
		owner: bankdata.Person{FirstName: "Nova", LastName: "Lindqvist", Emails: []string{"nova.lindqvist@mail.example"}},
		jobs: []job{{
			title: "Junior Designer", kind: report.EmploymentFullTime, employer: "Alder Design Studio",
			address: income.Address{Line1: "41 Alder Street", City: "Portland", State: "OR"}, state: "OR",
			hired: 3, rate: 62_400_00, per: income.PerYear, frequency: report.PaySemiMonthly,
			deposits: []income.Deposit{{Institution: "Cascade Community Bank", Mask: "2210"}},
		}},
	},
	"terminated": {
		owner: bankdata.Person{FirstName: "Terry", LastName: "Olsen", Emails: []string{"terry.olsen@mail.example"}},
		jobs: []job{{
			title: "Warehouse Associate", kind: report.EmploymentFullTime, employer: "Foxglove Fulfilment",
			address: income.Address{Line1: "1 Depot Road", City: "Reno", State: "NV"}, state: "NV",
			hired: 30, ended: 4, rate: 22_75, per: income.PerHour, frequency: report.PayBiweekly, hours: [2]int{34, 42},
			deposits: []income.Deposit{{Institution: "Silverthread Bank", Mask: "3381"}},
		}},
	},
	"benefit": {
		owner: bankdata.Person{FirstName: "Benita", LastName: "Okoro", Emails: []string{"benita.okoro@mail.example"}},
		jobs: []job{{
			title: "Survivor benefit", kind: report.EmploymentBenefit, employer: "Cloverfield County", state: "PA",
			address: income.Address{Line1: "1 Courthouse Square", City: "Cloverfield", State: "PA"},
			hired:   29, rate: 1_860_00, per: income.PerMonth, frequency: report.PayMonthly,
			deposits: []income.Deposit{{Institution: "Harbor National Bank", Mask: "5512"}},
		}},
	},
	"monthly": {
		owner: bankdata.Person{FirstName: "Monty", LastName: "Albrecht", Emails: []string{"monty.albrecht@mail.example"}},
		jobs: []job{{
			title: "Lecturer", kind: report.EmploymentFullTime, employer: "Elmstead University", state: "WI",
			address: income.Address{Line1: "90 College Avenue", City: "Madison", State: "WI"},
			hired:   44, rate: 5_450_00, per: income.PerMonth, frequency: report.PayMonthly,
			deposits: []income.Deposit{{Institution: "Prairie Federal Bank", Mask: "8127"}},
		}},
	},
	"no_statements": {
		owner: bankdata.Person{FirstName: "Noincome", LastName: "Doyle", Emails: []string{"noincome.doyle@mail.example"}},
		jobs: []job{{
			title: "Clerk", kind: report.EmploymentFullTime, employer: "Quarry Hill Stores",
			address: income.Address{Line1: "9 Quarry Hill", City: "Concord", State: "NH"}, state: "NH",
			hired: 40, ended: 15, rate: 41_600_00, per: income.PerYear, frequency: report.PayMonthly,
		}},
	},
	"incomplete": {jobs: []job{{
		title: "", state: "TX", hired: 20, rate: 48_000_00, per: income.PerYear, frequency: report.PayMonthly,
	}}},
}
