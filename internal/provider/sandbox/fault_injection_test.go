package sandbox

import (
	"encoding/json"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"
)

// TestSeedDeterminesFaults checks that a seed always gives the same faults, another
// seed others, and never two in a row, so that a retry succeeds.
func TestSeedDeterminesFaults(t *testing.T) {
	met := func(seed uint64) (all []bool) {
		a := &FaultInjector{Seed: seed}
		for n := range uint64(200) {
			all = append(all, a.hasFault("GET /connect/status", n+1))
		}
		return all
	}
	one := met(7)
	if !reflect.DeepEqual(one, met(7)) || reflect.DeepEqual(one, met(8)) {
		t.Error("a seed does not say what happens")
	}
	struck := 0
	for i, s := range one {
		if s {
			struck++
		}
		if i > 0 && s && one[i-1] {
			t.Errorf("request %d is struck after another", i+1)
		}
	}
	if struck < 20 || struck > 80 {
		t.Errorf("%d of 200 are struck", struck)
	}
}

// TestFaultsKeepTheContentOfAnswers pins that nothing of an answer is lost or altered.
func TestFaultsKeepTheContentOfAnswers(t *testing.T) {
	const body = `{"meta":{"status":"SUCCESS"},"n":[1.50,12345678901234567890,{"z":null,"a":"é<&>\u2028"}],"b":{"d":true,"c":"x"}}`
	a := &FaultInjector{Seed: 7, Now: time.Now}
	got := a.reordered(httptest.NewRequest("GET", "/connect/cashflow/v2/json", nil), []byte(body))
	var was, is map[string]any
	if err := json.Unmarshal([]byte(body), &was); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(got, &is); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	if is["x_new"] == nil || is["meta"].(map[string]any)["x_new"] == nil {
		t.Errorf("nothing new in %s", got)
	}
	delete(is, "x_new")
	delete(is["meta"].(map[string]any), "x_new")
	if !reflect.DeepEqual(was, is) {
		t.Errorf("%s became %s", body, got)
	}

	r := httptest.NewRequest("GET", "/connect/status", nil)
	r.Header.Set("X-Public-Token", "p")
	var polls []string
	for range 4 {
		var s struct{ Status string }
		if err := json.Unmarshal(a.reordered(r, []byte(`{"status":"SUCCESS","substatus":null}`)), &s); err != nil {
			t.Fatal(err)
		}
		polls = append(polls, s.Status)
	}
	if polls[0] != "PENDING" || polls[2] != "SUCCESS" || polls[3] != "SUCCESS" {
		t.Errorf("a report that is done is %v", polls)
	}
}
