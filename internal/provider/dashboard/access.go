package dashboard

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/a-h/templ"

	"vestibule/internal/console"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/customers"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

func (s *Service) credentials(ctx context.Context, _ *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	v, err := s.credentialViews(ctx, by.account.ID)
	return providerui.DashboardCredentialsPage(d, v), err
}

func (s *Service) credentialViews(ctx context.Context, customerID string) (v []providerui.DashboardCredential, err error) {
	all, err := s.Customers.Credentials(ctx, s.DB.SQL, customerID)
	now := s.Now()
	for _, c := range all {
		live := c.Valid(now)
		rotatable := live && !slices.ContainsFunc(all,
			func(o customers.Credential) bool { return o.Valid(now) && o.ID != c.ID && o.ClientID == c.ClientID })
		v = append(v, providerui.DashboardCredential{ID: c.ID, ClientID: c.ClientID, Name: c.Name, Created: c.Created, Expires: c.Expires,
			Revoked: c.Revoked, Used: c.Used, Live: live, Rotatable: rotatable})
	}
	return v, err
}

func (s *Service) issue(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	name := in.Field("name")
	if customers.NameProblem(name) != "" {
		return done{}, fieldProblem("name", "dashboard.name.invalid")
	}
	made, err := s.Customers.IssueCredential(ctx, tx, by.account.ID, name)
	return done{action: "credential issued", object: made.ClientID, detail: name, flash: "issued", secret: made.SecretKey}, err
}

// credential returns a credential of an account, or store.ErrNotFound.
func (s *Service) credential(ctx context.Context, q store.Queryer, account, id string) (customers.Credential, error) {
	all, err := s.Customers.Credentials(ctx, q, account)
	i := slices.IndexFunc(all, func(c customers.Credential) bool { return c.ID == id })
	if err == nil && i < 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return customers.Credential{}, err
	}
	return all[i], nil
}

func (s *Service) rename(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	name := in.Field("name")
	if customers.NameProblem(name) != "" {
		return done{}, fieldProblem("name", "dashboard.name.invalid")
	}
	c, err := s.credential(ctx, tx, by.account.ID, in.id)
	if err != nil {
		return done{}, err
	}
	return done{action: "credential renamed", object: in.id, detail: name, flash: "renamed",
			values: staff.Changed(staff.Value{Setting: staff.SettingName, Before: c.Name, After: name})},
		s.Customers.RenameClient(ctx, tx, by.account.ID, in.id, name)
}

func (s *Service) rotate(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	made, err := s.Customers.RotateCredential(ctx, tx, by.account.ID, in.id)
	if errors.Is(err, customers.ErrOverlap) {
		err = noChange{"overlap"}
	}
	return done{action: "credential rotated", object: made.ClientID, detail: made.Name, flash: "rotated", secret: made.SecretKey}, err
}

func (s *Service) revoke(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	return s.revokeOf(ctx, tx, by.account.ID, in.id)
}

func (s *Service) revokeOf(ctx context.Context, tx *store.Tx, account, id string) (done, error) {
	c, err := s.credential(ctx, tx, account, id)
	if err != nil {
		return done{}, err
	}
	return done{action: "credential revoked", object: c.ClientID, detail: c.Name, flash: "revoked"},
		s.Customers.RevokeCredential(ctx, tx, account, id)
}

func (s *Service) redirects(ctx context.Context, _ *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	urls, err := s.Customers.OwnCompleteURLs(ctx, s.DB.SQL, by.account.ID)
	if err != nil {
		return nil, err
	}
	origins, err := s.Customers.OwnWidgetOrigins(ctx, s.DB.SQL, by.account.ID)
	v := providerui.DashboardRedirects{URLs: urls, Mode: by.account.ReturnMode, RequireForm: by.account.RequireForm, Origins: origins}
	return providerui.DashboardRedirectsPage(d, v), err
}

// editURLs changes the account's redirect URLs.
func (s *Service) editURLs(ctx context.Context, tx *store.Tx, by user, action, url string,
	shown flash, change func([]string) ([]string, error)) (done, error) {
	err := s.Customers.EditCompleteURLs(ctx, tx, by.account.ID, change)
	if errors.Is(err, customers.ErrCompleteURL) {
		err = fieldProblem("url", "dashboard.complete_url.invalid")
	}
	return done{action: action, object: httpx.OriginOf(url), flash: shown}, err
}

func (s *Service) addURL(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	url := in.Field("url")
	return s.editURLs(ctx, tx, by, actionURLAdded, url, "url added", func(urls []string) ([]string, error) {
		if slices.Contains(urls, url) {
			return nil, noChange{flashNoChange}
		}
		return append(urls, url), nil
	})
}

