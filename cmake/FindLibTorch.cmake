# LibTorch: the one given (CMAKE_PREFIX_PATH, Torch_DIR), else that of python3's torch, else the
# system's. Defines the target baghzero_torch and LibTorch_VERSION, LibTorch_CUDA.
#
# LibTorch's own TorchConfig.cmake is only looked for, never run: the one of a CUDA build enables
# the CUDA language and demands a whole toolkit with nvcc, although sources in C++ need no more than
# the headers of the CUDA runtime, which PyPI's packages bring along.

set(config_suffixes Torch cmake/Torch share/cmake/Torch)
if(Torch_DIR)
  set(LibTorch_CONFIG_DIR ${Torch_DIR})
else()
  find_path(LibTorch_CONFIG_DIR TorchConfig.cmake PATH_SUFFIXES ${config_suffixes}
    PATHS ${CMAKE_PREFIX_PATH} NO_DEFAULT_PATH)
  if(NOT LibTorch_CONFIG_DIR)
    find_program(LibTorch_PYTHON python3)
    if(LibTorch_PYTHON)
      execute_process(
        COMMAND ${LibTorch_PYTHON} -c
          "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0])"
        OUTPUT_VARIABLE python_torch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
    find_path(LibTorch_CONFIG_DIR TorchConfig.cmake PATH_SUFFIXES ${config_suffixes}
      HINTS ${python_torch} PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE} /usr/local/libtorch
      /opt/libtorch)
  endif()
endif()

# PREFIX/share/cmake/Torch, or PREFIX/lib/ARCHITECTURE/cmake/Torch in Debian's package.
get_filename_component(config_dir "${LibTorch_CONFIG_DIR}" REALPATH)
string(REGEX REPLACE "/(share|lib|lib/[^/]*)/cmake/Torch/?$" "" LibTorch_PREFIX "${config_dir}")

set(library_search PATHS ${LibTorch_PREFIX}/lib ${LibTorch_PREFIX}/lib/${CMAKE_LIBRARY_ARCHITECTURE}
  NO_DEFAULT_PATH)
find_path(LibTorch_INCLUDE_DIR torch/csrc/api/include/torch/torch.h
  PATHS ${LibTorch_PREFIX}/include NO_DEFAULT_PATH)
find_library(LibTorch_LIBRARY torch ${library_search})
find_library(LibTorch_CPU_LIBRARY torch_cpu ${library_search})
find_library(LibTorch_C10_LIBRARY c10 ${library_search})
find_library(LibTorch_CUDA_LIBRARY torch_cuda ${library_search})
find_library(LibTorch_C10_CUDA_LIBRARY c10_cuda ${library_search})

if(LibTorch_INCLUDE_DIR)
  foreach(header torch/csrc/api/include/torch/version.h torch/headeronly/version.h)
    if(EXISTS ${LibTorch_INCLUDE_DIR}/${header})
      file(STRINGS ${LibTorch_INCLUDE_DIR}/${header} version_lines
        REGEX "^#define TORCH_VERSION_(MAJOR|MINOR|PATCH) [0-9]+")
      if(version_lines)
        string(REGEX REPLACE "[^0-9;]" "" LibTorch_VERSION "${version_lines}")
        string(REPLACE ";" "." LibTorch_VERSION "${LibTorch_VERSION}")
      endif()
    endif()
  endforeach()
  file(STRINGS ${LibTorch_CONFIG_DIR}/TorchConfig.cmake old_abi
    REGEX "TORCH_CXX_FLAGS.*_GLIBCXX_USE_CXX11_ABI=0")
  if(old_abi)
    message(FATAL_ERROR "The LibTorch in ${LibTorch_PREFIX} is built for the C++ ABI of before GCC 5,"
      " which the other libraries here are not. Use Debian's libtorch-dev or torch 2.11 from PyPI.")
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_LIBRARY LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY LibTorch_INCLUDE_DIR
  VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE "Install it with './run.sh setup', name its folder with \
-DCMAKE_PREFIX_PATH=FOLDER, or build only what needs no LibTorch with -DBAGHZERO_TORCH=OFF.")
mark_as_advanced(LibTorch_CONFIG_DIR LibTorch_PYTHON LibTorch_INCLUDE_DIR LibTorch_LIBRARY
  LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY LibTorch_CUDA_LIBRARY LibTorch_C10_CUDA_LIBRARY)

