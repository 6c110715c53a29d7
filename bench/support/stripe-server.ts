import type { StripeAccount } from '../../test/support/vendors/doubles/stripe/stripe-account.js';
import { StripeDouble } from '../../test/support/vendors/doubles/stripe/stripe-double.js';
import type { StripeReplies, StripeRequest } from './stripe-process.js';

// The process of stripe-process.ts: a double of Stripe that the bench controls by messages.
const double = await new StripeDouble().start();
const accounts = new Map<string, StripeAccount>();

/** Pays the pages at a fixed rate. Returns the time of each payment, in ms since 1970. */
async function pay(urls: readonly string[], perSecond: number): Promise<number[]> {
  const paidAt: number[] = [];
  const start = performance.now();
  for (const [index, url] of urls.entries()) {
    const dueMs = (index * 1000) / perSecond - (performance.now() - start);
    if (dueMs > 0) await new Promise((resolve) => setTimeout(resolve, dueMs));
    paidAt.push(Date.now());
    double.pay(url);
  }
  return paidAt;
}

async function answer(request: StripeRequest): Promise<StripeReplies[StripeRequest['type']]> {
  if (request.type === 'origin') return double.origin;
  if (request.type === 'open') {
    const account = double.openAccount();
    accounts.set(account.key, account);
    return account.key;
  }
  if (request.type === 'send') {
    const account = accounts.get(request.key);
    if (account) account.webhook = request.webhook;
    return true;
  }
  if (request.type === 'pay') return pay(request.urls, request.perSecond);
  const { calls, violations, webhooks } = double;
  const refused = webhooks.statuses.filter((status) => status !== 200).length;
  return { calls: calls.length, violations: violations.length, webhooks: webhooks.statuses.length, refused };
}

process.on(
  'message',
  (request: StripeRequest) => void answer(request).then((reply) => process.send?.(reply)),
);
