package review

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/password"
	"vestibule/internal/session"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// linkLife is how long a user may set a password with the link that an administrator
// was shown.
const linkLife = 72 * time.Hour

// people lists the users.
func (d *Handler) people(w http.ResponseWriter, r *http.Request, by person) error {
	return d.showPeople(w, r, http.StatusOK, by, pages.PeopleView{Done: pages.PeopleDone(r.URL.Query().Get("done"))})
}

func (d *Handler) showPeople(w http.ResponseWriter, r *http.Request, status int, by person, v pages.PeopleView) error {
	all, err := d.everybody(r.Context(), d.DB.SQL)
	if err != nil {
		return err
	}
	for _, p := range all {
		v.People = append(v.People, pages.Person{ID: p.id, Email: p.email, Role: string(p.role), SignedIn: p.signedIn,
			Disabled: p.disabled, Self: p.id == by.id, Password: p.passwordHash != "", Elsewhere: p.bound})
	}
	v.By, v.Local = by.email, d.Local()
	return d.show(w, r, status, func(p ui.Page) templ.Component { return pages.People(p, v) })
}

// addPerson adds a user. With local accounts, the response page shows the link to set
// a password; the link appears nowhere else.
func (d *Handler) addPerson(w http.ResponseWriter, r *http.Request, by person) error {
	form, err := httpx.DecodeForm(w, r, 8<<10)
	if err != nil {
		return err
	}
	email, role := password.Email(form.Get("email")), Role(form.Get("role"))
	if !slices.Contains(Roles[:], role) {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("no such role"))
	}
	again := func(status int, problem pages.PeopleProblem) error {
		return d.showPeople(w, r, status, by, pages.PeopleView{Email: email, Role: string(role), Problem: problem})
	}
	if !addressed(email) {
		return again(http.StatusUnprocessableEntity, pages.PeopleNoEmail)
	}
	id, key := uuid.NewString(), ""
	added := false
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		if added, err = d.insertReviewer(ctx, tx, id, email, "", role); err != nil || !added {
			return err
		}
		if d.Local() {
			key = store.NewSecret()
			if err := setLink(ctx, tx, id, store.Hash(key), d.Now().Add(linkLife)); err != nil {
				return err
			}
		}
		return d.write(ctx, tx, auditLine{actor: by.id, action: personAdded, object: id, detail: string(role)})
	})
	if err != nil {
		return err
	}
	if !added {
		return again(http.StatusConflict, pages.PeopleKnown)
	}
	return d.showPeople(w, r, http.StatusOK, by, pages.PeopleView{Done: pages.PeopleAdded, Link: d.link(key), LinkOf: email})
}

func (d *Handler) link(key string) string {
	if key == "" {
		return ""
	}
	return d.URL + "/review/set-password/" + key
}

// addressed reports whether s has the form of an email address.
func addressed(s string) bool {
	at := strings.LastIndexByte(s, '@')
	return at > 0 && at < len(s)-1 && plain(s, 3, 254) && !strings.ContainsAny(s, " <>\"(),;:\\")
}

// changePerson changes a user's role, issues a new link, or disables or enables the
// user. Users cannot change themselves, so that an administrator always remains.
func (d *Handler) changePerson(w http.ResponseWriter, r *http.Request, by person) error {
	id := strings.ToLower(r.PathValue("id"))
	if !contract.IsUUID(id) {
		return httpx.NewError(contract.CodeNotFound, errors.New("not a person's id"))
	}
	form, err := httpx.DecodeForm(w, r, 8<<10)
	if err != nil {
		return err
	}
	do, role := form.Get("do"), Role(form.Get("role"))
	done := map[string]pages.PeopleDone{"role": pages.PeopleRole, "disable": pages.PeopleDisabled,
		"enable": pages.PeopleEnabled, "link": pages.PeopleLinked}[do]
	if done == "" || do == "role" && !slices.Contains(Roles[:], role) || do == "link" && !d.Local() || id == by.id {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("no such change of a person"))
	}
	key := ""
	var email string
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		if email, err = d.email(ctx, tx, id); err != nil {
			return err
		}
		// If two administrators disable each other at once, only the first succeeds.
		if ok, err := holdAdministrator(ctx, tx, by.id); err != nil {
			return err
		} else if !ok {
			return errTooLate
		}
		l := auditLine{actor: by.id, action: personChanged, object: id, detail: do}
		switch do {
		case "role":
			l.detail = string(role)
			err = setRole(ctx, tx, id, role)
		case "disable":
			if err = setDisabled(ctx, tx, id, d.Now()); err == nil {
				err = errors.Join(dropLink(ctx, tx, id), d.Sessions.EndAll(ctx, tx, id))
			}
		case "enable":
			err = setDisabled(ctx, tx, id, time.Time{})
		case "link":
			key, l.action, l.detail = store.NewSecret(), personLinked, ""
			err = setLink(ctx, tx, id, store.Hash(key), d.Now().Add(linkLife))
		}
		if err != nil {
			return err
		}
		return d.write(ctx, tx, l)
	})
	if errors.Is(err, errTooLate) {
		return d.toSignIn(w, r)
	}
	if errors.Is(err, store.ErrNotFound) {
		return httpx.NewError(contract.CodeNotFound, err)
	}
	if err != nil {
		return err
	}
	if key != "" {
		return d.showPeople(w, r, http.StatusOK, by, pages.PeopleView{Done: done, Link: d.link(key), LinkOf: email})
	}
	httpx.SeeOther(w, "/review/people?done="+string(done))
	return nil
}

