#!/usr/bin/env bash
# Installs the real services that some tests use, where that is possible, and says what will be skipped where not.
# The tests start their own instances; nothing here has to be running.
set -u

have_redis() { command -v redis-server >/dev/null; }
have_postgres() { command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; }

missing=()
have_redis || missing+=(redis-server)
have_postgres || missing+=(postgresql)
[ ${#missing[@]} -eq 0 ] && exit 0

if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  export DEBIAN_FRONTEND=noninteractive
  log=$(mktemp)
  for package in "${missing[@]}"; do
    echo "installing $package"
    apt-get install -y -q --no-install-recommends "$package" >"$log" 2>&1 ||
      { apt-get update -q && apt-get install -y -q --no-install-recommends "$package"; } >"$log" 2>&1 ||
      { echo "could not install $package:"; tail -n 3 "$log"; }
  done
  rm -f "$log"
fi

have_redis || echo "no redis-server: tests of the shared store are skipped"
have_postgres || echo "no postgresql: tests of catalogues in a real database are skipped"
exit 0
