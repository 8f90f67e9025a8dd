package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func loaded(t *testing.T, args ...string) (Config, error) {
	t.Helper()
	flags := pflag.NewFlagSet("x", pflag.ContinueOnError)
	addConfigFlags(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return loadConfig(flags)
}

// Every setting refuses a value of the wrong kind in one line that names the
// setting, the value and what is expected.
func TestWrongValuesAreNamed(t *testing.T) { //nolint:paralleltest // sets the environment
	for _, o := range options() {
		expected := ""
		switch o.value.(type) {
		case int:
			expected = "a whole number"
		case float64:
			expected = "a number"
		case bool:
			expected = "true or false"
		default:
			continue
		}
		for _, value := range []string{"abc", "1,5", "2 ", "NaN"} {
			t.Run(o.key+"="+value, func(t *testing.T) {
				t.Setenv(envName(o.key), value)
				_, err := loaded(t)
				if err == nil {
					t.Fatal("accepted")
				}
				got := message(err)
				for _, want := range []string{envName(o.key), `"` + value + `"`, expected} {
					if !strings.Contains(got, want) {
						t.Errorf("%q does not name %q", got, want)
					}
				}
				if strings.Contains(got, "\n") {
					t.Errorf("several lines: %q", got)
				}
			})
		}
	}
}

func TestGoodValuesOfTheEnvironment(t *testing.T) { //nolint:paralleltest // sets the environment
	t.Setenv("PROGROUTER_WORKERS", "7")
	t.Setenv("PROGROUTER_CPU_WATTS", "12.5")
	t.Setenv("PROGROUTER_WIKIPEDIA", "false")
	t.Setenv("PROGROUTER_UPLOAD_MB", "") // set to nothing: as if not set
	t.Setenv("PROGROUTER_ALLOW_HOSTS", "127.0.0.1:1, b:2")
	c, err := loaded(t)
	if err != nil || c.Workers != 7 || c.CPUWatts != 12.5 || c.Wikipedia || c.UploadMB != 25 || len(c.AllowHosts) != 2 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestWrongValuesOfTheFile(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"workers: many":       `workers is "many"; expected is a whole number`,
		"workers: 2.5":        `workers is "2.5"; expected is a whole number`,
		"wikipedia: maybe":    `wikipedia is "maybe"; expected is true or false`,
		"allowance: [1, 2]":   `allowance is "[1 2]"; expected is a number`,
		"data: {a: b}":        "data.a",
		"hosts: [[a]]":        `hosts is "[[a]]"; expected is a list of words`,
		"password: [secret1]": "password is not usable",
	} {
		path := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := loaded(t, "--config", path)
		if err == nil || !strings.Contains(message(err), want) || strings.Contains(message(err), "secret1") {
			t.Errorf("%s: %v", text, err)
		}
	}
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte("workers: 3\nhosts: [a, b]\nallowance: 5\npassword: 1234\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := loaded(t, "--config", path); err != nil || c.Workers != 3 || len(c.Hosts) != 2 || c.Allowance != 5 || c.Password != "1234" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestStrayVariables(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"PROGROUTER_WORKER": "PROGROUTER_WORKERS", "PROGROUTER_PASWORD": "PROGROUTER_PASSWORD", "PROGROUTER_HOST": "PROGROUTER_HOSTS",
		"PROGROUTER_ALLOWHOSTS": "PROGROUTER_ALLOW_HOSTS", "PROGROUTER_CPU_WATT": "PROGROUTER_CPU_WATTS", "PROGROUTER_DATABSE_URL": "PROGROUTER_DATABASE_URL",
		"PROGROUTER_ADRR": "PROGROUTER_ADDR", "PROGROUTER_SEARX_URL": "PROGROUTER_SEARXNG_URL",
		"PROGROUTER_WORKERS": "", "PROGROUTER_EVAL_DATA": "", "PROGROUTER_TEST_DATA": "", "PROGROUTER_SOMETHING_ELSE": "", "PROGROUTER_": "", "PATH": "", "WORKER": "",
	} {
		got := strings.Join(strayVariables([]string{name + "=x"}), "\n")
		if want == "" && got != "" || !strings.HasSuffix(strings.TrimSuffix(got, "?"), want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestStrayVariablesAreSaidOnStderr(t *testing.T) { //nolint:paralleltest // sets the environment
	t.Setenv("PROGROUTER_WORKER", "3")
	var out, errs strings.Builder
	run(t.Context(), []string{"research", ""}, &out, &errs)
	if !strings.Contains(errs.String(), "did you mean PROGROUTER_WORKERS?") || out.Len() > 0 {
		t.Errorf("stdout %q, stderr %q", out.String(), errs.String())
	}
}

func TestPrintedAddressCanBeOpened(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080", "[::]:9161": "http://127.0.0.1:9161", "0.0.0.0:80": "http://127.0.0.1:80",
		"[::1]:8080": "http://[::1]:8080", "192.0.2.7:8080": "http://192.0.2.7:8080", "[::ffff:192.0.2.7]:1": "http://192.0.2.7:1",
	} {
		tcp, err := net.ResolveTCPAddr("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if got := reachable(tcp); got != want {
			t.Errorf("%s: %s, want %s", addr, got, want)
		}
	}
}