var errTooLate = errors.New("review: one who acts is no administrator any more")

// welcomePage shows the page of a password link without using the link up.
func (d *Handler) welcomePage(w http.ResponseWriter, r *http.Request) error {
	email, err := d.welcomed(r)
	if errors.Is(err, store.ErrNotFound) {
		return d.say(w, r, http.StatusGone, pages.LinkOver)
	}
	if err != nil {
		return err
	}
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component {
		return pages.Welcome(p, pages.WelcomeView{Email: email, Action: r.URL.EscapedPath()})
	})
}

// welcomed returns the email address of the link's user.
func (d *Handler) welcomed(r *http.Request) (string, error) {
	if !d.Local() {
		return "", httpx.NewError(contract.CodeNotFound, errors.New("there are no passwords here"))
	}
	id, err := linked(r.Context(), d.DB.SQL, store.Hash(r.PathValue("token")), d.Now())
	if err == nil {
		var email string
		if email, err = d.email(r.Context(), d.DB.SQL, id); err == nil {
			return email, nil
		}
	}
	return "", err
}

// welcome sets the user's password, uses up the link, ends the user's other sessions,
// and signs the user in.
func (d *Handler) welcome(w http.ResponseWriter, r *http.Request) error {
	email, err := d.welcomed(r)
	if errors.Is(err, store.ErrNotFound) {
		return d.say(w, r, http.StatusGone, pages.LinkOver)
	}
	if err != nil {
		return err
	}
	form, err := httpx.DecodeForm(w, r, 8<<10)
	if err != nil {
		return err
	}
	given := form.Get("password")
	if len(given) < password.Min || len(given) > password.Max {
		return d.show(w, r, http.StatusUnprocessableEntity, func(p ui.Page) templ.Component {
			return pages.Welcome(p, pages.WelcomeView{Email: email, Action: r.URL.EscapedPath(), Bad: true})
		})
	}
	hash := ""
	if err := busy(d.passwords.Do(r.Context(), func() { hash = password.Hash(given) })); err != nil {
		return err
	}
	current, err := d.Sessions.Of(r)
	if err != nil {
		return err
	}
	var cookie session.Cookie
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		id, err := linked(ctx, tx, store.Hash(r.PathValue("token")), d.Now())
		if err != nil {
			return err
		}
		if ok, err := useLink(ctx, tx, store.Hash(r.PathValue("token")), d.Now()); err != nil {
			return err
		} else if !ok {
			return store.ErrNotFound
		}
		if err := setPassword(ctx, tx, id, hash, d.Now()); err != nil {
			return err
		}
		if err := d.Sessions.EndAll(ctx, tx, id); err != nil {
			return err
		}
		if err := errors.Join(d.write(ctx, tx, auditLine{actor: id, action: passwordSet, object: id}), d.write(ctx, tx, auditLine{actor: id, action: signedIn, detail: "link"})); err != nil {
			return err
		}
		_, cookie, err = d.Sessions.SignIn(ctx, tx, current, id)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return d.say(w, r, http.StatusGone, pages.LinkOver)
	}
	if err != nil {
		return err
	}
	if err := d.Sessions.Set(w, r, cookie); err != nil {
		return err
	}
	d.passwords.Know(w, email)
	httpx.SeeOther(w, "/review")
	return nil
}
