-- Distributes the tables of Tessera over the nodes of a Citus cluster, by event. Run it once, on the coordinator, after `tessera migrate`:
--
--   psql --single-transaction --set ON_ERROR_STOP=on --file deploy/citus.sql "$DATABASE_URL"
--
-- All rows of an event are on one node, so a sale is a transaction on one node. See docs/operations/scaling.md.

-- The only triggers are those that refuse changes to append-only tables. They read and write no other row, so they are safe on every node. The
-- database keeps the setting, because the worker creates partitions of the audit log with this trigger.
set local citus.enable_unsafe_triggers = on;
do $$ begin execute format('alter database %I set citus.enable_unsafe_triggers = on', current_database()); end $$;
-- A transaction may read all events before it changes a table that is copied to every node. Citus allows this only if it reads one shard of a
-- node after the other.
do $$ begin execute format('alter database %I set citus.multi_shard_modify_mode = %L', current_database(), 'sequential'); end $$;
-- Tables of accounts stay on the coordinator and refer to reference tables.
set local citus.enable_local_reference_table_foreign_keys = off;
set local citus.multi_shard_modify_mode = 'sequential';

-- Copied to every node: small, and needed by every event.
select create_reference_table('app_user');
select create_reference_table('picture');
select create_reference_table('producer');
select create_reference_table('producer_member');
select create_reference_table('producer_tax_policy');
select create_reference_table('category');
select create_reference_table('event_link');
select create_reference_table('event');
select create_reference_table('event_crew');
select create_reference_table('featured');
select create_reference_table('home_section');
select create_reference_table('home_section_event');
select create_reference_table('home_cover');
select create_reference_table('sandbox_secret');

-- Distributed by event.
select create_distributed_table('event_session', 'event_id');
select create_distributed_table('event_attribute', 'event_id', colocate_with => 'event_session');
select create_distributed_table('event_word', 'event_id', colocate_with => 'event_session');
select create_distributed_table('event_cancellation', 'event_id', colocate_with => 'event_session');
select create_distributed_table('event_tax_policy', 'event_id', colocate_with => 'event_session');
select create_distributed_table('item', 'event_id', colocate_with => 'event_session');
select create_distributed_table('item_session', 'event_id', colocate_with => 'event_session');
select create_distributed_table('item_attribute', 'event_id', colocate_with => 'event_session');
select create_distributed_table('item_values', 'event_id', colocate_with => 'event_session');
select create_distributed_table('sale_period', 'event_id', colocate_with => 'event_session');
select create_distributed_table('item_trigger', 'event_id', colocate_with => 'event_session');
select create_distributed_table('passkey', 'event_id', colocate_with => 'event_session');
select create_distributed_table('passkey_item', 'event_id', colocate_with => 'event_session');
select create_distributed_table('external_code', 'event_id', colocate_with => 'event_session');
select create_distributed_table('ticket_order', 'event_id', colocate_with => 'event_session');
select create_distributed_table('order_line', 'event_id', colocate_with => 'event_session');
select create_distributed_table('order_link', 'event_id', colocate_with => 'event_session');
select create_distributed_table('order_note', 'event_id', colocate_with => 'event_session');
select create_distributed_table('waiting_line', 'event_id', colocate_with => 'event_session');
select create_distributed_table('waiting_entry', 'event_id', colocate_with => 'event_session');
select create_distributed_table('waiting_link', 'event_id', colocate_with => 'event_session');
select create_distributed_table('item_buyer', 'event_id', colocate_with => 'event_session');
select create_distributed_table('network_hold', 'event_id', colocate_with => 'event_session');
select create_distributed_table('spent_challenge', 'event_id', colocate_with => 'event_session');
select create_distributed_table('waiting_room', 'event_id', colocate_with => 'event_session');
select create_distributed_table('waiting_room_rate', 'event_id', colocate_with => 'event_session');
select create_distributed_table('waiting_room_report', 'event_id', colocate_with => 'event_session');
select create_distributed_table('waiting_room_order', 'event_id', colocate_with => 'event_session');
select create_distributed_table('ledger_posting', 'event_id', colocate_with => 'event_session');
select create_distributed_table('payment', 'event_id', colocate_with => 'event_session');
select create_distributed_table('refund', 'event_id', colocate_with => 'event_session');
select create_distributed_table('payment_dispute', 'event_id', colocate_with => 'event_session');
select create_distributed_table('payment_notice', 'event_id', colocate_with => 'event_session');
select create_distributed_table('ticket', 'event_id', colocate_with => 'event_session');
select create_distributed_table('ticket_key', 'event_id', colocate_with => 'event_session');
select create_distributed_table('ticket_log', 'event_id', colocate_with => 'event_session');
select create_distributed_table('ticket_change', 'event_id', colocate_with => 'event_session');
select create_distributed_table('door', 'event_id', colocate_with => 'event_session');
select create_distributed_table('door_session', 'event_id', colocate_with => 'event_session');
select create_distributed_table('door_device', 'event_id', colocate_with => 'event_session');
select create_distributed_table('checkin', 'event_id', colocate_with => 'event_session');
select create_distributed_table('checkin_undo', 'event_id', colocate_with => 'event_session');
select create_distributed_table('sales_total', 'event_id', colocate_with => 'event_session');
select create_distributed_table('sales_quarter', 'event_id', colocate_with => 'event_session');
select create_distributed_table('fee_total', 'event_id', colocate_with => 'event_session');
select create_distributed_table('entry_total', 'event_id', colocate_with => 'event_session');
select create_distributed_table('away_total', 'event_id', colocate_with => 'event_session');
select create_distributed_table('guest_total', 'event_id', colocate_with => 'event_session');
select create_distributed_table('returning_guest', 'event_id', colocate_with => 'event_session');
select create_distributed_table('export', 'event_id', colocate_with => 'event_session');
select create_distributed_table('change', 'event_id', colocate_with => 'event_session');
select create_distributed_table('mail', 'event_id', colocate_with => 'event_session');
select create_distributed_table('audit_log', 'event_id', colocate_with => 'event_session');
