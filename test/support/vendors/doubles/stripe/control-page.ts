import type { ServerResponse } from 'node:http';
import { closeDispute, disputeIntent, failIntent, failRefund, settleIntent } from './payments.js';
import { failPayout, settlePayout, startPayout } from './payouts.js';
import { addReader, failAction, presentCard } from './readers.js';
import type { StripeAccount, StripeObject } from './stripe-account.js';

/** The actions on objects of the double, by the name of the button. */
const ACTIONS: Readonly<Record<string, (account: StripeAccount, object: StripeObject) => void>> = {
  'Settle the debit': (account, intent) => settleIntent(account, intent, 'us_bank_account'),
  'Fail the debit': (account, intent) => failIntent(account, intent, 'insufficient_funds'),
  'Return the debit': (account, intent) => void disputeIntent(account, intent, 'insufficient_funds'),
  'Dispute the payment': (account, intent) => void disputeIntent(account, intent, 'fraudulent'),
  'Decide for the company': (account, dispute) => closeDispute(account, dispute, 'won'),
  'Decide for the customer': (account, dispute) => closeDispute(account, dispute, 'lost'),
  'Fail the refund': (account, refund) => failRefund(account, refund, 'lost_or_stolen_card'),
  'Settle the payout': settlePayout,
  'Fail the payout': failPayout,
  'Tap a card': (account, reader) => void presentCard(account, reader),
  'Tap a declined card': (account, reader) => void presentCard(account, reader, 'insufficient_funds'),
  'Press the red key': (account, reader) => failAction(account, reader, 'The customer cancelled.'),
  'Switch off': (_account, reader) => void Object.assign(reader, { status: 'offline' }),
  'Switch on': (_account, reader) => void Object.assign(reader, { status: 'online' }),
};

const ADD_READER = 'Add a card reader';

/** Maps an object's kind and status to the actions that the page offers. */
const OFFERED: Readonly<Record<string, readonly string[]>> = {
  'payment_intent processing': ['Settle the debit', 'Fail the debit'],
  'payment_intent succeeded': ['Dispute the payment', 'Return the debit'],
  'dispute needs_response': ['Decide for the company', 'Decide for the customer'],
  'dispute under_review': ['Decide for the company', 'Decide for the customer'],
  'refund succeeded': ['Fail the refund'],
  'refund pending': ['Fail the refund'],
  'payout in_transit': ['Settle the payout', 'Fail the payout'],
  'payout paid': ['Fail the payout'],
  'terminal.reader online': ['Switch off'],
  'terminal.reader offline': ['Switch on'],
  'terminal.reader waiting': ['Tap a card', 'Tap a declined card', 'Press the red key', 'Switch off'],
};

/** The kinds of objects on the page. */
const SHOWN = ['payment_intent', 'refund', 'dispute', 'payout', 'terminal.reader'] as const;

/**
 * Serves `/double/`. A person enters the webhook address of a connection there, and lets payments,
 * refunds and disputes succeed or fail.
 */
export function serveControlPage(
  accounts: readonly StripeAccount[],
  { method, body, response }: { method: string; body: string; response: ServerResponse },
): void {
  if (method === 'POST') {
    try {
      runAction(accounts, new URLSearchParams(body));
      response.writeHead(303, { location: '/double/' }).end();
    } catch (error) {
      // The object has changed since the page was loaded. For example, a reader may have stopped
      // asking for a card.
      response.writeHead(409).end(`Load the page again: ${String(error)}`);
    }
    return;
  }
  const sections = accounts.map(renderAccount);
  const hint =
    '<p>No account yet. Connect Stripe in the product with any key such as sk_live_demo, or sk_test_demo in a sandbox.</p>';
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(
    `<!doctype html><html lang="en"><head><title>Stripe double</title></head><body><main><h1>Stripe double</h1>${sections.join('') || hint}</main></body></html>`,
  );
}

function runAction(accounts: readonly StripeAccount[], form: URLSearchParams): void {
  const account = accounts.find(({ key }) => key === form.get('account'));
  if (!account) return;
  if (form.has('url')) account.webhook = { url: form.get('url') ?? '', secret: form.get('secret') ?? '' };
  if (form.get('action') === 'Pay out') startPayout(account);
  if (form.get('action') === ADD_READER) addReader(account);
  const object = account.find(form.get('id'));
  if (object) ACTIONS[form.get('action') ?? '']?.(account, object);
}

function renderAccount(account: StripeAccount): string {
  const { key, webhook } = account;
  const hidden = `<input type="hidden" name="account" value="${escapeText(key)}">`;
  const objects = SHOWN.flatMap((kind) => account.list(kind));
  const rows = objects.map((object) => {
    const isDebit = String(object.payment_method_types).includes('us_bank_account');
    const offered = (OFFERED[`${object.object} ${readState(object)}`] ?? []).filter(
      (action) => isDebit || action !== 'Return the debit',
    );
    const buttons = offered.map((action) => `<button name="action" value="${action}">${action}</button>`);
    const subject = escapeText(String(object.label ?? `$${(Number(object.amount) / 100).toFixed(2)}`));
    return `<tr><td>${object.id}</td><td>${subject}</td><td>${readState(object)}</td><td><form method="post">${hidden}<input type="hidden" name="id" value="${object.id}">${buttons.join(' ')}</form></td></tr>`;
  });
  return `<section><h2>${escapeText(key)}</h2><form method="post">${hidden}
    <label>Webhook URL <input name="url" size="80" value="${escapeText(webhook?.url ?? '')}"></label>
    <label>Signing secret <input name="secret" size="40" value="${escapeText(webhook?.secret ?? '')}"></label>
    <button>Save webhook</button> <button name="action" value="${ADD_READER}">${ADD_READER}</button></form>
    <form method="post">${hidden}<button name="action" value="Pay out">Pay out</button></form><table><tbody>${rows.join('')}</tbody></table></section>`;
}

/** Returns the object's status, or `waiting` for a reader that asks for a card. */
function readState({ status, action }: StripeObject): unknown {
  return Object(action).status === 'in_progress' && status === 'online' ? 'waiting' : status;
}

function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
