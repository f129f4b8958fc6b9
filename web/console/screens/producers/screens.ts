export { NewProducer } from './new-producer.tsx';
export { ProducerDetail } from './producer-detail.tsx';
export { ProducerList } from './producer-list.tsx';
