import Type, { type Static } from 'typebox';
import { reentryRules } from '../events/event-schemas.ts';
import { orDevice, permitted } from '../kernel/access.ts';
import { ageRatings } from '../kernel/age-ratings.ts';
import { route } from '../kernel/route.ts';
import { closed, Id, Instant, line, named, nullable, oneOf, pageOf, pageQuery } from '../kernel/schema.ts';

const DeviceName = line(100, 'Phone 3');
export const Gate = line(100, 'Gate A');

const deviceFields = {
  id: Id,
  name: DeviceName,
  gate: nullable(Type.String({ description: 'The gate at which the device is used. Null if the steward chooses it on the device' })),
  createdAt: Instant,
  expiresAt: Instant,
};
const DoorDevice = named('DoorDevice', {
  ...deviceFields,
  lastSeenAt: nullable(
    Type.String({
      format: 'date-time',
      description: 'When the device sent its last request, at most a minute late. Null before the first',
    }),
  ),
  revokedAt: nullable(Instant),
});
export type DoorDevice = Static<typeof DoorDevice>;

const NewDoorDevice = named('NewDoorDevice', {
  ...deviceFields,
  token: Type.String({ description: 'The access token of the device. It is shown only once' }),
  link: Type.String({ description: 'Opens the door app and signs the device in. Show it as a QR code' }),
});
export type NewDoorDevice = Static<typeof NewDoorDevice>;

const DeviceBody = closed({
  name: DeviceName,
  gate: Type.Optional(Gate),
  expiresAt: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Default: 7 days after the last session ends',
      examples: ['2026-11-28T02:00:00.000Z'],
    }),
  ),
});
export type DeviceBody = Static<typeof DeviceBody>;

const DoorStart = named('DoorStart', {
  event: closed({
    id: Id,
    title: Type.String(),
    timezone: Type.String(),
    reentry: oneOf(reentryRules, { description: 'Whether guests who have left may enter again' }),
    ageRating: nullable(
      oneOf(ageRatings, { description: 'The Brazilian age classification. Show it for events that are not for all ages' }),
    ),
  }),
  sessions: Type.Array(
    closed({
      id: Id,
      name: Type.String(),
      start: Instant,
      finish: Instant,
      doorsOpenAt: nullable(
        Type.String({ format: 'date-time', description: 'When the doors open, as announced. Null if it is not announced' }),
      ),
      opensAt: Type.String({ format: 'date-time', description: 'Earlier scans get `not_yet_valid`' }),
      closesAt: Type.String({ format: 'date-time', description: 'Later scans get `wrong_session`' }),
    }),
  ),
  gates: Type.Array(Type.String(), { description: 'The names of gates that scans or devices of the event have, in alphabetical order' }),
  device: Type.Unsafe<{ id: number; name: string; gate: string | null } | null>({
    type: ['object', 'null'],
    required: ['id', 'name', 'gate'],
    additionalProperties: false,
    properties: { id: Id, name: Type.String(), gate: nullable(Type.String()) },
    description: 'The device that sent the request. Null for users',
  }),
  mayScan: Type.Boolean({ description: 'Whether the caller may check in tickets' }),
  maySearch: Type.Boolean({ description: 'Whether the caller may search guests and check in tickets by `ticketId`' }),
  now: Type.String({ format: 'date-time', description: "The server's clock. Measure the clock of the device against it" }),
});
export type DoorStart = Static<typeof DoorStart>;

const eventParams = Type.Object({ eventId: Id });
const exampleDevice = {
  id: 3,
  name: 'Phone 3',
  gate: 'Gate A',
  createdAt: '2026-11-18T12:00:00.000Z',
  expiresAt: '2026-11-28T02:00:00.000Z',
};
const exampleToken = 'tsd_12_Jx2tO0sYQ7mXG8cK1b5vPz9LrN4aWdE-';

/** The operations of devices, and the data with which the door app starts. */
export const deviceContract = {
  createDevice: route({
    method: 'POST',
    path: '/event/{eventId}/devices',
    group: 'door',
    summary: 'Add a device for the door',
    description:
      'Creates a token for a phone or scanner that checks in tickets of this event. The token may read what the door app needs, check in, undo, and read the counters. It may do nothing else, and only for this event. The response contains the token once; only its hash is stored.',
    access: permitted('device.manage', { event: 'path.eventId' }),
    params: eventParams,
    body: DeviceBody,
    answer: { status: 201, body: NewDoorDevice },
    problems: ['rule_violation'],
    examples: {
      params: { eventId: 12 },
      body: { name: 'Phone 3', gate: 'Gate A' },
      answer: { ...exampleDevice, token: exampleToken, link: `https://tickets.example.com/door/#pair=${exampleToken}` },
    },
  }),
  listDevices: route({
    method: 'GET',
    path: '/event/{eventId}/devices',
    group: 'door',
    summary: 'List the devices of the door',
    description: 'Returns all devices of the event, also expired and revoked ones. It does not return their tokens.',
    access: permitted('device.manage', { event: 'path.eventId' }),
    params: eventParams,
    query: Type.Object(pageQuery),
    answer: { status: 200, body: pageOf(DoorDevice) },
    examples: {
      params: { eventId: 12 },
      answer: { data: [{ ...exampleDevice, lastSeenAt: '2026-11-20T20:15:00.000Z', revokedAt: null }], nextCursor: null },
    },
  }),
  revokeDevice: route({
    method: 'DELETE',
    path: '/event/{eventId}/devices/{deviceId}',
    group: 'door',
    summary: 'Revoke a device',
    description:
      'Requests of the device get 401 from now on. Scans that it made while it was offline can no longer be sent with its token. Returns 404 if the device is already revoked.',
    access: permitted('device.manage', { event: 'path.eventId' }),
    params: Type.Object({ eventId: Id, deviceId: Id }),
    answer: { status: 204 },
    examples: { params: { eventId: 12, deviceId: 3 } },
  }),
  getDoor: route({
    method: 'GET',
    path: '/event/{eventId}/door',
    group: 'door',
    summary: 'Get what a door app needs to start',
    description:
      'Returns the event, its sessions and gates, and what the caller may do at the door. The manifest has the data that a device needs to check tickets while it is offline.',
    access: orDevice(permitted('event.read', { event: 'path.eventId' })),
    params: eventParams,
    answer: { status: 200, body: DoorStart },
    examples: {
      params: { eventId: 12 },
      answer: {
        event: { id: 12, title: 'Noite de Samba', timezone: 'America/Sao_Paulo', reentry: 'none', ageRating: '18' },
        sessions: [
          {
            id: 7,
            name: 'Night',
            start: '2026-11-20T23:00:00.000Z',
            finish: '2026-11-21T02:00:00.000Z',
            doorsOpenAt: '2026-11-20T22:00:00.000Z',
            opensAt: '2026-11-20T11:00:00.000Z',
            closesAt: '2026-11-21T08:00:00.000Z',
          },
        ],
        gates: ['Gate A', 'Gate B'],
        device: { id: 3, name: 'Phone 3', gate: 'Gate A' },
        mayScan: true,
        maySearch: false,
        now: '2026-11-20T20:15:02.120Z',
      },
    },
  }),
};
