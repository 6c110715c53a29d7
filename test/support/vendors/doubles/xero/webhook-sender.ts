import { createHmac, randomUUID } from 'node:crypto';
import { WebhookPosts } from '../../../network/webhook-posts.js';
import type { XeroChange } from './organisation.js';

export function signXeroWebhook(body: string, key: string): string {
  return createHmac('sha256', key).update(body).digest('base64');
}

/** Sends the webhooks of all organisations to the application's one address. */
export class XeroWebhooks extends WebhookPosts {
  /** If `isLost`, webhooks are lost. `copies` of each webhook are sent at the same time. */
  readonly habits = { isLost: false, copies: 1 };
  target: { url: string; token: string } | undefined;
  private sequence = 0;

  /** @param check is called with each body, to compare it with the contract */
  constructor(private readonly check: (body: unknown) => void) {
    super();
  }

  send(change: XeroChange): void {
    if (!this.habits.isLost) this.deliver([change]);
  }

  /** Sends one webhook about changes in one or more organisations. */
  deliver(changes: readonly XeroChange[]): void {
    if (!this.target) return;
    const first = this.sequence + 1;
    this.sequence += changes.length;
    const body = {
      events: changes.map(toEvent),
      firstEventSequence: first,
      lastEventSequence: this.sequence,
      entropy: randomUUID().slice(0, 20),
    };
    this.check(body);
    const { url, token } = this.target;
    const text = JSON.stringify(body);
    const buildHeaders = () => ({ 'x-xero-signature': signXeroWebhook(text, token) });
    this.post({ url, body: text, buildHeaders, copies: this.habits.copies });
  }
}

function toEvent({ tenantId, category, id, type, at }: XeroChange) {
  const path = category === 'CONTACT' ? 'Contacts' : 'Invoices';
  return {
    resourceUrl: `https://api.xero.com/api.xro/2.0/${path}/${id}`,
    resourceId: id,
    eventDateUtc: new Date(at).toISOString(),
    eventType: type,
    eventCategory: category,
    tenantId,
    tenantType: 'ORGANISATION',
  };
}
