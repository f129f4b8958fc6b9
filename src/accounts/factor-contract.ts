import Type, { type Static } from 'typebox';
import { anyoneIgnoringToken, signedInUser } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, Id, Instant, line, named, nullable, oneOf } from '../kernel/schema.ts';
import { exampleLogin, Login, SessionKind, sessionCookie } from './sign-in-contract.ts';

const Code = Type.String({
  minLength: 1,
  maxLength: 50,
  description: 'Six digits of the authenticator app, or a recovery code',
  examples: ['492039'],
});
/** What a browser returns for a passkey. The library that verifies it checks its form. */
const Credential = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description: 'The result of `navigator.credentials.create` or `navigator.credentials.get`, as JSON (`toJSON()`)',
});
const BrowserOptions = Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'The options for the browser, as JSON' });

const Factor = named('Factor', {
  id: Id,
  kind: oneOf(['totp', 'webauthn'], { description: '`totp`: an authenticator app. `webauthn`: a passkey of a device or security key' }),
  name: Type.String(),
  createdAt: Instant,
  lastUsedAt: nullable(Instant),
});
export type Factor = Static<typeof Factor>;

const Factors = closed({ data: Type.Array(Factor), recoveryCodesLeft: Type.Integer({ minimum: 0 }) });
export type Factors = Static<typeof Factors>;

const RecoveryCodes = Type.Array(Type.String(), {
  description: 'Each code replaces a factor once. They are returned only here: store them now.',
});
const NewFactor = closed({
  factor: Factor,
  recoveryCodes: nullable({ ...RecoveryCodes, description: 'Only with the first factor. They are returned only here: store them now.' }),
});
export type NewFactor = Static<typeof NewFactor>;

const proof = {
  password: Type.Optional(Type.String({ maxLength: 200, description: 'Your password' })),
  code: Type.Optional({ ...Code, description: 'Instead of the password: a code of the authenticator app, or a recovery code' }),
};
const Proof = closed(proof, { minProperties: 1 });

const exampleFactor = { id: 5, kind: 'totp', name: 'Authenticator', createdAt: '2026-11-15T12:00:00.000Z', lastUsedAt: null };
const exampleCodes = ['7hq2-mx9d-4tzk-w3rp'];
const proofText = 'Needs the password or a code, so that nobody can do this in a session that was left open.';

