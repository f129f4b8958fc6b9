import Type, { type Static } from 'typebox';
import { admin, permitted, producerRoles, signedInUser } from '../kernel/access.ts';
import { examplePicture, NullablePicture, Picture, PictureAddress, pictureRules, pictureUpload } from '../kernel/picture.ts';
import { producerLinkKinds } from '../kernel/producer-links.ts';
import { route } from '../kernel/route.ts';
import {
  Currency,
  closed,
  Email,
  httpsAddress,
  Id,
  Instant,
  line,
  named,
  nullable,
  oneOf,
  pageOf,
  pageQuery,
  paragraphs,
} from '../kernel/schema.ts';
import { exampleTimes, Invited, idParams, invitedPerson, Person } from './account-schemas.ts';
import { examplePerson } from './sign-in-contract.ts';
import { Name } from './user-contract.ts';

const memberParams = Type.Object({ id: Id, userId: Id });

const ProducerLinks = Type.Array(closed({ kind: oneOf(producerLinkKinds), url: httpsAddress }), {
  maxItems: 10,
  description: 'Pages of the producer on the web, in the order in which they are shown',
});

/** What everybody may read about a producer. */
export const producerProfile = {
  id: Id,
  name: Type.String(),
  description: nullable({ ...paragraphs(5000), description: 'Plain text' }),
  links: ProducerLinks,
  logo: nullable(Type.String({ description: 'The address of the logo. If it was uploaded, `picture` has more addresses' })),
  picture: NullablePicture,
};

const profileFields = {
  name: Type.Optional(line(200, 'Aurora Produções')),
  currency: Type.Optional(Currency),
  description: Type.Optional(producerProfile.description),
  links: Type.Optional(ProducerLinks),
  logo: Type.Optional(
    nullable({ ...PictureAddress, description: 'The address of a logo on another server. Upload one with `POST /producers/{id}/logo`' }),
  ),
};

const ProducerChanges = closed(profileFields, { minProperties: 1 });
export type ProducerChanges = Static<typeof ProducerChanges>;

export const Payout = closed({
  provider: Type.String({ pattern: '^[a-z]{2,20}$', description: 'The payment provider', examples: ['stripe'] }),
  account: Type.String({
    pattern: '^[\\x21-\\x7e]{1,100}$',
    description: "The provider's id of the producer's account",
    examples: ['acct_1QxAurora'],
  }),
});
export type Payout = Static<typeof Payout>;

export const Producer = named('Producer', {
  ...producerProfile,
  currency: Currency,
  payout: Type.Optional(
    nullable(
      closed(Payout.properties, {
        description:
          "The producer's own account at a payment provider, which gets the money of sales through this provider. Null: the platform gets it. Only owners of the producer and admins of the platform get this field.",
      }),
    ),
  ),
  createdAt: Instant,
  updatedAt: Instant,
});
export type Producer = Static<typeof Producer>;

const NewProducer = closed({
  ...profileFields,
  name: line(200, 'Aurora Produções'),
  owner: closed({ email: Email, name: Type.Optional(Name) }),
});
export type NewProducer = Static<typeof NewProducer>;

const Member = named('Member', { user: Person, role: oneOf(producerRoles), invited: Type.Optional(Invited) });
export type Member = Static<typeof Member>;

export const exampleProfile = {
  id: 1,
  name: 'Aurora Produções',
  description: 'Shows, festivais e teatro desde 2009.',
  links: [{ kind: 'instagram', url: 'https://www.instagram.com/auroraproducoes' }],
  logo: null,
  picture: null,
};

export const exampleProducer = { ...exampleProfile, currency: 'BRL', payout: null, ...exampleTimes };

const exampleMember = { user: examplePerson, role: 'manager' };

