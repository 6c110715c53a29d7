import { createHmac, randomUUID } from 'node:crypto';
import { WebhookPosts } from '../../../network/webhook-posts.js';
import type { BooksChange } from './company.js';

/** How the double sends webhooks. */
export interface WebhookHabits {
  /** If true, webhooks are lost. */
  isLost: boolean;
  /** The format of the body: `events` since 2026, `notifications` before. */
  body: 'events' | 'notifications';
  /** The number of copies of each webhook, all sent at the same time. */
  copies: number;
}

const SENT: readonly string[] = ['Customer', 'Invoice', 'Payment'];
const PAST = { Create: 'created', Update: 'updated', Void: 'voided', Delete: 'deleted' } as const;

export function signBooksWebhook(body: string, token: string): string {
  return createHmac('sha256', token).update(body).digest('base64');
}

/** Sends the webhooks of all companies to the application's one address. */
export class BooksWebhooks extends WebhookPosts {
  readonly habits: WebhookHabits = { isLost: false, body: 'events', copies: 1 };
  target: { url: string; token: string } | undefined;

  send(change: BooksChange): void {
    if (!this.habits.isLost) this.deliver([change], this.habits);
  }

  /** Sends one webhook about changes in one or more companies. */
  deliver(changes: readonly BooksChange[], { body, copies }: Omit<WebhookHabits, 'isLost'>): void {
    const named = changes.filter(({ entity }) => SENT.includes(entity));
    if (!this.target || named.length === 0) return;
    const { url, token } = this.target;
    const text = JSON.stringify(body === 'events' ? named.map(toEvent) : toNotifications(named));
    const buildHeaders = () => ({ 'intuit-signature': signBooksWebhook(text, token) });
    this.post({ url, body: text, buildHeaders, copies });
  }
}

function toEvent({ realmId, entity, id, operation, at }: BooksChange) {
  return {
    specversion: '1.0',
    id: randomUUID(),
    source: 'intuit.double',
    type: `qbo.${entity.toLowerCase()}.${PAST[operation]}.v1`,
    time: at,
    intuitentityid: id,
    intuitaccountid: realmId,
    data: {},
  };
}

function toNotifications(changes: readonly BooksChange[]) {
  const realms = [...new Set(changes.map(({ realmId }) => realmId))];
  return {
    eventNotifications: realms.map((realmId) => ({
      realmId,
      dataChangeEvent: {
        entities: changes
          .filter((change) => change.realmId === realmId)
          .map(({ entity: name, id, operation, at: lastUpdated }) => ({ name, id, operation, lastUpdated })),
      },
    })),
  };
}
