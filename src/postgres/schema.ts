import type { ColumnType, Generated, GeneratedAlways, JSONColumnType, Selectable } from 'kysely';
import type { CrewRole, ProducerRole } from '../kernel/access.ts';
import type { AgeRating } from '../kernel/age-ratings.ts';
import type { Locale } from '../kernel/locale.ts';
import type { PictureFormat } from '../kernel/picture.ts';
import type { ProducerLinkKind } from '../kernel/producer-links.ts';

interface InvitationColumns {
  invitation: Generated<number | null>;
  invited_email: Generated<string | null>;
  invited_name: Generated<string | null>;
}

/** The types of the tables. They must match the tables that `migrations/` creates. */
export interface Schema {
  app_user: {
    id: GeneratedAlways<number>;
    email: string;
    name: string;
    password_hash: string | null;
    admin: ColumnType<boolean, boolean | undefined>;
    disabled_at: Date | null;
    created_at: Date;
    updated_at: Date;
    last_login_at: ColumnType<Date | null, never, Date>;
  };
  producer: {
    id: GeneratedAlways<number>;
    name: string;
    currency: string;
    description: string | null;
    links: JSONColumnType<{ kind: ProducerLinkKind; url: string }[], string | undefined>;
    logo: string | null;
    picture_id: Generated<string | null>;
    payout_provider: Generated<string | null>;
    payout_account: Generated<string | null>;
    created_at: Date;
    updated_at: Date;
  };
  producer_member: { producer_id: number; user_id: number; role: ProducerRole; created_at: Date } & InvitationColumns;
  auth_session: {
    id: string;
    user_id: number;
    device: string | null;
    created_at: Date;
    last_used_at: Date;
    expires_at: Date;
    revoked_at: Date | null;
    revoked_because: string | null;
  };
  refresh_token: { hash: Buffer; session_id: string; issued_at: Date; used_at: Date | null };
  auth_factor: {
    id: GeneratedAlways<number>;
    user_id: number;
    kind: 'totp' | 'webauthn';
    name: string;
    sealed_secret: Generated<Buffer | null>;
    last_step: Generated<number | null>;
    credential_id: Generated<string | null>;
    public_key: Generated<Buffer | null>;
    sign_count: Generated<number | null>;
    transports: Generated<string[] | null>;
    created_at: Date;
    confirmed_at: Date | null;
    last_used_at: Generated<Date | null>;
  };
  recovery_code: { user_id: number; hash: Buffer };
  one_time_token: {
    hash: Buffer;
    user_id: number;
    purpose: 'second_factor' | 'webauthn_registration' | 'invitation' | 'password_reset';
    challenge: string | null;
    created_at: Date;
    expires_at: Date;
  };
  api_token: {
    id: GeneratedAlways<number>;
    user_id: number;
    name: string;
    permissions: string[];
    event_ids: number[] | null;
    channels: Generated<number[] | null>;
    created_at: Date;
    expires_at: Date;
    revoked_at: Date | null;
  };
  signing_key: {
    kid: string;
    public_jwk: JSONColumnType<object>;
    sealed_key: Buffer;
    created_at: Date;
    retired_at: Date | null;
  };
  login_failure: { subject: string; failures: number; expires_at: Date; blocked_until: ColumnType<Date | null, Date | undefined, Date> };
  known_network: { hash: Buffer; expires_at: Date };
  idempotency_key: { caller: string; key_hash: Buffer; fingerprint: Buffer; answer: Buffer | null; created_at: Date };
  audit_log: {
    /** 0 if the change belongs to no event. */
    event_id: number;
    id: GeneratedAlways<number>;
    at: Date;
    actor_kind: 'anonymous' | 'device' | 'system' | 'user';
    actor: string | null;
    api_token: number | null;
    operation: string;
    request_id: string;
    producer_id: number | null;
    subject: string;
    subject_id: string;
    before: string | null;
    after: string | null;
  };
  picture: {
    id: string;
    width: number;
    height: number;
    widths: number[];
    formats: PictureFormat[];
    color: string;
    used_at: Date;
    removing: Generated<boolean>;
  };
  retention_status: {
    kind: string;
    removed: number;
    failures: number;
    last_done_at: Date | null;
    last_failed_at: Date | null;
    last_error: string | null;
  };
  mail: {
    /** 0 if the mail belongs to no event. */
    event_id: number;
    id: GeneratedAlways<number>;
    kind: string;
    recipient: string | null;
    locale: string;
    payload: JSONColumnType<object> | null;
    dedupe_key: string;
    status: 'queued' | 'sent' | 'failed';
    attempts: number;
    next_attempt_at: Date;
    last_error: string | null;
    message_id: string;
    created_at: Date;
    sent_at: Date | null;
  };
  mail_count: {
    scope: string;
    period: Date;
    n: number;
  };
  export: {
    event_id: number;
    id: GeneratedAlways<number>;
    user_id: number;
    type: 'transactions' | 'guestlist' | 'passkey';
    format: 'csv' | 'xlsx';
    filters: JSONColumnType<object>;
    locale: Locale;
    bom: boolean;
    personal: boolean;
    fingerprint: Buffer;
    status: ColumnType<'queued' | 'running' | 'ready' | 'failed' | 'cancelled' | 'expired', never, 'cancelled'>;
    attempt: ColumnType<number, never>;
    next_attempt_at: Date;
    rows: ColumnType<number, never>;
    total: ColumnType<number | null, never>;
    bytes: ColumnType<number | null, never>;
    sha256: ColumnType<Buffer | null, never>;
    reason: ColumnType<string | null, never>;
    file_key: ColumnType<string | null, never>;
    created_at: Date;
    finished_at: ColumnType<Date | null, never, Date>;
    expires_at: ColumnType<Date | null, never>;
  };
  change: {
    event_id: number;
    id: GeneratedAlways<number>;
    type: string;
    subject: string;
    part: string | null;
    at: Date;
  };
  feed_entry: {
    position: GeneratedAlways<number>;
    producer_id: number;
    event_id: number;
    type: string;
    subject: string;
    part: string | null;
    at: Date;
  };
  webhook: {
    id: number;
    producer_id: number;
    url: string;
    types: string[];
    paused: boolean;
    sealed_secret: Buffer;
    sealed_old_secret: Generated<Buffer | null>;
    old_secret_until: Generated<Date | null>;
    position: number;
    failures: Generated<number>;
    failing_since: Generated<Date | null>;
    retry_at: Generated<Date | null>;
    created_at: Date;
    updated_at: Date;
  };
  webhook_delivery: {
    webhook_id: number;
    id: GeneratedAlways<number>;
    position: number | null;
    event_id: number | null;
    type: string;
    subject: string;
    part: string | null;
    changed_at: Date;
    status: Generated<'pending' | 'delivered' | 'parked'>;
    attempts: Generated<number>;
    next_attempt_at: Date;
    created_at: Date;
    first_attempted_at: Generated<Date | null>;
    attempted_at: Generated<Date | null>;
    duration_ms: Generated<number | null>;
    response_status: Generated<number | null>;
    response: Generated<string | null>;
    error: Generated<string | null>;
  };
  file_link_key: { only_one: ColumnType<boolean, never>; secret: ColumnType<Buffer, never> };
  category: { id: GeneratedAlways<number>; slug: string; name: string; position: number };
  event: {
    /** Taken from the sequence before the event is inserted, because its link is claimed first. */
    id: number;
    producer_id: number;
    category_id: number;
    title: string;
    subtitle: string | null;
    link: string;
    description: string;
    doors_open: number | null;
    age_rating: AgeRating | null;
    faq: JSONColumnType<{ question: string; answer: string }[], string | undefined>;
    accessibility: string | null;
    status: 'draft' | 'published' | 'private' | 'cancelled';
    sale_enabled: boolean;
    poster: string | null;
    picture_id: Generated<string | null>;
    timezone: string;
    currency: string;
    /** The default is the minimum that Brazilian law requires. */
    withdrawal_days: Generated<number>;
    maximum_per_order: Generated<number>;
    challenge: Generated<'auto' | 'always' | 'off'>;
    disputed_tickets: Generated<'admit' | 'refuse'>;
    reentry: Generated<'none' | 'once' | 'unlimited'>;
    waiting_list: Generated<boolean>;
    waiting_list_hours: Generated<number>;
    venue_name: string | null;
    venue_street: string | null;
    venue_city: string | null;
    venue_state: string | null;
    venue_country: string | null;
    venue_zip: string | null;
    venue_lat: number | null;
    venue_lng: number | null;
    description_text: string;
    starts_at: ColumnType<Date | null, never>;
    finishes_at: ColumnType<Date | null, never>;
    created_at: Date;
    updated_at: Date;
  };
  event_link: { link: string; event_id: number };
  event_session: {
    event_id: number;
    id: GeneratedAlways<number>;
    name: string;
    starts_at: Date;
    finishes_at: Date;
    capacity: number | null;
    sold: ColumnType<number, never>;
    held: ColumnType<number, never>;
  };
  event_word: { event_id: number; word: string; in_title: boolean; starts_at: Date };
  event_attribute: { event_id: number; key: string; value: JSONColumnType<object> };
  event_crew: { event_id: number; user_id: number; role: CrewRole; created_at: Date } & InvitationColumns;
  featured: {
    id: GeneratedAlways<number>;
    position: number;
    event_id: number | null;
    image: string | null;
    picture_id: string | null;
    target: string | null;
    state: string | null;
    show_from: Date | null;
    show_until: Date | null;
  };
  home_section: { id: GeneratedAlways<number>; title: string; slug: string; position: number };
  home_section_event: { section_id: number; event_id: number; position: number };
  home_cover: {
    only_one: ColumnType<boolean, never>;
    image: string | null;
    picture_id: string | null;
    title: string | null;
    target: string | null;
    event_id: number | null;
  };
  ticket_order: {
    event_id: number;
    id: number;
    status: 'held' | 'approved' | 'expired' | 'cancelled' | 'refunded';
    app_category_id: number;
    session_id: number | null;
    passkey_id: number | null;
    buyer_name: string | null;
    buyer_email: string | null;
    buyer_document: string | null;
    locale: Locale | null;
    total: number;
    currency: string;
    secret_hash: Buffer;
    created_at: Date;
    expires_at: Date;
    extended: boolean;
    held_to_pay: Generated<boolean>;
    approved_at: Date | null;
    closed_at: Date | null;
    /** A hash of the buyer's network. Null when the order is no longer held. */
    network: number | null;
  };
  order_line: {
    event_id: number;
    order_id: number;
    item_id: number;
    session_ids: number[];
    quantity: number;
    refunded: number;
    restocked: number;
    price: number;
    fee_sale: number;
    fee_producer: number;
    unlocked: boolean;
  };
  network_hold: { event_id: number; network: number; item_id: number; held: number; lapsed: number; lapsed_at: Date };
  waiting_room: {
    event_id: number;
    enabled: boolean;
    opens_at: Date;
    auto: boolean;
    per_minute: number;
    paused: boolean;
    minutes: number;
    orders_per_place: number;
    seed: Buffer;
    first_number: number;
    last_number: number;
    skipped: Generated<number>;
    drawn_to: number | null;
    adjusted_at: Date | null;
  };
  waiting_room_rate: { event_id: number; since: Date; from_place: number; per_minute: number };
  waiting_room_report: { event_id: number; process: string; pressure: number; capacity: number | null; reported_at: Date };
  waiting_room_order: { event_id: number; number: number; slot: number; order_id: number };
  order_link: { event_id: number; token_hash: Buffer; order_id: number; created_at: Date };
  spent_challenge: { event_id: number; nonce: Buffer; expires_at: Date };
  order_note: { event_id: number; id: GeneratedAlways<number>; order_id: number; author_id: number; text: string; created_at: Date };
  item_buyer: { event_id: number; item_id: number; buyer: Buffer; taken: number; most: number };
  ticket: {
    event_id: number;
    id: number;
    order_id: number;
    item_id: number;
    session_ids: number[];
    holder: string | null;
    status: 'valid' | 'refunded';
    disputed: Generated<boolean>;
    external_code_id: number | null;
    created_at: Date;
  };
  ticket_log: { event_id: number; last_change: Generated<number> };
  /** A change has either the orders whose tickets were issued, or the tickets that were refunded or disputed. */
  ticket_change: { event_id: number; id: number; issued_order_ids: number[] | null; changed_ids: number[] | null };
  /** A view, not a table. */
  ticket_guest: {
    event_id: number;
    id: number;
    order_id: number;
    item_id: number;
    session_ids: number[];
    app_category_id: number;
    code: string | null;
    name: string | null;
    email: string | null;
    document: string | null;
  };
  /** A view, not a table. */
  code_guest: {
    event_id: number;
    id: number;
    item_id: number;
    session_ids: number[];
    session_id: number | null;
    code: string;
    name: string | null;
    document: string | null;
  };
  waiting_line: {
    event_id: number;
    id: GeneratedAlways<number>;
    item_id: number;
    session_id: number | null;
    waiting: ColumnType<number, never>;
  };
  waiting_entry: {
    event_id: number;
    id: GeneratedAlways<number>;
    line_id: number;
    quantity: number;
    email: string | null;
    locale: Locale;
    status: 'unconfirmed' | 'waiting' | 'offered' | 'bought' | 'lapsed' | 'left' | 'removed';
    place: number | null;
    order_id: number | null;
    created_at: Date;
    confirmed_at: Date | null;
    offered_at: Date | null;
    closed_at: Date | null;
  };
  waiting_link: { event_id: number; token_hash: Buffer; entry_id: number };
  door: { event_id: number; salt: Generated<Buffer>; codes_deleted: Generated<number> };
  door_session: { event_id: number; session_id: number };
  door_device: {
    event_id: number;
    id: GeneratedAlways<number>;
    name: string;
    gate: string | null;
    token_hash: Buffer;
    created_at: Date;
    expires_at: Date;
    revoked_at: Date | null;
    last_seen_at: Date | null;
  };
  checkin: {
    event_id: number;
    id: Generated<number>;
    nonce: string;
    ticket_id: number | null;
    external_code_id: number | null;
    item_id: number | null;
    session_id: number | null;
    at: Date;
    gate: string | null;
    device: string;
    user_id: number | null;
    received_at: Date;
    result:
      | 'admitted'
      | 'already_used'
      | 'exited'
      | 'not_inside'
      | 'not_allowed'
      | 'wrong_session'
      | 'refunded'
      | 'unknown'
      | 'not_yet_valid';
    used_at: Date | null;
    used_gate: string | null;
    state: 'inside' | 'reentered' | 'exited' | 'double' | 'unmatched' | 'undone' | 'refused';
    changed_id: number | null;
  };
  checkin_undo: { event_id: number; nonce: string; undoes: string; at: Date; device: string; user_id: number | null; received_at: Date };
  /** A view, not a table. */
  admission: {
    event_id: number;
    ticket_id: number | null;
    external_code_id: number | null;
    session_id: number | null;
    item_id: number;
    nonce: string;
    at: Date;
    gate: string | null;
    device: string;
  };
  ticket_key: {
    event_id: number;
    kid: number;
    public_key: Buffer;
    sealed_key: Buffer;
    created_at: Date;
  };
  item: {
    event_id: number;
    id: GeneratedAlways<number>;
    parent_id: number | null;
    type: 'ticket' | 'group' | 'passport' | 'courtesy' | 'external';
    name: string;
    description: string;
    position: number;
    quantity: number | null;
    sold: ColumnType<number, never>;
    held: ColumnType<number, never>;
    hidden: boolean;
    salable: boolean;
    archived: ColumnType<boolean, never, boolean>;
    created_at: Date;
    updated_at: Date;
  };
  item_session: { event_id: number; item_id: number; session_id: number };
  item_attribute: {
    event_id: number;
    item_id: number;
    key: string;
    type: 'integer' | 'decimal' | 'boolean' | 'string' | 'datetime';
    value: string;
  };
  item_values: { event_id: number; item_id: number; price: number; fee_sale: number; fee_producer: number };
  item_trigger: {
    event_id: number;
    id: GeneratedAlways<number>;
    item_id: number;
    on_what: 'soldout' | 'start' | 'finish';
    action: 'open' | 'close';
    target_item_id: number;
    fired_at: Date | null;
  };
  passkey: {
    event_id: number;
    id: GeneratedAlways<number>;
    code: string;
    starts_at: Date | null;
    finishes_at: Date | null;
    use_limit: number | null;
    used: ColumnType<number, never>;
    held: ColumnType<number, never>;
    created_at: Date;
    updated_at: Date;
    deleted_at: ColumnType<Date | null, never, Date>;
  };
  passkey_item: { event_id: number; passkey_id: number; item_id: number };
  external_code: {
    event_id: number;
    id: GeneratedAlways<number>;
    item_id: number;
    session_id: number | null;
    code: string;
    holder_name: string | null;
    holder_document: string | null;
    status: 'available' | 'assigned' | 'used';
    created_at: Date;
  };
  producer_tax_policy: { producer_id: number; rate_e4: number; minimum: number; distribution_e4: number };
  event_tax_policy: { event_id: number; rate_e4: number; minimum: number; distribution_e4: number };
  sale_period: {
    event_id: number;
    item_id: number;
    app_category_id: number;
    starts_at: Date;
    finishes_at: Date;
    available: number;
    sold: ColumnType<number, never>;
    held: ColumnType<number, never>;
  };
}

/** The type of a row that is read from a table. */
export type Row<Table extends keyof Schema> = Selectable<Schema[Table]>;
