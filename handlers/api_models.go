package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/progrouter/progrouter/research"
	"github.com/progrouter/progrouter/web"
)

// apiModel is a model that may take steps. Unknown prices and energies are null.
type apiModel struct {
	Name       string          `json:"name"`
	Embedded   bool            `json:"embedded"`
	Server     string          `json:"server"`
	ID         string          `json:"id"`
	Tier       *research.Tier  `json:"tier"` // null: not in use
	Place      int             `json:"place"`
	Roles      []research.Role `json:"roles"`
	Context    int             `json:"context"`
	MaxOutput  int             `json:"max_output"`
	Parameters *float64        `json:"parameters"` // billions
	Price      *research.Price `json:"price"`
	Energy     *apiEnergy      `json:"energy"`
	Source     string          `json:"source"`
}

// apiEnergy is what a token takes, in joules.
type apiEnergy struct {
	State   string  `json:"state"`
	Method  string  `json:"method"`
	Load    float64 `json:"load"`
	Call    float64 `json:"call"`
	Prefill float64 `json:"prefill"`
	Decode  float64 `json:"decode"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Beyond  bool    `json:"beyond"`
}

// apiServer is a provider without its key.
type apiServer struct {
	Name    string                `json:"name"`
	Kind    research.ProviderKind `json:"kind"`
	BaseURL string                `json:"base_url"`
	Key     string                `json:"key"` // none, set or missing; never the key
	Local   bool                  `json:"local"`
	Source  string                `json:"source"`
}

type apiModelList struct {
	Models  []apiModel  `json:"models"`
	Servers []apiServer `json:"servers"`
}

func (s *Server) apiModels(c echo.Context) error {
	ctx := c.Request().Context()
	in, err := s.deps.Models.Models(ctx)
	if err != nil {
		return err
	}
	out := apiModelList{Models: []apiModel{}, Servers: []apiServer{}}
	for _, m := range in.Models {
		out.Models = append(out.Models, newAPIModel(m))
	}
	for _, m := range s.deps.Setup.Settings(ctx).Models {
		if m.Embedded {
			out.Models = append(out.Models, apiModel{Name: m.Name, Embedded: true, ID: m.Name, Tier: &m.Tier, Roles: research.Roles(), Source: "embedded"})
		}
	}
	for _, p := range in.Servers {
		out.Servers = append(out.Servers, apiServer{p.Name, p.Kind, p.BaseURL, p.KeyState, p.Local, p.From})
	}
	return writeJSON(c, http.StatusOK, mediaJSON, out)
}

func newAPIModel(m web.LanguageModelInput) apiModel {
	out := apiModel{
		Name: m.Name, Server: m.Provider, ID: m.ID, Place: m.Place, Roles: m.Roles, Context: m.Context, MaxOutput: m.Output,
		Price: m.Costs, Source: m.From,
	}
	if m.Tier != "" {
		out.Tier = &m.Tier
	}
	if len(m.Roles) == 0 {
		out.Roles = research.Roles()
	}
	if m.Parameters > 0 {
		out.Parameters = &m.Parameters
	}
	if c := m.Coefficients; c != nil {
		out.Energy = &apiEnergy{m.EnergyState, c.Method, c.Load, c.Call, c.Prefill, c.Decode, c.Low, c.High, c.Beyond}
	}
	return out
}
