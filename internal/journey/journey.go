// Package journey is the state machine of one application. Its inputs are the widget's
// callbacks, the verified redirect callback, the verified webhook and the provider's
// answer to a poll, in any order and any number. It is a pure function from state and
// input to state and actions. It runs on the server, whose state counts, and in the
// browser for its texts.
//
// Callbacks from a browser are untrusted hints: they only make the server ask the
// provider, and their publicToken and status never enter the state. Redirect callback,
// webhook and poll are proofs. See docs/tutorials/redirect.md, docs/how-to/webhooks.md and
// docs/reference/widget.md.
package journey

import (
	"strconv"

	"vestibule/internal/contract"
)

// State is the state of an application. The values are those of the portal's API.
type State string

const (
	Started    State = "started"    // stored; no visit yet
	Connecting State = "connecting" // an attempt is open
	Returned   State = "returned"   // finished according to the browser, without proof
	Pending    State = "pending"    // proven finished; the report is being compiled or fetched
	Ready      State = "ready"      // the report is stored; only Reopen moves it
	Failed     State = "failed"     // proven: ended without a report
	Exited     State = "exited"     // closed by the applicant
	Expired    State = "expired"    // not finished in time
)

// States lists every state: those of a successful journey in order, then the others.
func States() []State {
	return []State{Started, Connecting, Returned, Pending, Ready, Failed, Exited, Expired}
}

// Kind is the kind of an Input. The values are stored in the timeline.
type Kind string

const (
	Connect         Kind = "connect"       // the connect page is served, or a redirect attempt is made
	CallbackSuccess Kind = "hookSuccess"   // hint: the widget's onSuccess
	CallbackExit    Kind = "hookExit"      // hint: the widget's onExit
	CallbackError   Kind = "hookError"     // hint: the widget's onError
	ReturnSuccess   Kind = "returnSuccess" // proof: a verified redirect callback with outcome SUCCESS
	ReturnExit      Kind = "returnExit"    // proof: a verified redirect callback with outcome EXIT
	ReturnError     Kind = "returnError"   // proof: a verified redirect callback with outcome ERROR
	Webhook         Kind = "webhook"       // proof: a verified visit webhook
	Poll            Kind = "poll"          // proof: the provider's answer to a status request
	Fetched         Kind = "fetched"       // the report was fetched and stored
	Tick            Kind = "tick"          // time has passed
	Restart         Kind = "restart"       // the applicant starts again
	Reopen          Kind = "reopen"        // the applicant adds data after a report, as a reviewer asked
)

// Decisions of a reviewer. The values are kinds of timeline entries; none changes the
// state.
const (
	Approved  = "approved"
	Declined  = "declined"
	MoreAsked = "moreAsked" // until answered, a ready application accepts Reopen
	Escalated = "escalated"
)

// Kinds of timeline entries about a report after it was stored. None changes the state.
const (
	Revised = "revised" // the service revised the report, and the portal stored the revision
	Kept    = "kept"    // a reviewer keeps a decision that was made on an older revision
)

// Lifetime is how long, in seconds, an open attempt is kept without a proof, and how
// long a report in progress is polled: 72 hours, as long as the provider keeps a visit.
const Lifetime = 72 * 60 * 60

// Input is an event of an application. Attempt is its attempt, counted from 1; Connect
// from Started needs none. At is Unix seconds by the server's clock.
type Input struct {
	Kind        Kind
	Attempt     int
	EventID     string
	PublicToken string
	Status      contract.Status
	Substatus   contract.Substatus
	Error       contract.WidgetError
	At          int64
}

// Application is the state machine's data on one application. Create it with New; the
// zero value is invalid.
type Application struct {
	State   State
	Attempt int   // the newest attempt; 0 before the first
	Closed  int   // the newest attempt before the last Reopen; proofs of it and older ones change nothing
	Since   int64 // Unix seconds of the last start or proof that changed the state; hints do not change it

	PublicToken string               // from a proof; empty until one names it
	Status      contract.Status      // from a proof
	Substatus   contract.Substatus   // from a proof
	Error       contract.WidgetError // from a verified redirect callback, or while connecting from a hint
	Succeeded   int                  // the attempt whose report is fetched or could not be fetched; 0 for none
}

// New returns a newly stored application.
func New(at int64) Application { return Application{State: Started, Since: at} }

// Do is a set of actions for the caller after a step.
type Do uint8

