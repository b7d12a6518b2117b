// Package journey is the state machine of one application: fed by the widget's
// hooks, the verified return, the verified webhook and the provider's answer to
// a poll, whichever comes first and however often. It is a pure function, state
// and input in, state and what to do out, and runs on the server for truth and
// in the browser for words.
//
// It refuses to believe a browser: a hook is a hint that only makes the server
// ask; its publicToken and status never enter the state. Proofs are the return,
// the webhook and the poll. Sources: document 1 and 2, Events; document 1,
// Status values.
package journey

import (
	"strconv"

	"vestibule/internal/contract"
)

// State is where an application stands. The values are those of the portal's
// API.
type State string

const (
	Started    State = "started"    // stored; no visit yet
	Connecting State = "connecting" // an attempt is open
	Returned   State = "returned"   // the browser says it was finished; nothing proves it
	Pending    State = "pending"    // proven finished; the report is being made or fetched
	Ready      State = "ready"      // the report is stored; only Reopen moves it
	Failed     State = "failed"     // proven to have ended without a report
	Exited     State = "exited"     // the applicant closed it
	Expired    State = "expired"    // it was not finished in time
)

// States lists every state, in the order of a journey that goes well, then the
// ways in which it does not.
func States() []State {
	return []State{Started, Connecting, Returned, Pending, Ready, Failed, Exited, Expired}
}

// Kind says what an Input is. The values stand in the timeline.
type Kind string

const (
	Connect         Kind = "connect"       // the connect page is served, or a redirect attempt is made
	CallbackSuccess Kind = "hookSuccess"   // hint: the widget's onSuccess
	CallbackExit    Kind = "hookExit"      // hint: the widget's onExit
	CallbackError   Kind = "hookError"     // hint: the widget's onError
	ReturnSuccess   Kind = "returnSuccess" // proof: a verified return with outcome SUCCESS
	ReturnExit      Kind = "returnExit"    // proof: a verified return with outcome EXIT
	ReturnError     Kind = "returnError"   // proof: a verified return with outcome ERROR
	Webhook         Kind = "webhook"       // proof: a verified visit webhook
	Poll            Kind = "poll"          // proof: the provider's answer to a status request
	Fetched         Kind = "fetched"       // the report was fetched and stored
	Tick            Kind = "tick"          // the clock was looked at
	Restart         Kind = "restart"       // the applicant starts again
	Reopen          Kind = "reopen"        // the applicant gives more after a report, as a reviewer asked
)

// What a reviewer decides of an application. The values are kinds of lines of the
// timeline; none of them moves the journey.
const (
	Approved  = "approved"
	Declined  = "declined"
	MoreAsked = "moreAsked" // until it is answered, an application that is ready takes Reopen
	Escalated = "escalated"
)

// Lifetime is how long, in seconds, an open attempt is kept without a proof, and a
// report that is made is asked for: 72 hours, as long as the provider keeps a visit.
const Lifetime = 72 * 60 * 60

// Input is something that happened to an application. Attempt is the attempt it
// belongs to, counted from 1; Connect from Started needs none. At is unix
// seconds by the server's clock.
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

// Application is what is known of one application. The zero value is not a
// state; begin with New.
type Application struct {
	State   State
	Attempt int   // the newest attempt; 0 before the first
	Closed  int   // the newest attempt before the last Reopen; proofs of it and older ones move nothing
	Since   int64 // unix seconds of the last start or proof that moved it; hints leave it alone

	PublicToken string               // as proven; empty until a proof names it
	Status      contract.Status      // as proven
	Substatus   contract.Substatus   // as proven
	Error       contract.WidgetError // of a verified return, or while connecting of a hint
	Succeeded   int                  // the attempt whose report is fetched, or could not be; 0 for none
}

// New is an application just stored.
func New(at int64) Application { return Application{State: Started, Since: at} }

// Do is a set of things that the caller must see to after a step.
type Do uint8

