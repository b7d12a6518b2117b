package visits

import (
	"context"
	"encoding/json"
	"strconv"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/eligibility"
	"vestibule/internal/prefill"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// generate enqueues the report with the sources that the applicant connected.
func (s *Service) generate(ctx context.Context, tx *store.Tx, v visit) error {
	consumer, err := s.consumerWithConsent(ctx, tx, v.customerID, v.consumerID)
	if err != nil {
		return err
	}
	applicant := parsePrefill(consumer.Prefill)
	names := employersToVerify(v.Product, applicant)
	if prepared := s.sandbox(v.environment); v.sandboxReportID != "" && prepared != nil {
		return prepared.Attach(ctx, tx, v.customerID, v.sandboxReportID, v.publicToken, inputOf(applicant, names))
	}
	if v.Employers > 0 {
		if names, err = s.statedEmployers(ctx, tx, v, consumer.KeyID); err != nil {
			return err
		}
	}
	in := inputOf(applicant, names)
	if v.SourceType == flow.SourceSupplier {
		in.Supplier = v.Bank
	}
	for _, c := range v.Connections() {
		switch {
		case c.Skipped != "":
			if in.Gathered == nil {
				in.Gathered = &eligibility.Gathered{Skipped: map[string]string{}}
			}
			in.Gathered.Skipped[names[c.Employer-1]] = c.Skipped
		case c.Failed != "" && !v.AsksForMore():
			// Another source was connected in its place, and the report has that.
		case c.SourceType == flow.SourceBank:
			in.Banks = append(in.Banks, s.reportSignIn(v, c, names))
		case c.SourceType == flow.SourcePayroll:
			in.SignIns = append(in.SignIns, s.reportSignIn(v, c, names))
		}
	}
	if in.Documents, err = s.discardUnsubmitted(ctx, tx, v); err != nil {
		return err
	}
	return s.Reports.Attach(ctx, tx, v.publicToken, in)
}

// reportSignIn converts a bank or payroll connection to the form that reports use.
func (s *Service) reportSignIn(v visit, c flow.Connection, employers []string) reports.SignIn {
	of, _ := s.catalogue(v.environment).find(c.SourceType, c.Bank)
	out := reports.SignIn{Provider: of.ID, Name: of.Name, Link: v.link(c.Number),
		Accounts: c.Accounts, Connection: c.Connection, Status: c.Failed, Substatus: c.Substatus}
	if c.Employer > 0 {
		out.Employer = employers[c.Employer-1]
	}
	if c.OK() && c.Connection == "" {
		_, access, err := s.accessByForm(v.environment, c.Bank, c.Username, out.Link)
		if out.Profile = access.Access; err != nil {
			out.Status, out.Substatus = sources.ReasonOf(err).Status()
			out.At = report.TimestampOf(s.Now())
		}
	} else if !c.OK() {
		out.At = report.TimestampOf(store.Time(c.At))
	}
	return out
}

// link is the link under which the mock providers generate a sign-in's data.
func (v visit) link(nth int) string {
	if nth == 0 {
		return v.publicToken
	}
	return v.publicToken + "/" + strconv.Itoa(nth)
}

// parsePrefill parses a prefill that was already validated; missing fields stay empty.
func parsePrefill(raw json.RawMessage) (p prefill.Fields) {
	if len(raw) > 0 {
		_ = json.Unmarshal(raw, &p)
	}
	return p
}

// inputOf returns a report's input from the data that the applicant typed.
func inputOf(p prefill.Fields, employers []string) reports.Input {
	in := reports.Input{Given: reports.Given{DOB: p.DOB != "", State: p.State,
		Employers: employers, AnnualIncome: p.StatedAnnualIncome}.OrNil()}
	if p.FirstName == "" && p.LastName == "" {
		return in
	}
	in.Consumer = &bankdata.Person{FirstName: p.FirstName, LastName: p.LastName}
	if p.Email != "" {
		in.Consumer.Emails = []string{p.Email}
	}
	in.Source, in.Born = report.ConsumerInput, reports.BirthDate(p.DOB)
	return in
}

// scenarioOf returns the failure that the sandbox simulates for a name.
func scenarioOf(firstName, lastName string) flow.Scenario {
	switch {
	case lastName == "supplierdown":
		return flow.ScenarioBureauDown
	case lastName == "expiresoon":
		return flow.ScenarioExpiresSoon
	case firstName == "mfa required":
		return flow.ScenarioNoMFACode
	}
	return flow.NoScenario
}
