package handlers

import (
	"io"
	"log"
	"net/http"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"

	"github.com/progrouter/progrouter/static"
)

// Server answers HTTP. Its methods are safe for concurrent use.
type Server struct {
	cfg      Config
	deps     Deps
	echo     *echo.Echo
	sessions sessions
	attempts *attempts
	metrics  *metrics
	routed   *routed
	origins  *http.CrossOriginProtection
	hosts    hostCheck

	closing   chan struct{} // closed by Close: streams end
	closeOnce sync.Once
	slots     chan struct{} // one per open stream
	streams   sync.WaitGroup
	mu        sync.Mutex // orders streams.Add before streams.Wait
}

// New builds the server. It starts nothing.
func New(cfg Config, deps Deps) *Server {
	cfg = cfg.withDefaults()
	s := &Server{
		cfg: cfg, deps: deps, echo: echo.New(),
		sessions: newSessions(cfg.SessionKey, cfg.Password),
		attempts: newAttempts(),
		metrics:  newMetrics(deps.Metered, deps.Learned, cfg.Version),
		routed:   newRouted(deps.Decided, cfg.Now),
		origins:  http.NewCrossOriginProtection(),
		hosts:    newHostCheck(cfg.Addr, cfg.Hosts),
		closing:  make(chan struct{}),
		slots:    make(chan struct{}, cfg.Streams),
	}
	s.echo.HideBanner, s.echo.HidePort = true, true
	s.echo.Logger.SetOutput(io.Discard) // slog is ours; echo's logger would write to stdout
	s.echo.StdLogger = log.New(io.Discard, "", 0)
	s.echo.HTTPErrorHandler = s.handleError
	s.echo.Use(s.logRequests, s.recoverPanics, secureHeaders, s.checkHost, s.checkOrigin, s.requireLogin, s.limit)
	s.routes()
	return s
}

// Handler is the whole site. HEAD is answered like GET, whose body net/http then
// leaves out; a stream would never end, so it has none.
func (s *Server) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead && !strings.HasSuffix(r.URL.Path, "/events") {
			r = r.Clone(r.Context())
			r.Method = http.MethodGet
		}
		s.echo.ServeHTTP(w, r)
	})
}

// Close ends the live streams and waits for them. Call it before shutting down
// the HTTP server, which would otherwise wait for streams that never end.
func (s *Server) Close() {
	s.closeOnce.Do(func() { close(s.closing) })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams.Wait()
}

func (s *Server) routes() {
	e := s.echo
	e.GET("/", s.askPage)
	e.GET("/estimate", s.estimate)
	e.POST("/estimate", s.estimate)
	e.GET("/runs", s.runsPage)
	e.POST("/runs", s.createRun)
	e.GET("/runs/:id", s.runPage)
	e.GET("/runs/:id/timeline", s.timelinePage)
	e.GET("/runs/:id/sources/:source", s.snapshotPage)
	e.GET("/runs/:id/export", s.exportRun)
	e.GET("/runs/:id/events", s.runEvents)
	e.POST("/runs/:id/cancel", s.cancelRun)
	e.POST("/runs/:id/pause", s.pauseRun)
	e.POST("/runs/:id/resume", s.resumeRun)
	e.POST("/runs/:id/delete", s.deleteRun)
	e.POST("/runs/:id/raise", s.raiseBudget)
	e.GET("/compare", s.comparePage)
	e.GET("/dashboard", s.dashboardPage)
	e.GET(routingPath, s.routingPage)
	e.GET(routingPath+"/savings", s.savingsFile)
	e.GET("/library", s.libraryPage)
	e.POST("/library", s.uploadDocuments)
	e.POST("/library/remove", s.removeDocument)
	e.GET("/settings", s.settingsPage)
	e.POST("/settings/servers", s.saveServer)
	e.POST("/settings/servers/remove", s.removeServer)
	e.POST("/settings/models", s.addModels)
	e.POST("/settings/models/save", s.saveModel)
	e.POST("/settings/models/remove", s.removeModel)
	e.POST("/settings/models/test", s.testModel)
	e.POST("/settings/models/find", s.findModels)
	e.POST("/settings/models/accept", s.acceptModels)
	e.POST("/settings/models/dismiss", s.dismissModels)
	e.POST("/settings/models/mix", s.mixModels)
	e.POST("/preferences", s.setPreferences)
	e.GET("/login", s.loginPage)
	e.POST("/login", s.login)
	e.POST("/logout", s.logout)

	e.GET(static.Prefix+"*", echo.WrapHandler(static.Handler()))
	e.GET("/healthz", s.healthz)
	e.GET("/readyz", s.readyz)
	e.GET(metricsPath, s.showMetrics)

	api := e.Group(apiPrefix)
	api.GET("/openapi.json", s.apiDescription)
	api.POST("/runs", s.apiCreateRun)
	api.GET("/runs", s.apiListRuns)
	api.GET("/runs/:id", s.apiGetRun)
	api.GET("/runs/:id/whatif", s.apiWhatIf)
	api.DELETE("/runs/:id", s.apiDeleteRun)
	api.POST("/runs/:id/cancel", s.apiCancelRun)
	api.POST("/runs/:id/pause", s.apiPauseRun)
	api.POST("/runs/:id/resume", s.apiResumeRun)
	api.GET("/usage", s.apiUsage)
	api.GET("/router", s.apiRouter)
	api.GET("/models", s.apiModels)
}
