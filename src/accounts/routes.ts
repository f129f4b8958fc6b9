import { type Capability, capability } from '../http/capability.ts';
import type { ReceivePicture } from '../platform/pictures/picture-store.ts';
import { createApiToken, listApiTokens, revokeApiToken } from './api-tokens.ts';
import { accountsContract } from './contract.ts';
import { factorHandlers } from './factor-handlers.ts';
import { addMember, listMembers, removeMember, updateMember } from './members.ts';
import { createProducer, deleteLogo, getProducer, listProducers, updateProducer, uploadLogo } from './producers.ts';
import { signInHandlers } from './sign-in-handlers.ts';
import { createUser, getUser, getUserRoles, listUsers, updateUser } from './users.ts';

interface AccountsParts {
  receivePicture: ReceivePicture;
  siteUrl: string;
}

export const accounts = ({ receivePicture, siteUrl }: AccountsParts): Capability =>
  capability(accountsContract, {
    ...signInHandlers(siteUrl),
    ...factorHandlers(siteUrl),
    createApiToken: (tx, act, { body }) => createApiToken(tx, act, body),
    listApiTokens: (tx, act, { query }) => listApiTokens(tx, act, query),
    revokeApiToken: (tx, act, { params }) => revokeApiToken(tx, act, params.id),
    createUser: (tx, act, { body }) => createUser(tx, act, body),
    listUsers: (tx, _act, { query }) => listUsers(tx, query),
    getUser: (tx, _act, { params }) => getUser(tx, params.id),
    getUserRoles: (tx, _act, { params }) => getUserRoles(tx, params.id),
    updateUser: (tx, act, { params, body }) => updateUser(tx, act, params.id, body),
    createProducer: (tx, act, { body }) => createProducer(tx, act, body),
    listProducers: (tx, act, { query }) => listProducers(tx, act, query),
    getProducer: (tx, act, { params }) => getProducer(tx, act, params.id),
    updateProducer: (tx, act, { params, body }) => updateProducer(tx, act, params.id, body),
    uploadLogo: async (act, { params, file }) => {
      const picture = await receivePicture(act, file, 'logo');
      return (tx) => uploadLogo(tx, act, params.id, picture);
    },
    deleteLogo: (tx, act, { params }) => deleteLogo(tx, act, params.id),
    listMembers: (tx, _act, { params, query }) => listMembers(tx, params.id, query),
    addMember: (tx, act, { params, body }) => addMember(tx, act, params.id, body),
    updateMember: (tx, act, { params, body }) => updateMember(tx, act, params.id, params.userId, body.role),
    removeMember: (tx, act, { params }) => removeMember(tx, act, params.id, params.userId),
  });
