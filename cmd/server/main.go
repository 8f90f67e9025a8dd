// Command server is ProgRouter's one binary: the web service, its worker and
// the command-line tools. It owns configuration, wiring, signals and the stop
// order, and no business rules.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/progrouter/progrouter/research"
)

// version is the program's version, set at build time for releases.
var version = "0.1.0-dev"

// Exit codes of the program; see the handbook, Exporting.
const (
	exitOK         = 0
	exitFailed     = 1
	exitInput      = 2
	exitPartial    = 3
	exitNoEvidence = 4
	exitCancelled  = 130
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// exit carries an exit code that is not an error of the program.
type exit struct{ code int }

func (e exit) Error() string { return fmt.Sprintf("exit code %d", e.code) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := rootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var e exit
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &e):
		return e.code
	}
	fmt.Fprintln(stderr, "progrouter:", message(err))
	switch research.CodeOf(err) {
	case research.EInvalid, research.EConflict, research.ENotFound, research.EForbidden:
		return exitInput
	}
	return exitFailed
}

// message is what the operator at the terminal reads: safe words where there
// are some, else the plain error, since it is their own machine.
func message(err error) string {
	var e *research.Error
	var list research.RequestErrors
	switch {
	case errors.As(err, &list):
		return list.Error()
	case !errors.As(err, &e):
		return err.Error()
	case e.Err != nil && e.Code == research.EInternal:
		return e.Message + " (" + e.Err.Error() + ")"
	}
	return e.Message
}

func rootCommand() *cobra.Command {
	serve := serveCommand()
	root := &cobra.Command{
		Use:     "progrouter",
		Short:   "Research reports with cited evidence and a joule meter",
		Long:    "ProgRouter answers open-ended questions with cited reports and shows, step by step,\nwhat the answer cost and why. Without a command it serves the web interface.",
		Version: version,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return research.Errorf(research.EInvalid, "command", "There is no command %q. Run progrouter --help for the list.", args[0])
			}
			return nil
		},
		PersistentPreRun: func(c *cobra.Command, _ []string) {
			for _, w := range strayVariables(os.Environ()) {
				fmt.Fprintln(c.ErrOrStderr(), "progrouter: warning:", w)
			}
		},
		RunE:          serve.RunE,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return research.Errorf(research.EInvalid, "flag", "%v. Run %q for the list of flags.", err, c.CommandPath()+" --help")
	})
	addConfigFlags(root.PersistentFlags())
	root.AddCommand(serve, workerCommand(), researchCommand(), exportCommand(), benchCommand(), migrateCommand(), healthCommand(), calibrateCommand(openWorkbench))
	for _, c := range root.Commands() {
		c.SilenceUsage, c.SilenceErrors = true, true
	}
	return root
}
