// Players that are programs of their own and speak UGI (docs/engine.md).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "engine/agents/agent.h"

namespace baghzero {

struct UgiAgentSettings {
  std::string command;  // for /bin/sh
  // Of every move, one of them: "go movetime" if the time is positive, else "go nodes".
  int nodes = 64;
  std::chrono::milliseconds time{};
  // How long the program may take to start, to answer "isready", and for a move; with `time`, so
  // much longer than that.
  std::chrono::milliseconds timeout = std::chrono::seconds(30);
};

// Makes agents that share the programs running for them: one program plays one game at a time, and
// the next one after that. The rules of a game, and its seed, are told to programs that have
// options for them (Goats, CapturesToWin, Repetition, NoCaptureLimit, MaxPlies; Seed).
//
// choose() throws Forfeit if the program cannot be started, ends, is silent for too long or answers
// with what is no legal move. It is ended then, and a new one plays the next game; one that has
// failed to start three times in a row is not started again. Before the program has answered with
// its first move, to any of these agents, such a failure is std::runtime_error instead: an engine
// that does not work at all is a mistake in the command, and no opponent to be beaten. What is
// returned may be called by several threads. Agents heed interrupt_when(). Throws
// std::invalid_argument if the command is empty or a number not positive.
std::function<std::unique_ptr<Agent>()> make_ugi_agents(const UgiAgentSettings& settings);

}  // namespace baghzero
