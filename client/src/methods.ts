import type {
  AllMethod,
  AnswerOf,
  Call,
  Caller,
  CallOptions,
  ElementOf,
  InputOf,
  LiveMethod,
  LiveName,
  Method,
  OperationName,
  Query,
  Selecting,
} from './call.ts';
import { untilOf } from './request.ts';
import { watch } from './watch.ts';

type FindInput = InputOf<'findEvent'>;
type FoundPage = Extract<AnswerOf<'findEvent'>, { data: unknown }>;
type FoundEvent = Exclude<AnswerOf<'findEvent'>, { data: unknown }>;
type FeaturedPage = AnswerOf<'getFeatured'>;
type Banner = Extract<ElementOf<FeaturedPage>, { image: unknown }>;
type PageOf<P, E> = Omit<P, 'data'> & { data: E[] };
type ItemId = Pick<InputOf<'updateItem'>, 'id'>;

/** A query string from the caller. The client sends it unchanged, instead of `link`, `fields` and `method`. */
interface OwnQuery {
  query: Query;
}

type Identify = Selecting<'findEvent', Required<Pick<FindInput, 'link'>> & Pick<FindInput, 'fields'>, FoundEvent> &
  ((input: OwnQuery, options?: CallOptions) => Call<'findEvent'>);

type SearchInput = Omit<FindInput, 'method' | 'link'>;

type Featured = ((
  input: { method: 'banner'; state?: string },
  options?: CallOptions,
) => Call<'getFeatured', PageOf<FeaturedPage, Banner>>) &
  Selecting<
    'getFeatured',
    Omit<InputOf<'getFeatured'>, 'method'> & { method?: 'events' },
    PageOf<FeaturedPage, Exclude<ElementOf<FeaturedPage>, Banner>>
  >;

type GuestInput = Omit<InputOf<'getGuestlist'>, 'method'>;
type GuestPage = Extract<AnswerOf<'getGuestlist'>, { data: unknown }>;
type EntryReport = Exclude<AnswerOf<'getGuestlist'>, { data: unknown }>;
type ExportInput = InputOf<'requestExport'>;

/** An export as `exports.get` returns it, or its id with the signature from its link. */
type FileInput = InputOf<'getExportFile'> | { id: number; link: string | null };

const signatureIn = (link: string | null): string => new URLSearchParams(link?.split('?')[1]).get('signature') ?? '';

const largestPage = 200;

type ListCaller = (name: OperationName, input: object, options?: CallOptions) => Promise<{ data: unknown[]; nextCursor: string | null }>;

/** Yields the elements of all pages. It requests the next page after all elements of the current page were read. */
async function* everyElement(call: ListCaller, name: OperationName, input?: object, options?: CallOptions): AsyncGenerator {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await call(name, { pageSize: largestPage, ...input, cursor }, options);
    yield* page.data;
    cursor = page.nextCursor;
  }
}

export type Methods = ReturnType<typeof methodsOf>;

/**
 * All methods of the client. Each line has a method and the operation that it calls. A few methods also set defaults for their operation.
 * In the published package the description of the operation is the comment of the method.
 */
