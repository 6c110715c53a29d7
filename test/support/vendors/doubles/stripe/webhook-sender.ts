import { createHmac } from 'node:crypto';
import { WebhookPosts } from '../../../network/webhook-posts.js';
import type { StripeAccount, StripeObject } from './stripe-account.js';

/** The events that docs/integrations/stripe.md asks an account to subscribe to. */
const SUBSCRIBED =
  /^(payment_intent\.|refund\.|charge\.refunded$|charge\.dispute\.|setup_intent\.|payment_method\.|payout\.|terminal\.reader\.action_)/;

/** How the double sends webhooks. */
export interface WebhookHabits {
  /** If true, no webhook is sent. The list of events still contains the events. */
  isLost: boolean;
  /** The number of copies of each webhook, all sent at the same time. */
  copies: number;
}

export function signWebhook(body: string, secret: string, seconds = Math.floor(Date.now() / 1000)): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

/** Sends the webhooks of accounts. */
export class WebhookSender extends WebhookPosts {
  readonly habits: WebhookHabits = { isLost: false, copies: 1 };

  send(account: StripeAccount, event: StripeObject): void {
    const { webhook } = account;
    if (!webhook || this.habits.isLost || !SUBSCRIBED.test(String(event.type))) return;
    const { url, secret } = webhook;
    const body = JSON.stringify(event);
    const buildHeaders = () => {
      const seconds = Math.floor(Date.now() / 1000) + account.skewSeconds;
      return { 'stripe-signature': signWebhook(body, secret, seconds) };
    };
    this.post({ url, body, buildHeaders, copies: this.habits.copies });
  }
}
