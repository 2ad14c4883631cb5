#!/usr/bin/env bash
# The one way in: installs what is missing, builds, tests, trains. './run.sh --help' tells more.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$root/build
program=$build/baghzero
programs=(baghzero baghzero-engine) # what is built for users
torch_venv=$root/.venv-torch
choice_file=$build/libtorch.choice # "cpu" or "cuda"

torch_version=2.11.0        # from PyPI, built for CUDA 13.0 ...
minimum_nvidia_driver=580   # ... which needs this driver or a later one

common_packages=(g++ cmake ninja-build python3 python3-numpy python3-xxhash libspdlog-dev
  libtomlplusplus-dev libcli11-dev nlohmann-json3-dev libsqlite3-dev libzip-dev libzstd-dev libxxhash-dev
  libeigen3-dev libcpp-httplib-dev libprotozero-dev libgtest-dev libgmock-dev libbenchmark-dev
  faketime)
cpu_packages=(libtorch-dev)
cuda_packages=(python3-venv)

usage() {
  cat <<'TEXT'
BaghZero: self-play training for Bagh-Chal.

  ./run.sh train [CONFIG] [OPTION...]   set up, build and train; CONFIG is configs/quick.toml unless
                                        given, the run goes to runs/NAME of the config unless --run
                                        names a folder. A run that is already there goes on where
                                        it stopped, with the configuration in its folder.
                                        './run.sh train --help' lists the options.
  ./run.sh test [--all] [OPTION...]     set up, build and run the tests; --all adds the slow ones,
                                        other options go to ctest
  ./run.sh setup [--cpu | --cuda]       install what is missing. --cpu: Debian's LibTorch;
                                        --cuda: PyTorch's CUDA build from PyPI, in .venv-torch.
                                        Without either: --cuda if there is an NVIDIA GPU.
  ./run.sh build                        build into build/ what has changed
  ./run.sh COMMAND [OPTION...]          any command of the program, built first if need be;
                                        './run.sh --help-program' lists them

Supported: Debian 12 on x86-64. Packages are installed with apt-get, through sudo unless you are
root; an NVIDIA GPU needs its driver, version 580 or later, installed beforehand.
TEXT
}

say() { printf '%s\n' "run.sh: $*" >&2; }
fail() {
  say "$@"
  exit 1
}

# Two of this script in one folder must not install or build side by side. Waits for the lock, runs
# a command and gives the lock back, so that what runs afterwards does not hold it.
alone() {
  mkdir -p "$build"
  exec {lock}>"$build/run.sh.lock"
  flock -n "$lock" || {
    say "another run.sh is setting up or building in $build; waiting for it"
    flock "$lock"
  }
  "$@"
  exec {lock}>&-
}

# ---------------------------------------------------------------------------------------------
# Setup

is_installed() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

install_packages() {
  local missing=() package
  command -v apt-get >/dev/null ||
    fail "this is not a Debian system (no apt-get). Install the equivalents of these packages," \
      "then build with 'cmake --preset release && cmake --build build': $*"
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      fail "these packages are missing and you are neither root nor have sudo. As root, run:" \
        "apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing with apt-get: ${missing[*]}"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
  "${apt[@]}" update ||
    fail "'apt-get update' failed (its message is above). Is there a network, and are the sources" \
      "in /etc/apt right?"
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null >/dev/null ||
    fail "'apt-get install' failed (its message is above). Packages wanted: ${missing[*]}"
}

nvidia_driver_version() {
  nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1
}

has_nvidia_gpu() { nvidia-smi -L 2>/dev/null | grep -q '^GPU '; }

