// What 95 % intervals are made with.
#pragma once

namespace baghzero {

inline constexpr double kNormal975 =
    1.959963984540054;  // 97.5 % quantile of the normal distribution

}  // namespace baghzero
