// Checked by the compiler, never run: what must not compile does not, and beside it stands what must.
import type { InputError as KernelInputError } from '../../src/kernel/problem.ts';
import type { AnswerOf, Client, InputError, ProblemOf } from '../src/index.ts';
import { createClient, isProblem, outcome } from '../src/index.ts';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const sure = <T extends true>(): T | undefined => undefined;

export async function inputs(client: Client): Promise<void> {
  await client.items.create({ eventId: 1, name: 'Balcony', quantity: 10 });
  // @ts-expect-error: a misspelt field
  await client.items.create({ eventId: 1, name: 'Balcony', quantty: 10 });
  // @ts-expect-error: a wrong type
  await client.items.create({ eventId: 1, name: 'Balcony', quantity: '10' });
  // @ts-expect-error: a required field is missing
  await client.items.create({ eventId: 1 });
  // @ts-expect-error: everything is missing
  await client.items.create();
  // @ts-expect-error: not one of the types
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
  sure<Same<typeof item.quantity, number | null>>();
  // @ts-expect-error: no such field
  void item.price;
  sure<Same<typeof item, AnswerOf<'getItem'>>>();
  for await (const each of client.items.listAll({ eventId: 1 })) sure<Same<typeof each, typeof item>>();
  // @ts-expect-error: the pages are turned for the caller
  client.items.listAll({ cursor: 'x' });
  sure<Same<Awaited<ReturnType<typeof client.passkeys.delete>>, void>>();

  const whole = await client.events.get({ id: 1 });
  sure<Same<typeof whole.title, string>>();
  const some = await client.events.get({ id: 1, fields: 'id,title' });
  sure<Same<typeof some.title, string | undefined>>();
  const picked = await client.events.identify({ link: 'x', fields: ['id', 'venue'] });
  sure<Same<typeof picked.id, number>>();
  // @ts-expect-error: it was not asked for
  void picked.title;
  // @ts-expect-error: an event has no such field
  await client.events.identify({ link: 'x', fields: ['titel'] });
  await client.events.identify({ query: { method: 'identify', link: 'x' } });
  // @ts-expect-error: neither a link nor a query
  await client.events.identify({ fields: 'id' });
  const { data } = await client.home.featured({ method: 'banner' });
  sure<Same<(typeof data)[number]['image'], string | null>>();
}

export async function problems(client: Client): Promise<string | undefined> {
  type Refused = ProblemOf<typeof client.orders.create>;
  sure<Same<Refused['code'], ProblemOf<'createOrder'>['code']>>();
  const result = await outcome(client.orders.create({ eventId: 1, items: [], buyer: { name: 'Ana', email: 'ana@example.com' } }));
  if (result.ok) return result.answer.secret;
  switch (result.problem.code) {
    case 'sold_out':
    case 'invalid_input':
      return result.problem.detail;
    // @ts-expect-error: ordering does not answer this one
    case 'last_owner':
      return;
    default:
  }
  const error: unknown = result.problem;
  if (isProblem(error, 'sold_out', 'not_on_sale')) sure<Same<typeof error.code, 'sold_out' | 'not_on_sale'>>();
  // @ts-expect-error: no operation answers this one
  return isProblem(error, 'sold') ? 'no' : undefined;
}

export function options(): void {
  createClient({ environment: 'local' });
  createClient({ environment: 'sandbox', hosts: { domain: 'example.com' } });
  // @ts-expect-error: nobody knows where the sandbox is
  createClient({ environment: 'sandbox' });
  // @ts-expect-error: no such environment
  createClient({ environment: 'staging', hosts: { domain: 'example.com' } });
  sure<Same<InputError, KernelInputError>>();
}
