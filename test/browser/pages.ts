/** The pages that every browser test of pages opens, by the path after the language. */
export const shopPages = {
  home: '/',
  search: '/search',
  'search without results': '/search?q=nothing-like-this',
  category: '/music',
  event: '/event/noite-de-samba',
  'event with several sessions': '/event/hamlet-rio',
  'event with a wrong code': '/event/noite-de-samba?passkey=WRONG',
  'sold-out event': '/event/riso-solto',
  'waiting list': '/waiting-list/6',
  'cancelled event': '/event/orquestra-ao-ar-livre',
  producer: '/producer/1',
  'not found': '/none/at/all',
} as const;