func (s *Service) removeURL(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	url := in.Field("url")
	return s.editURLs(ctx, tx, by, actionURLRemoved, url, "url removed", func(urls []string) ([]string, error) {
		if !slices.Contains(urls, url) {
			return nil, noChange{flashNoChange}
		}
		return slices.DeleteFunc(urls, func(u string) bool { return u == url }), nil
	})
}

func (s *Service) staticURL(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	url, before := in.Field("url"), ""
	out, err := s.editURLs(ctx, tx, by, actionURLStatic, url, "url static", func(urls []string) ([]string, error) {
		if i := slices.Index(urls, url); i < 1 {
			return nil, noChange{flashNoChange}
		}
		before = urls[0]
		return append([]string{url}, slices.DeleteFunc(urls, func(u string) bool { return u == url })...), nil
	})
	out.values = staff.Changed(staff.Value{Setting: staff.SettingDefaultURL, Before: httpx.OriginOf(before), After: httpx.OriginOf(url)})
	return out, err
}

func (s *Service) addOrigin(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	added, err := s.Customers.AddWidgetOrigin(ctx, tx, by.account.ID, in.Field("origin"))
	switch {
	case errors.Is(err, customers.ErrWidgetOrigin):
		err = fieldProblem("origin", "dashboard.origin.invalid")
	case err == nil && !added:
		err = noChange{flashNoChange}
	}
	return done{action: "widget origin added", object: httpx.OriginOf(in.Field("origin")), flash: "origin added"}, err
}

func (s *Service) removeOrigin(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	err := unlessChanged(s.Customers.RemoveWidgetOrigin(ctx, tx, by.account.ID, in.Field("origin")))
	return done{action: "widget origin removed", object: httpx.OriginOf(in.Field("origin")), flash: "origin removed"}, err
}

func (s *Service) setReturn(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	mode, form := in.Get("mode"), in.Get("requireForm") != ""
	if mode != "get" && mode != "post" {
		return done{}, fieldProblem("mode", "dashboard.return.missing")
	}
	detail := mode
	if form {
		detail += ", form only"
	}
	values := staff.Changed(staff.Value{Setting: staff.SettingReturnMode, Before: by.account.ReturnMode, After: mode},
		staff.Value{Setting: staff.SettingRequireForm, Before: staff.YesNo(by.account.RequireForm), After: staff.YesNo(form)})
	return done{action: actionReturnChanged, object: by.account.PublicID, detail: detail, values: values, flash: "return"},
		s.Customers.SetReturn(ctx, tx, by.account.ID, mode, form)
}

// entries lists the audit trail, filtered by user, action and day, or by a text.
func (s *Pages) entries(ctx context.Context, r *http.Request, by user, d providerui.Dashboard, text string) (templ.Component, error) {
	q := selectionParams(r, "user", "action", "from", "to")
	f := console.LogFilter{EntryFilter: staff.EntryFilter{Subject: by.Account, Actor: q.Get("user"), Action: q.Get("action")},
		Account: by.Account, Text: text, Actions: map[string]string{}, Size: pageSize,
		Names: map[string]string{operator: i18n.T(d.Lang, "dashboard.author.providers_operator"),
			consumer: i18n.T(d.Lang, "dashboard.author.consumer"), Command: i18n.T(d.Lang, "dashboard.author.command"),
			parentAccount: i18n.T(d.Lang, "dashboard.author.parent")}}
	var err, err2 error
	f.After, err = store.ParseCursor(cmp.Or(q.Get("after"), d.Given.Get("after")))
	f.From, f.To, err2 = console.ParseDays(q, by.Zone)
	if errors.Join(err, err2) != nil || len(f.Actor)+len(f.Action) > 100 {
		return nil, unknown("list")
	}
	v := providerui.DashboardAudit{List: listOf(s.Home+"/audit", q), Searched: text}
	if v.Actions, err = s.Staff.Actions(ctx, s.DB.SQL, by.Account); err != nil {
		return nil, err
	}
	slices.Sort(v.Actions)
	for _, a := range v.Actions {
		f.Actions[a] = i18n.Code(d.Lang, "dashboard.actions", a)
	}
	if v.Log, err = console.ReadLog(ctx, s.DB.SQL, s.Staff, f); err != nil {
		return nil, err
	}
	v.List.Pager = Pager(q, s.Home+"/audit", text, v.Next != "", v.Next)
	return providerui.DashboardAuditPage(d, v), nil
}
