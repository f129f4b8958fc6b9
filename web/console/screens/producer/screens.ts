export { Members } from './members.tsx';
export { Payout } from './payout.tsx';
export { ProducerList } from './producer-list.tsx';
export { ProducerProfile } from './producer-profile.tsx';
export { WebhookDetail } from './webhook-detail.tsx';
export { Webhooks } from './webhooks.tsx';
