import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type {
  BookReconciliationStart,
  ConnectionAction,
  ConnectionCreate,
  ConnectionPatch,
  ConnectionSync,
  OperationReplay,
} from '../../contracts/generated.js';
import type { VendorKind } from '../../integrations/contract/vendor.js';
import {
  bookReconciliationStart,
  connectionAction,
  connectionCreate,
  connectionPatch,
  connectionSync,
  operationReplay,
} from './schema.js';

/** The start of an OAuth sign-in, which the API process prepares. */
export interface SignInStart {
  id: string;
  state_hash: string;
  verifier_sealed: string;
  session_id: string | null;
  /**
   * The vendor's sign-in address, encrypted because it contains the OAuth state. The API process
   * decrypts it for the response.
   */
  url_sealed: string;
}

/** Members that the API process adds to a body. `secrets_sealed` replaces the credentials. */
interface Prepared {
  secrets_sealed?: string;
  sign_in?: SignInStart;
}

export interface ConnectionCreation extends Omit<ConnectionCreate, 'credentials'>, Prepared {
  kind: VendorKind;
  webhook_url: string;
  scopes: string[];
  /** Maps each stream to the longest time between two reads of the stream, in seconds. */
  streams: Record<string, number>;
}

export type ConnectionChange = Omit<ConnectionPatch, 'credentials'> & Prepared;

export const createConnection = defineCommand<ConnectionCreation>({
  type: 'connection.create',
  action: 'connection.created',
  permission: 'admin',
  creates: true,
  schema: connectionCreate as unknown as Joi.ObjectSchema<ConnectionCreation>,
});

export const updateConnection = defineCommand<ConnectionChange>({
  type: 'connection.update',
  action: 'connection.updated',
  permission: 'admin',
  schema: connectionPatch as unknown as Joi.ObjectSchema<ConnectionChange>,
});

export const reconnectConnection = defineCommand<{ sign_in?: SignInStart }>({
  type: 'connection.reconnect',
  action: 'connection.sign_in_started',
  permission: 'admin',
  schema: connectionAction,
});

const defineAction = (verb: string, action: string) =>
  defineCommand<ConnectionAction>({
    type: `connection.${verb}`,
    action: `connection.${action}`,
    permission: 'admin',
    schema: connectionAction,
  });

export const testConnection = defineAction('test', 'test_requested');
export const pauseConnection = defineAction('pause', 'paused');
export const resumeConnection = defineAction('resume', 'resumed');
export const disconnectConnection = defineAction('disconnect', 'disconnected');

export const syncConnection = defineCommand<ConnectionSync>({
  type: 'connection.sync',
  action: 'connection.sync_requested',
  permission: 'admin',
  schema: connectionSync,
});

/** Compares months with the books of the connection. */
export const reconcileConnection = defineCommand<BookReconciliationStart>({
  type: 'connection.reconcile',
  action: 'connection.reconciliation_requested',
  permission: 'admin',
  schema: bookReconciliationStart,
});

export const replayOutboundOperations = defineCommand<OperationReplay>({
  type: 'connection.replay_operations',
  action: 'connection.operations_replayed',
  permission: 'admin',
  schema: operationReplay,
});

/** A completed OAuth sign-in. `secrets_sealed` contains the authorization code, encrypted. */
export interface ConnectionAuthorization {
  attempt_id: string;
  secrets_sealed: string;
}

/**
 * Stores a completed OAuth sign-in. After the sign-in, the vendor redirects the person to a page of
 * this service, which submits this command.
 */
export const authorizeConnection = defineCommand<ConnectionAuthorization>({
  type: 'connection.authorize',
  action: 'connection.authorized',
  permission: 'admin',
  schema: Joi.object({ attempt_id: Joi.string().required(), secrets_sealed: Joi.string().required() }),
});

export interface ConnectionNotices {
  notices: { dedupe_id: string; stream: string; hint?: string }[];
}

/**
 * Stores the items of a webhook. The route that receives a vendor's webhooks submits this command.
 */
export const receiveNotices = defineCommand<ConnectionNotices>({
  type: 'connection.receive',
  action: 'connection.notified',
  permission: 'admin',
  sharesEntity: true,
  schema: Joi.object({ notices: Joi.array().items(Joi.object()).required() }),
});

/** The vendor's description of the account to which the credentials give access. */
export interface ConnectionVerification {
  external_account: string;
  /** SHA-256 of the vendor and the external account, in hexadecimal digits. */
  account_hash: string;
  label: string | null;
  environment: 'live' | 'sandbox' | null;
  /**
   * The version of the secrets with which the worker read the description. Workers of the previous
   * release do not send this member. The handler then assumes that the worker used the stored
   * secrets.
   */
  secrets_version?: number | null;
}

/** Stores the vendor's description of the account. The integrations worker submits this command. */
export const recordConnectionVerified = defineCommand<ConnectionVerification>({
  type: 'connection.record_verified',
  action: 'connection.verified',
  permission: 'admin',
  schema: Joi.object({
    external_account: Joi.string().required(),
    account_hash: Joi.string().required(),
    label: Joi.string().allow(null).required(),
    environment: Joi.string().allow(null).required(),
    secrets_version: Joi.number().allow(null),
  }),
});

export interface ConnectionStatusChange {
  move: 'refuse' | 'fail' | 'recover';
  reason: string | null;
}

/**
 * Records that a vendor refuses the credentials, fails or works again. The integrations worker
 * submits this command.
 */
export const recordConnectionStatus = defineCommand<ConnectionStatusChange>({
  type: 'connection.record_status',
  action: 'connection.status_changed',
  permission: 'admin',
  schema: Joi.object({ move: Joi.string().required(), reason: Joi.string().allow(null).required() }),
});

/**
 * Notifies the account that the vendor did not revoke the service's access. The worker submits this
 * command when it stops trying to revoke.
 */
export const recordConnectionUnrevoked = defineCommand<{ reason: string }>({
  type: 'connection.record_unrevoked',
  action: 'connection.access_not_revoked',
  permission: 'admin',
  schema: Joi.object({ reason: Joi.string().required() }),
});
