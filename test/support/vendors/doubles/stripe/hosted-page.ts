import type { ServerResponse } from 'node:http';
import { assertAllowed, paySession } from './routes.js';
import { saveMethod } from './saved-methods.js';
import type { StripeAccount, StripeObject } from './stripe-account.js';
import { StripeRefusal } from './stripe-refusal.js';

/** Finds the session of a hosted page, and the account of that session. */
export interface SessionFinder {
  findSession(url: string): [StripeAccount, StripeObject];
}

interface PageRequest {
  method: string;
  response: ServerResponse;
  url: URL;
  body: string;
}

const METHODS = { card: 'Pay by card', link: 'Pay by Link', us_bank_account: 'Pay by bank account' } as const;
const SAVED = { card: 'Save a card', us_bank_account: 'Save a bank account' } as const;
type Method = keyof typeof METHODS;

/**
 * Serves the page where a customer pays or saves a payment method, as plain HTML: `GET
 * /c/pay/{session}`. Its buttons send a POST with the method. Afterwards the browser goes to the
 * session's success URL.
 */
export async function serveHostedPage(
  double: SessionFinder,
  { method, response, url, body }: PageRequest,
): Promise<void> {
  if (!url.pathname.startsWith('/c/pay/')) return answerPage(response, 404, '<h1>No such page</h1>');
  const [account, session] = double.findSession(url.href);
  if (session.status !== 'open') return answerPage(response, 410, '<h1>This page has expired</h1>');
  if (method === 'POST') {
    const type = new URLSearchParams(body).get('method') as Method;
    try {
      assertAllowed(session, type);
    } catch (error) {
      if (!(error instanceof StripeRefusal)) throw error;
      return answerPage(response, 400, `<h1>${error.message}</h1>`);
    }
    if (session.mode === 'setup') saveMethod(account, session, { type: type as keyof typeof SAVED });
    else paySession(account, session, type);
    response.writeHead(303, { location: String(session.success_url) }).end();
    return;
  }
  const dollars = (Number(session.amount_total) / 100).toFixed(2);
  const isSetup = session.mode === 'setup';
  const allowed = session.payment_method_types as string[];
  const buttons = Object.entries(isSetup ? SAVED : METHODS)
    .filter(([paidBy]) => allowed.includes(paidBy))
    .map(([paidBy, label]) => `<button name="method" value="${paidBy}">${label}</button>`);
  answerPage(
    response,
    200,
    `<h1>${isSetup ? 'Save a payment method' : `Pay $${dollars}`}</h1><form method="post">${buttons.join(' ')}</form>`,
  );
}

function answerPage(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' });
  response.end(
    `<!doctype html><html lang="en"><head><title>Stripe double</title></head><body><main>${html}</main></body></html>`,
  );
}
