#include "cli/logging.h"

#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

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

std::shared_ptr<spdlog::logger> make_logger(std::shared_ptr<ProgressDisplay> display, bool colour,
                                            const std::filesystem::path& file) {
  std::vector<spdlog::sink_ptr> sinks;
  auto terminal = std::make_shared<DisplaySink>(std::move(display), colour);
  terminal->set_pattern("%H:%M:%S %v");
  sinks.push_back(std::move(terminal));
  if (!file.empty()) {
    try {
      auto log = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file.string());
      log->set_pattern("%Y-%m-%d %H:%M:%S %l: %v");
      sinks.push_back(std::move(log));
    } catch (const spdlog::spdlog_ex& error) {
      throw std::runtime_error("cannot write the log file " + file.string() + " (" + error.what() +
                               ")");
    }
  }
  auto logger = std::make_shared<spdlog::logger>("baghzero", sinks.begin(), sinks.end());
  logger->flush_on(spdlog::level::info);
  return logger;
}

}  // namespace baghzero
