// Package developers is what the portal has for those who build on it: the
// playground, where an application is made as an onboarding app would make it and
// everything that happens to it is shown in order, and the guides of docs. It is
// for the sandbox alone, where all data is made up.
//
// Whoever opens it can do no more than on the form: applications are made at the
// form's rate, belong to the browser that made them, and are shown to no other. It
// knows no API key and shows none; of tokens it shows the first characters, of the
// applicant nothing.
package developers

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/prefill"
	"vestibule/internal/session"
	"vestibule/internal/store"
	pages "vestibule/templates/portal"
)

// Desk is the room. All fields are required, but Limit.
type Desk struct {
	DB           *store.DB
	Applications Applications
	Sessions     *session.Sessions
	Limit        *httpx.Limit // the form's
	Now          func() time.Time
	Log          *slog.Logger

	Products    []contract.Product          // that one can apply for
	ProductIDs  map[contract.Product]string // at the provider
	AssetsOnly  bool                        // the eligibility product verifies assets only
	PublicID    string                      // the account at the provider
	URL         string                      // our public address, without a slash at the end
	ProviderURL string
	ScriptURL   string // the provider's widget script
	Global      string // the object that it makes

	Base  func(r *http.Request) pages.Base
	Adapt func(httpx.HandlerFunc) http.Handler

	// Addresses of an application.
	StatusURL, ConnectURL, StreamURL func(id string) string
}

// New is an application to make.
type New struct {
	Product   contract.Product
	Mode      string
	Variant   string // "" but for the provider's own script
	Prefill   prefill.Object
	Origin    string // of the page that has the frame
	ReturnURL string
	SessionID string
}

// Application is an application as it is followed here.
type Application struct {
	ID           string
	Product      contract.Product
	Mode         string
	ExternalID   string
	Origin       string
	ReturnURL    string
	HasApplicant bool
	State        string
	Version      int64
	Final        bool
	PublicToken  string // as proven
	CreatedAt    time.Time
}

// Line is a line of an application's timeline.
type Line struct {
	Seq       int64
	At        time.Time
	Kind      string
	Attempt   int
	Status    contract.Status
	Substatus contract.Substatus
	Error     contract.WidgetError
	From, To  string
}

// Attempt is one visit at the provider.
type Attempt struct {
	Number     int
	Mode       string
	ExternalID string
	TokenUntil time.Time // zero: there was no token
}

// Told is an event on its way to the onboarding app.
type Told struct {
	ID, EventID, Type string
	At                time.Time
	State             string // of the delivery
	Tries, HTTP       int
}

// Applications is what the room needs of its neighbours. What is not there is
// store.ErrNotFound.
type Applications interface {
	// Make makes an application for the browser of a session, as the portal's API
	// does, and an embed token for it. ErrRefused says that it cannot be made so.
	Make(ctx context.Context, tx *sql.Tx, n New) (id, token string, err error)
	Get(ctx context.Context, id string) (Application, error)
	Bound(ctx context.Context, id, sessionID string) (bool, error)
	Key(ctx context.Context, q store.Queryer, id string) (string, error)
	Timeline(ctx context.Context, id string, limit int) ([]Line, error)
	Attempts(ctx context.Context, id string) ([]Attempt, error)
	// Told returns the last events of an application; none where no app is told.
	Told(ctx context.Context, id string) ([]Told, error)
}

// ErrRefused says that an application cannot be made that way.
var ErrRefused = errors.New("developers: the application is refused")
