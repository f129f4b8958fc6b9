import Type, { type Static } from 'typebox';
import { anyoneIgnoringToken, crewRoles, producerRoles, signedIn, signedInUser, signedInUserOrCookie } from '../kernel/access.ts';
import { route } from '../kernel/route.ts';
import { closed, Email, Id, Instant, line, named, nullable, oneOf, pageOf, pageQuery } from '../kernel/schema.ts';

export const Password = Type.String({ minLength: 10, maxLength: 200, examples: ['correct horse battery'] });
export const KeepTokens = Type.Boolean({ description: 'true keeps API tokens valid. By default a new password revokes them.' });

const Me = named('Me', {
  id: Id,
  email: Type.String(),
  name: Type.String(),
  admin: Type.Boolean(),
  producers: Type.Array(closed({ id: Id, role: oneOf(producerRoles) })),
  events: Type.Array(closed({ id: Id, role: oneOf(crewRoles) })),
});
export type Me = Static<typeof Me>;

export const Login = named('Login', {
  accessToken: Type.String(),
  refreshToken: Type.Optional(Type.String({ description: 'Missing if the refresh token is in a cookie' })),
  expiresIn: Type.Integer({ description: 'Seconds until the access token expires' }),
  user: Me,
});
export type Login = Static<typeof Login>;

const OneTimeToken = Type.String({ maxLength: 200 });
const SessionId = Type.String({
  pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
  examples: ['8a6e0804-2bd0-4672-b79d-d97027f9071a'],
});

/** The cookie with the refresh token. */
export const sessionCookie = 'session';

export const SessionKind = oneOf(['cookie'], {
  description:
    '`cookie` puts the refresh token into a cookie that scripts cannot read, instead of the body. Only pages of this site may ask for it.',
});

const LoginSession = named('LoginSession', {
  id: SessionId,
  device: nullable(Type.String({ description: 'Browser and operating system at log-in', examples: ['Firefox on Linux'] })),
  createdAt: Instant,
  lastUsedAt: { ...Instant, description: 'The last log-in or refresh' },
  expiresAt: Instant,
  current: Type.Boolean({ description: 'Whether this request belongs to the session' }),
});
export type LoginSession = Static<typeof LoginSession>;

export const examplePerson = { id: 7, name: 'Ana Souza', email: 'ana@example.com' };
const exampleMe = { ...examplePerson, admin: false, producers: [{ id: 1, role: 'owner' }], events: [{ id: 12, role: 'sales_manager' }] };
export const exampleLogin = { accessToken: 'eyJhbGciOiJFZERTQSJ9.…', refreshToken: 'V1hJ…', expiresIn: 900, user: exampleMe };
const exampleSession = {
  id: '8a6e0804-2bd0-4672-b79d-d97027f9071a',
  device: 'Firefox on Linux',
  createdAt: '2026-11-15T12:00:00.000Z',
  lastUsedAt: '2026-11-15T18:30:00.000Z',
  expiresAt: '2026-12-15T12:00:00.000Z',
  current: true,
};

