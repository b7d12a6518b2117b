package staff

import (
	"encoding/base32"
	"encoding/json"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vestibule/internal/i18n"
)

// TestTOTP checks the codes of RFC 6238, appendix B, cut to 6 digits.
func TestTOTP(t *testing.T) {
	for at, want := range map[int64]string{59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924",
		2000000000: "279037", 20000000000: "353130"} {
		if got := totp([]byte("12345678901234567890"), at/30); got != want {
			t.Errorf("at %d the code is %s, want %s", at, got, want)
		}
	}
	uri := totpURI("Northwind & Co", "nina@example.com", []byte("12345678901234567890"))
	if !strings.HasPrefix(uri, "otpauth://totp/Northwind%20&%20Co:nina@example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=") {
		t.Errorf("the address is %s", uri)
	}
}

// app is a user's authenticator app.
type app struct {
	d      *testServer
	secret []byte
}

func (a app) code() string { return totp(a.secret, a.d.now.Unix()/30) }

// newFactor reads the page that adds a factor, and returns an app with its secret.
func (d *testServer) newFactor() app {
	d.t.Helper()
	var v NewFactorPage
	_, page := d.get("/review/sign-in/factor")
	if err := json.Unmarshal([]byte(page), &v); err != nil || !strings.Contains(v.URI, v.Secret) {
		d.t.Fatalf("no page that adds a factor: %s, %v", page, err)
	}
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(v.Secret)
	if err != nil {
		d.t.Fatal(err)
	}
	return app{d, secret}
}

// confirm adds the factor, and returns the recovery codes.
func (d *testServer) confirm(a app) []string {
	d.t.Helper()
	var v RecoveryPage
	_, page := d.post("/review/sign-in/factor", url.Values{"code": {a.code()}})
	if err := json.Unmarshal([]byte(page), &v); err != nil || len(v.Codes) != 10 {
		d.t.Fatalf("adding a factor: %s", page)
	}
	*d.now = d.now.Add(time.Minute)
	return v.Codes
}

// addOwn adds a factor for the signed-in user.
func (d *testServer) addOwn(password string) (app, []string) {
	d.t.Helper()
	if resp, page := d.post("/review/second-factor", url.Values{"do": {"add"}, "password": {password}}); resp.StatusCode != 303 {
		d.t.Fatalf("beginning to add a factor: %d %s", resp.StatusCode, page)
	}
	a := d.newFactor()
	return a, d.confirm(a)
}

// enter sends a code at sign-in and returns the status.
func (d *testServer) enter(code string) int {
	d.t.Helper()
	resp, _ := d.post("/review/sign-in/code", url.Values{"code": {code}})
	return resp.StatusCode
}

func TestSecondFactor(t *testing.T) {
	each(t, func(t *testing.T, d *testServer) {
		other := d.newBrowser()
		other.signIn(admin, secret)
		d.signIn(admin, secret)
		if resp, _ := d.post("/review/second-factor", url.Values{"do": {"add"}, "password": {another}}); resp.StatusCode != 422 {
			t.Errorf("adding a factor with a wrong password: %d", resp.StatusCode)
		}
		phone, recovery := d.addOwn(secret)
		if !d.signedIn() || other.signedIn() {
			t.Error("adding a factor did not end the other sessions only")
		}
		if n := d.count(`SELECT COUNT(*) FROM second_factors WHERE secret_sealed = $1`, phone.secret); n != 0 {
			t.Error("the secret is stored as it is")
		}
		b := d.newBrowser()
		resp := b.signIn(admin, secret)
		if to := resp.Header.Get("Location"); to != "/review/sign-in/code" || b.signedIn() {
			t.Fatalf("the password alone leads to %s", to)
		}
		if status := b.enter("000000"); status != 422 || b.signedIn() {
			t.Errorf("a wrong code: %d", status)
		}
		code := phone.code()
		if status := b.enter(code[:3] + " " + code[3:]); status != 303 || !b.signedIn() {
			t.Errorf("the code: %d", status)
		}
		b = d.newBrowser()
		b.signIn(admin, secret)
		if status := b.enter(code); status != 422 {
			t.Errorf("a used code: %d", status)
		}
		if status := b.enter(strings.ToLower(recovery[3][:4] + "-" + recovery[3][4:])); status != 303 || !b.signedIn() {
			t.Errorf("a recovery code: %d", status)
		}
		b = d.newBrowser()
		b.signIn(admin, secret)
		if status := b.enter(recovery[3]); status != 422 {
			t.Errorf("a used recovery code: %d", status)
		}
		*d.now = d.now.Add(stepLife)
		if resp, _ := b.post("/review/sign-in/code", url.Values{"code": {phone.code()}}); resp.Header.Get("Location") != "/review/sign-in" {
			t.Errorf("a code long after the password: %d", resp.StatusCode)
		}
		if resp, _ := d.post("/review/second-factor", url.Values{"do": {"remove"}, "code": {"000000"}}); resp.StatusCode != 422 {
			t.Errorf("removing the factor with a wrong code: %d", resp.StatusCode)
		}
		if resp, page := d.post("/review/second-factor", url.Values{"do": {"codes"}, "code": {recovery[0]}}); resp.StatusCode != 200 ||
			strings.Contains(page, recovery[1]) || d.count(`SELECT COUNT(*) FROM recovery_codes`) != 10 {
			t.Errorf("new recovery codes: %d %s", resp.StatusCode, page)
		}
		if resp, _ := d.post("/review/second-factor", url.Values{"do": {"remove"}, "code": {phone.code()}}); resp.StatusCode != 303 ||
			d.count(`SELECT COUNT(*) FROM second_factors`)+d.count(`SELECT COUNT(*) FROM recovery_codes`) != 0 {
			t.Errorf("removing the factor: %d", resp.StatusCode)
		}
		if to := d.newBrowser().signIn(admin, secret).Header.Get("Location"); to != "/review" {
			t.Errorf("without a factor, the password leads to %s", to)
		}
	})
}

