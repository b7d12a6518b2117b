package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/contract"
)

var (
	noon  = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	event = Event{EventID: "evt_1", Type: TypeVisit, CreatedAt: noon, Environment: contract.Sandbox,
		PublicID: "pub", ProductID: "1b3c5d7e-0000-4000-8000-000000000001", PublicToken: "1b3c5d7e-0000-4000-8000-000000000002",
		ExternalID: "order-7", UserArgs: "a=b", Status: contract.StatusSuccess, Substatus: contract.SubNoRecentInformation}
)

func secret(t testing.TB) Secret {
	t.Helper()
	s, err := ParseSecret(NewSecret())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func request(t *testing.T, body []byte, id string, at time.Time, secrets ...Secret) *http.Request {
	t.Helper()
	r := httptest.NewRequest("POST", "/webhooks/visit", strings.NewReader(string(body)))
	r.Header.Set("Content-Type", "application/json")
	if err := Sign(r.Header, secrets, id, at, body); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSignatureFollowsStandardWebhooks(t *testing.T) {
	// The example of the Standard Webhooks specification's reference libraries.
	s, err := ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	got := s.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("sign = %s, want %s", got, want)
	}
}

func TestEventRoundTrip(t *testing.T) {
	body, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	s := secret(t)
	v := &Receiver{Secrets: []Secret{s}, Now: func() time.Time { return noon }}
	got, err := v.Receive(request(t, body, event.EventID, noon, s))
	if diff := cmp.Diff(event, got); err != nil || diff != "" {
		t.Errorf("Receive: %v (-sent +received)\n%s", err, diff)
	}
	want := `{"eventId":"evt_1","type":"VISIT","createdAt":"2026-03-14T12:00:00.000Z","environment":"sandbox","publicId":"pub",` +
		`"productId":"1b3c5d7e-0000-4000-8000-000000000001","publicToken":"1b3c5d7e-0000-4000-8000-000000000002",` +
		`"externalId":"order-7","userArgs":"a=b","consumerId":null,"status":"SUCCESS","substatus":"NO_RECENT_USABLE_INFORMATION"}`
	if string(body) != want {
		t.Errorf("body = %s\nwant   %s", body, want)
	}
}

func TestShortFormTakesItsIDFromTheHeader(t *testing.T) {
	s := secret(t)
	v := &Receiver{Secrets: []Secret{s}, Now: func() time.Time { return noon }}
	body := []byte(`{"status":"PENDING","publicToken":"1b3c5d7e-0000-4000-8000-000000000002","userArgs":null}`)
	got, err := v.Receive(request(t, body, "msg_9", noon, s))
	want := Event{EventID: "msg_9", Type: TypeVisit, PublicToken: event.PublicToken, Status: contract.StatusPending}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Receive: %v (-want +got)\n%s", err, diff)
	}
}

func TestTwoSecretsAreValidWhileRotating(t *testing.T) {
	before, after, other := secret(t), secret(t), secret(t)
	body := []byte(`{"status":"PENDING","publicToken":"1b3c5d7e-0000-4000-8000-000000000002"}`)
	for _, tc := range []struct {
		name           string
		sender, keeper []Secret
		ok             bool
	}{
		{"the sender signs with both", []Secret{before, after}, []Secret{before}, true},
		{"the receiver knows both", []Secret{after}, []Secret{before, after}, true},
		{"neither knows the other's", []Secret{before, after}, []Secret{other}, false},
		{"the receiver knows none", []Secret{before}, nil, false},
	} {
		v := &Receiver{Secrets: tc.keeper, Now: func() time.Time { return noon }}
		if _, err := v.Receive(request(t, body, "a", noon, tc.sender...)); (err == nil) != tc.ok {
			t.Errorf("%s: Receive = %v, want ok = %v", tc.name, err, tc.ok)
		}
	}
}

