import { describe, expect, it } from 'vitest';
import { findDeliveryFaults } from '../soak/webhooks.ts';

const feed = [
  { id: 'msg_1', subject: 'order 7' },
  { id: 'msg_2', subject: 'order 8' },
  { id: 'msg_3', subject: 'order 7' },
];

describe('the check of webhooks in npm run soak', () => {
  it.each([
    ['messages in the order of the feed', ['msg_1', 'msg_2', 'msg_3'], []],
    ['messages about different objects in another order', ['msg_2', 'msg_1', 'msg_3'], []],
    ['a missing message', ['msg_1', 'msg_3'], ['msg_2 about order 8 was not delivered']],
    [
      'two messages about one object in the wrong order',
      ['msg_3', 'msg_2', 'msg_1'],
      ['msg_3 about order 7 was delivered before an earlier change'],
    ],
  ])('%s', (_case, accepted, faults) => {
    expect(findDeliveryFaults(feed, new Set(accepted))).toEqual(faults);
  });
});