func TestGuessedCodes(t *testing.T) {
	eachReview(t, func(t *testing.T, d *testServer) {
		d.signIn(admin, secret)
		phone, _ := d.addOwn(secret)
		d.post("/review/sign-out", nil) // its browser stays known
		d.signIn(admin, secret)
		var got []int
		for range MaxTries {
			d.signIn(admin, secret) // the right password does not clear the tries
			got = append(got, d.enter("000000"))
		}
		if resp, _ := d.post("/review/sign-in/code", url.Values{"code": {phone.code()}}); resp.StatusCode != 429 ||
			resp.Header.Get("Retry-After") != "900" || got[0] != 422 || got[MaxTries-1] != 429 {
			t.Errorf("guessed codes get %v, then the right one %d", got, resp.StatusCode)
		}
	})
}

func TestCodeWorksOnce(t *testing.T) {
	eachReview(t, func(t *testing.T, d *testServer) {
		d.signIn(admin, secret)
		phone, _ := d.addOwn(secret)
		var won atomic.Int32
		var wg sync.WaitGroup
		for range 4 {
			b := d.newBrowser()
			b.signIn(admin, secret)
			wg.Go(func() {
				if b.enter(phone.code()) == 303 {
					won.Add(1)
				}
			})
		}
		if wg.Wait(); won.Load() != 1 {
			t.Errorf("one code signed in %d browsers", won.Load())
		}
	})
}

// TestRequiredSecondFactor checks that users add a factor before they reach any page, also by a link
// to set a password.
func TestRequiredSecondFactor(t *testing.T) {
	each(t, func(t *testing.T, d *testServer) {
		d.signIn(admin, secret)
		if d.NeedFactor = true; d.signedIn() {
			t.Error("a session from before the requirement works without a factor")
		}
		if to := d.signIn(admin, secret).Header.Get("Location"); to != "/review/sign-in/factor" || d.signedIn() {
			t.Fatalf("the password alone leads to %s", to)
		}
		if resp, _ := d.post("/review/sign-in/factor", url.Values{"code": {"000000"}}); resp.StatusCode != 422 || d.signedIn() {
			t.Errorf("a wrong first code: %d", resp.StatusCode)
		}
		if d.confirm(d.newFactor()); !d.signedIn() {
			t.Error("the user is not signed in")
		}
		nina := d.newBrowser()
		if resp, _ := nina.post(d.invite("nina@example.com", reviewer), url.Values{"password": {secret}}); resp.StatusCode != 303 ||
			resp.Header.Get("Location") != "/review/sign-in/factor" || nina.signedIn() {
			t.Errorf("an invitation leads to %d %s", resp.StatusCode, resp.Header.Get("Location"))
		}
		if nina.confirm(nina.newFactor()); !nina.signedIn() {
			t.Error("the invited user is not signed in")
		}
	})
}

func TestAdministratorRemovesFactor(t *testing.T) {
	eachReview(t, func(t *testing.T, d *testServer) {
		nina := d.newBrowser()
		nina.set(d.invite("nina@example.com", reviewer), secret)
		nina.addOwn(secret)
		if _, _, err := d.Change(t.Context(), d.user(admin), d.user("nina@example.com").ID, NoFactor, "", i18n.English); err != nil {
			t.Fatal(err)
		}
		if nina.signedIn() {
			t.Error("a session of the removed factor works")
		}
		if nina.signIn("nina@example.com", secret); !nina.signedIn() {
			t.Error("the password alone does not sign in")
		}
	})
}