func TestForgeriesAreRefused(t *testing.T) {
	s, other := secret(t), secret(t)
	body, _ := json.Marshal(event)
	for _, tc := range []struct {
		name  string
		forge func(r *http.Request)
		want  error
	}{
		{"untouched", func(*http.Request) {}, nil},
		{"an unknown version besides", func(r *http.Request) {
			r.Header.Set(HeaderSignature, "v1a,abc "+r.Header.Get(HeaderSignature)+" v9,x")
		}, nil},
		{"a swapped id", func(r *http.Request) { r.Header.Set(HeaderID, "evt_2") }, ErrSignature},
		{"a later timestamp", func(r *http.Request) {
			r.Header.Set(HeaderTimestamp, strconv.FormatInt(noon.Unix()+1, 10))
		}, ErrSignature},
		{"another body", func(r *http.Request) {
			r.Body = http.NoBody
		}, ErrSignature},
		{"another secret", func(r *http.Request) { _ = Sign(r.Header, []Secret{other}, "evt_1", noon, body) }, ErrSignature},
		{"v1 misspelled", func(r *http.Request) {
			r.Header.Set(HeaderSignature, strings.Replace(r.Header.Get(HeaderSignature), "v1,", "V1,", 1))
		}, ErrSignature},
		{"no signature", func(r *http.Request) { r.Header.Del(HeaderSignature) }, ErrHeaders},
		{"an empty signature", func(r *http.Request) { r.Header.Set(HeaderSignature, "") }, ErrHeaders},
		{"no id", func(r *http.Request) { r.Header.Del(HeaderID) }, ErrHeaders},
		{"no timestamp", func(r *http.Request) { r.Header.Del(HeaderTimestamp) }, ErrHeaders},
		{"two ids", func(r *http.Request) { r.Header.Add(HeaderID, "evt_1") }, ErrHeaders},
		{"two timestamps", func(r *http.Request) { r.Header.Add(HeaderTimestamp, r.Header.Get(HeaderTimestamp)) }, ErrHeaders},
		{"two signature headers", func(r *http.Request) { r.Header.Add(HeaderSignature, "v1,x") }, ErrHeaders},
		{"an id with a dot", func(r *http.Request) { r.Header.Set(HeaderID, "evt.1") }, ErrHeaders},
		{"a timestamp with a sign", func(r *http.Request) { r.Header.Set(HeaderTimestamp, "+"+r.Header.Get(HeaderTimestamp)) }, ErrHeaders},
		{"a timestamp in words", func(r *http.Request) { r.Header.Set(HeaderTimestamp, "now") }, ErrHeaders},
		{"signatures without end", func(r *http.Request) { r.Header.Set(HeaderSignature, strings.Repeat("v1,x ", 2000)) }, ErrHeaders},
		{"a form", func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }, ErrContentType},
		{"two content types", func(r *http.Request) { r.Header.Add("Content-Type", "application/json") }, ErrContentType},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := request(t, body, "evt_1", noon, s)
			tc.forge(r)
			v := &Receiver{Secrets: []Secret{s}, Now: func() time.Time { return noon }}
			if _, err := v.Receive(r); !errors.Is(err, tc.want) {
				t.Errorf("Receive = %v, want %v", err, tc.want)
			}
		})
	}
}

func TestTimestampsWithinFiveMinutesAreFresh(t *testing.T) {
	s := secret(t)
	body := []byte(`{"status":"PENDING","publicToken":"1b3c5d7e-0000-4000-8000-000000000002"}`)
	for _, tc := range []struct {
		off time.Duration
		ok  bool
	}{{0, true}, {Tolerance, true}, {-Tolerance, true}, {Tolerance + time.Second, false}, {-Tolerance - time.Second, false},
		{-72 * time.Hour, false}} {
		v := &Receiver{Secrets: []Secret{s}, Now: func() time.Time { return noon }}
		_, err := v.Receive(request(t, body, "a", noon.Add(tc.off), s))
		if (err == nil) != tc.ok || err != nil && !errors.Is(err, ErrStale) {
			t.Errorf("sent %v from now: %v, want ok = %v", tc.off, err, tc.ok)
		}
	}
}

