export { Bordero } from './bordero.tsx';
export { EntryReport } from './entry-report.tsx';
export { Exports } from './exports.tsx';
