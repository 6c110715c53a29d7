import type Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import type {
  WebhookEndpointCreate,
  WebhookEndpointPatch,
  WebhookEndpointRotate,
} from '../../contracts/generated.js';
import type { SealedHeaders } from './headers.js';
import {
  webhookEndpointCreate,
  webhookEndpointDelete,
  webhookEndpointPatch,
  webhookEndpointRotate,
} from './schema.js';
import type { SealedKeyPair, SealedSecret } from './secret.js';

/** A request body whose headers, if any, the api has encrypted. */
type WithSealedHeaders<T> = Omit<T, 'headers'> & Partial<SealedHeaders>;

/** The secrets that the api generates and adds to the command, always encrypted. */
interface Minted {
  /** The secret of the signature scheme v1 (HMAC-SHA256). The response shows it once. */
  material: SealedSecret;
  /**
   * The ed25519 key pair of the signature scheme v1a, for an endpoint that uses this scheme too.
   */
  pair?: SealedKeyPair;
}

export type EndpointCreation = WithSealedHeaders<WebhookEndpointCreate> & Minted;
export type EndpointChange = WithSealedHeaders<WebhookEndpointPatch> & Pick<Minted, 'pair'>;
export type SecretRotation = WebhookEndpointRotate & Required<Minted>;

export const createWebhookEndpoint = defineCommand<EndpointCreation>({
  type: 'webhook_endpoint.create',
  action: 'webhook_endpoint.created',
  permission: 'admin',
  creates: true,
  schema: webhookEndpointCreate as unknown as Joi.ObjectSchema<EndpointCreation>,
});

/**
 * Creates an endpoint of a motor club. It has a type of its own, because a worker of an older
 * release would create the endpoint without its club. Such a worker hands unknown commands back.
 */
export const createClubEndpoint = defineCommand<EndpointCreation>({
  ...createWebhookEndpoint,
  type: 'webhook_endpoint.create_for_club',
});

export const updateWebhookEndpoint = defineCommand<EndpointChange>({
  type: 'webhook_endpoint.update',
  action: 'webhook_endpoint.updated',
  permission: 'admin',
  schema: webhookEndpointPatch as unknown as Joi.ObjectSchema<EndpointChange>,
});

export const rotateWebhookSecret = defineCommand<SecretRotation>({
  type: 'webhook_endpoint.rotate_secret',
  action: 'webhook_endpoint.secret_rotated',
  permission: 'admin',
  schema: webhookEndpointRotate as unknown as Joi.ObjectSchema<SecretRotation>,
});

export const deleteWebhookEndpoint = defineCommand<Record<string, never>>({
  type: 'webhook_endpoint.delete',
  action: 'webhook_endpoint.deleted',
  permission: 'admin',
  schema: webhookEndpointDelete,
});
