import { randomUUID } from 'node:crypto';
import type { BooksCompany } from './company.js';

/** The credentials of the operator's application, which the double accepts. */
export const BOOKS_APP = { client_id: 'ABdouble', client_secret: 'books-secret' } as const;

/** Stands in for Intuit's sign-in: authorization codes, and tokens that rotate. */
export class BooksSignIns {
  /** The lifetime of an access token in seconds. */
  accessSeconds = 3600;
  private readonly codes = new Map<string, { company: BooksCompany; redirectUri: string }>();
  private readonly refreshTokens = new Map<string, BooksCompany>();
  private readonly accessTokens = new Map<string, { company: BooksCompany; expiresAt: number }>();
  readonly revoked: string[] = [];

  /** Lets a person allow the access, and returns the address to which Intuit sends the person. */
  permit(authorizeUrl: string, company: BooksCompany): string {
    const params = new URL(authorizeUrl).searchParams;
    if (params.get('client_id') !== BOOKS_APP.client_id || !params.get('scope')?.includes('accounting'))
      throw new Error(`not a sign-in of the application: ${authorizeUrl}`);
    const code = randomUUID();
    const redirectUri = params.get('redirect_uri') ?? '';
    this.codes.set(code, { company, redirectUri });
    const back = new URL(redirectUri);
    const state = params.get('state') ?? '';
    back.search = new URLSearchParams({ code, state, realmId: company.realmId }).toString();
    return back.href;
  }

  findCompany(accessToken: string): BooksCompany | undefined {
    const found = this.accessTokens.get(accessToken);
    return found && found.expiresAt > Date.now() ? found.company : undefined;
  }

  /** Lets all access tokens of a company expire now. */
  expireAccess(company: BooksCompany): void {
    for (const [token, grant] of this.accessTokens)
      if (grant.company === company) this.accessTokens.delete(token);
  }

  /** Ends the access of the application, as a person can do at Intuit. */
  endAccess(company: BooksCompany): void {
    this.expireAccess(company);
    for (const [token, owner] of this.refreshTokens) if (owner === company) this.refreshTokens.delete(token);
  }

  answerToken(authorization: string, form: URLSearchParams): { status: number; result: object } {
    if (!isApplication(authorization)) return { status: 401, result: { error: 'invalid_client' } };
    const company = this.useGrant(form);
    if (!company) return { status: 400, result: { error: 'invalid_grant' } };
    const access_token = randomUUID();
    const refresh_token = randomUUID();
    this.accessTokens.set(access_token, { company, expiresAt: Date.now() + this.accessSeconds * 1000 });
    this.refreshTokens.set(refresh_token, company);
    const expires_in = this.accessSeconds;
    return {
      status: 200,
      result: {
        token_type: 'bearer',
        access_token,
        refresh_token,
        expires_in,
        x_refresh_token_expires_in: 8_726_400,
      },
    };
  }

  answerRevocation(authorization: string, body: string): { status: number; result: object } {
    if (!isApplication(authorization)) return { status: 401, result: { error: 'invalid_client' } };
    const { token } = JSON.parse(body) as { token: string };
    const company = this.refreshTokens.get(token);
    if (!company) return { status: 400, result: { error: 'invalid_request' } };
    this.endAccess(company);
    this.revoked.push(company.realmId);
    return { status: 200, result: {} };
  }

  /** Exchanges a code or a refresh token for access to a company. Each works only once. */
  private useGrant(form: URLSearchParams): BooksCompany | undefined {
    if (form.get('grant_type') === 'refresh_token') {
      const token = form.get('refresh_token') ?? '';
      const company = this.refreshTokens.get(token);
      this.refreshTokens.delete(token);
      return company;
    }
    const code = form.get('code') ?? '';
    const grant = this.codes.get(code);
    this.codes.delete(code);
    return grant?.redirectUri === form.get('redirect_uri') ? grant?.company : undefined;
  }
}

function isApplication(authorization: string): boolean {
  const basic = Buffer.from(`${BOOKS_APP.client_id}:${BOOKS_APP.client_secret}`).toString('base64');
  return authorization === `Basic ${basic}`;
}
