-- +goose Up
-- samples counts the finished steps a stream has ever learned from; training is
-- what it cost to learn from them.
ALTER TABLE router_states ADD COLUMN samples BIGINT NOT NULL DEFAULT 0;
ALTER TABLE router_states ADD COLUMN training_joules BIGINT NOT NULL DEFAULT 0;

-- The newest finished steps of each stream, to learn from. seq counts from 1
-- without gaps, in the order of commits. The words of the question stay with the
-- run, so that they go with it.
CREATE TABLE gain_samples (
    key        TEXT NOT NULL,
    seq        BIGINT NOT NULL,
    run_id     TEXT REFERENCES runs (id) ON DELETE SET NULL,
    step       BIGINT NOT NULL,
    at         BIGINT NOT NULL,
    features   TEXT NOT NULL,
    gain       DOUBLE PRECISION NOT NULL,
    predicted  TEXT NOT NULL,
    explored   BOOLEAN NOT NULL,
    propensity DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (key, seq)
);
CREATE INDEX gain_samples_run ON gain_samples (run_id);

-- version counts what was stored under the key; through is the seq of the last
-- sample it was trained on.
CREATE TABLE predictors (
    key        TEXT PRIMARY KEY,
    version    BIGINT NOT NULL,
    through    BIGINT NOT NULL,
    samples    BIGINT NOT NULL,
    format     BIGINT NOT NULL,
    blob       BYTEA NOT NULL,
    trained_at BIGINT NOT NULL,
    cpu        BIGINT NOT NULL
);

-- Sums over finished steps of what was predicted against what came of it, kept
-- for ever. bin is a range of the predicted gain. The errors of paths are those
-- of the paths_n steps that had both.
CREATE TABLE prediction_quality (
    key              TEXT NOT NULL,
    day              TEXT NOT NULL,
    role             TEXT NOT NULL,
    model            TEXT NOT NULL,
    bin              BIGINT NOT NULL,
    n                BIGINT NOT NULL,
    predicted        DOUBLE PRECISION NOT NULL,
    realised         DOUBLE PRECISION NOT NULL,
    abs_error        DOUBLE PRECISION NOT NULL,
    square_error     DOUBLE PRECISION NOT NULL,
    prior_n          BIGINT NOT NULL,
    prior_error      DOUBLE PRECISION NOT NULL,
    paths_n          BIGINT NOT NULL,
    structured_error DOUBLE PRECISION NOT NULL,
    semantic_error   DOUBLE PRECISION NOT NULL,
    mean_error       DOUBLE PRECISION NOT NULL,
    gate_error       DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (key, day, role, model, bin)
);
