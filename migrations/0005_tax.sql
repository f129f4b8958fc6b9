-- The fee of the platform. Rates and shares are integers, in ten-thousandths of a percent.

-- The policy of a producer. It replaces the policy of the platform.
create table producer_tax_policy (
  producer_id     bigint constraint producer_tax_policy_pkey primary key constraint producer_tax_policy_producer references producer,
  rate_e4         integer not null constraint producer_tax_policy_rate check (rate_e4 between 0 and 1000000),
  minimum         bigint not null constraint producer_tax_policy_minimum check (minimum >= 0),
  distribution_e4 integer not null constraint producer_tax_policy_distribution check (distribution_e4 between 0 and 1000000)
);

-- The policy of an event. It replaces the policy of its producer.
create table event_tax_policy (
  event_id        bigint constraint event_tax_policy_pkey primary key constraint event_tax_policy_event references event,
  rate_e4         integer not null constraint event_tax_policy_rate check (rate_e4 between 0 and 1000000),
  minimum         bigint not null constraint event_tax_policy_minimum check (minimum >= 0),
  distribution_e4 integer not null constraint event_tax_policy_distribution check (distribution_e4 between 0 and 1000000)
);
