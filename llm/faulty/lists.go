package faulty

import (
	"encoding/json"
	"net/http"
)

// list answers what is not a conversation.
func (s *Server) list(w http.ResponseWriter, r *http.Request, body []byte) {
	s.mu.Lock()
	models, tags := s.models, s.tags
	s.mu.Unlock()
	asked := dict{}
	_ = json.Unmarshal(body, &asked)
	switch {
	case r.URL.Path == "/v1/models":
		var data []dict
		for _, m := range models {
			data = append(data, dict{"id": m.ID, "object": "model", "type": "model", "display_name": m.ID, "created_at": "2025-01-01T00:00:00Z"})
		}
		writeJSON(w, http.StatusOK, dict{"object": "list", "data": data, "has_more": false})
	case !tags:
		http.NotFound(w, r)
	case r.URL.Path == "/api/tags":
		writeJSON(w, http.StatusOK, dict{"models": described(models, false)})
	case r.URL.Path == "/api/ps":
		writeJSON(w, http.StatusOK, dict{"models": described(models, true)})
	case r.URL.Path == "/api/show":
		s.show(w, models, str(asked["model"]))
	case r.URL.Path == "/api/generate":
		s.load(w, str(asked["model"]))
	default:
		http.NotFound(w, r)
	}
}

func described(models []Model, loaded bool) []dict {
	out := []dict{}
	for _, m := range models {
		if loaded && !m.Loaded {
			continue
		}
		d := dict{"name": m.ID, "model": m.ID, "size": m.Size,
			"details": dict{"family": "llama", "parameter_size": m.Params, "quantization_level": m.Quant}}
		if loaded {
			d["context_length"] = min(m.Context, 4096)
		}
		out = append(out, d)
	}
	return out
}

func (s *Server) show(w http.ResponseWriter, models []Model, id string) {
	for _, m := range models {
		if same(m.ID, id) {
			writeJSON(w, http.StatusOK, dict{"details": dict{"parameter_size": m.Params, "quantization_level": m.Quant}, "capabilities": []string{"completion"},
				"model_info": dict{"general.architecture": "llama", "llama.context_length": m.Context}})
			return
		}
	}
	writeJSON(w, http.StatusNotFound, dict{"error": "model '" + id + "' not found"})
}

func (s *Server) load(w http.ResponseWriter, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loads++
	for i := range s.models {
		if same(s.models[i].ID, id) {
			s.models[i].Loaded = true
			writeJSON(w, http.StatusOK, dict{"model": id, "response": "", "done": true, "done_reason": "load", "load_duration": 1500000000})
			return
		}
	}
	writeJSON(w, http.StatusNotFound, dict{"error": "model '" + id + "' not found"})
}

// same compares names of models, whose tag is latest where there is none.
func same(a, b string) bool { return a == b || a == b+":latest" }
