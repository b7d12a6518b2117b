package disputes

import (
	"vestibule/internal/i18n"
	providerui "vestibule/templates/provider"
)

// View returns what pages show of a dispute, without names of staff and companies.
func (d Dispute) View() providerui.Dispute {
	v := providerui.Dispute{Number: d.Number, ReportKind: d.ReportKind, Kind: string(d.Kind), About: d.About, Statement: d.Statement,
		Note: d.Note, Facts: d.Facts, Answer: d.Answer, Result: string(d.Result), Opened: d.Opened, Due: d.Due, FactsAt: d.FactsAt,
		AnsweredAt: d.AnsweredAt,
		Passing:    string(d.Passing), PassedAt: d.PassedAt, BureauNumber: d.Receipt.Number, BureauMessage: d.Receipt.Message,
		ByStaff: d.OpenedBy != "", Attached: d.Attached}
	for _, f := range d.Files {
		v.Files = append(v.Files, providerui.DisputeFile{ID: f.ID, Name: f.Name, Size: f.Size})
	}
	return v
}

// Words returns the message at an invalid field.
func Words(no Invalid) i18n.Key {
	return map[string]i18n.Key{"kind": "disputes.invalid.kind", "about": "disputes.invalid.about", "statement": "disputes.invalid.statement",
		"note": "disputes.invalid.note", "file": "disputes.invalid.file", "facts": "disputes.invalid.facts",
		"result": "disputes.invalid.result", "answer": "disputes.invalid.answer"}[no.Field]
}
