// The compiler checks this file; it never runs. Each mistake after `@ts-expect-error` must not compile, and the lines around it must.
import { expectTypeOf } from 'vitest';
import type { InputError as KernelInputError } from '../../src/kernel/problem.ts';
import type { AnswerOf, Client, InputError, ProblemOf } from '../src/index.ts';
import { createClient, isProblem, outcome } from '../src/index.ts';

export async function inputs(client: Client): Promise<void> {
  await client.items.create({ eventId: 1, name: 'Balcony', quantity: 10 });
  // @ts-expect-error: a misspelt field
  await client.items.create({ eventId: 1, name: 'Balcony', quantty: 10 });
  // @ts-expect-error: a wrong type
  await client.items.create({ eventId: 1, name: 'Balcony', quantity: '10' });
  // @ts-expect-error: a required field is missing
  await client.items.create({ eventId: 1 });
  // @ts-expect-error: all required fields are missing
  await client.items.create();
  // @ts-expect-error: not one of the allowed values
  await client.items.create({ eventId: 1, name: 'Balcony', type: 'balcony' });

  await client.items.get({ id: '42' });
  // @ts-expect-error: the id of an item is called id
  await client.items.get({ itemId: 42 });
  await client.items.list();
  // @ts-expect-error: a misspelt filter
  await client.items.list({ event: 1 });
  await client.items.attributes.update({ id: 1, key: 'maximum', value: 4, type: 'integer' });
  // @ts-expect-error: no such type of attribute
  await client.items.attributes.update({ id: 1, key: 'maximum', value: 4, type: 'number' });
  await client.passkeys.list({ eventId: 1 });
  // @ts-expect-error: the event is required
  await client.passkeys.list({});
  await client.codes.upload({ eventId: 1, file: 'code' }, { onProgress: () => undefined });
  // @ts-expect-error: an upload has a file
  await client.codes.upload({ eventId: 1 });
  // @ts-expect-error: a misspelt option
  await client.items.list({}, { timeout: 3 });
  // @ts-expect-error: no such method
  await client.items.delete({ id: 1 });
  // @ts-expect-error: no such operation
  await client.call('getItems', {});
}

export async function answers(client: Client): Promise<void> {
  const item = await client.items.get({ id: 1 });
  expectTypeOf(item.quantity).toEqualTypeOf<number | null>();
  // @ts-expect-error: no such field
  void item.price;
  expectTypeOf(item).toEqualTypeOf<AnswerOf<'getItem'>>();
  for await (const each of client.items.listAll({ eventId: 1 })) expectTypeOf(each).toEqualTypeOf<typeof item>();
  // @ts-expect-error: listAll sets the cursor itself
  client.items.listAll({ cursor: 'x' });
  expectTypeOf<Awaited<ReturnType<typeof client.passkeys.delete>>>().toEqualTypeOf<void>();

  const whole = await client.events.get({ id: 1 });
  expectTypeOf(whole.title).toEqualTypeOf<string>();
  const some = await client.events.get({ id: 1, fields: 'id,title' });
  expectTypeOf(some.title).toEqualTypeOf<string | undefined>();
  const picked = await client.events.identify({ link: 'x', fields: ['id', 'venue'] });
  expectTypeOf(picked.id).toEqualTypeOf<number>();
  // @ts-expect-error: the field was not requested
  void picked.title;
  // @ts-expect-error: an event has no such field
  await client.events.identify({ link: 'x', fields: ['titel'] });
  await client.events.identify({ query: { method: 'identify', link: 'x' } });
  // @ts-expect-error: neither a link nor a query
  await client.events.identify({ fields: 'id' });
  const { data } = await client.home.featured({ method: 'banner' });
  expectTypeOf<(typeof data)[number]['image']>().toEqualTypeOf<string | null>();
}

export async function problems(client: Client): Promise<string | undefined> {
  type Refused = ProblemOf<typeof client.orders.create>;
  expectTypeOf<Refused['code']>().toEqualTypeOf<ProblemOf<'createOrder'>['code']>();
  const result = await outcome(client.orders.create({ eventId: 1, items: [], buyer: { name: 'Ana', email: 'ana@example.com' } }));
  if (result.ok) return result.answer.secret;
  if (result.problem.code === 'sold_out') return result.problem.detail;
  // @ts-expect-error: createOrder never returns this problem
  if (result.problem.code === 'last_owner') return 'no';
  const error: unknown = result.problem;
  if (isProblem(error, 'sold_out', 'not_on_sale')) expectTypeOf(error.code).toEqualTypeOf<'sold_out' | 'not_on_sale'>();
  // @ts-expect-error: no operation returns this problem
  return isProblem(error, 'sold') ? 'no' : undefined;
}

export function options(): void {
  createClient({ environment: 'local' });
  createClient({ environment: 'sandbox', hosts: { domain: 'example.com' } });
  // @ts-expect-error: the sandbox needs hosts
  createClient({ environment: 'sandbox' });
  // @ts-expect-error: no such environment
  createClient({ environment: 'staging', hosts: { domain: 'example.com' } });
  expectTypeOf<InputError>().toEqualTypeOf<KernelInputError>();
}