/** Second factors: how users add and remove them, and how they log in with them. */
export const factorContract = {
  completeLogin: route({
    method: 'POST',
    path: '/auth/login/second-factor',
    group: 'account',
    summary: 'Log in with the second factor',
    description:
      'The second step of `POST /auth/login`, which returned `second_factor_required` with a `loginToken`. Send either `code` or `webauthn`. The token is valid for 5 minutes, and until a factor was correct. Wrong factors are counted like wrong passwords.',
    access: anyoneIgnoringToken,
    cookie: sessionCookie,
    body: closed({
      loginToken: Type.String({ maxLength: 200 }),
      code: Type.Optional(Code),
      webauthn: Type.Optional(Credential),
      session: Type.Optional(SessionKind),
    }),
    answer: { status: 200, body: Login },
    problems: ['invalid_one_time_token', 'invalid_second_factor'],
    examples: { body: { loginToken: 'Zm9v…', code: '492039' }, answer: exampleLogin },
  }),
  listFactors: route({
    method: 'GET',
    path: '/auth/factors',
    group: 'account',
    summary: 'List your second factors',
    description: 'If the list is empty, the password is enough to log in.',
    access: signedInUser,
    answer: { status: 200, body: Factors },
    examples: { answer: { data: [exampleFactor], recoveryCodesLeft: 10 } },
  }),
  createTotpFactor: route({
    method: 'POST',
    path: '/auth/factors/totp',
    group: 'account',
    summary: 'Add an authenticator app',
    description: `Returns the key for the app. The app is needed at log-in after \`POST /auth/factors/totp/confirm\`. A user has at most one. ${proofText}`,
    access: signedInUser,
    body: closed({ ...proof, name: Type.Optional(line(100, 'Phone')) }, { minProperties: 1 }),
    answer: {
      status: 201,
      body: closed({
        id: Id,
        secret: Type.String({ description: 'The key in base32, to type it' }),
        uri: Type.String({ description: 'The key as `otpauth://` address' }),
        qrSvg: Type.String({ description: 'The address as QR code, in SVG' }),
      }),
    },
    problems: ['invalid_credentials', 'invalid_second_factor', 'already_exists'],
    concurrency: 4,
    examples: {
      body: { password: 'correct horse battery' },
      answer: { id: 5, secret: 'JBSWY3DPEHPK3PXP', uri: 'otpauth://totp/…', qrSvg: '<svg …' },
    },
  }),
  confirmTotpFactor: route({
    method: 'POST',
    path: '/auth/factors/totp/confirm',
    group: 'account',
    summary: 'Confirm the authenticator app',
    description:
      'Send a code of the app. From then on, log-ins need a second factor. The first factor of a user comes with ten recovery codes.',
    access: signedInUser,
    body: closed({ code: Code }),
    answer: { status: 200, body: NewFactor },
    problems: ['invalid_second_factor'],
    examples: { body: { code: '492039' }, answer: { factor: exampleFactor, recoveryCodes: exampleCodes } },
  }),
  startPasskeyFactor: route({
    method: 'POST',
    path: '/auth/factors/webauthn/options',
    group: 'account',
    summary: 'Start to add a passkey',
    description: `Returns the options for \`navigator.credentials.create\`, and a token for \`POST /auth/factors/webauthn\` that is valid for 5 minutes. ${proofText}`,
    access: signedInUser,
    body: Proof,
    answer: { status: 200, body: closed({ registrationToken: Type.String(), options: BrowserOptions }) },
    problems: ['invalid_credentials', 'invalid_second_factor', 'rule_violation'],
    unaudited: 'Nothing is registered until the passkey is sent.',
    concurrency: 4,
    examples: { body: { password: 'correct horse battery' }, answer: { registrationToken: 'Zm9v…', options: { challenge: '…' } } },
  }),
  createPasskeyFactor: route({
    method: 'POST',
    path: '/auth/factors/webauthn',
    group: 'account',
    summary: 'Add a passkey',
    description:
      'Registers the passkey that the browser has created. From then on, log-ins need a second factor. The first factor of a user comes with ten recovery codes. A passkey belongs to the host name of the service.',
    access: signedInUser,
    body: closed({ registrationToken: Type.String({ maxLength: 200 }), name: line(100, 'Security key'), credential: Credential }),
    answer: { status: 201, body: NewFactor },
    problems: ['invalid_one_time_token', 'rule_violation', 'already_exists'],
    examples: {
      body: { registrationToken: 'Zm9v…', name: 'Security key', credential: { id: '…', type: 'public-key' } },
      answer: { factor: { ...exampleFactor, kind: 'webauthn', name: 'Security key' }, recoveryCodes: null },
    },
  }),
  removeFactor: route({
    method: 'POST',
    path: '/auth/factors/{id}/remove',
    group: 'account',
    summary: 'Remove a second factor',
    description: `Codes of the removed factor itself are not accepted. With the last factor, the recovery codes are removed too. ${proofText}`,
    access: signedInUser,
    params: Type.Object({ id: Id }),
    body: Proof,
    answer: { status: 204 },
    problems: ['invalid_credentials', 'invalid_second_factor'],
    concurrency: 4,
    examples: { params: { id: 5 }, body: { password: 'correct horse battery' } },
  }),
  renewRecoveryCodes: route({
    method: 'POST',
    path: '/auth/factors/recovery-codes',
    group: 'account',
    summary: 'Replace your recovery codes',
    description: `The earlier recovery codes stop working. ${proofText}`,
    access: signedInUser,
    body: Proof,
    answer: { status: 200, body: closed({ recoveryCodes: RecoveryCodes }) },
    problems: ['invalid_credentials', 'invalid_second_factor', 'wrong_state'],
    concurrency: 4,
    examples: { body: { password: 'correct horse battery' }, answer: { recoveryCodes: exampleCodes } },
  }),
};
