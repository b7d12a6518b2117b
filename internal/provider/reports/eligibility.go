package reports

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"vestibule/internal/report"
)

// eligibilityDocuments returns the documents of an eligibility report: every file that it
// will have.
func (s *Service) eligibilityDocuments(ctx context.Context, r Report, in Input, w report.Workflow) ([]report.EligibilityDocument, error) {
	var all []listed
	if w.Assets() {
		for _, c := range in.Data.Connections {
			all = append(all, transactionsOf(r, c))
		}
	}
	if w.Income() {
		for _, p := range in.Payroll {
			all = append(all, statementsIn(r, p))
		}
	}
	submitted, err := s.documents(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("reports: documents: %w", err)
	}
	for _, f := range submitted {
		all = append(all, f.listed)
	}
	retrieved := report.DateOf(r.Retrieved)
	var out []report.EligibilityDocument
	for _, f := range all {
		out = append(out, report.EligibilityDocument{SourceID: f.SourceID, SourceUUID: f.SourceUUID, DocumentType: f.DocumentType,
			DocumentID: f.DocumentID, AvailableDate: &retrieved, SourceFilepath: f.Filepath})
	}
	return out, nil
}

// verified returns those files of an eligibility report that are among its documents.
// Files that were retrieved but not verified are left out.
func (s *Service) verified(ctx context.Context, r Report, all []file) (out []file, err error) {
	raw, err := s.body(ctx, r)
	if err != nil {
		return nil, err
	}
	var body struct {
		Documents []report.EligibilityDocument `json:"documents"`
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return nil, err
	}
	for _, f := range all {
		if slices.ContainsFunc(body.Documents, func(d report.EligibilityDocument) bool { return d.SourceFilepath == f.Filepath }) {
			out = append(out, f)
		}
	}
	return out, nil
}