# $1: what was asked for, "auto", "cpu" or "cuda".
choose_libtorch() {
  case $1 in
    cpu) echo cpu ;;
    cuda)
      has_nvidia_gpu ||
        fail "--cuda was asked for, but there is no usable NVIDIA GPU: 'nvidia-smi -L' lists none." \
          "Install the driver, or use './run.sh setup --cpu'."
      local driver
      driver=$(nvidia_driver_version)
      ((${driver%%.*} >= minimum_nvidia_driver)) ||
        fail "torch $torch_version needs NVIDIA driver $minimum_nvidia_driver or later, this one is" \
          "$driver. Update it, or use './run.sh setup --cpu'."
      echo cuda
      ;;
    auto)
      if [[ -r $choice_file ]]; then
        cat "$choice_file"
      elif has_nvidia_gpu; then
        choose_libtorch cuda
      else
        echo cpu
      fi
      ;;
  esac
}

install_torch_from_pypi() {
  local python=$torch_venv/bin/python3
  [[ -x $python ]] || /usr/bin/python3 -m venv "$torch_venv"
  if [[ $("$python" -m pip show torch 2>/dev/null) != *"Version: $torch_version"* ]]; then
    say "installing torch $torch_version with its CUDA libraries (about 3 GB) into .venv-torch"
    "$python" -m pip install --disable-pip-version-check "torch==$torch_version" ||
      fail "pip could not install torch $torch_version (its message is above). Is there a network," \
        "and room on the disk?"
  fi
}

setup() {
  local wanted=auto
  case ${1-} in
    '') ;;
    --cpu) wanted=cpu ;;
    --cuda) wanted=cuda ;;
    *) fail "setup knows --cpu and --cuda, not '$1'." ;;
  esac
  local choice
  choice=$(choose_libtorch "$wanted")
  if [[ $choice == cuda ]]; then
    install_packages "${common_packages[@]}" "${cuda_packages[@]}"
    install_torch_from_pypi
  else
    install_packages "${common_packages[@]}" "${cpu_packages[@]}"
  fi
  mkdir -p "$build"
  if [[ $(cat "$choice_file" 2>/dev/null) != "$choice" ]]; then
    # What CMake remembers belongs to the other LibTorch.
    rm -f "$build/CMakeCache.txt"
    echo "$choice" >"$choice_file"
  fi
}

# ---------------------------------------------------------------------------------------------
# Build

# A source file that includes LibTorch takes the compiler up to 2 GB.
parallel_jobs() {
  local gib
  gib=$(($(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 1024 / 1024))
  local jobs=$((gib / 2))
  local cores
  cores=$(nproc)
  ((jobs <= cores)) || jobs=$cores
  ((jobs >= 1)) || jobs=1
  echo "$jobs"
}

# Runs a command with its output in $1, and shows that only if it fails.
quietly() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 || {
    cat "$log" >&2
    fail "failed: $*"
  }
}

# Builds the targets named, everything if there is none.
build_program() {
  [[ -r $choice_file ]] || setup
  local jobs torch_option
  jobs=$(parallel_jobs)
  if [[ $(cat "$choice_file") == cuda ]]; then
    torch_option=-DLibTorch_PYTHON=$torch_venv/bin/python3
  else
    torch_option=-DTorch_DIR=$(dpkg -L libtorch-dev | sed -n 's#/TorchConfig.cmake$##p')
  fi
  if [[ ! -f $build/build.ninja ]] || [[ ! -f $build/CMakeCache.txt ]]; then
    # A newer compiler than the supported one may find more to warn about; that stops developers
    # and CI, but no user.
    local strict=OFF
    [[ -z ${CI-} ]] || strict=ON
    (cd "$root" && quietly "$build/configure.log" cmake --preset release "$torch_option" \
      -DBAGHZERO_WARNINGS_AS_ERRORS=$strict)
  fi
  local notice='' status=0
  if [[ ! -x $program ]]; then
    say "building with $jobs jobs; the first time this takes minutes, about ten on two cores"
    if [[ -t 2 ]]; then
      ninja -C "$build" -j "$jobs" "$@" >&2 ||
        fail "the build failed; its messages are above."
      return
    fi
  else
    # Most often there is nothing to do, which ninja cannot tell beforehand: only time shows.
    # The notice must not outlive the build with the lock in its hands.
    (
      exec {lock}>&-
      sleep 2 2>/dev/null && say "building what has changed, with $jobs jobs"
    ) >/dev/null &
    notice=$!
  fi
  ninja -C "$build" -j "$jobs" "$@" >"$build/build.log" 2>&1 || status=$?
  [[ -z $notice ]] || kill "$notice" 2>/dev/null || true
  ((status == 0)) || {
    cat "$build/build.log" >&2
    fail "the build failed; its messages are above."
  }
}

