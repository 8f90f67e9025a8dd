-- +goose Up
-- body is the entry as JSON; key is a secret and stands apart from it.
CREATE TABLE providers (
    name TEXT PRIMARY KEY,
    key  TEXT NOT NULL,
    body TEXT NOT NULL
);

-- A model's provider may be one of the configuration, so it is no reference.
CREATE TABLE models (
    name     TEXT PRIMARY KEY,
    provider TEXT NOT NULL,
    tier     TEXT NOT NULL,
    place    INTEGER NOT NULL,
    body     TEXT NOT NULL
);
CREATE INDEX models_provider ON models (provider);

CREATE TABLE calibrations (
    model TEXT PRIMARY KEY,
    at    INTEGER NOT NULL,
    body  TEXT NOT NULL
);
