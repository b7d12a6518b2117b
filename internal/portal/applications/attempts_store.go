package applications

import (
	"context"
	"errors"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/redirect"
	"vestibule/internal/store"
)

const attemptColumns = `attempt, mode, external_id, consumer_id, token, token_until,` +
	` opened, opened_by, verified, public_token, hurried_at, created_at, poll_job`

// scanAttempt scans the columns, and more after them.
func scanAttempt(row store.Row, more ...any) (Attempt, error) {
	var t Attempt
	var number, until, asked, created int64
	err := row.Scan(append([]any{&number, &t.Mode, &t.ExternalID, &t.ConsumerID, &t.sealed, &until, &t.Opened,
		&t.OpenedBy, &t.Verified, &t.PublicToken, &asked, &created, &t.pollJob}, more...)...)
	if err != nil {
		return Attempt{}, store.MapNotFound(err)
	}
	t.Number, t.TokenUntil, t.hurriedAt, t.CreatedAt = int(number), store.Time(until), store.Time(asked), store.Time(created)
	return t, nil
}

func attempt(ctx context.Context, q store.Queryer, id string, number int) (Attempt, error) {
	return scanAttempt(q.QueryRowContext(ctx, `
		SELECT `+attemptColumns+` FROM application_attempts WHERE application_id = $1 AND attempt = $2`, id, int64(number)))
}

func lastAttempt(ctx context.Context, q store.Queryer, id string) (Attempt, error) {
	return scanAttempt(q.QueryRowContext(ctx, `
		SELECT `+attemptColumns+` FROM application_attempts WHERE application_id = $1 ORDER BY attempt DESC LIMIT 1`, id))
}

// Attempts returns the attempts of an application, oldest first, without their
// tokens.
func (s *Service) Attempts(ctx context.Context, id string) ([]Attempt, error) {
	return store.QueryAll(ctx, s.DB.SQL, func(row store.Row) (Attempt, error) {
		t, err := scanAttempt(row)
		t.sealed = nil
		return t, err
	}, `SELECT `+attemptColumns+` FROM application_attempts WHERE application_id = $1 ORDER BY attempt`, id)
}

func insertAttempt(ctx context.Context, tx *store.Tx, id string, t Attempt) error {
	return store.Exec(tx.ExecContext(ctx, `
		INSERT INTO application_attempts (application_id, attempt, mode, external_id, consumer_id, token, token_until, opened, verified,
			public_token, hurried_at, created_at, poll_job)
		VALUES ($1, $2, $3, $4, $5, $6, $7, FALSE, $8, '', 0, $9, $10)`,
		id, int64(t.Number), string(t.Mode), t.ExternalID, t.ConsumerID, t.sealed, store.MicrosOrZero(t.TokenUntil), t.Verified,
		store.Micros(t.CreatedAt), t.pollJob))
}

// setInitialization stores what initializes a stored attempt's widget, if t is Verified: its visit is the portal's. It reports
// whether the stored attempt is t, and not one of another page view with the same number.
func setInitialization(ctx context.Context, tx *store.Tx, id string, t Attempt) (own bool, err error) {
	return store.ExecOne(tx.ExecContext(ctx, `
		UPDATE application_attempts SET consumer_id = CASE WHEN $6 THEN $1 ELSE consumer_id END,
			token = CASE WHEN $6 THEN $2 ELSE token END, token_until = CASE WHEN $6 THEN $3 ELSE token_until END,
			verified = verified OR $6
		WHERE application_id = $4 AND attempt = $5 AND external_id = $7`,
		t.ConsumerID, t.sealed, store.MicrosOrZero(t.TokenUntil), id, int64(t.Number), t.Verified, t.ExternalID))
}

// MarkOpened records that the attempt's widget was opened by a holder, as in
// applicant.Visitor, unless it was opened before. After that its token works only for the
// same holder, whose widget resumes its visit with it.
func (s *Service) MarkOpened(ctx context.Context, tx *store.Tx, id string, number int, holder string) error {
	return store.Exec(tx.ExecContext(ctx, `
		UPDATE application_attempts SET opened = TRUE, opened_by = $1
		WHERE application_id = $2 AND attempt = $3 AND NOT opened`, holder, id, int64(number)))
}

// UseToken marks the attempt's token as used in every browser and deletes it.
func (s *Service) UseToken(ctx context.Context, tx *store.Tx, id string, number int) error {
	return store.Exec(tx.ExecContext(ctx, `
		UPDATE application_attempts SET opened = TRUE, opened_by = '', token = NULL
		WHERE application_id = $1 AND attempt = $2`, id, int64(number)))
}

// RedirectStarted marks the visit of an attempt as the portal's and as opened: a redirect to it
// was started.
func (s *Service) RedirectStarted(ctx context.Context, tx *store.Tx, r redirect.Attempt) error {
	return store.Exec(tx.ExecContext(ctx, `
		UPDATE application_attempts SET opened = TRUE, token = NULL, verified = TRUE
		WHERE application_id = $1 AND attempt = $2`, r.Application, int64(r.Number)))
}

func setHurriedAt(ctx context.Context, tx *store.Tx, id string, number int) error {
	return store.Exec(tx.ExecContext(ctx, `
		UPDATE application_attempts SET hurried_at = $1 WHERE application_id = $2 AND attempt = $3`,
		store.Micros(tx.Now), id, int64(number)))
}

// name stores what a verified source named for an attempt: the service's consumer ID of its applicant, if it is a UUID,
// and a publicToken, unless one is stored.
func name(ctx context.Context, tx *store.Tx, id string, number int, consumerID, publicToken string) error {
	if !contract.IsUUID(consumerID) {
		consumerID = ""
	}
	return store.Exec(tx.ExecContext(ctx, `
		UPDATE application_attempts SET named_consumer = CASE WHEN $1 = '' THEN named_consumer ELSE $1 END,
			public_token = CASE WHEN public_token = '' THEN $4 ELSE public_token END
		WHERE application_id = $2 AND attempt = $3`, strings.ToLower(consumerID), id, int64(number), publicToken))
}

// Consumers returns the service's consumer IDs that belong to this application and to
// no other.
func (s *Service) Consumers(ctx context.Context, id string) ([]string, error) {
	return store.QueryAll(ctx, s.DB.SQL, store.ScanOne[string], `
		SELECT c FROM (SELECT named_consumer AS c FROM application_attempts WHERE application_id = $1
			UNION SELECT consumer_id FROM application_attempts WHERE application_id = $1) AS mine
		WHERE c <> '' AND NOT EXISTS (SELECT 1 FROM application_attempts o
			WHERE (o.named_consumer = c OR o.consumer_id = c) AND o.application_id <> $1)
		ORDER BY c`, id)
}

// findAttempt finds the attempt of an event from the service: by external ID, if the portal
// started its visit, otherwise by a publicToken stored earlier. id is its application's.
func findAttempt(ctx context.Context, q store.Queryer, externalID, publicToken string) (id string, t Attempt, err error) {
	if externalID != "" {
		t, err = scanAttempt(q.QueryRowContext(ctx, `
			SELECT `+attemptColumns+`, application_id FROM application_attempts WHERE external_id = $1 AND verified`, externalID), &id)
		if !errors.Is(err, store.ErrNotFound) {
			return id, t, err
		}
	}
	t, err = scanAttempt(q.QueryRowContext(ctx, `
		SELECT `+attemptColumns+`, application_id FROM application_attempts WHERE public_token = $1 AND public_token <> ''
		ORDER BY created_at LIMIT 1`, publicToken), &id)
	return id, t, err
}
