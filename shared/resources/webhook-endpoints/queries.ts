import type { WebhookEndpointListQuery } from '../../contracts/generated.js';
import { defineList } from '../../records/lists/define-list.js';
import { webhookEndpointFields } from './fields.js';

export const listWebhookEndpoints = defineList<WebhookEndpointListQuery>({
  table: 'webhook_endpoints',
  fields: webhookEndpointFields,
  only: 't.deleted_at is null',
});
