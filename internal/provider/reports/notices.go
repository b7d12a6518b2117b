package reports

import (
	"context"
	"fmt"
	"time"

	"vestibule/internal/report"
)

// Notices to the consumer in a report: where to report errors, and which figures are
// estimates. The API defines the node without texts; these texts claim nothing beyond
// what the service does.

const (
	disputeNotice = "The person whom this report describes may dispute it with the service that made it, or with the " +
		"company that it was made for."
	reviseNotice = "A report with figures that were corrected after a dispute says so: it " +
		"has a revision, and the corrected figures as its revised values."
	grossNotice = "Deposits are net. The gross income of this source is estimated from them by the taxes of the year."
)

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

func eligibilityNotices() []report.ConsumerNotice {
	return []report.ConsumerNotice{{Description: disputeNotice}}
}

// notices returns the notices of a fraud alert that the consumer placed, and of carried corrections.
func (s *Service) notices(ctx context.Context, r Report, in Input) (out []report.ConsumerNotice, err error) {
	if !in.Carried.IsZero() {
		out = append(out, report.ConsumerNotice{Description: "Data of this report stay as corrected on " + in.Carried.String() +
			" in an earlier report."})
	}
	file, err := s.Freeze.OfReport(ctx, s.DB.SQL, r.PublicToken)
	if err != nil || !file.Alerted(s.Now()) {
		return out, err
	}
	return append(out, report.ConsumerNotice{Description: fmt.Sprintf("%s until %s: the person whom this report describes asks its readers "+
		"to verify that an application is theirs before they decide.", report.FraudAlert, file.AlertUntil.Format(time.DateOnly))}), nil
}
