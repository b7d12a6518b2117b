-- +goose Up
-- The newest decision on an application as the onboarding app sees it: the decision and its
-- reason codes, without the reviewer's text. decisions counts all of them.
ALTER TABLE applications ADD COLUMN decision TEXT NOT NULL DEFAULT ''; -- empty for none
ALTER TABLE applications ADD COLUMN decisions BIGINT NOT NULL DEFAULT 0;
ALTER TABLE applications ADD COLUMN decided_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE applications ADD COLUMN reasons TEXT NOT NULL DEFAULT ''; -- separated by spaces
ALTER TABLE application_timeline ADD COLUMN reasons TEXT NOT NULL DEFAULT ''; -- of a decision, separated by spaces

UPDATE applications SET
    decision = (SELECT d.decision FROM review_decisions d WHERE d.application_id = applications.id ORDER BY d.seq DESC LIMIT 1),
    decisions = (SELECT d.seq FROM review_decisions d WHERE d.application_id = applications.id ORDER BY d.seq DESC LIMIT 1),
    decided_at = (SELECT d.at FROM review_decisions d WHERE d.application_id = applications.id ORDER BY d.seq DESC LIMIT 1),
    reasons = (SELECT d.reasons FROM review_decisions d WHERE d.application_id = applications.id ORDER BY d.seq DESC LIMIT 1)
WHERE id IN (SELECT application_id FROM review_decisions);
UPDATE application_timeline SET reasons = COALESCE((SELECT d.reasons FROM review_decisions d
    WHERE d.application_id = application_timeline.application_id AND application_timeline.key = 'decision/' || CAST(d.seq AS TEXT)), '')
WHERE kind IN ('approved', 'declined', 'moreAsked', 'escalated');