export function methodsOf(call: Caller) {
  const op = <N extends OperationName>(name: N) => ((input: InputOf<N>, options?: CallOptions) => call(name, input, options)) as Method<N>;

  const all = <N extends OperationName, I = InputOf<N>, A = AnswerOf<N>>(name: N) =>
    ((input?: object, options?: CallOptions) => everyElement(call as ListCaller, name, input, options)) as AllMethod<I, A>;

  const live = <N extends LiveName>(name: N) =>
    ((input: InputOf<N>, options: CallOptions = {}) =>
      watch(() => call(name, input, options) as Promise<Response>, untilOf(name), options)) as LiveMethod<N>;

  return {
    auth: {
      login: op('login'),
      completeLogin: op('completeLogin'),
      refresh: op('refresh'),
      logout: op('logout'),
      me: op('getMe'),
      updateMe: op('updateMe'),
      changePassword: op('changePassword'),
      acceptInvitation: op('acceptInvitation'),
      requestPasswordReset: op('requestPasswordReset'),
      resetPassword: op('resetPassword'),
    },
    factors: {
      list: op('listFactors'),
      createTotp: op('createTotpFactor'),
      confirmTotp: op('confirmTotpFactor'),
      startPasskey: op('startPasskeyFactor'),
      createPasskey: op('createPasskeyFactor'),
      remove: op('removeFactor'),
      renewRecoveryCodes: op('renewRecoveryCodes'),
    },
    loginSessions: {
      list: op('listSessions'),
      listAll: all('listSessions'),
      revoke: op('revokeSession'),
      revokeOthers: op('revokeOtherSessions'),
    },
    apiTokens: {
      create: op('createApiToken'),
      list: op('listApiTokens'),
      listAll: all('listApiTokens'),
      revoke: op('revokeApiToken'),
    },
    users: {
      create: op('createUser'),
      list: op('listUsers'),
      listAll: all('listUsers'),
      get: op('getUser'),
      roles: op('getUserRoles'),
      update: op('updateUser'),
    },
    producers: {
      create: op('createProducer'),
      list: op('listProducers'),
      listAll: all('listProducers'),
      get: op('getProducer'),
      update: op('updateProducer'),
      uploadLogo: op('uploadLogo'),
      deleteLogo: op('deleteLogo'),
      profile: op('getProducerProfile'),
      events: op('listProducerEvents'),
      eventsAll: all('listProducerEvents'),
      setPayout: op('setPayout'),
      deletePayout: op('deletePayout'),
      members: {
        list: op('listMembers'),
        listAll: all('listMembers'),
        add: op('addMember'),
        update: op('updateMember'),
        remove: op('removeMember'),
      },
      changes: op('listChanges'),
      webhooks: {
        create: op('createWebhook'),
        list: op('listWebhooks'),
        listAll: all('listWebhooks'),
        get: op('getWebhook'),
        update: op('updateWebhook'),
        delete: op('deleteWebhook'),
        rotateSecret: op('rotateWebhookSecret'),
        replay: op('replayWebhook'),
        test: op('testWebhook'),
        deliveries: op('listDeliveries'),
        deliveriesAll: all('listDeliveries'),
        delivery: op('getDelivery'),
        sendAgain: op('sendDeliveryAgain'),
      },
    },
    events: {
      /** Returns the event whose slug or id is `link`. If you give a `query`, it is sent unchanged instead of `link` and `fields`. */
      identify: (({ query, ...input }: Partial<OwnQuery>, options?: CallOptions) =>
        call('findEvent', query ? {} : { ...input, method: 'identify' }, {
          ...options,
          query: { ...query, ...options?.query },
        })) as Identify,
      search: op('findEvent') as Selecting<'findEvent', SearchInput, FoundPage>,
      searchAll: all<'findEvent', SearchInput, FoundPage>('findEvent'),
      get: op('getEvent'),
      tickets: op('getEventTickets'),
      sessionTickets: op('getSessionTickets'),
      crew: op('getCrew'),
      attributes: op('getAttributes'),
      list: op('listEvents'),
      listAll: all('listEvents'),
      create: op('createEvent'),
      update: op('updateEvent'),
      publish: op('publishEvent'),
      unpublish: op('unpublishEvent'),
      cancel: op('cancelEvent'),
      cancellation: op('getCancellation'),
      duplicate: op('duplicateEvent'),
      checklist: op('getChecklist'),
      preview: op('createPreview'),
      setAttributes: op('updateAttributes'),
      uploadPoster: op('uploadPoster'),
      deletePoster: op('deletePoster'),
    },
    sessions: {
      create: op('createSession'),
      update: op('updateSession'),
      delete: op('deleteSession'),
      duplicate: op('duplicateSession'),
    },
    crew: {
      add: op('addCrewMember'),
      update: op('updateCrewMember'),
      remove: op('removeCrewMember'),
    },
    categories: {
      list: op('listCategories'),
      events: op('listCategoryEvents'),
      eventsAll: all('listCategoryEvents'),
      create: op('createCategory'),
      update: op('updateCategory'),
      delete: op('deleteCategory'),
    },
    home: {
      featured: op('getFeatured') as Featured,
      sections: op('getHomeSections'),
      /** @deprecated The older name of `sections`. */
      getSections: op('getHomeSections'),
      cover: op('getHomeCover'),
      settings: op('getHomeSettings'),
      setCover: op('setCover'),
      uploadCoverImage: op('uploadCoverImage'),
      deleteCoverImage: op('deleteCoverImage'),
      createSection: op('createSection'),
      updateSection: op('updateSection'),
      deleteSection: op('deleteSection'),
      listFeatured: op('listFeatured'),
      createFeatured: op('createFeatured'),
      updateFeatured: op('updateFeatured'),
      deleteFeatured: op('deleteFeatured'),
      uploadBannerImage: op('uploadBannerImage'),
      deleteBannerImage: op('deleteBannerImage'),
    },
    items: {
      types: op('listTypes'),
      list: op('listItems'),
      listAll: all('listItems'),
      get: op('getItem'),
      create: op('createItem'),
      update: op('updateItem'),
      duplicate: op('duplicateItem'),
      order: op('orderItems'),
      updateMany: op('updateItems'),
      /** Archives an item: it is no longer sold, and it stays in orders and reports. */
      remove: ({ id }: ItemId, options?: CallOptions): Call<'updateItem'> => call('updateItem', { id, archived: true }, options),
      /** Restores an item that was archived with `remove`. */
      restore: ({ id }: ItemId, options?: CallOptions): Call<'updateItem'> => call('updateItem', { id, archived: false }, options),
      attributes: { create: op('createAttribute'), update: op('updateAttribute'), delete: op('deleteAttribute') },
      salesPeriods: { create: op('createSalesPeriod'), update: op('updateSalesPeriod'), delete: op('deleteSalesPeriod') },
      values: { create: op('createValues'), update: op('updateValues') },
      triggers: { list: op('listTriggers'), replace: op('replaceTriggers') },
    },
    tax: {
      get: op('getTax'),
      producerPolicy: op('getProducerTaxPolicy'),
      eventPolicy: op('getEventTaxPolicy'),
      policies: op('listTaxPolicies'),
      policiesAll: all('listTaxPolicies'),
      setProducerPolicy: op('setProducerTaxPolicy'),
      setEventPolicy: op('setEventTaxPolicy'),
      removeProducerPolicy: op('removeProducerTaxPolicy'),
      removeEventPolicy: op('removeEventTaxPolicy'),
    },
    passkeys: {
      list: op('listPasskeys'),
      listAll: all('listPasskeys'),
      get: op('getPasskey'),
      create: op('createPasskey'),
      createBatch: op('createPasskeyBatch'),
      update: op('updatePasskey'),
      setItems: op('replacePasskeyItems'),
      delete: op('deletePasskey'),
    },
    codes: {
      upload: op('importCodes'),
      list: op('listCodes'),
      listAll: all('listCodes'),
      delete: op('deleteCodes'),
      deleteOne: op('deleteCode'),
    },
    queue: { get: op('getQueue'), join: op('joinQueue'), claim: op('claimPlace') },
    waitingRoom: {
      get: op('getWaitingRoom'),
      update: op('updateWaitingRoom'),
      open: op('openWaitingRoom'),
      delete: op('deleteWaitingRoom'),
    },
    orders: {
      create: op('createOrder'),
      get: op('getOrder'),
      setBuyer: op('setBuyer'),
      pay: op('payOrder'),
      cancel: op('cancelOrder'),
      extend: op('extendOrder'),
      refund: op('refundOrder'),
      refunds: op('listRefunds'),
      allRefunds: all('listRefunds'),
      retryRefund: op('retryRefund'),
      settleRefund: op('settleRefund'),
      anonymize: op('anonymizeOrder'),
      openSession: op('openOrderSession'),
      closeSession: op('closeOrderSession'),
      revokeLinks: op('revokeOrderLinks'),
      changeBuyerEmail: op('changeBuyerEmail'),
      notes: { list: op('listOrderNotes'), listAll: all('listOrderNotes'), create: op('createOrderNote') },
      details: op('getOrderDetails'),
      timeline: op('getOrderTimeline'),
      timelineAll: all('getOrderTimeline'),
      tickets: op('getOrderTickets'),
      allTickets: all('getOrderTickets'),
      ticketSvg: op('getTicketSvg'),
      ticketPng: op('getTicketPng'),
      ticketsPdf: op('getTicketsPdf'),
      calendar: op('getOrderCalendar'),
      resendTickets: op('resendTickets'),
      list: op('listOrders'),
      listAll: all('listOrders'),
    },
    payments: {
      methods: op('listPaymentMethods'),
      receiveNotice: op('receiveNotice'),
      sandbox: op('getSandbox'),
      notify: op('receiveSandboxNotice'),
    },
    waitingList: {
      join: op('joinWaitingList'),
      entry: op('getWaitingListEntry'),
      confirm: op('confirmWaitingListEntry'),
      leave: op('leaveWaitingList'),
      openOffer: op('openWaitingListOffer'),
      list: op('listWaitingList'),
      listAll: all('listWaitingList'),
      summary: op('getWaitingListSummary'),
      remove: op('removeWaitingListEntry'),
    },
    door: {
      start: op('getDoor'),
      counters: op('getCounters'),
      search: op('searchGuests'),
      devices: { create: op('createDevice'), list: op('listDevices'), listAll: all('listDevices'), revoke: op('revokeDevice') },
      checkIn: op('makeCheckins'),
      undo: op('undoCheckins'),
      list: op('listCheckins'),
      listAll: all('listCheckins'),
      manifest: op('getManifest'),
    },
    reports: {
      /** Returns how many people were checked in, by item and by hour, for the event or for one session. */
      entry: ({ eventId, sessionId }: Pick<GuestInput, 'eventId' | 'sessionId'>, options?: CallOptions) =>
        call('getGuestlist', { eventId, method: 'report', ...(sessionId !== undefined && { sessionId }) }, options) as Call<
          'getGuestlist',
          EntryReport
        >,
      guests: op('getGuestlist') as (input: GuestInput, options?: CallOptions) => Call<'getGuestlist', GuestPage>,
      guestsAll: all<'getGuestlist', GuestInput, GuestPage>('getGuestlist'),
      dashboard: op('getDashboard'),
      bordero: op('getBordero'),
      borderoPdf: op('getBorderoPdf'),
    },
    exports: {
      request: op('requestExport'),
      /** Requests an export of passkeys. The default is a CSV file of the approved ones. */
      requestPasskeysReport: (input: ExportInput, options?: CallOptions): Call<'requestExport'> => {
        const { type = 'passkey', format = 'csv', filters = [{ status: 'approved' }] } = input;
        return call('requestExport', { ...input, type, format, filters }, options);
      },
      /** Requests an export of a list. The default is a CSV file of all transactions. */
      requestExportList: (input: ExportInput, options?: CallOptions): Call<'requestExport'> => {
        const { type = 'transactions', format = 'csv', filters = [] } = input;
        return call('requestExport', { ...input, type, format, filters }, options);
      },
      list: op('listExports'),
      listAll: all('listExports'),
      get: op('getExport'),
      watch: live('watchExport'),
      cancel: op('cancelExport'),
      /** Downloads the file of a finished export. Returns the `Response`, which you can read as text, as a stream or as a blob. */
      download: (input: FileInput, options?: CallOptions): Call<'getExportFile'> =>
        call('getExportFile', 'link' in input ? { id: input.id, signature: signatureIn(input.link) } : input, options),
    },
    system: { health: op('getSystemHealth') },
    mailbox: { list: op('listMailbox'), listAll: all('listMailbox'), get: op('getMailboxMail') },
  };
}
