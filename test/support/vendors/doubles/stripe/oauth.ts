import type { ServerResponse } from 'node:http';
import { type StripeAccount, token } from './stripe-account.js';

/** The credentials of the operator's application, which the double accepts. */
export const STRIPE_APP = { client_id: 'ca_double', client_secret: 'sk_test_platform' } as const;

interface Grant {
  account: StripeAccount;
  redirectUri: string;
}

/**
 * Stands in for the sign-in of Stripe Connect: issues and revokes authorization codes and tokens.
 */
export class StripeSignIns {
  private readonly codes = new Map<string, Grant>();
  private readonly refreshTokens = new Map<string, StripeAccount>();
  /** The number of refresh tokens that the double has received, and of those that it answered. */
  refreshes = 0;
  answered = 0;
  /** The double answers the next refresh only once this promise resolves. */
  nextAnswer: Promise<unknown> | undefined;
  /** The accounts to which the application has access, by access token. */
  readonly accounts = new Map<string, StripeAccount>();

  /**
   * Allows the access as a person would, and returns the URL to which Stripe then sends the
   * browser.
   */
  permit(authorizeUrl: string, account: StripeAccount): string {
    const params = new URL(authorizeUrl).searchParams;
    if (params.get('client_id') !== STRIPE_APP.client_id || params.get('scope') !== 'read_write')
      throw new Error(`not a sign-in of the application: ${authorizeUrl}`);
    const code = `ac_${token(12)}`;
    const redirectUri = params.get('redirect_uri') ?? '';
    this.codes.set(code, { account, redirectUri });
    const back = new URL(redirectUri);
    back.search = new URLSearchParams({
      code,
      scope: 'read_write',
      state: params.get('state') ?? '',
    }).toString();
    return back.href;
  }

  /** Ends the access of the application, as a person can do in Stripe's dashboard. */
  deauthorize(accountId: string): boolean {
    const ended = [...this.accounts].filter(([, { id }]) => id === accountId);
    for (const [accessToken] of ended) this.accounts.delete(accessToken);
    for (const [refreshToken, { id }] of this.refreshTokens)
      if (id === accountId) this.refreshTokens.delete(refreshToken);
    return ended.length > 0;
  }

  /** Lets all access tokens expire. The refresh tokens stay valid. */
  expireAccessTokens(): void {
    this.accounts.clear();
  }

  /** Answers `/oauth/token` and `/oauth/deauthorize`. */
  async answer(path: string, form: URLSearchParams): Promise<{ status: number; result: object }> {
    if (form.get('grant_type') !== 'refresh_token') return this.decide(path, form);
    this.refreshes += 1;
    const { nextAnswer } = this;
    this.nextAnswer = undefined;
    await nextAnswer;
    this.answered += 1;
    return this.decide(path, form);
  }

  private decide(path: string, form: URLSearchParams): { status: number; result: object } {
    if (
      form.get('client_id') !== STRIPE_APP.client_id ||
      form.get('client_secret') !== STRIPE_APP.client_secret
    )
      return refuse(401, 'invalid_client');
    if (path === '/oauth/deauthorize') {
      const id = form.get('stripe_user_id') ?? '';
      return this.deauthorize(id)
        ? { status: 200, result: { stripe_user_id: id } }
        : refuse(401, 'invalid_client');
    }
    const account = this.findGranted(form);
    return account ? { status: 200, result: this.issue(account) } : refuse(400, 'invalid_grant');
  }

  private findGranted(form: URLSearchParams): StripeAccount | undefined {
    if (form.get('grant_type') === 'refresh_token')
      return this.refreshTokens.get(form.get('refresh_token') ?? '');
    const code = form.get('code') ?? '';
    const grant = this.codes.get(code);
    // Accept each code only once, because a code that is used again may have been stolen.
    this.codes.delete(code);
    return grant?.account;
  }

  private issue(account: StripeAccount): object {
    const access_token = `${account.key}_${token(6)}`;
    const refresh_token = `rt_${token(12)}`;
    this.accounts.set(access_token, account);
    this.refreshTokens.set(refresh_token, account);
    const { id: stripe_user_id, isLive: livemode } = account;
    return {
      access_token,
      refresh_token,
      stripe_user_id,
      livemode,
      scope: 'read_write',
      token_type: 'bearer',
    };
  }
}

function refuse(status: number, error: string) {
  return { status, result: { error, error_description: 'Refused by the double.' } };
}

/** Serves the page of a sign-in. Its button allows the access. */
export function serveSignIn(
  signIns: StripeSignIns,
  {
    method,
    url,
    account,
    response,
  }: { method: string; url: URL; account: () => StripeAccount; response: ServerResponse },
): void {
  if (method === 'POST') {
    response.writeHead(303, { location: signIns.permit(url.href, account()) }).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(
    '<!doctype html><html lang="en"><head><title>Stripe double</title></head><body><main><h1>Connect your account</h1>' +
      '<form method="post"><button>Allow access</button></form></main></body></html>',
  );
}