const (
	AskStatus  Do = 1 << iota // ask the provider for the status of the input's attempt, now
	Fetch                     // fetch and store the report of Application.Succeeded; asked once, and again only for a new attempt after one whose report could not be fetched
	NewAttempt                // open a visit for Application.Attempt
	FreshToken                // the attempt needs a new single-use token
	Tell                      // something that people see has changed: the page, the onboarding app, the reviewer
	Wait                      // nothing is decided; ask again later
)

// Has reports whether all of want is asked for.
func (d Do) Has(want Do) bool { return d&want == want }

// Step is what becomes of a after in, and what is to be done. It is
// deterministic and safe to repeat: an input that says nothing new gives the
// same application and asks for no fetch. An input of an attempt that does not
// exist changes nothing. Of an application that is ready, only Reopen changes anything:
// the caller gives it only where a reviewer has asked for more.
func (a Application) Step(in Input) (Application, Do) {
	if a.State == Ready && in.Kind != Reopen {
		return a, 0
	}
	next := a
	do := next.step(&in)
	if next != a {
		do |= Tell
	}
	return next, do
}

// Hint is Step for a browser, which has no proofs: of inputs it takes hooks only.
// That leaves the rest of the machine out of what the browser loads.
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
			a.lose(in)
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

// underWay reports whether an attempt is open as far as any proof goes.
func (a *Application) underWay() bool { return a.State == Connecting || a.State == Returned }

// connect opens the first attempt. While one is open, the same page asks for a
// fresh token at most, and a further redirect attempt, which numbers itself, is
// the newest from then on.
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

// hint believes nothing, so a hint of an attempt that is not open any more can
// do no more than make the server ask.
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

// returned takes a verified return. Outcome SUCCESS says that the journey was
// completed, with whatever status; only status SUCCESS is a report to fetch. Of
// an attempt that is known to have failed, or is not the newest, any other
// status only makes the server ask.
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
			a.Error = in.Error.Known() // a status has failed it already, which does not say why
		}
		return 0
	case current && a.State == Failed:
	case in.Status == contract.StatusSuccess:
		return a.succeed(in) | AskStatus
	case current && a.State != Pending:
		a.move(Pending, in)
	}
	return AskStatus
}

// proven takes the provider's word on a report's status. A proof of success
// stands against every other that comes after it, so that the order in which
// they arrive does not matter.
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
		why := a.Error
		if a.State != Failed || to != Failed {
			why = ""
		}
		a.move(to, in)
		a.Error = why
	}
	return 0
}

// succeed is the one place where a fetch is asked for, and only the first time:
// of two attempts that both succeed, the first to be proven counts.
func (a *Application) succeed(in *Input) Do {
	a.move(Pending, in)
	a.Succeeded = in.Attempt
	return Fetch
}

// lose ends the wait for a report that is proven to be made and could not be fetched:
// for the applicant it is one that could not be compiled.
func (a *Application) lose(in *Input) {
	if a.State == Pending {
		a.move(Failed, in)
		a.Status, a.Substatus = contract.StatusError, ""
	}
}

// fetched takes a report that comes after all, too.
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

// move takes over what the input proves. A poll by externalId does not tell the
// publicToken; what an earlier proof of the same attempt told stays.
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

// Key identifies what an input says, so that it is taken once: the caller keeps
// it in a unique column of the application's timeline and does not Step an input
// whose key is there.
//
// A hook is known by its event id; a return by its attempt, because the first
// verified one stands; webhook and poll, which prove the same thing, by attempt,
// publicToken, status and substatus. PENDING proves nothing final and can mean
// something later that it did not mean before, so each such answer is its own
// (by event id, else by time); a caller that polls need not keep those that
// changed nothing.
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

// Outcome is how the applicant's visit ended, as a secure redirect names it; ""
// while it has not, or when it ran out of time.
func (a Application) Outcome() contract.Outcome {
	switch a.State {
	case Pending, Ready:
		return contract.OutcomeSuccess
	case Exited:
		return contract.OutcomeExit
	case Failed:
		// A journey that was completed is a SUCCESS although its report cannot be
		// made; the other statuses that fail are of journeys that were not.
		if a.Status == contract.StatusError && a.Error == "" {
			return contract.OutcomeSuccess
		}
		return contract.OutcomeError
	}
	return ""
}
