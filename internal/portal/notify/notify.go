// Package notify sends events about applications to the onboarding app: one event for
// each change of an application's state, each decision of a reviewer and each revision of a report. It writes
// the event in the transaction of the change, and the outbox of package webhook
// delivers it. docs/portal-openapi.yaml defines the events; docs/how-to/webhooks.md is for
// their receivers.
//
// A response of 410 stops all deliveries until they are enabled again manually. The
// first attempts of one application's events are made in order; a retry delays no
// other event. An event names the application and its state. It contains no data of
// the applicant, no text of a reviewer, and of the report only the codes of the
// decision's reasons.
package notify

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/jobs"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// Service writes and delivers events. Set the exported fields, of which all but URL
// and Secrets are required, and create it with New.
type Service struct {
	DB           *store.DB
	Queue        jobs.Enqueuer
	Sender       webhook.Deliverer
	Applications *applications.Service
	Environment  contract.Environment
	Now          func() time.Time
	Log          *slog.Logger

	URL     string           // receiver of the onboarding app; "": no events are sent
	Secrets []webhook.Secret // each event is signed with all of them, so that the app can rotate secrets

	Outbox *webhook.Outbox
}

// maxAge is how long events and their deliveries are kept.
const maxAge = 30 * 24 * time.Hour

// New completes a service whose exported fields are set.
func New(s Service) *Service {
	s.Outbox = &webhook.Outbox{DB: s.DB, Queue: s.Queue, Sender: s.Sender, Log: s.Log, Now: s.Now,
		MaxAge: maxAge, LogSubject: "application", Job: func(id string, _ webhook.Endpoint) jobs.Args { return deliver{id} },
		Target: s.target, Gone: s.stopDeliveries, Key: s.Applications.Key}
	return &s
}

const timestamp = "2006-01-02T15:04:05.000Z"

// DecisionJSON is the JSON form of a reviewer's decision, in events and in the
// portal's API.
type DecisionJSON struct {
	Kind    string   `json:"kind"`
	Number  int64    `json:"number"`
	Reasons []string `json:"reasons"`
	At      string   `json:"at"`

	AnsweredAt *string `json:"answeredAt"`
	Outdated   bool    `json:"outdated"`
}

// ReportJSON is the JSON form of what the portal knows of a stored report.
type ReportJSON struct {
	Revision   int     `json:"revision"`
	ReceivedAt string  `json:"receivedAt"`
	RevisedAt  *string `json:"revisedAt"`
}

// ReportOf returns the newest report as JSON; nil without a report.
func ReportOf(a applications.Application) *ReportJSON {
	if !a.HasReport() {
		return nil
	}
	out := &ReportJSON{Revision: a.Report.Revision, ReceivedAt: a.Report.At.UTC().Format(timestamp)}
	if !a.Report.RevisedAt.IsZero() {
		out.RevisedAt = new(a.Report.RevisedAt.UTC().Format(timestamp))
	}
	return out
}

// DecisionOf returns a decision as JSON; nil without a decision.
func DecisionOf(d applications.Decision) *DecisionJSON {
	if d.Kind == "" {
		return nil
	}
	out := &DecisionJSON{Kind: d.Kind, Number: d.Number, Reasons: append([]string{}, d.Reasons...), At: d.At.UTC().Format(timestamp),
		Outdated: d.Outdated}
	if d.Answered() {
		out.AnsweredAt = new(d.AnsweredAt.UTC().Format(timestamp))
	}
	return out
}

