package review

import (
	"bytes"
	"context"
	"encoding/json"

	"vestibule/internal/contract"
	"vestibule/internal/portal/applications"
	"vestibule/internal/prefill"
	pages "vestibule/templates/portal/review"
)

// statedOf is what the applicant of an application stated; nil while they stated nothing.
func (d *Handler) statedOf(ctx context.Context, a applications.Application) (*pages.Stated, error) {
	people, err := d.Applications.Applicants(ctx, []string{a.ID})
	fields, known := people[a.ID]
	if err != nil || !known {
		return nil, err
	}
	return &pages.Stated{Fields: fields}, nil
}

// measuredOf reads a report as the view that its figures come from.
func (d *Handler) measuredOf(ctx context.Context, by person, a applications.Application, raw []byte) (pages.Measured, error) {
	switch a.Product {
	case contract.Cashflow:
		return d.cashflow(ctx, by, a, 0, raw)
	case contract.Income:
		return incomeView(by, a, raw)
	case contract.Eligibility:
		return eligibilityView(by, a, raw)
	case contract.Passport:
		return passportView(by, a, raw)
	}
	return nil, errNoPage
}

// withStated puts what the applicant stated beside the members of a report, whose own
// bytes stay as they are. A report that has a member of that name keeps it.
func withStated(raw []byte, stated prefill.Fields) []byte {
	var members map[string]json.RawMessage
	node, err := json.Marshal(stated)
	if err != nil || json.Unmarshal(raw, &members) != nil || members == nil {
		return raw
	}
	if _, there := members["stated"]; there {
		return raw
	}
	begin := bytes.IndexByte(raw, '{') + 1
	var out bytes.Buffer
	out.Grow(len(raw) + len(node) + 16)
	out.Write(raw[:begin])
	out.WriteString(`"stated":`)
	out.Write(node)
	if len(members) > 0 {
		out.WriteByte(',')
	}
	out.Write(raw[begin:])
	return out.Bytes()
}
