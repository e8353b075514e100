package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-zmq/go-zmq/cmd/zbench/internal/machine"
	"github.com/go-zmq/go-zmq/cmd/zbench/internal/record"
	"github.com/go-zmq/go-zmq/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

var same = Versions{Protocol, "v1.2.3", "v1.2.3"}

// scene is a coordinator with agents in this process.
type scene struct {
	*Coordinator
	t      *testing.T
	agents sync.WaitGroup
	ended  map[string]chan error

	mu   sync.Mutex
	said []string
}

func (s *scene) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = append(s.said, fmt.Sprintf(format, args...))
}

func (s *scene) heard() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.said, "\n")
}

func newScene(t *testing.T, cfg Config) *scene {
	t.Helper()
	s := &scene{t: t, ended: map[string]chan error{}}
	if cfg.Join == 0 {
		cfg.Join = time.Minute
	}
	if cfg.LostAfter == 0 {
		cfg.LostAfter = 5 * time.Second
	}
	cfg.Listen, cfg.Versions, cfg.Say = "tcp://127.0.0.1:*", same, s.say
	var err error
	s.Coordinator, err = Open(cfg)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, s.Coordinator.Close(nil))
		s.agents.Wait()
	})
	return s
}

// agent starts an agent, and returns what ends it as a signal would.
func (s *scene) agent(name string, change ...func(*AgentConfig)) context.CancelCauseFunc {
	s.t.Helper()
	endpoint, err := s.Endpoint()
	require.NoError(s.t, err)
	info, err := machine.Look()
	require.NoError(s.t, err)
	cfg := AgentConfig{Coordinator: endpoint, Name: name, Join: time.Minute, Key: s.Key, Versions: same, Env: record.NewEnv(info), Say: s.say}
	for _, f := range change {
		f(&cfg)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	s.t.Cleanup(func() { cancel(nil) })
	ended := make(chan error, 1)
	s.ended[name] = ended
	s.agents.Go(func() { ended <- Agent(ctx, cfg) })
	return cancel
}

func lat(pattern string, senders int) record.Cell {
	return record.Cell{Verb: record.Lat, Pattern: pattern, Transport: "tcp", Size: 64, Impl: "go", Senders: senders, Hosts: 3}
}

func thr(senders, receivers int) record.Cell {
	return record.Cell{Verb: record.Thr, Pattern: "pushpull", Transport: "tcp", Size: 64, Mode: "batch", Impl: "go", Senders: senders, Receivers: receivers, Hosts: 3}
}

var short = record.Method{Warmup: 10 * time.Millisecond, Count: 100, Pace: "sleep", Seed: 1}

// All ways to measure, with and without a secret.
func TestThreeAgents(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "a secret of ours"} {
		s := newScene(t, Config{Expect: 3, Key: key})
		for range 3 {
			s.agent("")
		}
		require.NoError(t, s.Join(t.Context()))
		hosts, envs := s.Hosts("plan")
		require.Len(t, hosts, 3)
		require.Len(t, envs, 3)
		for _, h := range hosts {
			// One clock: the truth is 0, and within the error.
			require.LessOrEqual(t, h.Clock.Offset.Abs(), h.Clock.Error)
		}

		open := lat("dealerrouter", 3)
		open.Rate, open.Arrivals = 1000, "poisson"
		curve := lat("reqrep", 2)
		curve.Security = "curve"
		for _, cell := range []record.Cell{lat("reqrep", 2), lat("routerrouter", 5), lat("pair", 1), open, curve} {
			r, env, err := s.Measure(t.Context(), cell, short)
			require.NoError(t, err, "%s\n%s", cell, s.heard())
			// Each client's count is rounded up.
			require.GreaterOrEqual(t, r.Messages, int64(100), cell)
			require.Less(t, r.Messages, int64(100+cell.Senders), cell)
			require.Equal(t, 64*r.Messages, r.Bytes)
			require.Equal(t, env.ID, r.Env)
			require.Equal(t, r.Messages, r.Main().Count)
			require.Len(t, r.Agents, min(3, 1+cell.Senders))
			require.Equal(t, record.Server, r.Agents[0].Role)
			sum := int64(0)
			for _, a := range r.Agents[1:] {
				require.Equal(t, record.Client, a.Role)
				require.Positive(t, a.P99)
				sum += a.Messages
			}
			require.Equal(t, r.Messages, sum)
			require.NotNil(t, r.Latency[record.Machine])
		}

		for _, cell := range []record.Cell{thr(3, 1), thr(1, 1)} {
			r, _, err := s.Measure(t.Context(), cell, record.Method{Warmup: 10 * time.Millisecond, Count: 20_000})
			require.NoError(t, err, s.heard())
			require.Positive(t, r.Messages)
			require.Positive(t, r.Rate())
			require.Positive(t, r.SendRate())
			require.Zero(t, r.Lost)
			require.Nil(t, r.Main())
		}
	}
}

