export { OrderDetail } from './order-detail.tsx';
export { OrderList } from './order-list.tsx';
export { RefundList } from './refund-list.tsx';
