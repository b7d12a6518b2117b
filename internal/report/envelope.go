package report

import (
	"time"

	"vestibule/internal/contract"
)

// Envelope is what reports of every kind have in common: their labels, their product, and
// who entered the consumer's data.
type Envelope struct {
	PublicToken        string
	ExternalID         string
	UserArgs           string
	ConsumerID         string
	ConsumerExternalID string
	Product            Product
	InputSource        string // source of the entered data: ConsumerInput or CustomerInput
	InputUUID          string // source_uuid of the entered data
	InputRecordID      string // source_record_id of the entered data
}

// Meta returns the meta of a report of an API version. asOf is when the data were retrieved.
func (e *Envelope) Meta(version string, status contract.Status, sub contract.Substatus, asOf time.Time) *Meta {
	m := &Meta{PublicToken: e.PublicToken, UserArgs: contract.Null(e.UserArgs), CreatedAt: TimestampOf(asOf), APIVersion: version,
		ExternalID: contract.Null(e.ExternalID), Status: status, ConsumerID: contract.Null(e.ConsumerID),
		ConsumerExternalID: contract.Null(e.ConsumerExternalID)}
	if sub != "" {
		m.Substatus = &sub
	}
	return m
}

// EnteredSource returns the source of the entered data.
func (e *Envelope) EnteredSource() Source {
	return Source{SourceID: e.InputSource, SourceType: SourceManual, Status: contract.StatusSuccess}
}
