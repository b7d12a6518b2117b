package dashboard

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/visits"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/theme"
	providerui "vestibule/templates/provider"
)

// theme renders the theme of the account's pages for applicants. With the fields of the
// form in the query, it previews them and changes nothing.
func (s *Service) theme(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	now, err := s.Customers.Theme(ctx, s.DB.SQL, by.account.ID)
	if err != nil {
		return nil, err
	}
	v := providerui.DashboardTheme{Settings: now.WithDefaults(), Company: by.account.ApplicantName(), Operator: s.Visits.Operator,
		Inherited: now.Inherited}
	for _, scheme := range []string{theme.Light, theme.Dark} {
		logo := providerui.DashboardLogo{Scheme: scheme}
		if l, ok := now.Logos[scheme]; ok {
			logo.Image = visits.ThemeLogo(customers.Theme{Logos: map[string]customers.Logo{scheme: l}})
		}
		v.Logos = append(v.Logos, logo)
	}
	v.Own = !now.Inherited && (now.IsCustom() || len(now.Logos) > 0)
	shown := v.Settings
	if q := r.URL.Query(); r.Method == http.MethodGet && q.Has("corners") {
		given, err := settings(input{Values: q})
		var no refused
		switch {
		case err == nil:
			v.Settings, shown, v.Preview = given, given, true
		case errors.As(err, &no):
			d.Invalid, d.Words, d.Given = no.field, i18n.T(d.Lang, no.text, no.args...), q
		default:
			return nil, err
		}
	}
	if v.Style, err = shown.PreviewPath(); err != nil {
		v.Style, v.Settings = "", theme.Settings{}.WithDefaults() // another version of the program accepted it
	}
	return providerui.DashboardThemePage(d, v), nil
}

// settings reads the form. The error of a color with too little contrast says which color
// would pass.
func settings(in input) (theme.Settings, error) {
	given := theme.Settings{Light: in.Field("light"), Dark: in.Field("dark"), Corners: in.Get("corners"), Font: in.Get("font"),
		Scheme: in.Get("scheme"), Wordmark: in.Get("wordmark") != ""}.WithDefaults()
	for name, color := range map[string]string{"light": given.Light, "dark": given.Dark} {
		if _, err := theme.ParseColor(color); color != "" && err != nil {
			return given, fieldProblem(name, "dashboard.theme.color.invalid")
		}
	}
	_, _, err := given.Colors()
	var low *theme.LowContrast
	switch {
	case errors.As(err, &low):
		field := map[string]string{theme.Light: "light", theme.Dark: "dark"}[low.Scheme]
		if in.Field(field) == "" {
			field = map[string]string{"light": "dark", "dark": "light"}[field]
		}
		number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
		text, better := i18n.Key("dashboard.theme.color.contrast_none"), ""
		if low.Better != nil {
			text, better = "dashboard.theme.color.contrast", low.Better.String()
		}
		return given, fieldProblem(field, text, "color", in.Field(field),
			"ratio", number(float64(int(low.Ratio*100))/100), "least", number(low.Least), "better", better)
	case err != nil:
		return given, malformed("theme")
	}
	return given, nil
}

func (s *Service) setTheme(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	given, err := settings(in)
	if err != nil {
		return done{}, err
	}
	before, err := s.Customers.Theme(ctx, tx, by.account.ID)
	if err != nil {
		return done{}, err
	}
	return done{action: "theme changed", object: by.account.PublicID, values: themeValues(before.Settings, given), flash: "theme"},
		s.Customers.SetTheme(ctx, tx, by.account.ID, given)
}

func themeValues(before, after theme.Settings) []staff.Value {
	before, after = before.WithDefaults(), after.WithDefaults()
	return staff.Changed(staff.Value{Setting: staff.SettingLight, Before: before.Light, After: after.Light},
		staff.Value{Setting: staff.SettingDark, Before: before.Dark, After: after.Dark},
		staff.Value{Setting: staff.SettingCorners, Before: before.Corners, After: after.Corners},
		staff.Value{Setting: staff.SettingFont, Before: before.Font, After: after.Font},
		staff.Value{Setting: staff.SettingScheme, Before: before.Scheme, After: after.Scheme},
		staff.Value{Setting: staff.SettingWordmark, Before: staff.YesNo(before.Wordmark), After: staff.YesNo(after.Wordmark)})
}

