package reports

import (
	"context"
	"encoding/json"
	"fmt"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/eligibility"
	"vestibule/internal/report"
	"vestibule/internal/svc"
)

// eligibility is compute for an eligibility report. What its configuration does not
// have verified is left out, whatever was retrieved.
func (s *Service) eligibility(ctx context.Context, r Report, in Input) (status svc.Status, sub svc.Substatus, body any, err error) {
	w := report.IncomeAndAssets
	if s.Configured != nil {
		if w, err = s.Configured.Eligibility(ctx, s.DB.SQL, r.CustomerID, r.ProductID); err != nil {
			return "", "", nil, fmt.Errorf("reports: configuration: %w", err)
		}
	}
	from := eligibility.Input{
		PublicToken: r.PublicToken, ExternalID: r.ExternalID, UserArgs: r.UserArgs, ConsumerID: r.ConsumerID,
		Workflow: w, InputSource: in.Source, InputUUID: derived(r.PublicToken, "input"), Consumer: in.Consumer, Bank: *in.Data,
		Gathered: gathered(in),
	}
	if from.InputSource == "" { // employers were stated, and no name
		from.InputSource = report.ConsumerInput
	}
	if in.Given != nil {
		from.StatedEmployers = in.Given.Employers
	}
	if w.Assets() {
		retrieved := report.DateOf(r.Retrieved)
		for _, c := range in.Data.Connections {
			f := transactionsOf(r, c)
			from.Files = append(from.Files, report.EligibilityDocument{SourceID: f.SourceID, SourceUUID: f.SourceUUID,
				DocumentType: f.DocumentType, DocumentID: f.DocumentID, AvailableDate: &retrieved, SourceFilepath: f.Filepath})
		}
	}
	if status, sub = eligibility.Outcome(from, r.Retrieved); status != svc.StatusSuccess {
		return status, sub, nil, nil
	}
	if from.Product, from.ConsumerExternalID, err = s.Subjects.Subject(ctx, s.DB.SQL, r.CustomerID, r.ProductID, r.ConsumerID); err != nil {
		return "", "", nil, fmt.Errorf("reports: subject: %w", err)
	}
	return status, sub, eligibility.Build(from, r.Retrieved), nil
}

// gathered is what there is besides bank data: what the visit brought, and the
// payroll connections that were retrieved.
func gathered(in Input) (out eligibility.Gathered) {
	if in.Gathered != nil {
		out = *in.Gathered
	}
	connected := make([]eligibility.Connected, 0, len(in.Payroll)+len(out.Payroll))
	for i, p := range in.Payroll {
		c := eligibility.Connected{Payroll: p}
		if len(in.SignIns) == len(in.Payroll) {
			c.Employer = in.SignIns[i].Employer
		}
		connected = append(connected, c)
	}
	out.Payroll = append(connected, out.Payroll...)
	return out
}

// verified is the part of an eligibility report's bank data that the report was made
// from: that of the connections among its documents.
func (s *Service) verified(ctx context.Context, r Report, data bankdata.Data) (out bankdata.Data, err error) {
	raw, err := s.body(ctx, r)
	if err != nil {
		return out, err
	}
	var body struct {
		Documents []report.EligibilityDocument `json:"documents"`
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return out, err
	}
	for _, c := range data.Connections {
		for _, d := range body.Documents {
			if d.SourceUUID == c.ID && d.DocumentType == report.BankTransactionsDocument {
				out.Connections = append(out.Connections, c)
			}
		}
	}
	return out, nil
}
