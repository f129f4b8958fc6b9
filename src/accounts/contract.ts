import { apiTokenContract } from './api-token-contract.ts';
import { factorContract } from './factor-contract.ts';
import { producerContract } from './producer-contract.ts';
import { signInContract } from './sign-in-contract.ts';
import { userContract } from './user-contract.ts';

export const accountsContract = {
  ...signInContract,
  ...factorContract,
  ...userContract,
  ...apiTokenContract,
  ...producerContract,
};
