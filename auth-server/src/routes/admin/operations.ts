import {
  endSessionOfAccount,
  listGrantsOfAccount,
  listSessionsOfAccount,
  signOutAccount,
} from './account-sessions.ts';
import {
  changeAccountOperation,
  inviteAccount,
  listAccounts,
  readAccount,
  resetAccount,
  type AccountApiFeatures,
} from './accounts.ts';
import type { AnyOperation } from './admin-operation.ts';
import { listAuditEvents, type AuditApiFeatures } from './audit-events.ts';
import {
  listClients,
  readClient,
  registerClientOperation,
  removeClientOperation,
  replaceClientOperation,
  rotateClientSecret,
  type ClientApiFeatures,
} from './clients.ts';
import { findFieldUse, getRecordVerdict, listGateways, type GatewayApiFeatures } from './gateways.ts';
import { revokeGrant, type GrantApiFeatures } from './grants.ts';
import { listKeys, rotateKeys, type KeyApiFeatures } from './keys.ts';
import { listMail, removeMail, retryMail, type MailApiFeatures } from './mail.ts';
import { testSignIn, type SignInTestFeatures } from './sign-in-test.ts';

/** What operations of administration work with. */
export type OperationFeatures = AccountApiFeatures &
  AuditApiFeatures &
  ClientApiFeatures &
  GatewayApiFeatures &
  GrantApiFeatures &
  KeyApiFeatures &
  MailApiFeatures &
  SignInTestFeatures;

/** Every operation of administration. */
export const allOperations: readonly AnyOperation<OperationFeatures>[] = Object.freeze([
  listAccounts,
  inviteAccount,
  readAccount,
  changeAccountOperation,
  resetAccount,
  signOutAccount,
  listGrantsOfAccount,
  listSessionsOfAccount,
  endSessionOfAccount,
  listClients,
  registerClientOperation,
  readClient,
  replaceClientOperation,
  removeClientOperation,
  rotateClientSecret,
  testSignIn,
  revokeGrant,
  listKeys,
  rotateKeys,
  listAuditEvents,
  listMail,
  retryMail,
  removeMail,
  listGateways,
  findFieldUse,
  getRecordVerdict,
]);
