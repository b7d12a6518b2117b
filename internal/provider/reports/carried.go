package reports

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"vestibule/internal/analysis/corrections"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// What was corrected in a report stays corrected in later reports that an account gets about the
// same consumer (15 U.S.C. 1681i(a)(5)(B)), where the same source has the same transaction, account,
// name or employer. The consumer's statements stay, too (15 U.S.C. 1681i(c)).

// standing is what a revision corrected, for later reports.
type standing struct {
	Token   string                 `json:"token"` // from which the identifiers in Made derive
	Sources []standingSource       `json:"sources,omitempty"`
	Made    []corrections.Standing `json:"made"`

	publicToken string
	row         revisionRow // number, at, corrections
	keyID       string
}

type standingSource struct {
	Provider string `json:"provider"`
	Key      string `json:"key"` // as sourceKey returns it
}

func (x standing) cell() store.Cell {
	return store.Cell{Table: "consumer_corrections", Column: "made", Row: x.publicToken + "/" + strconv.Itoa(x.row.number)}
}

// standingOf returns what a change corrects for later reports.
func (s *Service) standingOf(ctx context.Context, q store.Queryer, now Correcting, made []corrections.Correction) (x standing, err error) {
	x = standing{Token: now.PublicToken, Made: corrections.Stand(now.in.subject(now.Report), made)}
	for r := now.Report; r.Secondary(); {
		x.Token = r.Source()
		if r, err = s.Get(ctx, q, x.Token); errors.Is(err, store.ErrNotFound) {
			break
		} else if err != nil {
			return x, err
		}
	}
	first := Report{PublicToken: x.Token}
	for _, at := range slices.Concat(now.in.Banks, now.in.SignIns) {
		if at.good() {
			x.Sources = append(x.Sources, standingSource{at.Provider, first.sourceKey(at)})
		}
	}
	return x, nil
}

// stand stores what a revision corrected for later reports about a consumer.
func (s *Service) stand(ctx context.Context, tx *store.Tx, r Report, x standing) error {
	if r.ConsumerID == "" || len(x.Made) == 0 {
		return nil
	}
	raw, err := json.Marshal(x)
	if err == nil {
		x.row.corrections, err = s.DB.Vault.Seal(ctx, tx, r.KeyID, x.cell(), raw)
	}
	if err != nil {
		return unreadable(err)
	}
	return insertStanding(ctx, tx, r, x)
}

// carry adds what was corrected in earlier reports about the consumer to the input of a report
// whose data were retrieved.
func (s *Service) carry(ctx context.Context, r Report, in *Input, from origin) error {
	if r.ConsumerID == "" {
		return nil
	}
	all, err := standingCorrections(ctx, s.DB.SQL, r)
	if err != nil {
		return err
	}
	for _, x := range all {
		raw, err := s.DB.Vault.Open(ctx, s.DB.SQL, x.keyID, x.cell(), x.row.corrections)
		if errors.Is(err, store.ErrShredded) {
			continue // the consumer's data were deleted
		}
		if err == nil {
			err = json.Unmarshal(raw, &x)
		}
		if err != nil {
			return err
		}
		ids := map[string]string{} // of this report by those of the earlier one
		for _, at := range slices.Concat(in.Banks, in.SignIns) {
			for _, old := range x.Sources {
				if at.good() && old.Provider == at.Provider {
					same := func(what string) {
						ids[DerivedID(x.Token, old.Key+"/"+what)] = DerivedID(r.PublicToken, r.sourceKey(at)+"/"+what)
					}
					from.fetched[r.sourceKey(at)].each(same)
				}
			}
		}
		if len(x.Sources) > 0 && len(ids) == 0 {
			continue // the report is about other sources
		}
		made := corrections.Carry(in.subject(r), x.Made, ids)
		if slices.ContainsFunc(made, func(c corrections.Correction) bool { return c.Value != "" && c.Target != corrections.Statement }) {
			in.Carried = report.DateOf(x.row.at)
		}
		in.Corrections = corrections.Merge(in.Corrections, made)
	}
	if !corrections.Data(in.Corrections) {
		in.Carried = report.Date{} // all were taken back
	}
	return nil
}

// each calls f with what the identifiers of accounts, owners and jobs in a report derive from.
func (d fetched) each(f func(what string)) {
	for i := range d.data.Owners {
		f("owner/" + strconv.Itoa(i))
	}
	for _, a := range d.data.Accounts {
		f("account/" + a.ID)
	}
	if d.data.Payroll != nil {
		f("owner")
		for _, j := range d.data.Payroll.Jobs {
			f("job/" + j.RecordID)
		}
	}
}
