export { Account } from './account.tsx';
export { ApiTokens } from './api-tokens.tsx';
export { Security } from './security.tsx';
