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

const shared = {
  entityType: 'webhook_endpoint',
  permission: 'admin',
  agentScope: null,
} as const;

/** A request body after the api encrypted its headers, if it has any. */
type WithSealedHeaders<T> = Omit<T, 'headers'> & Partial<SealedHeaders>;

/** The secrets that the api generates and adds to the command, always encrypted. */
interface Minted {
  /** The v1 secret. The response shows it once. */
  material: SealedSecret;
  /** For endpoints that also sign with ed25519. */
  pair?: SealedKeyPair;
}

export type EndpointCreation = WithSealedHeaders<WebhookEndpointCreate> & Minted;
export type EndpointChange = WithSealedHeaders<WebhookEndpointPatch> & Pick<Minted, 'pair'>;
export type SecretRotation = WebhookEndpointRotate & Required<Minted>;

export const createWebhookEndpoint = defineCommand<EndpointCreation>({
  ...shared,
  type: 'webhook_endpoint.create',
  action: 'webhook_endpoint.created',
  creates: true,
  schema: webhookEndpointCreate as unknown as Joi.ObjectSchema<EndpointCreation>,
});

export const updateWebhookEndpoint = defineCommand<EndpointChange>({
  ...shared,
  type: 'webhook_endpoint.update',
  action: 'webhook_endpoint.updated',
  creates: false,
  schema: webhookEndpointPatch as unknown as Joi.ObjectSchema<EndpointChange>,
});

export const rotateWebhookSecret = defineCommand<SecretRotation>({
  ...shared,
  type: 'webhook_endpoint.rotate_secret',
  action: 'webhook_endpoint.secret_rotated',
  creates: false,
  schema: webhookEndpointRotate as unknown as Joi.ObjectSchema<SecretRotation>,
});

export const deleteWebhookEndpoint = defineCommand<Record<string, never>>({
  ...shared,
  type: 'webhook_endpoint.delete',
  action: 'webhook_endpoint.deleted',
  creates: false,
  schema: webhookEndpointDelete,
});