func (s *Service) resetTheme(ctx context.Context, tx *store.Tx, by user, _ input) (done, error) {
	before, err := s.Customers.Theme(ctx, tx, by.account.ID)
	if err != nil {
		return done{}, err
	}
	err = unlessChanged(s.Customers.ResetTheme(ctx, tx, by.account.ID))
	if err != nil {
		return done{}, err
	}
	after, err := s.Customers.Theme(ctx, tx, by.account.ID)
	return done{action: "theme reset", object: by.account.PublicID, values: themeValues(before.Settings, after.Settings),
		flash: "theme reset"}, err
}

// setLogo stores or removes the logo of a color scheme.
func (s *Service) setLogo(ctx context.Context, tx *store.Tx, by user, in input) (done, error) {
	scheme := in.Get("scheme")
	if scheme != theme.Light && scheme != theme.Dark {
		return done{}, malformed("logo")
	}
	if in.Get("remove") != "" {
		err := unlessChanged(s.Customers.RemoveLogo(ctx, tx, by.account.ID, scheme))
		return done{action: "logo removed", object: by.account.PublicID, detail: scheme, flash: "logo removed"}, err
	}
	field := "logo-" + scheme
	if in.Get(fileName) == "" {
		return done{}, fieldProblem(field, "dashboard.theme.logo.missing")
	}
	picture, err := theme.Clean(strings.TrimPrefix(strings.ToLower(path.Ext(in.Get(fileName))), "."), []byte(in.Get(fileBody)))
	if err != nil {
		return done{}, fieldProblem(field, "dashboard.theme.logo.invalid")
	}
	return done{action: "logo changed", object: by.account.PublicID, detail: scheme, flash: "logo"},
		s.Customers.SetLogo(ctx, tx, by.account.ID, scheme, picture)
}

// Fields of a form with a file, in addition to its own.
const (
	fileName = " name"
	fileBody = " body"
)

// maxLogoForm is the maximum size in bytes of a form with a logo.
const maxLogoForm = theme.MaxPNG + 16<<10

// maxPreparedForm is the maximum size in bytes of a form with a prepared report.
const maxPreparedForm = customers.MaxPreparedReport + 16<<10

// decodeFile returns a function that reads a form with one file, of a maximum size in bytes
// for both. The file's name and content become fields. It refuses a form without fields,
// since a body that is not a form reads like one.
func decodeFile(most int64) func(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	return func(w http.ResponseWriter, r *http.Request) (url.Values, error) {
		if err := httpx.RejectContentCoding(w, r); err != nil {
			return nil, err
		}
		r.Body = http.MaxBytesReader(w, r.Body, most)
		form, err := r.MultipartReader() // takes multipart/mixed, too
		if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "multipart/form-data" {
			return nil, httpx.NewError(contract.CodeUnsupportedMediaType, errors.New("content type is not multipart/form-data"))
		}
		out := url.Values{}
		for {
			part, err := form.NextRawPart()
			if errors.Is(err, io.EOF) && len(out) > 0 {
				return out, nil
			}
			if err == nil {
				err = addPart(out, part)
			}
			if err != nil {
				return nil, httpx.BodyError(err)
			}
		}
	}
}

// maxPartNames bounds the names of a form's field and its file, in bytes.
const maxPartNames = 64 << 10

func addPart(out url.Values, part *multipart.Part) error {
	if len(part.FormName())+len(part.FileName()) > maxPartNames {
		return errors.New("the names in a part of the form are too long")
	}
	body, err := io.ReadAll(part)
	if err != nil {
		return err
	}
	switch {
	case part.FileName() != "":
		out.Set(fileName, part.FileName())
		out.Set(fileBody, string(body))
	case len(part.FormName()) > 0 && len(out) < 10:
		out.Set(part.FormName(), string(body))
	}
	return nil
}