// The agents' senders take turns: between them as many are due as one would have. Were the
// first of each due at once, there would be two more.
func TestAgentsTakeTurns(t *testing.T) {
	t.Parallel()
	s := newScene(t, Config{Expect: 3})
	for range 3 {
		s.agent("")
	}
	require.NoError(t, s.Join(t.Context()))
	cell := lat("dealerrouter", 3) // one agent has two of them
	cell.Rate, cell.Arrivals = 100, "uniform"
	r, _, err := s.Measure(t.Context(), cell, record.Method{Duration: 305 * time.Millisecond, Pace: "sleep"})
	require.NoError(t, err, s.heard())
	require.EqualValues(t, 31, r.Due)
}

// Two signals at once would be those of the process, so a cause stands for one.
var errSignal = errors.New("stopped by signal: interrupt")

func TestAgentEndsInARun(t *testing.T) {
	t.Parallel()
	for _, role := range []string{record.Server, record.Client} {
		s := newScene(t, Config{Expect: 3})
		first := s.agent("a")
		s.until(t, func() bool { return len(s.live()) == 1 })
		s.agent("b")
		third := s.agent("c")
		require.NoError(t, s.Join(t.Context()))
		victim, stop := "a", first
		if role == record.Client {
			victim, stop = "c", third // whichever of the two came first
		}
		cell := lat("dealerrouter", 2)
		go func() { // when it measures
			for strings.Count(s.heard(), "measures as client") < 2 {
				time.Sleep(time.Millisecond)
			}
			stop(errSignal)
		}()
		_, _, err := s.Measure(t.Context(), cell, record.Method{Duration: time.Hour})
		var lost *LostError
		require.ErrorAs(t, err, &lost)
		require.Equal(t, victim, lost.Agent)
		require.ErrorContains(t, err, victim+" was lost: ")
		require.ErrorContains(t, err, "it was "+role)
		require.ErrorIs(t, <-s.ended[victim], errSignal)

		// Those that are left can go on.
		r, _, err := s.Measure(t.Context(), lat("dealerrouter", 1), short)
		require.NoError(t, err)
		require.Contains(t, strings.Join(r.Warnings, "\n"), "2 of 3 agents were left: "+victim)
	}
}

// What an agent said before it hung up is heard, although a beat was due first and could
// not be sent any more.
func TestGoodbyeIsHeard(t *testing.T) {
	t.Parallel()
	s := newScene(t, Config{Expect: 1})
	end := s.agent("brief")
	require.NoError(t, s.Join(t.Context()))
	a := s.Coordinator.agents[0]
	end(errors.New("enough"))
	require.Error(t, <-s.ended["brief"])
	for a.cut == "" && a.lost == nil {
		s.tick()
		time.Sleep(time.Millisecond) // beats on end would fill the queue of a live connection
	}
	s.until(t, func() bool { return a.lost != nil })
	require.ErrorContains(t, a.lost, "it ended: enough")
}

func TestLateAgent(t *testing.T) {
	t.Parallel()
	s := newScene(t, Config{Expect: 2})
	s.agent("a")
	limited, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	require.ErrorIs(t, s.Join(limited), context.DeadlineExceeded)
	cancel()
	s.agent("b")
	require.NoError(t, s.Join(t.Context()))

	// A third is not wanted any more: it is told, also in the middle of a run.
	s.agent("c")
	done := make(chan error, 1)
	go func() { done <- <-s.ended["c"] }()
	var refused *RefusedError
	for {
		_, _, err := s.Measure(t.Context(), lat("reqrep", 1), short)
		require.NoError(t, err)
		select {
		case err := <-done:
			require.ErrorAs(t, err, &refused)
			require.Contains(t, refused.Why, "busy: the coordinator has its 2 agents")
			return
		default:
		}
	}
}

