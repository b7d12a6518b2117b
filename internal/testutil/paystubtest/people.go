package paystubtest

import (
	"fmt"
	"time"

	"vestibule/internal/report"
)

var (
	latin = []string{"Dana Whitfield", "José Muñoz", "Renée Dubois", "Zoë Lindström", "Marcus O'Neal", "Aisha Rahman",
		"Wei-Lin Chou", "Søren Ødegård", "María de la Cruz", "Priya Natarajan",
		"Jean-Luc Béranger", "Tyrell Washington Jr.", "Nguyen Thi Hoa", "Björn Straße", "Anne-Marie St. Cyr",
		"Kofi Mensah", "Yuki Tanaka", "Ewan McGregor-Platt", "Li Na"}
	// far names need a font with letters of many scripts.
	far = []string{"Дмитрий Соколов", "Ελένη Παπαδοπούλου", "Łukasz Wójcik", "Žaneta Dvořáková",
		"Олександра Шевченко", "Gökçe Yıldız", "Őrsi Kovács", "Íñigo Šarić"}
	streets = []string{"Oak Street", "Maple Ave", "N Lakeshore Dr", "County Road 12", "Elm Ct", "W 47th St", "Sunset Blvd", "Old Mill Lane"}
	towns   = [][3]string{{"Austin", "TX", "78701"}, {"Portland", "OR", "97205"}, {"St. Paul", "MN", "55102-1234"},
		{"Winston-Salem", "NC", "27101"}, {"Las Vegas", "NV", "89101"}, {"New York", "NY", "10001"}, {"Baton Rouge", "LA", "70801"},
		{"Coeur d'Alene", "ID", "83814"}, {"Boston", "MA", "02108"}, {"San Juan", "PR", "00901"}}
	employers = []string{"Northwind Logistics, Inc.", "Blue Heron Bakery LLC", "Cascade Timber Co.", "Harbor Point Dental Group",
		"Lumen & Byrd Architects LLP", "Fabrikam Manufacturing Corp", "Prairie Home Health Services",
		"Tidewater Marine Supply", "City of Marlow", "Juniper Street School District"}
	companies = []string{"", "", "ADP", "Paychex", "Gusto", "Paylocity", "QuickBooks Payroll", "Paycom"}
)

// person makes a person with an address, a job and a pay frequency.
func person(d Draw) Stub {
	home, work := pick(d, towns...), pick(d, towns...)
	s := Stub{
		Employee: pick(d, latin...), Line1: fmt.Sprintf("%d %s", 10+d(9000), pick(d, streets...)), City: home[0], State: home[1], ZIP: home[2],
		Employer: pick(d, employers...), EmployerLine1: fmt.Sprintf("%d %s", 100+d(900), pick(d, streets...)),
		EmployerCity: work[0], EmployerState: work[1], EmployerZIP: work[2],
		Provider: pick(d, companies...), Frequency: pick(d, report.PayWeekly, report.PayBiweekly, report.PaySemiMonthly, report.PayMonthly),
		Hire: report.Date{Time: time.Date(2008+d(15), time.Month(1+d(12)), 1+d(28), 0, 0, 0, 0, time.UTC)},
	}
	if d(4) == 0 {
		s.Line2 = pick(d, "Apt 4B", "Unit 12", "Suite 300", "# 7")
	}
	return s
}

// money formats an amount, as in 1,234.56.
func money(c report.Cents) string {
	sign := ""
	if c < 0 {
		sign, c = "-", -c
	}
	whole := fmt.Sprint(int64(c / 100))
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return fmt.Sprintf("%s%s.%02d", sign, whole, int64(c%100))
}

// Far returns a name with letters that only the layout "modern" can show.
func Far(d Draw) string { return pick(d, far...) }
