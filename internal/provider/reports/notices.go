package reports

import "vestibule/internal/report"

// The notices to the consumer that a report has: where to turn with what is wrong
// in it, and which of its figures nobody said. The contract has the node and no
// texts; these claim nothing beyond what the service does.

const (
	disputeNotice = "Whoever this report is about may dispute it with the company that it was made for."
	reviseNotice  = "A report with figures that were corrected after a dispute says so: it has a revision, and the corrected figures as its revised values."
	grossNotice   = "Deposits are net. The gross income of this source is estimated from them by the taxes of the year."
)

// incomeNotices are those of an income report.
func incomeNotices(in Input) []report.ConsumerNotice {
	out := []report.ConsumerNotice{{Description: disputeNotice}, {Description: reviseNotice}}
	for _, c := range in.Data.Connections {
		for _, a := range c.Accounts {
			if a.Type == report.CashEquivalent {
				out = append(out, report.ConsumerNotice{Description: grossNotice, SourceReference: &c.SourceID})
				break
			}
		}
	}
	return out
}

// eligibilityNotices are those of an eligibility report.
func eligibilityNotices() []report.ConsumerNotice {
	return []report.ConsumerNotice{{Description: disputeNotice}}
}