func TestJoinTimeout(t *testing.T) {
	t.Parallel()
	s := newScene(t, Config{Expect: 2, Join: 300 * time.Millisecond})
	s.agent("only")
	err := s.Join(t.Context())
	require.ErrorIs(t, err, ErrJoin)
	require.ErrorContains(t, err, "of 2 were there")

	nowhere := AgentConfig{Coordinator: "tcp://127.0.0.1:1", Join: 200 * time.Millisecond, Versions: same, Say: s.say}
	err = Agent(t.Context(), nowhere)
	require.ErrorIs(t, err, ErrJoin)
	require.ErrorContains(t, err, "no coordinator answered at tcp://127.0.0.1:1")
}

func TestVersions(t *testing.T) {
	t.Parallel()
	old := func(c *AgentConfig) { c.Versions.Binding = "v1.0.0" }
	alien := func(c *AgentConfig) { c.Versions.Protocol++ }
	for _, mixed := range []bool{false, true} {
		s := newScene(t, Config{Expect: 2, AllowMixed: mixed})
		s.agent("alien", alien)
		s.agent("old", old)
		s.agent("a")
		if !mixed {
			s.agent("b")
		}
		require.NoError(t, s.Join(t.Context()))
		r, _, err := s.Measure(t.Context(), lat("reqrep", 1), short)
		require.NoError(t, err)

		var refused *RefusedError
		if mixed {
			require.Contains(t, strings.Join(r.Warnings, "\n"), "old is of another version: zbench v1.2.3, binding v1.0.0")
		} else {
			// It may come after all of that, and is refused while the coordinator steps.
			s.until(t, func() bool { return len(s.ended["old"]) == 1 })
			require.ErrorAs(t, <-s.ended["old"], &refused)
			require.Contains(t, refused.Why, "binding v1.0.0")
			require.Contains(t, refused.Why, "or --allow-mixed")
		}
		for {
			_, _, err := s.Measure(t.Context(), lat("reqrep", 1), short)
			require.NoError(t, err)
			select {
			case err := <-s.ended["alien"]:
				require.ErrorAs(t, err, &refused)
			default:
				continue
			}
			break
		}
		require.NotContains(t, refused.Why, "busy")
	}
}

// Whether a sender may go before all else is its own machine's to say.
func TestUrgentIsTheAgents(t *testing.T) {
	t.Parallel()
	s := newScene(t, Config{Expect: 2})
	s.agent("a")
	s.agent("b")
	require.NoError(t, s.Join(t.Context()))
	cell := lat("dealerrouter", 900)
	cell.Rate, cell.Arrivals = 1000, "uniform"
	urgent := short
	urgent.Pace = "urgent"
	_, _, err := s.Measure(t.Context(), cell, urgent)
	require.ErrorContains(t, err, "--pace urgent with 900 senders: each keeps a processor to itself, and there are ")
}

// Names are unique, and secrets shared, or the agent does not get in.
func TestRefusals(t *testing.T) {
	t.Parallel()
	s := newScene(t, Config{Expect: 2, Join: 2 * time.Second, Key: "right"})
	s.agent("a")
	s.agent("wrong", func(c *AgentConfig) { c.Key, c.Join = "wrong", time.Second })
	s.agent("none", func(c *AgentConfig) { c.Key, c.Join = "", time.Second })
	require.ErrorIs(t, s.Join(t.Context()), ErrJoin)
	require.ErrorIs(t, <-s.ended["wrong"], ErrJoin)
	require.ErrorIs(t, <-s.ended["none"], ErrJoin)
	require.NotContains(t, s.heard(), "wrong joined")

	s.Coordinator.Config.Join = time.Minute
	s.agent("a")
	s.until(t, func() bool { return strings.Contains(s.heard(), `there is an agent "a" already: use another --name`) })
	s.agent("b")
	require.NoError(t, s.Join(t.Context()))
}

// The coordinator's end is the agents', and what it says of it theirs to say.
func TestCoordinatorGivesUp(t *testing.T) {
	t.Parallel()
	s := newScene(t, Config{Expect: 1})
	s.agent("a")
	require.NoError(t, s.Join(t.Context()))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errSignal)
	_, _, err := s.Measure(ctx, lat("reqrep", 1), short)
	require.Error(t, err)
	require.NoError(t, s.Coordinator.Close(errSignal))
	require.ErrorContains(t, <-s.ended["a"], "the coordinator gave up: stopped by signal: interrupt")
}
