import { distributed, local, type Placement, reference } from './placement.ts';
import type { rules } from './rules.ts';

/** A change of the schema that breaks one rule. */
export interface Control {
  rule: keyof typeof rules;
  sql: string;
  /** The placements of the new tables. */
  places?: Record<string, Placement>;
  finding: string;
}

const event = 'event_id bigint not null';

export const controls: Control[] = [
  { rule: 'everyTableHasAPlace', sql: 'create table forgotten (n int)', finding: 'forgotten is not in deploy/citus.sql' },
  { rule: 'everyTableHasAPlace', sql: 'drop table featured', finding: 'featured is in deploy/citus.sql but not in the schema' },
  {
    rule: 'keysContainTheDistributionColumn',
    sql: `create table a (${event}, id bigint constraint a_pkey primary key)`,
    places: { a: distributed() },
    finding: 'a: a_pkey does not contain event_id',
  },
  {
    rule: 'keysContainTheDistributionColumn',
    sql: `create table a (${event}, id bigint, constraint a_once unique (id))`,
    places: { a: distributed() },
    finding: 'a: a_once does not contain event_id',
  },
  {
    rule: 'keysContainTheDistributionColumn',
    sql: `create table a (${event}, id bigint); create unique index a_once on a ((event_id + 0), id)`,
    places: { a: distributed() },
    finding: 'a: a_once does not contain event_id',
  },
  {
    rule: 'keysContainTheDistributionColumn',
    sql: `create table a (${event}, id bigint); create unique index a_once on a (id) include (event_id)`,
    places: { a: distributed() },
    finding: 'a: a_once does not contain event_id',
  },
  {
    rule: 'keysContainTheDistributionColumn',
    sql: `create table a (${event}, times tstzrange, constraint a_apart exclude using gist (times with &&))`,
    places: { a: distributed() },
    finding: 'a: a_apart does not contain event_id',
  },
  {
    rule: 'keysContainTheDistributionColumn',
    sql: 'create table a (times tstzrange not null, constraint a_apart exclude using gist (times with &&))',
    places: { a: distributed('times') },
    finding: 'a: a_apart does not contain times',
  },
  {
    rule: 'keysContainTheDistributionColumn',
    sql: `create table a (${event}, id bigint, constraint a_pkey primary key (id, event_id))`,
    places: { a: distributed() },
    finding: 'a: a_pkey does not begin with event_id',
  },
  {
    rule: 'keysContainTheDistributionColumn',
    sql: 'create table a (key bytea not null, caller text, constraint a_pkey primary key (caller))',
    places: { a: distributed('key') },
    finding: 'a: a_pkey does not contain key',
  },
  {
    rule: 'foreignKeysStayOnOneNode',
    sql: `create table a (${event}, other bigint not null, item_id bigint, constraint a_item foreign key (other, item_id) references item (event_id, id))`,
    places: { a: distributed() },
    finding: 'a: a_item does not pair the distribution columns',
  },
  {
    rule: 'foreignKeysStayOnOneNode',
    sql: `create table a (${event}, item_id bigint, constraint a_item foreign key (item_id, event_id) references item (id, event_id))`,
    places: { a: distributed() },
    finding: 'a: a_item does not begin with event_id',
  },
  {
    rule: 'foreignKeysStayOnOneNode',
    sql: `create table a (${event}, id bigint not null, up bigint, constraint a_pkey primary key (event_id, id),
                          constraint a_up foreign key (up, id) references a (event_id, id))`,
    places: { a: distributed() },
    finding: 'a: a_up does not pair the distribution columns',
  },
  {
    rule: 'foreignKeysStayOnOneNode',
    sql: 'create table a (event_id bigint, item_id bigint, constraint a_item foreign key (event_id, item_id) references item)',
    places: { a: reference },
    finding: 'a: a_item leads from a reference table to a distributed one',
  },
  {
    rule: 'foreignKeysStayOnOneNode',
    sql: 'create table a (event_id bigint, item_id bigint, constraint a_item foreign key (event_id, item_id) references item)',
    places: { a: local },
    finding: 'a: a_item leads from a local table to a distributed one',
  },
  {
    rule: 'foreignKeysStayOnOneNode',
    sql: `create table a (${event}, kid text constraint a_key references signing_key)`,
    places: { a: distributed() },
    finding: 'a: a_key leads from a distributed table to a local one',
  },
  {
    rule: 'foreignKeysStayOnOneNode',
    sql: 'create table a (kid text constraint a_signed references signing_key)',
    places: { a: reference },
    finding: 'a: a_signed leads from a reference table to a local one',
  },
  {
    rule: 'foreignKeysNeverMoveARow',
    sql: 'create table a (event_id bigint constraint a_event references event on delete set null)',
    places: { a: distributed() },
    finding: 'a: a_event contains event_id and has on delete set null',
  },
  {
    rule: 'foreignKeysNeverMoveARow',
    sql: `create table a (${event}, item_id bigint, constraint a_item foreign key (event_id, item_id) references item on delete set default)`,
    places: { a: distributed() },
    finding: 'a: a_item contains event_id and has on delete set default',
  },
  {
    rule: 'foreignKeysNeverMoveARow',
    sql: `create table a (${event}, item_id bigint, constraint a_item foreign key (event_id, item_id) references item on delete set null (item_id))`,
    places: { a: distributed() },
    finding: 'a: a_item contains event_id and has on delete set null',
  },
  {
    rule: 'foreignKeysNeverMoveARow',
    sql: `create table a (${event} constraint a_event references event on update cascade)`,
    places: { a: distributed() },
    finding: 'a: a_event contains event_id and has on update cascade',
  },
  {
    rule: 'triggersOnlyRefuse',
    sql: 'create trigger a before update on category for each statement execute function refuse_change()',
    finding: 'category: a is a trigger on a reference table',
  },
  {
    rule: 'triggersOnlyRefuse',
    sql: `create function count_it() returns trigger language plpgsql as 'begin update item set sold = sold + 1; return new; end';
          create trigger a after insert on ticket for each row execute function count_it()`,
    finding: 'ticket: a calls count_it',
  },
  {
    rule: 'distributionColumnsAreGiven',
    sql: 'create table a (event_id bigint)',
    places: { a: distributed() },
    finding: 'a.event_id may be null',
  },
  {
    rule: 'distributionColumnsAreGiven',
    sql: 'create table a (event_id bigint generated always as identity)',
    places: { a: distributed() },
    finding: 'a.event_id is generated',
  },
  {
    rule: 'distributionColumnsAreGiven',
    sql: 'create table a (id bigint, event_id bigint not null generated always as (id / 2) stored)',
    places: { a: distributed() },
    finding: 'a.event_id is generated',
  },
  {
    rule: 'distributionColumnsAreGiven',
    sql: 'create table a (event_id integer not null)',
    places: { a: distributed() },
    finding: 'a.event_id is integer, not bigint',
  },
  {
    rule: 'distributionColumnsAreGiven',
    sql: 'create table a (n int)',
    places: { a: distributed() },
    finding: 'a has no column event_id',
  },
  {
    rule: 'sequencesAreBigint',
    sql: `create table a (${event}, id integer generated always as identity)`,
    places: { a: distributed() },
    finding: 'a.id is numbered and integer, not bigint',
  },
  {
    rule: 'sequencesAreBigint',
    sql: `create table a (${event}, id serial)`,
    places: { a: distributed() },
    finding: 'a.id is numbered and integer, not bigint',
  },
  {
    rule: 'partitionsHaveOneLevel',
    sql: `create table a (${event}, at date, n int) partition by range (at);
          create table a_first partition of a for values from ('2026-01-01') to ('2027-01-01') partition by list (n)`,
    places: { a: distributed() },
    finding: 'a has partitions of partitions',
  },
  {
    rule: 'partitionsHaveOneLevel',
    sql: `create table a (${event}); create table b () inherits (a)`,
    places: { a: distributed(), b: distributed() },
    finding: 'a is inherited',
  },
  {
    rule: 'rowsCanBeReplicated',
    sql: `create table a (${event}, n int, constraint a_once unique (event_id, n))`,
    places: { a: distributed() },
    finding: 'a has no primary key and no replica identity',
  },
  {
    rule: 'functionsAreKnownAndImmutable',
    sql: `create table a (${event}, at timestamptz constraint a_at check (at < now()))`,
    places: { a: distributed() },
    finding: 'a: the constraint a_at calls now, which is not immutable',
  },
  {
    rule: 'functionsAreKnownAndImmutable',
    sql: `create table a (${event}, day date constraint a_day check (day < current_date))`,
    places: { a: distributed() },
    finding: 'a: the constraint a_day calls current_timestamp, which is not immutable',
  },
  {
    rule: 'functionsAreKnownAndImmutable',
    sql: `create table a (${event}, name text constraint a_name check (name = unaccent(name)))`,
    places: { a: distributed() },
    finding: 'a: the constraint a_name calls unaccent of an extension',
  },
  {
    rule: 'functionsAreKnownAndImmutable',
    sql: `create table a (${event}, name text default unaccent('é'))`,
    places: { a: distributed() },
    finding: 'a: the default name calls unaccent of an extension',
  },
  {
    rule: 'foreignKeysFormNoCircle',
    sql: `create table a (${event}, id bigint, b bigint, constraint a_pkey primary key (event_id, id));
          create table b (${event}, id bigint, a bigint, constraint b_pkey primary key (event_id, id),
                          constraint b_a foreign key (event_id, a) references a);
          alter table a add constraint a_b foreign key (event_id, b) references b`,
    places: { a: distributed(), b: distributed() },
    finding: 'a refers to itself through other tables',
  },
  {
    rule: 'targetsAreDistributedFirst',
    sql: `create table b (${event}, id bigint, constraint b_pkey primary key (event_id, id));
          create table a (${event}, b bigint, constraint a_b foreign key (event_id, b) references b)`,
    places: { a: distributed(), b: distributed() },
    finding: 'a: a_b refers to b, which is distributed later',
  },
  { rule: 'namesAreChosen', sql: 'create table a (n int check (n > 0))', finding: 'a: the check a_n_check has a generated name' },
  { rule: 'namesAreChosen', sql: 'create table a (n int unique)', finding: 'a: the unique a_n_key has a generated name' },
  {
    rule: 'namesAreChosen',
    sql: 'create table a (id bigint references event)',
    finding: 'a: the foreign key a_id_fkey has a generated name',
  },
  {
    rule: 'namesAreChosen',
    sql: 'create table a (t tstzrange, exclude using gist (t with &&))',
    finding: 'a: the exclusion a_t_excl has a generated name',
  },
  { rule: 'namesAreChosen', sql: 'create index on event (title)', finding: 'event: the index event_title_idx has a generated name' },
];
