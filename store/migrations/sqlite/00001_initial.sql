-- Times are Unix microseconds, amounts are integer millionths. Lists are JSON,
-- NULL when empty.
-- +goose Up
CREATE TABLE runs (
    id               TEXT PRIMARY KEY,
    question         TEXT NOT NULL,
    question_fold    TEXT NOT NULL,
    language         TEXT NOT NULL,
    depth            TEXT NOT NULL,
    policy           TEXT NOT NULL,
    urls             TEXT,
    follow           INTEGER NOT NULL,
    library          BOOLEAN NOT NULL,
    web              BOOLEAN NOT NULL,
    collections      TEXT,
    seed             INTEGER NOT NULL,
    given_joules     INTEGER,
    given_dollars    INTEGER,
    given_seconds    REAL,
    budget_joules    INTEGER,
    budget_dollars   INTEGER,
    budget_seconds   REAL,
    status           TEXT NOT NULL,
    stop_reason      TEXT NOT NULL,
    stop_code        TEXT NOT NULL,
    created_at       INTEGER NOT NULL,
    started_at       INTEGER,
    finished_at      INTEGER,
    active_seconds   REAL NOT NULL,
    cancel_requested BOOLEAN NOT NULL,
    pause_requested  BOOLEAN NOT NULL,
    notices          TEXT,
    joules           INTEGER NOT NULL,
    joules_low       INTEGER NOT NULL,
    joules_high      INTEGER NOT NULL,
    method           TEXT NOT NULL,
    dollars          INTEGER NOT NULL,
    unknown_steps    INTEGER NOT NULL,
    steps            INTEGER NOT NULL,
    claims           INTEGER NOT NULL,
    sources          INTEGER NOT NULL,
    progress         REAL NOT NULL,
    job_id           INTEGER,
    crashes          INTEGER NOT NULL,
    router_key       TEXT NOT NULL,
    charged_joules   INTEGER
);
CREATE INDEX runs_created ON runs (created_at DESC, id DESC);
CREATE INDEX runs_open ON runs (status, job_id);

CREATE TABLE run_products (
    run_id TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    plan   TEXT NOT NULL,
    report TEXT NOT NULL
);

CREATE TABLE steps (
    run_id           TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    idx              INTEGER NOT NULL,
    role             TEXT NOT NULL,
    tier             TEXT NOT NULL,
    model            TEXT NOT NULL,
    policy           TEXT NOT NULL,
    outcome          TEXT NOT NULL,
    note             TEXT NOT NULL,
    notes            TEXT,
    focus            TEXT,
    started_at       INTEGER NOT NULL,
    finished_at      INTEGER,
    day              TEXT NOT NULL,
    seconds          REAL NOT NULL,
    dollars          INTEGER,
    joules           INTEGER,
    joules_low       INTEGER,
    joules_high      INTEGER,
    method           TEXT NOT NULL,
    router_joules    INTEGER,
    retrieval_joules INTEGER,
    reserved         TEXT NOT NULL,
    tokens           TEXT NOT NULL,
    progress_before  REAL NOT NULL,
    progress_after   REAL NOT NULL,
    actions          TEXT,
    decision         TEXT NOT NULL,
    PRIMARY KEY (run_id, idx)
);
-- All that the dashboard sums, so that it need not read the wide rows.
CREATE INDEX steps_usage ON steps (
    finished_at, outcome, day, tier, role, policy, run_id,
    joules, joules_low, joules_high, method, dollars, seconds
);

CREATE TABLE queries (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id      TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    step        INTEGER NOT NULL,
    subquestion TEXT NOT NULL,
    text        TEXT NOT NULL,
    provider    TEXT NOT NULL,
    results     INTEGER NOT NULL,
    error       TEXT NOT NULL,
    error_code  TEXT NOT NULL
);
CREATE INDEX queries_run ON queries (run_id, id);

CREATE TABLE hits (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id      TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    step        INTEGER NOT NULL,
    subquestion TEXT NOT NULL,
    url         TEXT NOT NULL,
    title       TEXT NOT NULL,
    snippet     TEXT NOT NULL,
    provider    TEXT NOT NULL,
    score       REAL NOT NULL
);
CREATE INDEX hits_run ON hits (run_id, id);

