-- +goose Up
-- samples counts the finished steps a stream has ever learned from; training is
-- what it cost to learn from them.
ALTER TABLE router_states ADD COLUMN samples INTEGER NOT NULL DEFAULT 0;
ALTER TABLE router_states ADD COLUMN training_joules INTEGER NOT NULL DEFAULT 0;

-- The newest finished steps of each stream, to learn from. seq counts from 1
-- without gaps, in the order of commits. The words of the question stay with the
-- run, so that they go with it.
CREATE TABLE gain_samples (
    key        TEXT NOT NULL,
    seq        INTEGER NOT NULL,
    run_id     TEXT REFERENCES runs (id) ON DELETE SET NULL,
    step       INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    features   TEXT NOT NULL,
    gain       REAL NOT NULL,
    predicted  TEXT NOT NULL,
    explored   BOOLEAN NOT NULL,
    propensity REAL NOT NULL,
    PRIMARY KEY (key, seq)
);
CREATE INDEX gain_samples_run ON gain_samples (run_id);

-- version counts what was stored under the key; through is the seq of the last
-- sample it was trained on.
CREATE TABLE predictors (
    key        TEXT PRIMARY KEY,
    version    INTEGER NOT NULL,
    through    INTEGER NOT NULL,
    samples    INTEGER NOT NULL,
    format     INTEGER NOT NULL,
    blob       BLOB NOT NULL,
    trained_at INTEGER NOT NULL,
    cpu        INTEGER NOT NULL
);

-- Sums over finished steps of what was predicted against what came of it, kept
-- for ever. bin is a range of the predicted gain. The errors of paths are those
-- of the paths_n steps that had both.
CREATE TABLE prediction_quality (
    key              TEXT NOT NULL,
    day              TEXT NOT NULL,
    role             TEXT NOT NULL,
    model            TEXT NOT NULL,
    bin              INTEGER NOT NULL,
    n                INTEGER NOT NULL,
    predicted        REAL NOT NULL,
    realised         REAL NOT NULL,
    abs_error        REAL NOT NULL,
    square_error     REAL NOT NULL,
    prior_n          INTEGER NOT NULL,
    prior_error      REAL NOT NULL,
    paths_n          INTEGER NOT NULL,
    structured_error REAL NOT NULL,
    semantic_error   REAL NOT NULL,
    mean_error       REAL NOT NULL,
    gate_error       REAL NOT NULL,
    PRIMARY KEY (key, day, role, model, bin)
);
