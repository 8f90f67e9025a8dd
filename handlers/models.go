package handlers

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
)

// Models is what is connected and how that is changed. Changes are in effect
// for the next step without a restart. Faults of an entry are EInvalid errors at
// the form's field, entries of the configuration EConflict, servers that cannot
// be used EUnavailable. No key ever comes out.
type Models interface {
	Models(ctx context.Context) (web.ModelsInput, error)
	// SaveServer stores a provider; an empty key keeps the stored one unless it
	// is to be forgotten. A new one must not have a name that is taken.
	SaveServer(ctx context.Context, p research.Provider, o SaveOptions) error
	// RemoveServer removes a provider with its models.
	RemoveServer(ctx context.Context, name string) error
	// Available asks a server what it has, with a proposed tier where the sizes
	// are known.
	Available(ctx context.Context, server string) ([]web.AvailableModel, error)
	// AddModels puts models of a server into tiers; those that are in one move.
	AddModels(ctx context.Context, server string, assigned []Assignment) error
	// SaveModel changes a stored model; provider and id stay what they are.
	SaveModel(ctx context.Context, m research.LanguageModel) error
	RemoveModel(ctx context.Context, name string) error
	// TestModel makes one tiny call.
	TestModel(ctx context.Context, name string) (web.TestInput, error)
	// FindModels looks for an Ollama and keeps what it finds as a proposal.
	FindModels(ctx context.Context) error
	AcceptProposal(ctx context.Context) error
	// Mix lets a tier of the embedded engine take part beside language models, or
	// stand by for them.
	Mix(ctx context.Context, t research.Tier, on bool) error
	DismissProposal(ctx context.Context) error
}

// SaveOptions say how a provider is saved.
type SaveOptions struct{ New, ForgetKey bool }

// Assignment puts a model of a server into a tier; an empty tier takes it out of
// use.
type Assignment struct {
	ID   string
	Tier research.Tier
}

const (
	settingsModels = "/settings#models"
	settingsPath   = "/settings"
)

func (s *Server) settingsPage(c echo.Context) error {
	act := web.ModelsAction{Connect: clip(c.QueryParam("connect"), 40)}
	if name := c.QueryParam("available"); name != "" {
		act.Listing = s.modelsOf(c, name)
	}
	return s.renderSettings(c, http.StatusOK, act)
}

// modelsOf asks a server for its models; what goes wrong is part of the answer.
func (s *Server) modelsOf(c echo.Context, name string) *web.ListingInput {
	list, err := s.deps.Models.Available(c.Request().Context(), name)
	in := &web.ListingInput{Server: name, Models: list}
	if err != nil {
		_, shown := s.classify(c, err)
		in.Error = web.ErrorText(s.localizer(c), shown)
	}
	return in
}

func (s *Server) renderSettings(c echo.Context, status int, act web.ModelsAction) error {
	ctx := c.Request().Context()
	in := s.deps.Setup.Settings(ctx)
	var err error
	if in.Connected, err = s.deps.Models.Models(ctx); err != nil {
		return err
	}
	in.Action = act
	if isFragment(c) {
		status = http.StatusOK // htmx leaves out the answers of other statuses
	}
	return render(c, status, web.SettingsPage(web.NewSettingsView(s.newPage(c, web.NavSettings), in)))
}

// modelsTrouble shows an error where it belongs on the settings page. Faults of
// a form's fields are beside them, others above the models.
func (s *Server) modelsTrouble(c echo.Context, act web.ModelsAction, err error) error {
	status, shown := s.classify(c, err)
	var known *research.Error
	if act.Server == nil && act.Model == nil || !errors.As(err, &known) {
		act.Problem = web.ErrorText(s.localizer(c), shown)
		return s.renderSettings(c, status, act)
	}
	faults := fieldTexts(s.localizer(c), shown)
	if act.Server != nil {
		act.Server.Errors = faults
	} else {
		act.Model.Errors = faults
	}
	return s.renderSettings(c, status, act)
}

func (s *Server) saveServer(c echo.Context) error {
	values, err := formValues(c)
	if err != nil {
		return err
	}
	form := serverForm(values)
	provider, err := parseServer(form)
	if err == nil {
		provider.Key = strings.TrimSpace(values.Get("key"))
		err = s.deps.Models.SaveServer(c.Request().Context(), provider, SaveOptions{New: form.New, ForgetKey: values.Get("forget_key") == "on"})
	}
	if err != nil {
		return s.modelsTrouble(c, web.ModelsAction{Server: &form, Connect: form.Preset}, err)
	}
	if !form.New {
		leaveFlash(c, "server_changed")
		return seeOther(c, "/settings#servers")
	}
	leaveFlash(c, "server_saved")
	return seeOther(c, settingsPath+"?available="+url.QueryEscape(provider.Name)+"#servers")
}

