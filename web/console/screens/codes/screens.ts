export { AccessCodeList } from './access-code-list.tsx';
export { ImportedCodes } from './imported-codes.tsx';
