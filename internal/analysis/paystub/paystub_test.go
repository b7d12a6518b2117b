package paystub_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/analysis/paystub"
	"vestibule/internal/report"
	"vestibule/internal/testutil/paystubtest"
	"vestibule/internal/testutil/tools"
)

// truth returns the values that should be read from a stub.
func truth(s *paystubtest.Stub) map[string]string {
	out := map[string]string{
		"employee": s.Employee, "line1": s.Line1, "line2": s.Line2, "city": s.City, "state": s.State,
		"zip": s.ZIP, "employer": s.Employer, "provider": s.Provider,
		"frequency": s.Frequency, "start": s.Start.String(), "end": s.End.String(), "pay": s.Pay.String(), "hire": s.Hire.String(),
		"gross": s.Gross.String() + " " + s.GrossYTD.String(), "net": s.Net.String() + " " + s.NetYTD.String(),
	}
	for name, i := range lineNames {
		out[name] = "– –"
		if l := s.Line(i); l != nil {
			out[name] = l.Current.String() + " " + l.YTD.String()
		}
	}
	return out
}

var lineNames = map[string]paystubtest.Item{
	"regular": paystubtest.Regular, "overtime": paystubtest.Overtime, "bonus": paystubtest.Bonus,
	"commission": paystubtest.Commission, "pto": paystubtest.PaidTimeOff, "vacation": paystubtest.Vacation,
	"pto taken": paystubtest.PaidTimeOffTaken, "vacation taken": paystubtest.VacationTaken,
	"social security": paystubtest.SocialSecurity, "medicare": paystubtest.Medicare, "fica": paystubtest.FICA,
}

// seen returns the values that were read.
func seen(d *paystub.Document) map[string]string {
	p := &d.Stub
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	day := func(d *report.Date) string {
		if d == nil {
			return ""
		}
		return d.String()
	}
	two := func(a, b *report.Cents) string {
		s := []string{"–", "–"}
		for i, c := range []*report.Cents{a, b} {
			if c != nil {
				s[i] = c.String()
			}
		}
		return strings.Join(s, " ")
	}
	return map[string]string{
		"employee": text(p.EmployeeName), "line1": text(p.EmployeeLine1), "line2": text(p.EmployeeLine2),
		"city": text(p.EmployeeCity), "state": text(p.EmployeeState), "zip": text(p.EmployeeZIP),
		"employer": d.Employer, "provider": text(p.PaystubProvider), "frequency": text(p.PayFrequency),
		"start": day(p.PayPeriodStart), "end": day(p.PayPeriodEnd), "pay": day(p.PayDate), "hire": day(p.HireDate),
		"gross": two(p.GrossTotal, p.GrossTotalYTD), "net": two(p.NetTotal, p.NetTotalYTD),
		"regular": two(p.RegularPay, p.RegularPayYTD), "overtime": two(p.Overtime, p.OvertimeYTD),
		"bonus": two(p.Bonus, p.BonusYTD), "commission": two(p.Commission, p.CommissionYTD),
		"pto": two(p.PaidTimeOff, p.PaidTimeOffYTD), "vacation": two(p.Vacation, p.VacationYTD),
		"pto taken": two(p.PaidTimeOffDeduct, p.PaidTimeOffDeductYTD), "vacation taken": two(p.VacationDeduct, p.VacationDeductYTD),
		"social security": two(p.SocialSecurityTax, p.SocialSecurityTaxYTD),
		"medicare":        two(p.MedicareTax, p.MedicareTaxYTD), "fica": two(p.FICATax, p.FICATaxYTD),
	}
}

func source(seed uint64) paystubtest.Draw { return rand.New(rand.NewPCG(seed, 77)).IntN }

func TestFieldsOfSixDesigns(t *testing.T) {
	each := 15
	if tools.Full() {
		each = 60
	}
	for n, l := range paystubtest.Layouts() {
		t.Run(l.Name, func(t *testing.T) {
			draw := source(uint64(n))
			for k := range each {
				s := paystubtest.Random(draw)
				if l.Family == "" && k%2 == 0 {
					s.Employee = paystubtest.Far(draw)
				}
				d := paystub.Open(s.Printed(draw, l))
				if d.Outcome != paystub.Read {
					t.Fatalf("outcome = %s", d.Outcome)
				}
				if diff := cmp.Diff(truth(&s), seen(d)); diff != "" {
					t.Errorf("stub %d (-written +read):\n%s", k, diff)
				}
				for name, c := range d.Stub.ConsistencyChecks {
					if c.Value == nil || !*c.Value {
						t.Errorf("stub %d: %s = %v, want true", k, name, show(c.Value))
					}
				}
				if got := paystub.Report([]*paystub.Document{d}, paystub.Bank{},
					report.DateOf(s.Pay.AddDate(0, 3, 0)))[0].IrregularityDetection; got.Status != report.IrregularityNotDetected {
					t.Errorf("stub %d: %s %v", k, got.Status, got.Reasons)
				}
			}
		})
	}
}

func show(b *bool) string {
	if b == nil {
		return "null"
	}
	return fmt.Sprint(*b)
}
