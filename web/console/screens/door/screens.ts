export { Door } from './door.tsx';
export { ScanList } from './scan-list.tsx';
