package reports

import (
	"time"

	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// The file of a payroll connection, with the data retrieved there.

type statementsBody struct {
	SourceID   string           `json:"source_id"`
	SourceUUID string           `json:"source_uuid"`
	Provider   *string          `json:"provider_name"`
	Retrieved  report.Timestamp `json:"retrieved_at"`
	Jobs       []statementsJob  `json:"employments"`
}

type statementsJob struct {
	ID         string           `json:"source_record_id"`
	Employer   *string          `json:"employer_name"`
	Title      *string          `json:"job_title"`
	Hired      *report.Date     `json:"hire_date"`
	Ended      *report.Date     `json:"termination_date"`
	Frequency  *string          `json:"pay_frequency"`
	Statements []statementsItem `json:"statements"`
}

type statementsItem struct {
	PayDate  report.Date  `json:"pay_date"`
	Start    report.Date  `json:"pay_period_start"`
	End      report.Date  `json:"pay_period_end"`
	Gross    report.Cents `json:"gross_total_earnings_amount_current"`
	GrossYTD report.Cents `json:"gross_total_earnings_amount_ytd"`
	Net      report.Cents `json:"net_total_earnings_amount_current"`
	NetYTD   report.Cents `json:"net_total_earnings_amount_ytd"`
}

func statementsOf(p income.Payroll, retrieved time.Time) statementsBody {
	out := statementsBody{SourceID: p.SourceID, SourceUUID: p.ID, Provider: contract.Null(p.Provider),
		Retrieved: report.TimestampOf(retrieved), Jobs: []statementsJob{}}
	for _, j := range p.Jobs {
		job := statementsJob{ID: j.RecordID, Employer: contract.Null(j.Employer), Title: contract.Null(j.Title), Hired: j.Hired, Ended: j.Ended,
			Frequency: contract.Null(j.Frequency), Statements: []statementsItem{}}
		for _, s := range j.Statements {
			job.Statements = append(job.Statements, statementsItem{PayDate: s.PayDate, Start: s.Start, End: s.End,
				Gross: s.Gross, GrossYTD: s.GrossYTD, Net: s.Net, NetYTD: s.NetYTD})
		}
		out.Jobs = append(out.Jobs, job)
	}
	return out
}
