package api

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/store"
)

// idempotent performs a request once per Idempotency-Key, in tx: the first request runs do;
// later and concurrent ones get its response, while the key is kept. A request that ends in
// a createError does not use up the key.
func (a *API) idempotent(ctx context.Context, tx *store.Tx, key string, body []byte,
	do func() (created, error)) (out created, replayed bool, err error) {
	keyHash, bodyHash := a.keyed("key", []byte(key)), a.keyed("body", body)
	first, err := reserveKey(ctx, tx, keyHash, bodyHash)
	if err != nil {
		return created{}, false, err
	}
	if !first {
		out, err := a.replay(ctx, tx, keyHash, bodyHash)
		return out, true, err
	}
	if out, err = do(); err != nil {
		return created{}, false, err
	}
	plain, err := json.Marshal(out)
	if err != nil {
		return created{}, false, err
	}
	sealed, err := a.DB.Vault.Seal(ctx, tx, store.SystemKey, answerCell(keyHash), plain)
	if err != nil {
		return created{}, false, err
	}
	return out, false, storeResponse(ctx, tx, keyHash, out.ID, sealed)
}

// replay returns the response of the earlier request with this key.
func (a *API) replay(ctx context.Context, tx *store.Tx, keyHash, bodyHash []byte) (out created, err error) {
	before, sealed, err := storedResponse(ctx, tx, keyHash)
	if err != nil {
		return created{}, err
	}
	if !bytes.Equal(before, bodyHash) {
		return created{}, httpx.NewError(contract.CodeInvalidState, errors.New("Idempotency-Key with another body"),
			httpx.Detail{Field: "Idempotency-Key", Message: "was used with another body before"})
	}
	plain, err := a.DB.Vault.Open(ctx, tx, store.SystemKey, answerCell(keyHash), sealed)
	if err != nil {
		return created{}, err
	}
	return out, json.Unmarshal(plain, &out)
}

func answerCell(keyHash []byte) store.Cell {
	return store.Cell{Table: "api_requests", Column: "answer", Row: hex.EncodeToString(keyHash)}
}
