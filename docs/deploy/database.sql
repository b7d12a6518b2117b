-- Creates a role and a database of its own, for the provider or for a portal. Run it as an administrator:
--
--   PASSWORD=… psql -v ON_ERROR_STOP=1 -v name=vestibule_provider -f database.sql
--
-- The role owns the database and nothing else, and the roles of others cannot connect to it.
\getenv password PASSWORD
CREATE ROLE :"name" LOGIN PASSWORD :'password';
CREATE DATABASE :"name" OWNER :"name" TEMPLATE template0 ENCODING 'UTF8';
REVOKE CONNECT, TEMPORARY ON DATABASE :"name" FROM PUBLIC;
