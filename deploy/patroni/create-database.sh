#!/bin/sh
# Patroni runs this once with the address of the new cluster. Creates the role and the database of Tessera.
set -eu
: "${TESSERA_DATABASE_PASSWORD:?}"
psql "$1" --no-psqlrc --set=ON_ERROR_STOP=1 --set=password="$TESSERA_DATABASE_PASSWORD" <<'SQL'
create role tessera login password :'password';
create database tessera owner tessera;
SQL