func TestRejectsBodiesThatAreNotEvents(t *testing.T) {
	const token = `"publicToken":"1b3c5d7e-0000-4000-8000-000000000002"`
	for _, tc := range []struct {
		body string
		want error
	}{
		{`{"status":"SUCCESS",` + token + `}`, nil},
		{` {"status":"SUCCESS",` + token + `,"new":{"a":[1,2]}} `, nil},
		{`{"status":"SUCCESS",` + token + `,"type":null}`, nil},
		{`{"status":"SUCCESS",` + token + `,"type":"INVOICE"}`, ErrOtherType},
		{`{"Status":"SUCCESS",` + token + `}`, ErrBody},
		{`{"status":"success",` + token + `}`, ErrBody},
		{`{"status":"SUCCESS",` + token + `,"status":"ERROR"}`, ErrBody},
		{`{"status":["SUCCESS"],` + token + `}`, ErrBody},
		{`{"status":1,` + token + `}`, ErrBody},
		{`{"status":"SUCCESS"}`, ErrBody},
		{`{"status":"SUCCESS","publicToken":"../../etc"}`, ErrBody},
		{`{"status":"SUCCESS",` + token + `,"substatus":"<b>"}`, ErrBody},
		{`{"status":"SUCCESS",` + token + `,"createdAt":"yesterday"}`, ErrBody},
		{`{"status":"SUCCESS",` + token + `,"environment":"moon"}`, ErrBody},
		{`{"status":"SUCCESS",` + token + `,"eventId":"a b"}`, ErrBody},
		{`{"status":"SUCCESS",` + token + `,"userArgs":"` + strings.Repeat("x", 2000) + `"}`, ErrBody},
		{`{"status":"SUCCESS",` + token + `}{}`, ErrBody},
		{`{"status":"SUCCESS",` + token, ErrBody},
		{`[]`, ErrBody}, {`null`, ErrBody}, {``, ErrBody}, {`"x"`, ErrBody}, {"\xff", ErrBody},
		{strings.Repeat(`{"a":`, 20000), ErrBody},
	} {
		if _, err := Parse([]byte(tc.body)); !errors.Is(err, tc.want) {
			t.Errorf("Parse(%.90s) = %v, want %v", tc.body, err, tc.want)
		}
	}
	s := secret(t)
	v := &Receiver{Secrets: []Secret{s}, Now: func() time.Time { return noon }}
	big := []byte(strings.Repeat(" ", MaxBody+1))
	if _, err := v.Receive(request(t, big, "a", noon, s)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("Receive of too large a body = %v, want %v", err, ErrTooLarge)
	}
}

func TestCode(t *testing.T) {
	for err, want := range map[error]contract.Code{
		ErrHeaders: contract.CodeMalformedHeaders, ErrContentType: contract.CodeUnsupportedMediaType, ErrTooLarge: contract.CodeBodyTooLarge,
		ErrStale: contract.CodeUnauthorized, ErrSignature: contract.CodeUnauthorized, ErrBody: contract.CodeMalformedBody, ErrOtherType: "",
		errors.New("x"): "",
	} {
		if got := Code(fmt.Errorf("in between: %w", err)); got != want {
			t.Errorf("Code(%v) = %q, want %q", err, got, want)
		}
	}
}

func TestSecretsAreReadStrictlyAndNeverPrinted(t *testing.T) {
	written := NewSecret()
	s, err := ParseSecret(strings.TrimRight(written, "="))
	if err != nil {
		t.Errorf("ParseSecret without padding: %v", err)
	}
	if out := fmt.Sprintf("%v %+v %#v %s", s, s, s, s); strings.Contains(out, written[8:20]) {
		t.Errorf("printed as %s", out)
	}
	for _, bad := range []string{"", "whsec_", "whsec_AAAA", "WHSEC_" + written[6:], written[6:], "whsec_" + strings.Repeat("A", 200),
		"whsec_!!!!" + written[10:]} {
		if _, err := ParseSecret(bad); err == nil {
			t.Errorf("ParseSecret(%q) = nil error", bad)
		}
	}
	if err := Sign(http.Header{}, nil, "a", noon, nil); err == nil {
		t.Error("Sign without a secret succeeds")
	}
}

