#include "cli/html.h"

namespace baghzero {
namespace {

constexpr const char* kStyle = R"css(
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --faint: #666; --grid: #ddd;
  --goat: #2a7fba; --tiger: #d9772b; --draw: #888; --wood: #f3ead8; --wood-line: #8a7a5c;
  --s0: #2a7fba; --s1: #d9772b; --s2: #3f9142; --s3: #b0403c; --s4: #7e57a8; --s5: #8a6d3b;
  --s6: #c2559d; --s7: #5f6b73; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ddd; --paper: #17191d; --faint: #999; --grid: #3a3e46;
    --goat: #61b0e6; --tiger: #f0995a; --draw: #a0a0a0; --wood: #2b2822; --wood-line: #8f8570;
    --s0: #61b0e6; --s1: #f0995a; --s2: #76c47a; --s3: #e57f7b; --s4: #b794e0; --s5: #c9a86e;
    --s6: #e58fc6; --s7: #a3afb7; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 62em; padding: 0 1em;
  color: var(--ink); background: var(--paper); }
h2 { margin-top: 2em; }
table { border-collapse: collapse; margin: 1em 0; }
td, th { padding: .2em .7em; text-align: right; border-bottom: 1px solid var(--grid); }
td:nth-child(2), th:nth-child(2), td.text, th.text { text-align: left; }
td:not(:nth-child(2)) { white-space: nowrap; }
pre { white-space: pre-wrap; }
@media (max-width: 40em) { pre { white-space: pre; overflow-x: auto; font-size: 12px; } }
.scroll { overflow-x: auto; }
.faint { color: var(--faint); }
svg { font-size: 12px; max-width: 100%; height: auto; }
.overall { stroke: var(--ink); fill: var(--ink); }
.goat { stroke: var(--goat); fill: var(--goat); }
.tiger { stroke: var(--tiger); fill: var(--tiger); }
.draw { stroke: var(--draw); fill: var(--draw); }
.series0 { stroke: var(--s0); fill: var(--s0); }
.series1 { stroke: var(--s1); fill: var(--s1); }
.series2 { stroke: var(--s2); fill: var(--s2); }
.series3 { stroke: var(--s3); fill: var(--s3); }
.series4 { stroke: var(--s4); fill: var(--s4); }
.series5 { stroke: var(--s5); fill: var(--s5); }
.series6 { stroke: var(--s6); fill: var(--s6); }
.series7 { stroke: var(--s7); fill: var(--s7); }
.grid { stroke: var(--grid); }
.line { fill: none; stroke-width: 1.7; stroke-linejoin: round; }
text { fill: var(--ink); stroke: none; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26em, 100%), 1fr)); gap: 1em 2em; }
figure { margin: 0; }
figcaption { font-weight: 600; }
.boards { display: flex; flex-wrap: wrap; gap: 1em; }
.boards figcaption { font-weight: normal; font-size: 13px; text-align: center; }
.board rect { fill: var(--wood); }
.lines { stroke: var(--wood-line); fill: none; }
.board .piece { stroke: var(--paper); stroke-width: 1.5; }
.board .last { stroke: var(--s3); stroke-width: 3; fill: none; }
.board .piece + text { fill: var(--paper); font-weight: bold; font-size: 11px; }
)css";

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '<')
      result += "&lt;";
    else if (letter == '&')
      result += "&amp;";
    else if (letter == '"')
      result += "&quot;";
    else
      result += letter;
  }
  return result;
}

std::string html_begin(const std::string& title) {
  const std::string text = escaped(title);
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
         text + "</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n<h1>" + text + "</h1>\n";
}

std::string html_end() { return "</body>\n</html>\n"; }

}  // namespace baghzero
