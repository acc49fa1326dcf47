-- What a superuser must do once in a new cluster; everything else is a migration that the owner runs.
\getenv owner_password VOUCH_OWNER_PASSWORD
SELECT 'CREATE ROLE vouch_owner LOGIN CREATEROLE'
    WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'vouch_owner') \gexec
ALTER ROLE vouch_owner PASSWORD :'owner_password';
SELECT 'CREATE DATABASE vouch OWNER vouch_owner'
    WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'vouch') \gexec
\connect vouch
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS vector;