func (s *Server) removeServer(c echo.Context) error {
	return s.changeModels(c, "server_removed", func(ctx context.Context, v url.Values) error {
		return s.deps.Models.RemoveServer(ctx, v.Get("name"))
	})
}

func (s *Server) removeModel(c echo.Context) error {
	return s.changeModels(c, "model_removed", func(ctx context.Context, v url.Values) error {
		return s.deps.Models.RemoveModel(ctx, v.Get("name"))
	})
}

// addModels takes pairs of id and tier; those without an id or a tier are not
// meant, unless the model was in use.
func (s *Server) addModels(c echo.Context) error {
	return s.changeModels(c, "models_used", func(ctx context.Context, v url.Values) error {
		ids, tiers := v["id"], v["tier"]
		var assigned []Assignment
		chosen := false
		for i := range min(len(ids), len(tiers)) {
			if id := strings.TrimSpace(ids[i]); id != "" {
				assigned = append(assigned, Assignment{id, research.Tier(tiers[i])})
				chosen = chosen || tiers[i] != ""
			}
		}
		if !chosen {
			return research.Errorf(research.EInvalid, "model.nothing_chosen", "No model was chosen. Choose a tier for at least one, or type a model's name.")
		}
		return s.deps.Models.AddModels(ctx, v.Get("server"), assigned)
	})
}

func (s *Server) saveModel(c echo.Context) error {
	values, err := formValues(c)
	if err != nil {
		return err
	}
	form := modelForm(values)
	m, err := parseModel(form, s.cfg.Now())
	if err == nil {
		err = s.deps.Models.SaveModel(c.Request().Context(), m)
	}
	if err != nil {
		return s.modelsTrouble(c, web.ModelsAction{Model: &form}, err)
	}
	leaveFlash(c, "model_saved")
	return seeOther(c, settingsModels)
}

func (s *Server) testModel(c echo.Context) error {
	values, err := formValues(c)
	if err != nil {
		return err
	}
	result, err := s.deps.Models.TestModel(c.Request().Context(), values.Get("name"))
	result.Model = values.Get("name")
	if err != nil {
		_, shown := s.classify(c, err)
		result.Error = web.ErrorText(s.localizer(c), shown)
	}
	return s.renderSettings(c, http.StatusOK, web.ModelsAction{Test: &result})
}

func (s *Server) findModels(c echo.Context) error {
	return s.changeModels(c, "", func(ctx context.Context, _ url.Values) error { return s.deps.Models.FindModels(ctx) })
}

func (s *Server) acceptModels(c echo.Context) error {
	return s.changeModels(c, "models_used", func(ctx context.Context, _ url.Values) error { return s.deps.Models.AcceptProposal(ctx) })
}

func (s *Server) dismissModels(c echo.Context) error {
	return s.changeModels(c, "proposal_dismissed", func(ctx context.Context, _ url.Values) error { return s.deps.Models.DismissProposal(ctx) })
}

func (s *Server) mixModels(c echo.Context) error {
	return s.changeModels(c, "model_saved", func(ctx context.Context, v url.Values) error {
		t := research.Tier(v.Get("tier"))
		if !slices.Contains(research.Tiers(), t) {
			return research.Errorf(research.EInvalid, "model.tier", "%q is no tier. Reload the page.", clip(v.Get("tier"), 20)).At("tier").With(map[string]any{"Value": clip(v.Get("tier"), 20)})
		}
		return s.deps.Models.Mix(ctx, t, v.Get("on") != "")
	})
}

// changeModels runs an action of a form and leads back to where it stands.
func (s *Server) changeModels(c echo.Context, done string, do func(context.Context, url.Values) error) error {
	values, err := formValues(c)
	if err != nil {
		return err
	}
	if err := do(c.Request().Context(), values); err != nil {
		return s.modelsTrouble(c, web.ModelsAction{}, err)
	}
	if done != "" {
		leaveFlash(c, done)
	}
	if next := values.Get("next"); next != "" {
		return seeOther(c, localPath(next))
	}
	return seeOther(c, settingsModels)
}