// body returns the event of a timeline entry as sent.
func (s *Service) body(id string, a applications.Application, l applications.TimelineEntry) ([]byte, error) {
	type application struct {
		ID         string                `json:"id"`
		ExternalID string                `json:"externalId"`
		UserArgs   *string               `json:"userArgs"`
		Product    contract.Product      `json:"product"`
		State      journey.State         `json:"state"`
		Outcome    *contract.Outcome     `json:"outcome"`
		Status     *contract.Status      `json:"status"`
		Substatus  *contract.Substatus   `json:"substatus"`
		Error      *contract.WidgetError `json:"error"`
		Resumable  bool                  `json:"resumable"`
		Decision   *DecisionJSON         `json:"decision"`
		Report     *ReportJSON           `json:"report"`
	}
	j := a.Journey
	return json.Marshal(struct {
		EventID     string               `json:"eventId"`
		Type        string               `json:"type"`
		CreatedAt   string               `json:"createdAt"`
		Environment contract.Environment `json:"environment"`
		Sequence    int64                `json:"sequence"`
		Application application          `json:"application"`
	}{id, typeOf(a, l), l.At.UTC().Format(timestamp), s.Environment, l.Seq,
		application{a.ID, a.ExternalID, contract.Null(a.UserArgs), a.Product, j.State, contract.Null(j.Outcome()), contract.Null(j.Status),
			contract.Null(j.Substatus), contract.Null(j.Error), a.Resumable(), DecisionOf(a.Decision), ReportOf(a)}})
}

// decided reports whether the entry is the application's newest decision.
func decided(a applications.Application, l applications.TimelineEntry) bool {
	return a.Decision.Kind != "" && l.Kind == a.Decision.Kind
}

func typeOf(a applications.Application, l applications.TimelineEntry) string {
	switch {
	case decided(a, l):
		return "application.decided"
	case l.Kind == journey.Kept:
		return "application.decision_kept"
	case l.Kind == journey.Revised:
		return "application.report_revised"
	}
	return "application." + string(a.Journey.State)
}

// deliver is the job of one delivery.
type deliver struct {
	DeliveryID string `json:"deliveryId"`
}

// Kind returns the job's name.
func (deliver) Kind() string { return "notify.deliver" }

// Register registers the delivery job.
func (s *Service) Register(r *jobs.Registry) {
	jobs.Register(r, s.deliver, jobs.In(jobs.Webhooks), jobs.Timeout(18*time.Second),
		jobs.OnDiscard(func(ctx context.Context, a deliver) error { return s.Outbox.Discarded(ctx, a.DeliveryID) }))
}

func (s *Service) deliver(ctx context.Context, _ jobs.Job, args deliver) error {
	return s.Outbox.Deliver(ctx, args.DeliveryID)
}

// event is a row of events.
type event struct {
	id            string
	applicationID string
	sequence      int64
	kind          string
	body          []byte // encrypted
	created       time.Time
}

// Record writes the event of a timeline entry that changes the state, is a decision or
// revises the report, and sends it. While the receiver is stopped the event is still stored, so
// that it can be resent manually. A sandbox stores events without a receiver, too, for Listen.
func (s *Service) Record(ctx context.Context, tx *store.Tx, a applications.Application, l applications.TimelineEntry) error {
	unread := s.URL == "" && s.Environment != contract.Sandbox
	if unread || !l.Moved() && !decided(a, l) && l.Kind != journey.Kept && l.Kind != journey.Revised {
		return nil
	}
	e := event{id: webhook.NewEventID(), applicationID: a.ID, sequence: l.Seq, kind: typeOf(a, l), created: l.At}
	plain, err := s.body(e.id, a, l)
	if err != nil {
		return err
	}
	if e.body, err = s.DB.Vault.Seal(ctx, tx, a.DataKey(), webhook.EventBody(e.id), plain); err != nil {
		return err
	}
	if err := insertEvent(ctx, tx, e); err != nil || s.URL == "" {
		return err
	}
	stopped, err := stoppedAt(ctx, tx, s.URL)
	if err != nil {
		return err
	}
	if !stopped.IsZero() {
		return s.Outbox.RecordUnsent(ctx, tx, e.id, webhook.Endpoint{})
	}
	return s.Outbox.Send(ctx, tx, e.id, webhook.Endpoint{}, 0)
}

func (s *Service) target(ctx context.Context, q store.Queryer, _ webhook.Delivery) (webhook.Target, error) {
	stopped, err := stoppedAt(ctx, q, s.URL)
	return webhook.Target{URL: s.URL, Secrets: s.Secrets, Off: s.URL == "" || !stopped.IsZero()}, err
}

// stopDeliveries stops deliveries to the receiver until Resume.
func (s *Service) stopDeliveries(ctx context.Context, tx *store.Tx, _ webhook.Delivery, url string) (bool, error) {
	return true, insertStop(ctx, tx, url)
}