const (
	AskStatus Do = 1 << iota // ask the provider for the status of the input's attempt, now
	// fetch and store the report of Application.Succeeded; requested once, and again only for a new
	// attempt after one whose report could not be fetched
	Fetch
	NewAttempt // open a visit for Application.Attempt
	FreshToken // the attempt needs a new single-use token
	Notify     // notify the page, the onboarding app and the reviewer of a change
	Wait       // undecided; ask again later
)

// Has reports whether d contains all of want.
func (d Do) Has(want Do) bool { return d&want == want }

// Step applies an input and returns the new application and the actions. It is
// deterministic and safe to repeat: an input that changes nothing returns the same application
// and requests no fetch. An input of an unknown attempt changes nothing. Only Reopen
// changes a ready application; the caller passes it only if a reviewer has asked for
// more.
func (a Application) Step(in Input) (Application, Do) {
	if a.State == Ready && in.Kind != Reopen {
		return a, 0
	}
	next := a
	do := next.step(&in)
	if next != a {
		do |= Notify
	}
	return next, do
}

// Hint is Step for the browser: it accepts only callbacks, not proofs. That leaves the
// rest of the machine out of the browser's module.
func (a Application) Hint(in Input) (Application, Do) {
	if in.Attempt != a.Attempt {
		return a, 0
	}
	do := a.hint(&in)
	return a, do
}

func (a *Application) step(in *Input) Do {
	switch in.Kind {
	case Connect:
		return a.connect(in)
	case Reopen:
		if in.Attempt == a.Attempt && a.State == Ready {
			a.Closed = a.Attempt
			return a.open(in)
		}
		return 0
	case Restart:
		if in.Attempt == a.Attempt && (a.State == Exited || a.State == Failed || a.State == Expired) {
			return a.open(in)
		}
		return 0
	case Tick:
		switch {
		case in.At-a.Since < Lifetime:
		case a.Succeeded != 0:
			a.giveUpFetch(in)
		case a.underWay() || a.State == Pending:
			a.move(Expired, in)
		}
		return 0
	}
	if in.Attempt <= a.Closed || in.Attempt < 1 || in.Attempt > a.Attempt {
		return 0
	}
	switch in.Kind {
	case CallbackSuccess, CallbackExit, CallbackError:
		return a.hint(in)
	case ReturnSuccess, ReturnExit, ReturnError:
		return a.returned(in)
	case Webhook, Poll:
		return a.proven(in)
	case Fetched:
		a.fetched(in)
	}
	return 0
}

// underWay reports whether an attempt is open according to the proofs.
func (a *Application) underWay() bool { return a.State == Connecting || a.State == Returned }

// connect opens the first attempt. While one is open, the same page gets only a fresh
// token, and a further redirect attempt, which has the next number, becomes the newest.
func (a *Application) connect(in *Input) Do {
	switch {
	case a.State == Started, a.State == Connecting && in.Attempt == a.Attempt+1:
		return a.open(in)
	case a.State == Connecting:
		return FreshToken
	}
	return 0
}

func (a *Application) open(in *Input) Do {
	*a = Application{State: Connecting, Attempt: a.Attempt + 1, Closed: a.Closed, Since: in.At}
	return NewAttempt
}

// hint applies an untrusted callback. One of an attempt that is not open only makes the
// server ask the provider.
func (a *Application) hint(in *Input) Do {
	current := in.Attempt == a.Attempt
	switch in.Kind {
	case CallbackSuccess:
		if current && a.State == Connecting {
			a.State, a.Error = Returned, ""
			return AskStatus
		}
		if a.Succeeded == 0 && (!current || a.State != Pending && a.State != Failed) {
			return AskStatus
		}
	case CallbackExit:
		if current && a.underWay() {
			a.State, a.Error = Exited, ""
		}
	case CallbackError:
		if current && a.State == Connecting {
			a.Error = in.Error.Known()
			if a.CanRetry() {
				return FreshToken
			}
		}
	}
	return 0
}

// returned applies a verified redirect callback. Outcome SUCCESS is a completed journey
// with any status; only status SUCCESS has a report to fetch. For an attempt that failed or
// is not the newest, any other status only makes the server ask the provider.
func (a *Application) returned(in *Input) Do {
	current := in.Attempt == a.Attempt
	switch {
	case a.Succeeded != 0:
		return 0
	case in.Kind != ReturnSuccess:
		switch {
		case current && a.underWay():
			to := Exited
			if in.Kind == ReturnError {
				to = Failed
			}
			a.move(to, in)
		case current && a.State == Failed && a.Error == "" && in.Kind == ReturnError && in.Error != "":
			a.Error = in.Error.Known() // a status without a cause has already failed it
		}
		return 0
	case current && a.State == Failed:
	case in.Status == contract.StatusSuccess:
		return a.succeed(in) // the report says more than its status
	case current && a.State != Pending:
		a.move(Pending, in)
	}
	return AskStatus
}

