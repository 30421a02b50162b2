#!/usr/bin/env bash
# A C++ compiler for `make test-llama`. cmake and ninja come from PyPI where the machine has none.
set -u

command -v c++ >/dev/null && exit 0
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  export DEBIAN_FRONTEND=noninteractive
  echo "installing g++"
  apt-get install -y -q --no-install-recommends g++ >/dev/null 2>&1 ||
    { apt-get update -q && apt-get install -y -q --no-install-recommends g++; } >/dev/null 2>&1
fi
command -v c++ >/dev/null && exit 0
echo "llama-cpp-python is built from source: install a C++ compiler"
exit 1
