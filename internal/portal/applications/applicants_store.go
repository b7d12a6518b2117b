package applications

import (
	"context"
	"encoding/json"
	"errors"

	"vestibule/internal/prefill"
	"vestibule/internal/store"
)

// setApplicant stores the applicant's data if none is stored.
func setApplicant(ctx context.Context, tx *store.Tx, id string, sealed []byte, mode Mode) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `
		UPDATE applications SET prefill = $1, mode = $2, updated_at = $3 WHERE id = $4 AND prefill IS NULL`,
		sealed, string(mode), store.Micros(tx.Now), id))
}

func prefillCell(id string) store.Cell {
	return store.Cell{Table: "applications", Column: "prefill", Row: id}
}

func seal(ctx context.Context, v *store.Vault, tx *store.Tx, dataKey, id string, f prefill.Fields) ([]byte, error) {
	plain, err := json.Marshal(f)
	if err != nil {
		return nil, errors.New("applications: the applicant's data cannot be written")
	}
	return v.Seal(ctx, tx, dataKey, prefillCell(id), plain)
}

// encryptedPrefill is an applicant's encrypted data with its wrapped data key.
type encryptedPrefill struct {
	id, dataKey     string
	sealed, wrapped []byte
}

// sealedPrefills reads the encrypted applicant data of some applications.
func sealedPrefills(ctx context.Context, q store.Queryer, ids []string) ([]encryptedPrefill, error) {
	in, args := store.InList(1, ids)
	return store.QueryAll(ctx, q, store.Columns(func(k *encryptedPrefill) []any {
		return []any{&k.id, &k.dataKey, &k.sealed, &k.wrapped}
	}), `SELECT a.id, a.data_key, a.prefill, k.wrapped
		FROM applications a LEFT JOIN data_keys k ON k.id = a.data_key
		WHERE a.id IN `+in+` AND a.prefill IS NOT NULL`, args...)
}
