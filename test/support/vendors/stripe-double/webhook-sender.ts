import { createHmac } from 'node:crypto';
import type { StripeAccount, StripeObject } from './stripe-account.js';

/** The events that docs/integrations/stripe.md asks an account to subscribe to. */
const SUBSCRIBED =
  /^(payment_intent\.|refund\.|charge\.refunded$|charge\.dispute\.|setup_intent\.|payment_method\.|payout\.|terminal\.reader\.action_)/;

/** How the double sends webhooks. */
export interface WebhookHabits {
  /** If true, webhooks are lost. The events stay in the list. */
  isLost: boolean;
  /** How often each webhook is sent, all copies at the same time. */
  copies: number;
  /** Seconds by which the clock of the sender differs. */
  skewSeconds: number;
}

export function signWebhook(body: string, secret: string, seconds = Math.floor(Date.now() / 1000)): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

/** Sends the webhooks of accounts, and repeats those that were not accepted. */
export class WebhookSender {
  readonly habits: WebhookHabits = { isLost: false, copies: 1, skewSeconds: 0 };
  /** The status codes of the answers; 0 for none. */
  readonly statuses: number[] = [];
  private readonly open = new Set<Promise<void>>();
  private isStopped = false;

  send(account: StripeAccount, event: StripeObject): void {
    const { webhook } = account;
    if (!webhook || this.habits.isLost || !SUBSCRIBED.test(String(event.type))) return;
    for (let copy = 0; copy < this.habits.copies; copy++) {
      const sending = this.deliver(webhook, JSON.stringify(event)).finally(() => this.open.delete(sending));
      this.open.add(sending);
    }
  }

  /** Waits until all webhooks are accepted or given up. */
  async settle(): Promise<void> {
    while (this.open.size > 0) await Promise.all(this.open);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.settle();
  }

  private async deliver({ url, secret }: { url: string; secret: string }, body: string): Promise<void> {
    for (let attempt = 0; attempt < 6 && !this.isStopped; attempt++) {
      const status = await this.post(url, secret, body);
      this.statuses.push(status);
      if (status >= 200 && status < 300) return;
      await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt));
    }
  }

  private async post(url: string, secret: string, body: string): Promise<number> {
    const seconds = Math.floor(Date.now() / 1000) + this.habits.skewSeconds;
    const headers = {
      'content-type': 'application/json',
      'stripe-signature': signWebhook(body, secret, seconds),
    };
    return fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(5000) })
      .then(({ status }) => status)
      .catch(() => 0);
  }
}