CREATE TABLE snapshots (
    sha256 TEXT PRIMARY KEY,
    text   TEXT NOT NULL
);

CREATE TABLE sources (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id     TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    id         TEXT NOT NULL,
    step       INTEGER NOT NULL,
    url        TEXT NOT NULL,
    title      TEXT NOT NULL,
    sha256     TEXT NOT NULL REFERENCES snapshots (sha256),
    fetched_at INTEGER NOT NULL,
    media_type TEXT NOT NULL,
    published  TEXT NOT NULL,
    UNIQUE (run_id, id)
);
CREATE INDEX sources_snapshot ON sources (sha256);

CREATE TABLE discarded (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    step   INTEGER NOT NULL,
    url    TEXT NOT NULL,
    reason TEXT NOT NULL,
    code   TEXT NOT NULL
);
CREATE INDEX discarded_run ON discarded (run_id, id);

CREATE TABLE evidence (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id      TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    id          TEXT NOT NULL,
    step        INTEGER NOT NULL,
    source_id   TEXT NOT NULL,
    subquestion TEXT NOT NULL,
    quote       TEXT NOT NULL,
    start_at    INTEGER NOT NULL,
    end_at      INTEGER NOT NULL,
    heading     TEXT NOT NULL,
    score       REAL NOT NULL,
    model       TEXT NOT NULL,
    UNIQUE (run_id, id)
);

CREATE TABLE events (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    kind   TEXT NOT NULL,
    at     INTEGER NOT NULL,
    step   INTEGER NOT NULL
);
CREATE INDEX events_run ON events (run_id, id);

CREATE TABLE router_states (
    key       TEXT PRIMARY KEY,
    queue     INTEGER NOT NULL,
    decisions INTEGER NOT NULL,
    runs      INTEGER NOT NULL
);

CREATE TABLE gain_stats (
    key     TEXT NOT NULL,
    model   TEXT NOT NULL,
    role    TEXT NOT NULL,
    n       INTEGER NOT NULL,
    gain    REAL NOT NULL,
    joules  INTEGER NOT NULL,
    seconds REAL NOT NULL,
    dollars INTEGER NOT NULL,
    PRIMARY KEY (key, model, role)
);

CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE collections (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    name     TEXT NOT NULL UNIQUE,
    passages INTEGER NOT NULL,
    words    INTEGER NOT NULL
);

CREATE TABLE documents (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    collection_id INTEGER NOT NULL REFERENCES collections (id),
    url           TEXT NOT NULL,
    title         TEXT NOT NULL,
    search_fold   TEXT NOT NULL,
    media_type    TEXT NOT NULL,
    published     TEXT NOT NULL,
    language      TEXT NOT NULL,
    links         TEXT,
    sha256        TEXT NOT NULL REFERENCES snapshots (sha256),
    bytes         INTEGER NOT NULL,
    passages      INTEGER NOT NULL,
    added_at      INTEGER NOT NULL,
    UNIQUE (url, collection_id)
);
CREATE INDEX documents_snapshot ON documents (sha256);
CREATE INDEX documents_added ON documents (added_at DESC, id DESC);

CREATE TABLE passages (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    document_id   INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    ordinal       INTEGER NOT NULL,
    heading       TEXT NOT NULL,
    text          TEXT NOT NULL,
    start_at      INTEGER NOT NULL,
    end_at        INTEGER NOT NULL,
    terms         TEXT NOT NULL,
    title_terms   TEXT NOT NULL
);
CREATE INDEX passages_document ON passages (document_id, ordinal);

-- scope holds one word for the passage's collection and one for its document,
-- so that a search limited to them stays inside the index.
CREATE VIRTUAL TABLE passages_fts USING fts5 (
    scope, title_terms, terms,
    content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 0'
);

-- In how many passages of a collection a word occurs.
CREATE TABLE collection_terms (
    term          TEXT NOT NULL,
    collection_id INTEGER NOT NULL REFERENCES collections (id),
    passages      INTEGER NOT NULL,
    PRIMARY KEY (term, collection_id)
) WITHOUT ROWID;
