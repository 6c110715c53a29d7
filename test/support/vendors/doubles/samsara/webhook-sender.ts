import { createHmac, randomUUID } from 'node:crypto';
import { WebhookPosts } from '../../../network/webhook-posts.js';
import type { SamsaraOrganisation } from './organisation.js';

/** Builds the headers with which Samsara signs a webhook. The secret is base64. */
export function signSamsaraWebhook(
  body: string,
  secret: string,
  seconds = Math.floor(Date.now() / 1000),
): Record<string, string> {
  const hex = createHmac('sha256', Buffer.from(secret, 'base64'))
    .update(`v1:${seconds}:${body}`)
    .digest('hex');
  return { 'x-samsara-timestamp': String(seconds), 'x-samsara-signature': `v1=${hex}` };
}

/** Sends the webhooks of organisations to the addresses that their people have entered. */
export class SamsaraWebhooks extends WebhookPosts {
  /** If `isLost`, webhooks are lost. `copies` of each webhook are sent at the same time. */
  readonly habits = { isLost: false, copies: 1 };

  send(organisation: SamsaraOrganisation, eventType: string, data: object): void {
    const { webhook, id } = organisation;
    if (!webhook || this.habits.isLost) return;
    const { url, token } = webhook;
    const body = JSON.stringify({
      eventId: randomUUID(),
      eventTime: new Date().toISOString(),
      eventType,
      orgId: Number(id),
      webhookId: '1411751028848270',
      data,
    });
    this.post({
      url,
      body,
      buildHeaders: () => signSamsaraWebhook(body, token),
      copies: this.habits.copies,
    });
  }
}
