-- Private keys are sealed with SECRET_KEY, which is not in the database (src/postgres/secrets.ts). SQL cannot seal them, so the service
-- seals those that stand here in the clear when it starts. Both tables are small: a few keys, and one or two for each event.

alter table signing_key
  alter column private_jwk drop not null,
  add column sealed_key bytea,
  add constraint signing_key_private check (num_nonnulls(private_jwk, sealed_key) = 1);

alter table ticket_key
  alter column private_key drop not null,
  add column sealed_key bytea,
  add constraint ticket_key_private check (num_nonnulls(private_key, sealed_key) = 1);
