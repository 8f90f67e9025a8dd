package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/progrouter/progrouter/export"
	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/store"
)

func exportCommand() *cobra.Command {
	var format, out string
	c := &cobra.Command{
		Use:   "export RUN",
		Short: "Write a stored run's report or costs",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return research.Errorf(research.EInvalid, "run_args", "Give the id of one run; it is in the address of the run's page.")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := loadConfig(c.Flags())
			if err != nil {
				return err
			}
			return readStore(c.Context(), cfg, func(s *store.Store) error {
				l, err := s.Ledger(c.Context(), args[0])
				if err != nil {
					return err
				}
				return write(c.Context(), l, export.Format(format), out, c.OutOrStdout(), c.ErrOrStderr())
			})
		},
	}
	c.Flags().StringVar(&format, "format", "md", "md, html, json, cost.csv or cost.json")
	c.Flags().StringVar(&out, "out", "", "file to write instead of standard output")
	return c
}

func migrateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "migrate",
		Short: "Bring the database to this program's version and say which it is",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := loadConfig(c.Flags())
			if err != nil {
				return err
			}
			return withStore(c.Context(), cfg, func(s *store.Store) error {
				v, err := s.Version(c.Context())
				if err != nil {
					return err
				}
				fmt.Fprintf(c.OutOrStdout(), "The %s database is at version %d.\n", s.Dialect(), v.Current)
				return nil
			})
		},
	}
}

// readStore opens the database as it is: nothing is made or migrated.
func readStore(ctx context.Context, cfg Config, fn func(*store.Store) error) (err error) {
	if cfg.DatabaseURL == "" {
		if _, err := os.Stat(filepath.Join(cfg.Data, "progrouter.db")); err != nil {
			return research.Errorf(research.ENotFound, "no_database", "There is no ProgRouter database in %s. Name the data folder with --data.", cfg.Data)
		}
	}
	s, err := store.Open(ctx, store.Config{DataDir: cfg.Data, DatabaseURL: cfg.DatabaseURL, SkipMigrations: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return fn(s)
}

// withStore opens only the database.
func withStore(ctx context.Context, cfg Config, fn func(*store.Store) error) (err error) {
	if err := cfg.ensureData(); err != nil {
		return err
	}
	s, err := store.Open(ctx, store.Config{DataDir: cfg.Data, DatabaseURL: cfg.DatabaseURL})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return fn(s)
}

func healthCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "healthcheck",
		Short: "Ask a running server on this machine whether it is well",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := loadConfig(c.Flags())
			if err != nil {
				return err
			}
			return healthy(c.Context(), cfg.Addr)
		},
	}
}

func healthy(ctx context.Context, addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("address %q: %w", addr, err)
	}
	if ip := net.ParseIP(host); host == "" || (ip != nil && ip.IsUnspecified()) {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(ctx, 4*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("health request: %w", err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return research.Errorf(research.EUnavailable, "health", "The server at %s does not answer: %v", addr, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return research.Errorf(research.EUnavailable, "health", "The server at %s answers %s.", addr, res.Status)
	}
	return nil
}