// proven applies the provider's status of a report. A proven success outweighs every
// other proof, so the order in which proofs arrive does not matter.
func (a *Application) proven(in *Input) Do {
	switch {
	case a.Succeeded != 0:
		return 0
	case in.Status == contract.StatusSuccess:
		return a.succeed(in)
	case in.Attempt != a.Attempt:
		return 0
	case in.Status == contract.StatusPending:
		if a.State == Returned {
			a.move(Pending, in)
		}
		if a.State == Pending {
			return Wait
		}
		return 0
	}
	to := Failed
	if in.Status == contract.StatusExpired {
		to = Expired
	} else if !in.Status.Failed() {
		return 0
	}
	if a.State != to || a.Status != in.Status || a.Substatus != in.Substatus {
		cause := a.Error
		if a.State != Failed || to != Failed {
			cause = ""
		}
		a.move(to, in)
		a.Error = cause
	}
	return 0
}

// succeed requests the fetch, only once: of two successful attempts, the first one
// proven counts.
func (a *Application) succeed(in *Input) Do {
	a.move(Pending, in)
	a.Succeeded = in.Attempt
	return Fetch
}

// giveUpFetch fails an application whose report exists but could not be fetched. The
// applicant sees the same as for a report that could not be compiled.
func (a *Application) giveUpFetch(in *Input) {
	if a.State == Pending {
		a.move(Failed, in)
		a.Status, a.Substatus = contract.StatusError, ""
	}
}

// fetched applies a stored report, also one that arrives late.
func (a *Application) fetched(in *Input) {
	want := a.Succeeded
	if want == 0 {
		want = a.Attempt
	}
	if a.State != Pending && (a.State != Failed || a.Succeeded == 0) || in.Attempt != want {
		return
	}
	a.State, a.Since, a.Succeeded = Ready, in.At, in.Attempt
	a.Status = contract.StatusSuccess
	if in.PublicToken != "" {
		a.PublicToken = in.PublicToken
	}
	if in.Substatus != "" {
		a.Substatus = in.Substatus
	}
}

// move sets the state and what the input proves. A poll by externalId does not name the
// publicToken; the one from an earlier proof of the same attempt stays.
func (a *Application) move(to State, in *Input) {
	a.State, a.Since, a.Error = to, in.At, ""
	if in.Kind == Tick {
		return
	}
	a.Status, a.Substatus = in.Status, in.Substatus
	if in.Kind == ReturnError {
		a.Error = in.Error.Known()
	}
	if in.PublicToken != "" || in.Attempt != a.Attempt {
		a.PublicToken = in.PublicToken
	}
}

// Key identifies an input's content, so that it is applied once: the caller stores it
// in a unique column of the application's timeline and does not Step an input whose key
// exists.
//
// A callback's key is its event id. A redirect callback's is its attempt, because the
// first verified one counts. Webhook and poll prove the same thing; their key is
// attempt, publicToken, status and substatus. PENDING proves nothing final, so each
// such answer has a separate key (its event id, else its time); a caller that polls
// need not store those that changed nothing.
func (in Input) Key() string {
	n := strconv.Itoa(in.Attempt)
	switch in.Kind {
	case CallbackSuccess, CallbackExit, CallbackError:
		return string(in.Kind) + "/" + n + "/" + in.EventID
	case ReturnSuccess, ReturnExit, ReturnError:
		return "return/" + n
	case Webhook, Poll:
		key := "status/" + n + "/" + in.PublicToken + "/" + string(in.Status) + "/" + string(in.Substatus)
		if in.Status != contract.StatusPending {
			return key
		}
		if in.EventID != "" {
			return key + "/" + in.EventID
		}
		return key + "/" + strconv.FormatInt(in.At, 10)
	case Tick:
		return "tick/" + n + "/" + strconv.FormatInt(in.At, 10)
	}
	return string(in.Kind) + "/" + n
}

// Outcome returns the outcome of the applicant's visit as a secure redirect names it;
// "" for a visit that has not ended or has expired.
func (a Application) Outcome() contract.Outcome {
	switch a.State {
	case Pending, Ready:
		return contract.OutcomeSuccess
	case Exited:
		return contract.OutcomeExit
	case Failed:
		// A completed journey is a SUCCESS even if its report cannot be made; other
		// failing statuses belong to journeys that were not completed.
		if a.Status == contract.StatusError && a.Error == "" {
			return contract.OutcomeSuccess
		}
		return contract.OutcomeError
	}
	return ""
}
