-- +goose Up
-- Steps of unknown price are counted beside a run's dollars.
ALTER TABLE runs ADD COLUMN unpriced_steps BIGINT NOT NULL DEFAULT 0;
UPDATE runs SET unpriced_steps = (
    SELECT COUNT(*) FROM steps WHERE steps.run_id = runs.id AND steps.outcome <> '' AND steps.dollars IS NULL
);
