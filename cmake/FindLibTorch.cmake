# LibTorch: the one given (CMAKE_PREFIX_PATH, Torch_DIR), else that of python3's torch, else the
# system's.
if(NOT Torch_DIR AND NOT CMAKE_PREFIX_PATH)
  find_program(BAGHZERO_PYTHON python3)
  if(BAGHZERO_PYTHON)
    execute_process(
      COMMAND ${BAGHZERO_PYTHON} -c "import torch; print(torch.utils.cmake_prefix_path)"
      OUTPUT_VARIABLE python_torch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(python_torch)
      list(APPEND CMAKE_PREFIX_PATH ${python_torch})
    endif()
  endif()
endif()
find_package(Torch REQUIRED)
message(STATUS "LibTorch ${Torch_VERSION} in ${TORCH_INSTALL_PREFIX}")
# LibTorch's headers are not ours to warn about.
add_library(baghzero_torch INTERFACE)
target_include_directories(baghzero_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
target_link_libraries(baghzero_torch INTERFACE ${TORCH_LIBRARIES})
