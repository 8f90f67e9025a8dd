package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"

	"github.com/progrouter/progrouter/research"
)

// poolSize leaves room for the queue's listener and the worker's lock beside
// the queries. pool_max_conns in the URL overrides it.
const poolSize = 16

const connectTimeout = 10 * time.Second

func (s *Store) openPostgres(ctx context.Context, c Config) error {
	conf, err := pgxpool.ParseConfig(c.DatabaseURL)
	if err != nil {
		// The cause may repeat the URL with its password, so it is not kept.
		return research.Errorf(research.EInvalid, "store.bad_url",
			"The database URL is not valid. It looks like postgres://user:password@host:5432/database.")
	}
	if !strings.Contains(c.DatabaseURL, "pool_max_conns") {
		conf.MaxConns = poolSize
	}
	if s.pool, err = pgxpool.NewWithConfig(ctx, conf); err != nil {
		return unreachable(conf, err)
	}
	ping, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	if err := s.pool.Ping(ping); err != nil {
		return unreachable(conf, err)
	}
	s.sqlDB = stdlib.OpenDBFromPool(s.pool)
	s.driver = riverdatabasesql.NewWithPgxListener(s.sqlDB, s.pool)
	s.db, err = gorm.Open(postgres.New(postgres.Config{Conn: s.sqlDB}), gormConfig(s))
	if err != nil {
		return fmt.Errorf("open postgres: %w", err)
	}
	return nil
}

func unreachable(c *pgxpool.Config, err error) error {
	return research.Errorf(research.EUnavailable, "store.connect",
		"The database at %s:%d cannot be opened. Check PROGROUTER_DATABASE_URL: is the server running, and are user, password and database right?",
		c.ConnConfig.Host, c.ConnConfig.Port).Wrap(err)
}