add_library(baghzero_torch INTERFACE)
# LibTorch's headers are not ours to warn about.
target_include_directories(baghzero_torch SYSTEM INTERFACE
  ${LibTorch_INCLUDE_DIR} ${LibTorch_INCLUDE_DIR}/torch/csrc/api/include)
target_link_libraries(baghzero_torch INTERFACE ${LibTorch_LIBRARY} ${LibTorch_CPU_LIBRARY}
  ${LibTorch_C10_LIBRARY})

# PyPI's libraries export parts of an older libstdc++ that they were linked with, std::filesystem
# among them, and crash when such a function is called from outside. So the real libstdc++ must come
# first in the order in which the loader looks symbols up. And all libraries are needed, also those
# of which no symbol is used: they register their kernels when they are loaded.
target_link_options(baghzero_torch INTERFACE -Wl,--no-as-needed -lstdc++)

# Debian builds LibTorch with glog, whose macros LibTorch's headers then use.
if(EXISTS ${LibTorch_INCLUDE_DIR}/c10/macros/cmake_macros.h)
  file(STRINGS ${LibTorch_INCLUDE_DIR}/c10/macros/cmake_macros.h uses_glog
    REGEX "^#define C10_USE_GLOG")
  if(uses_glog)
    find_package(glog REQUIRED CONFIG)
    target_link_libraries(baghzero_torch INTERFACE glog::glog)
  endif()
endif()

set(LibTorch_CUDA OFF)
if(LibTorch_CUDA_LIBRARY AND LibTorch_C10_CUDA_LIBRARY)
  # From PyPI the CUDA libraries lie beside torch, in nvidia/cu13 and the like.
  get_filename_component(site_packages ${LibTorch_PREFIX} DIRECTORY)
  file(GLOB cuda_packages ${site_packages}/nvidia/*)
  find_path(LibTorch_CUDA_INCLUDE_DIR cuda_runtime_api.h
    HINTS ${cuda_packages} PATHS $ENV{CUDA_HOME} /usr/local/cuda PATH_SUFFIXES include)
  find_library(LibTorch_CUDART_LIBRARY NAMES cudart libcudart.so.13 libcudart.so.12
    HINTS ${cuda_packages} PATHS $ENV{CUDA_HOME} /usr/local/cuda PATH_SUFFIXES lib lib64)
  if(NOT LibTorch_CUDA_INCLUDE_DIR OR NOT LibTorch_CUDART_LIBRARY)
    message(FATAL_ERROR "The LibTorch in ${LibTorch_PREFIX} is built with CUDA, but the CUDA runtime"
      " (cuda_runtime_api.h, libcudart) is neither beside it nor in /usr/local/cuda. Install torch"
      " with its dependencies ('./run.sh setup --cuda' does), or set CUDA_HOME.")
  endif()
  mark_as_advanced(LibTorch_CUDA_INCLUDE_DIR LibTorch_CUDART_LIBRARY)
  set(LibTorch_CUDA ON)
  target_include_directories(baghzero_torch SYSTEM INTERFACE ${LibTorch_CUDA_INCLUDE_DIR})
  target_compile_definitions(baghzero_torch INTERFACE BAGHZERO_CUDA=1)
  target_link_libraries(baghzero_torch INTERFACE ${LibTorch_CUDA_LIBRARY}
    ${LibTorch_C10_CUDA_LIBRARY} ${LibTorch_CUDART_LIBRARY})
  # LibTorch's own dependencies are the loader's affair, so that a machine without a GPU can link.
  target_link_options(baghzero_torch INTERFACE -Wl,--unresolved-symbols=ignore-in-shared-libs)
endif()
message(STATUS "LibTorch ${LibTorch_VERSION} in ${LibTorch_PREFIX}, CUDA ${LibTorch_CUDA}")