/** How users sign in and out, and which sessions they have. */
export const signInContract = {
  login: route({
    method: 'POST',
    path: '/auth/login',
    group: 'account',
    summary: 'Log in with e-mail and password',
    description: [
      'Wrong passwords are counted by account and network (an IPv4 address or an IPv6 /64). After five wrong passwords, the server returns 429 until a delay of 1 minute has passed. Each further wrong password doubles the delay, up to 15 minutes.',
      'Two limits apply across accounts and networks: 100 wrong passwords in 15 minutes from one network for all accounts, and 100 in an hour for one account from all unknown networks. A network is known to an account that logged in from it during the last 90 days. Known networks are exempt from both limits.',
      'A wrong password and an unknown account get the same response.',
      'If the user has a second factor, a correct password returns 401 `second_factor_required`. The problem has a `loginToken` for `POST /auth/login/second-factor`, `expiresIn` in seconds, `factors` (`totp`, `webauthn`, `recovery_code`), and, if the user has passkeys, `webauthn` with the options for `navigator.credentials.get`.',
    ].join('\n\n'),
    access: anyoneIgnoringToken,
    cookie: sessionCookie,
    body: closed({
      email: Type.String({ maxLength: 254 }),
      password: Type.String({ maxLength: 200 }),
      session: Type.Optional(SessionKind),
    }),
    answer: { status: 200, body: Login },
    problems: ['invalid_credentials', 'second_factor_required'],
    concurrency: 4,
    examples: { body: { email: 'ana@example.com', password: 'correct horse battery' }, answer: exampleLogin },
  }),
  refresh: route({
    method: 'POST',
    path: '/auth/refresh',
    group: 'account',
    summary: 'Get new tokens with a refresh token',
    description: [
      'Returns a new access token and a new refresh token. A refresh token works once. If it is used again, the session is revoked, because the token may be stolen. Log in again after 401.',
      'Without `refreshToken`, the token is read from the cookie of the session, and the new token is put into the cookie. The cookie works only for requests of pages of this site.',
    ].join('\n\n'),
    access: anyoneIgnoringToken,
    cookie: sessionCookie,
    body: closed({ refreshToken: Type.Optional(Type.String({ maxLength: 200 })) }),
    answer: { status: 200, body: Login },
    problems: ['invalid_refresh_token'],
    examples: { body: { refreshToken: 'V1hJ…' }, answer: exampleLogin },
  }),
  logout: route({
    method: 'POST',
    path: '/auth/logout',
    group: 'account',
    summary: 'Log out',
    description: [
      'Revokes the session of this access token with all its access and refresh tokens. Other sessions stay valid.',
      'Without an access token, the session of the cookie is revoked. The response deletes the cookie if it belongs to the revoked session.',
    ].join('\n\n'),
    access: signedInUserOrCookie,
    cookie: sessionCookie,
    answer: { status: 204 },
    mayChangeNothing: 'The session of a cookie may have ended before.',
    examples: {},
  }),
  getMe: route({
    method: 'GET',
    path: '/auth/me',
    group: 'account',
    summary: 'Get your user and roles',
    description: 'Returns the caller with the current roles in producers and events.',
    access: signedIn,
    answer: { status: 200, body: Me },
    examples: { answer: exampleMe },
  }),
  updateMe: route({
    method: 'PUT',
    path: '/auth/me',
    group: 'account',
    summary: 'Change your name',
    description: 'Crews, members and audit entries show the new name. Only an admin changes the e-mail of a user.',
    access: signedInUser,
    body: closed({ name: line(200, 'Ana Souza') }),
    answer: { status: 200, body: Me },
    examples: { body: { name: 'Ana Souza' }, answer: exampleMe },
  }),
  listSessions: route({
    method: 'GET',
    path: '/auth/sessions',
    group: 'account',
    summary: 'List your sessions',
    description: 'Returns your sessions that are open, the newest first. Each log-in opens a session, which lasts 30 days.',
    access: signedInUser,
    query: Type.Object(pageQuery),
    answer: { status: 200, body: pageOf(LoginSession) },
    examples: { query: { pageSize: 25 }, answer: { data: [exampleSession], nextCursor: null } },
  }),
  revokeSession: route({
    method: 'DELETE',
    path: '/auth/sessions/{id}',
    group: 'account',
    summary: 'Revoke one of your sessions',
    description: 'The access and refresh tokens of the session are rejected from the next request on.',
    access: signedInUser,
    params: Type.Object({ id: SessionId }),
    answer: { status: 204 },
    examples: { params: { id: exampleSession.id } },
  }),
  revokeOtherSessions: route({
    method: 'DELETE',
    path: '/auth/sessions',
    group: 'account',
    summary: 'Revoke all your other sessions',
    description: 'Only the session of this request stays open. API tokens stay valid.',
    access: signedInUser,
    answer: { status: 200, body: closed({ revoked: Type.Integer({ minimum: 0 }) }) },
    examples: { answer: { revoked: 2 } },
  }),
  acceptInvitation: route({
    method: 'POST',
    path: '/auth/invitation',
    group: 'account',
    summary: 'Accept an invitation and choose a password',
    description:
      'People without a password get a mail with a link when they are added to a producer or a crew. `token` is from this link. It works once and for 7 days. Returns the tokens of a log-in. After it has expired, `POST /auth/password/forgot` sends another link.',
    access: anyoneIgnoringToken,
    cookie: sessionCookie,
    body: closed({
      token: OneTimeToken,
      password: Password,
      name: Type.Optional(line(200, 'Ana Souza')),
      session: Type.Optional(SessionKind),
    }),
    answer: { status: 200, body: Login },
    problems: ['invalid_one_time_token', 'wrong_state'],
    concurrency: 4,
    examples: { body: { token: 'Zm9v…', password: 'correct horse battery', name: 'Ana Souza' }, answer: exampleLogin },
  }),
  requestPasswordReset: route({
    method: 'POST',
    path: '/auth/password/forgot',
    group: 'account',
    summary: 'Ask for a mail to choose a new password',
    description:
      'The mail has a link for `POST /auth/password/reset`, which works once and for 1 hour. The response is always the same, so it does not reveal whether the address has an account. At most 5 mails per hour are sent to an address. `Accept-Language` chooses the language of the mail.',
    access: anyoneIgnoringToken,
    body: closed({ email: Email }),
    answer: { status: 202 },
    unaudited: 'Nothing changes until the link is used. An entry would differ between known and unknown addresses.',
    examples: { body: { email: 'ana@example.com' } },
  }),
  resetPassword: route({
    method: 'POST',
    path: '/auth/password/reset',
    group: 'account',
    summary: 'Choose a new password with the link of a mail',
    description:
      '`token` is from the mail of `POST /auth/password/forgot`. All sessions of the user end, and their API tokens are revoked. Second factors stay. Log in afterwards.',
    access: anyoneIgnoringToken,
    body: closed({ token: OneTimeToken, newPassword: Password }),
    answer: { status: 204 },
    problems: ['invalid_one_time_token'],
    concurrency: 4,
    examples: { body: { token: 'Zm9v…', newPassword: 'staple battery horse' } },
  }),
  changePassword: route({
    method: 'PUT',
    path: '/auth/password',
    group: 'account',
    summary: 'Change your password',
    description:
      'Revokes all your other sessions and your API tokens. With `keepTokens: true` the API tokens stay valid. Wrong current passwords cause the same delays as at log-in.',
    access: signedInUser,
    body: closed({
      currentPassword: Type.String({ maxLength: 200 }),
      newPassword: Password,
      keepTokens: Type.Optional(KeepTokens),
    }),
    answer: { status: 204 },
    problems: ['invalid_credentials'],
    concurrency: 4,
    examples: { body: { currentPassword: 'correct horse battery', newPassword: 'staple battery horse' } },
  }),
};
