package provider

import (
	"slices"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/staff"
)

// OperatorCustomers lists the accounts of the provider.
type OperatorCustomers struct {
	List     DashboardList
	Searched string // the search text; "" for none
	Rows     []OperatorRow
	Total    int // accounts, also those that the list leaves out
}

// OperatorRow is an account in a list.
type OperatorRow struct {
	PublicID, Name string
	Parent         string // name of the parent account; "" for a parent
	Created        time.Time
	Suspended      bool // itself or by its parent
}

// OperatorCustomer is the page of an account.
type OperatorCustomer struct {
	PublicID, Name, DisplayName string
	Environment                 contract.Environment
	Parent, ParentID            string // name and publicId of the parent account; "" for a parent
	ParentSuspended             bool
	Created, Suspended          time.Time // Suspended is zero for an active account
	Limit, MaxLimit             int       // of submissions within a minute
	Features                    []OperatorFeature
	Users                       []staff.User
	Children                    []OperatorRow
}

// OperatorFeature is a feature of an account.
type OperatorFeature struct {
	Name      string
	On        bool
	Inherited bool // from the parent account
}

// Health is the state of the service, as the operator's page shows it and the command prints it.
type Health struct {
	At         time.Time      `json:"at"`
	Sources    []SourceCheck  `json:"sources"`
	Queues     []QueueHealth  `json:"queues"`
	FailedJobs map[string]int `json:"failedJobs"` // by kind, of the last days
	Mail       MailHealth     `json:"mail"`
	Disputes   DisputeHealth  `json:"disputes"`
	Backup     *Backup        `json:"lastBackup"` // null: none is known
	Tax        TaxHealth      `json:"taxTables"`
}

// SourceCheck is one check of an institution or a connector.
type SourceCheck struct {
	Source  string `json:"source"` // its name
	Name    string `json:"check"`
	OK      bool   `json:"ok"`
	Warning bool   `json:"warning,omitempty"` // the source works, and its configuration should be changed
	Detail  string `json:"detail"`
	Remedy  string `json:"remedy,omitempty"` // what to do if the check fails
}

// QueueHealth is the number of unfinished jobs of a queue.
type QueueHealth struct {
	Queue  string `json:"queue"`
	Jobs   int    `json:"jobs"`
	Oldest int    `json:"oldestSeconds"` // how long the oldest has been due
}

// MailHealth is the number of emails to applicants and consumers in the outbox.
type MailHealth struct {
	Sends   bool `json:"sends"` // there is a mail server
	Waiting int  `json:"waiting"`
	GivenUp int  `json:"givenUp"`
}

// DisputeHealth is the number of disputes that are not answered.
type DisputeHealth struct {
	Open int `json:"open"`
	Late int `json:"late"` // of them, after the day on which the answer was due
}

// Backup is a finished backup.
type Backup struct {
	Ended time.Time `json:"ended"`
	Place string    `json:"place"` // in the operator's words
}

// TaxHealth says until when the tax tables of income reports are known.
type TaxHealth struct {
	LastYear int  `json:"lastYear"`
	Current  bool `json:"current"` // that year is not over
}

// maxBackupAge is the age from which a backup needs attention.
const maxBackupAge = 26 * time.Hour

// Backed reports whether a recent backup is known.
func (h Health) Backed() bool { return h.Backup != nil && h.At.Sub(h.Backup.Ended) < maxBackupAge }

// Healthy reports whether nothing needs attention.
func (h Health) Healthy() bool { return len(h.attention()) == 0 }

// attention lists the headings of what needs attention, in the order of the page.
func (h Health) attention() (keys []i18n.Key) {
	for _, x := range []struct {
		bad bool
		key i18n.Key
	}{{!h.Backed(), "operator.health.backup"}, {h.Mail.GivenUp > 0, "operator.health.mail"}, {h.Disputes.Late > 0, "dashboard.menu.disputes"},
		{!h.Tax.Current, "operator.health.tax"}, {len(h.FailedJobs) > 0, "operator.health.failed"},
		{slices.ContainsFunc(h.Sources, func(c SourceCheck) bool { return !c.OK }), "operator.health.sources"}} {
		if x.bad {
			keys = append(keys, x.key)
		}
	}
	return keys
}