func FuzzParse(f *testing.F) {
	full, _ := json.Marshal(event)
	f.Add(full)
	f.Add([]byte(`{"status":"PENDING","publicToken":"1b3c5d7e-0000-4000-8000-000000000002","userArgs":null}`))
	f.Add([]byte(`{"status":"PENDING","status":"SUCCESS"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		e, err := Parse(body)
		if err != nil {
			if !errors.Is(err, ErrBody) && !errors.Is(err, ErrOtherType) {
				t.Fatalf("Parse(%q) = %v, which is none of ours", body, err)
			}
			return
		}
		again, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse(again)
		e.CreatedAt, back.CreatedAt = e.CreatedAt.Truncate(time.Millisecond), back.CreatedAt.Truncate(time.Millisecond)
		if e.EventID == "" || e.Environment == "" {
			return // the bare form is read, never written
		}
		if diff := cmp.Diff(e, back); err != nil || diff != "" {
			t.Fatalf("written and read again: %v\n%s", err, diff)
		}
	})
}

// FuzzReceive checks that Receive accepts only headers signed with the secret, within
// the tolerance.
func FuzzReceive(f *testing.F) {
	known, err := ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		f.Fatal(err)
	}
	body := []byte(`{"status":"PENDING","publicToken":"1b3c5d7e-0000-4000-8000-000000000002"}`)
	at := strconv.FormatInt(noon.Unix(), 10)
	good := known.sign("evt_1", at, body)
	for _, signatures := range []string{good, "v1,x " + good, good + " ", strings.ToUpper(good), "v1a" + good[2:],
		strings.TrimRight(good, "="), ""} {
		f.Add("evt_1", at, signatures, "application/json", body)
	}
	f.Add("evt_1."+at, at, good, "application/json; charset=UTF-8", body)
	f.Add("evt_1", "0"+at, good, "application/json;charset=latin1", body)
	f.Add("evt_1", at+".0", good, "text/plain", append(body, ' '))
	f.Fuzz(func(t *testing.T, id, timestamp, signatures, kind string, body []byte) {
		r := httptest.NewRequest("POST", "/", strings.NewReader(string(body)))
		r.Header = http.Header{HeaderID: {id}, HeaderTimestamp: {timestamp}, HeaderSignature: {signatures}, "Content-Type": {kind}}
		v := &Receiver{Secrets: []Secret{known}, Now: func() time.Time { return noon }}
		e, err := v.Receive(r)
		if err != nil {
			if Code(err) == "" && !errors.Is(err, ErrOtherType) {
				t.Fatalf("%v is none of ours", err)
			}
			return
		}
		sent, err := strconv.ParseInt(timestamp, 10, 64)
		if err != nil || noon.Sub(time.Unix(sent, 0)).Abs() > Tolerance ||
			!strings.Contains(" "+signatures+" ", " "+known.sign(id, timestamp, body)+" ") || e.EventID == "" {
			t.Fatalf("taken: id %q at %q, signed %q", id, timestamp, signatures)
		}
	})
}

// TestTestEventHasNoReport also for a receiver, which acknowledges and ignores it.
func TestTestEventHasNoReport(t *testing.T) {
	body, err := json.Marshal(Event{EventID: "evt_1", Type: TypeTest, CreatedAt: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC),
		Environment: contract.Sandbox, PublicID: "svc-1", PublicToken: "11111111-1111-4111-8111-111111111111", Status: contract.StatusSuccess})
	want := `{"eventId":"evt_1","type":"TEST","createdAt":"2026-05-04T10:00:00.000Z","environment":"sandbox","publicId":"svc-1"}`
	if err != nil || string(body) != want {
		t.Errorf("%s, %v; want %s", body, err, want)
	}
	if _, err := Parse(body); !errors.Is(err, ErrOtherType) {
		t.Errorf("a receiver: %v", err)
	}
}
