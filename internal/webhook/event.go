package webhook

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"vestibule/internal/contract"
	"vestibule/internal/strictjson"
)

// Types of events.
const (
	TypeVisit = "VISIT" // the status of a report changed
	TypeTest  = "TEST"  // a user tries the callback; it is about no report
)

// maxDepth bounds the nesting of unknown members.
const maxDepth = 1000

// Event is a visit webhook. Receivers also accept the short form {status, publicToken,
// userArgs}: EventID is then the Webhook-Id header, and other fields are empty.
type Event struct {
	EventID     string // unique; the same when the event is sent again
	Type        string // TypeVisit or TypeTest
	CreatedAt   time.Time
	Environment contract.Environment
	PublicID    string // the customer
	ProductID   string
	PublicToken string // the report
	ExternalID  string // as given at creation; empty is null
	UserArgs    string // as given at creation; empty is null
	ConsumerID  string // empty is null
	Status      contract.Status
	Substatus   contract.Substatus // empty is null
}

// MarshalJSON writes the full form. An event of TypeTest has none of the members about a
// report.
func (e Event) MarshalJSON() ([]byte, error) {
	type head struct {
		EventID     string               `json:"eventId"`
		Type        string               `json:"type"`
		CreatedAt   string               `json:"createdAt"`
		Environment contract.Environment `json:"environment"`
		PublicID    string               `json:"publicId"`
	}
	h := head{e.EventID, e.Type, e.CreatedAt.UTC().Format("2006-01-02T15:04:05.000Z"), e.Environment, e.PublicID}
	if e.Type == TypeTest {
		return json.Marshal(h)
	}
	return json.Marshal(struct {
		head
		ProductID   string              `json:"productId"`
		PublicToken string              `json:"publicToken"`
		ExternalID  *string             `json:"externalId"`
		UserArgs    *string             `json:"userArgs"`
		ConsumerID  *string             `json:"consumerId"`
		Status      contract.Status     `json:"status"`
		Substatus   *contract.Substatus `json:"substatus"`
	}{h, e.ProductID, e.PublicToken, contract.Null(e.ExternalID), contract.Null(e.UserArgs), contract.Null(e.ConsumerID), e.Status,
		contract.Null(e.Substatus)})
}

// Parse parses an event in either form and ignores unknown members. It returns ErrBody
// for a repeated member, content after the object, a member of the wrong type, or an
// invalid status or publicToken, and ErrOtherType for a type other than VISIT. Errors
// do not repeat the input.
func Parse(body []byte) (Event, error) {
	members, err := strictjson.ParseObject(body, maxDepth)
	if err != nil {
		return Event{}, fmt.Errorf("%w: %w", ErrBody, err)
	}
	var e Event
	var created string
	for _, f := range []struct {
		name string
		into *string
		max  int // characters
	}{
		{"eventId", &e.EventID, 128},
		{"type", &e.Type, 64},
		{"createdAt", &created, 64},
		{"environment", (*string)(&e.Environment), 64},
		{"publicId", &e.PublicID, 128},
		{"productId", &e.ProductID, 128},
		{"publicToken", &e.PublicToken, 36},
		{"externalId", &e.ExternalID, 4 * contract.MaxExternalID},
		{"userArgs", &e.UserArgs, 4 * contract.MaxUserArgs},
		{"consumerId", &e.ConsumerID, 128},
		{"status", (*string)(&e.Status), 64},
		{"substatus", (*string)(&e.Substatus), 128},
	} {
		value, _ := members.Get(f.name)
		if value == nil {
			continue
		}
		text, ok := value.(string)
		if *f.into = text; !ok || utf8.RuneCountInString(text) > f.max || strings.ContainsRune(text, 0) {
			return Event{}, fmt.Errorf("%w: %s is not a string, is too long, or has a NUL", ErrBody, f.name)
		}
	}
	e.Type = cmp.Or(e.Type, TypeVisit)
	if e.Type != TypeVisit {
		return Event{}, ErrOtherType
	}
	if created != "" {
		if e.CreatedAt, err = time.Parse(time.RFC3339, created); err != nil {
			return Event{}, fmt.Errorf("%w: createdAt is not an RFC 3339 timestamp", ErrBody)
		}
		e.CreatedAt = e.CreatedAt.UTC()
	}
	switch {
	case !contract.IsUUID(e.PublicToken):
		return Event{}, fmt.Errorf("%w: publicToken is not a UUID", ErrBody)
	case !e.Status.Valid():
		return Event{}, fmt.Errorf("%w: status is not one of the contract's", ErrBody)
	case e.EventID != "" && !contract.IsIdentifier(e.EventID):
		return Event{}, fmt.Errorf("%w: eventId is malformed", ErrBody)
	case e.Environment != "" && !e.Environment.Valid():
		return Event{}, fmt.Errorf("%w: environment is malformed", ErrBody)
	case !isWord(string(e.Substatus)):
		return Event{}, fmt.Errorf("%w: substatus is malformed", ErrBody)
	}
	return e, nil
}

// isWord reports whether s consists of A to Z, 0 to 9 and _; it may be empty.
func isWord(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}
