#include "cli/logging.h"

#include <mutex>
#include <stdexcept>
#include <utility>

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>

namespace baghzero {
namespace {

class DisplaySink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  DisplaySink(std::shared_ptr<ProgressDisplay> display, bool colour)
      : display_(std::move(display)), colour_(colour) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t formatted;
    formatter_->format(message, formatted);
    std::string line(formatted.data(), formatted.size());
    if (line.ends_with('\n')) line.pop_back();
    if (message.level >= spdlog::level::warn) {
      line.insert(std::string("00:00:00 ").size(), "warning: ");
      if (colour_) line.insert(0, "\x1b[33m").append("\x1b[0m");
    }
    display_->line(line);
  }
  void flush_() override {}

  const std::shared_ptr<ProgressDisplay> display_;
  const bool colour_;
};

}  // namespace

std::shared_ptr<spdlog::logger> make_logger(std::shared_ptr<ProgressDisplay> display, bool colour) {
  auto terminal = std::make_shared<DisplaySink>(std::move(display), colour);
  terminal->set_pattern("%H:%M:%S %v");
  return std::make_shared<spdlog::logger>("baghzero", std::move(terminal));
}

std::shared_ptr<spdlog::logger> add_log_file(spdlog::logger& logger,
                                             const std::filesystem::path& file) {
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file.string());
    sink->set_pattern("%Y-%m-%d %H:%M:%S %l: %v");
    logger.sinks().push_back(sink);
    logger.flush_on(spdlog::level::info);
    auto alone = std::make_shared<spdlog::logger>("log file", std::move(sink));
    alone->flush_on(spdlog::level::info);
    return alone;
  } catch (const spdlog::spdlog_ex& error) {
    throw std::runtime_error("cannot write the log file " + file.string() + " (" + error.what() +
                             ")");
  }
}

}  // namespace baghzero