prepare() {
  setup
  build_program "$@"
}

run_tests() {
  local filter=(-LE slow) options=() argument
  for argument in "$@"; do
    case $argument in
      --all) filter=() ;;
      *) options+=("$argument") ;;
    esac
  done
  alone prepare
  exec ctest --test-dir "$build" --output-on-failure --no-tests=error -j "$(nproc)" "${filter[@]}" \
    "${options[@]}"
}

# ---------------------------------------------------------------------------------------------
# Training

# Adds what was left out: the default configuration, the folder of the run, and --continue. What is
# wrong with the arguments is said by the program, but for what would be misread here.
train() {
  local arguments=("$@") config='' run='' resume=''
  while (($#)); do
    case $1 in
      -h | --help)
        alone build_program "${programs[@]}"
        exec "$program" train --help
        ;;
      --run | --set)
        (($# >= 2)) && [[ $2 != -* ]] || fail "$1 wants a value; see './run.sh train --help'."
        [[ $1 != --run ]] || run=$2
        shift
        ;;
      --run=*) run=${1#--run=} ;;
      --set=*) ;;
      --resume | --continue) resume=$1 ;;
      -*) fail "unknown option '$1'; './run.sh train --help' lists them." ;;
      *)
        [[ -z $config ]] || fail "one configuration at a time, not both '$config' and '$1'."
        config=$1
        ;;
    esac
    shift
  done
  local top=$root/
  [[ $PWD != "$root" ]] || top=''
  [[ -z $config || -f $config ]] ||
    fail "'$config' is no configuration file; those that come with BaghZero:" \
      "${top}configs/"{quick,cpu,gpu}.toml
  if [[ -z $run ]]; then
    run=${top}runs/$(basename "${config:-quick}" .toml)
    arguments+=(--run "$run")
  fi
  [[ -n $resume ]] || arguments+=(--continue)
  # A run goes on with the configuration in its folder, unless it was killed before that was there.
  if [[ -z $config && ! -e $run/run.toml ]] && [[ $resume != --resume || -s $run/run.sqlite ]]; then
    arguments=("${top}configs/quick.toml" "${arguments[@]}")
  fi
  alone prepare "${programs[@]}"
  exec "$program" train "${arguments[@]}"
}

# What the program prints for people to type begins with the name it was called by.
export BAGHZERO_COMMAND=$0

# As their sources have them, so that nothing need be built for what is no command.
program_commands() {
  cat "$root"/cli/commands/*.cpp "$root"/*/*_command.cpp | tr -d ' \n' |
    grep -o 'app\.add_subcommand("[a-z-]*"' | cut -d '"' -f 2 | sort
}

main() {
  local command=${1---help}
  (($# == 0)) || shift
  case $command in
    -h | --help | help | build | --help-program | --version)
      (($# == 0)) || fail "'$command' takes no arguments, not '$*'."
      ;;&
    -h | --help | help) usage ;;
    setup)
      (($# <= 1)) || fail "setup takes one option at most: --cpu or --cuda."
      alone setup "$@"
      say "ready, with LibTorch for $(cat "$choice_file"). Next: './run.sh train' or './run.sh test'."
      ;;
    build) alone build_program ;;
    test) run_tests "$@" ;;
    train) train "$@" ;;
    --help-program | --version)
      alone build_program "${programs[@]}"
      exec "$program" "${command%-program}"
      ;;
    *)
      program_commands | grep -qxF -e "$command" ||
        fail "unknown command \"$command\"; there are setup, build, test," \
          "$(program_commands | paste -sd ' ' | sed 's/ /, /g'). See './run.sh --help'."
      alone build_program "${programs[@]}"
      exec "$program" "$command" "$@"
      ;;
  esac
}

main "$@"