export const producerContract = {
  createProducer: route({
    method: 'POST',
    path: '/producers',
    group: 'account',
    summary: 'Create a producer with its first owner',
    description: 'If no user has the e-mail of the owner, an account without a password is created. The owner gets a mail.',
    access: admin,
    body: NewProducer,
    answer: { status: 201, body: Producer },
    examples: { body: { name: 'Aurora Produções', owner: { email: 'ana@example.com' } }, answer: exampleProducer },
  }),
  listProducers: route({
    method: 'GET',
    path: '/producers',
    group: 'account',
    summary: 'List producers',
    description: 'Returns the producers in which you are owner or manager. Admins get all producers.',
    access: signedInUser,
    query: Type.Object(pageQuery),
    answer: { status: 200, body: pageOf(Producer) },
    examples: { query: { count: true }, answer: { data: [exampleProducer], nextCursor: null, total: 1 } },
  }),
  getProducer: route({
    method: 'GET',
    path: '/producers/{id}',
    group: 'account',
    summary: 'Get a producer',
    description: 'Returns 404 to users who are not members of the producer. `GET /producer/{id}` returns what everybody may read.',
    access: permitted('producer.read', { producer: 'path.id' }),
    params: idParams,
    answer: { status: 200, body: Producer },
    examples: { params: { id: 1 }, answer: exampleProducer },
  }),
  updateProducer: route({
    method: 'PUT',
    path: '/producers/{id}',
    group: 'account',
    summary: 'Update a producer',
    description:
      'Changes only the fields that are present. `links` are replaced as a whole and must be HTTPS. A new currency applies to events that are created later. `GET /producer/{id}` shows name, description, links and logo to everybody.',
    access: permitted('producer.manage', { producer: 'path.id' }),
    params: idParams,
    body: ProducerChanges,
    answer: { status: 200, body: Producer },
    examples: { params: { id: 1 }, body: { name: 'Aurora Produções' }, answer: exampleProducer },
  }),
  uploadLogo: route({
    method: 'POST',
    path: '/producers/{id}/logo',
    group: 'account',
    summary: 'Upload the logo of a producer',
    description: `Replaces the logo. ${pictureRules} Transparent parts stay transparent.`,
    access: permitted('producer.manage', { producer: 'path.id' }),
    params: idParams,
    upload: pictureUpload,
    answer: { status: 201, body: Picture },
    problems: ['rule_violation'],
    versionOf: 'getProducer',
    concurrency: 4,
    examples: { params: { id: 1 }, answer: examplePicture },
  }),
  deleteLogo: route({
    method: 'DELETE',
    path: '/producers/{id}/logo',
    group: 'account',
    summary: 'Remove the logo of a producer',
    description: 'Returns 404 if the producer has no logo.',
    access: permitted('producer.manage', { producer: 'path.id' }),
    params: idParams,
    answer: { status: 204 },
    versionOf: 'getProducer',
    examples: { params: { id: 1 } },
  }),
  listMembers: route({
    method: 'GET',
    path: '/producers/{id}/members',
    group: 'account',
    summary: 'List the members of a producer',
    description: 'Returns the owners and managers of the producer.',
    access: permitted('members.read', { producer: 'path.id' }),
    params: idParams,
    query: Type.Object(pageQuery),
    answer: { status: 200, body: pageOf(Member) },
    examples: { params: { id: 1 }, answer: { data: [exampleMember], nextCursor: null } },
  }),
  addMember: route({
    method: 'POST',
    path: '/producers/{id}/members',
    group: 'account',
    summary: 'Add an owner or manager by e-mail',
    description:
      'If no user has this e-mail, an account without a password is created. The person gets a mail, with a link to choose a password if the account has none. The response contains only the e-mail and name that you sent, and `invited: true`, so it does not reveal whether the account existed. After the person has logged in, the member list shows the name and id of the account. Returns 409 if the person is already a member.',
    access: permitted('members.manage', { producer: 'path.id' }),
    params: idParams,
    body: closed({ email: Email, name: Type.Optional(Name), role: oneOf(producerRoles) }),
    answer: { status: 201, body: Member },
    problems: ['already_exists'],
    examples: {
      params: { id: 1 },
      body: { email: 'ana@example.com', role: 'manager' },
      answer: { user: invitedPerson, role: 'manager', invited: true },
    },
  }),
  updateMember: route({
    method: 'PUT',
    path: '/producers/{id}/members/{userId}',
    group: 'account',
    summary: 'Change the role of a member',
    description:
      'The new role applies from the next request of this person on. Returns 409 `last_owner` if the producer would have no owner.',
    access: permitted('members.manage', { producer: 'path.id' }),
    params: memberParams,
    body: closed({ role: oneOf(producerRoles) }),
    answer: { status: 200, body: Member },
    problems: ['last_owner'],
    examples: { params: { id: 1, userId: 7 }, body: { role: 'manager' }, answer: exampleMember },
  }),
  removeMember: route({
    method: 'DELETE',
    path: '/producers/{id}/members/{userId}',
    group: 'account',
    summary: 'Remove a member',
    description: 'The person loses access from their next request on. Returns 409 `last_owner` if the producer would have no owner.',
    access: permitted('members.manage', { producer: 'path.id' }),
    params: memberParams,
    answer: { status: 204 },
    problems: ['last_owner'],
    examples: { params: { id: 1, userId: 7 } },
  }),
};
