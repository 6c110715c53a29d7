import { randomUUID } from 'node:crypto';

/** The application of the operator, as a double of books knows it. */
export interface DoubleApplication {
  client_id: string;
  client_secret: string;
}

/**
 * The authorization codes and tokens of a double's sign-in. A code and a refresh token work once.
 * `Owner` is what a sign-in gives access to.
 */
export class Grants<Owner extends object> {
  private readonly codes = new Map<string, { owner: Owner; redirectUri: string; scope: string }>();
  private readonly refreshTokens = new Map<string, Owner>();
  private readonly accessTokens = new Map<string, { owner: Owner; expiresAt: number }>();

  constructor(
    private readonly application: DoubleApplication,
    /** The lifetime of an access token in seconds. */
    readonly accessSeconds: number,
    private readonly buildAccessToken: (owner: Owner) => string = () => randomUUID(),
  ) {}

  /** Lets a person allow the access. Returns the address to which the vendor sends the person. */
  permit(authorizeUrl: string, owner: Owner, scope: string, params: Record<string, string> = {}): string {
    const asked = new URL(authorizeUrl).searchParams;
    const scopes = asked.get('scope') ?? '';
    if (asked.get('client_id') !== this.application.client_id || !scopes.includes(scope))
      throw new Error(`not a sign-in of the application: ${authorizeUrl}`);
    const code = randomUUID();
    const redirectUri = asked.get('redirect_uri') ?? '';
    this.codes.set(code, { owner, redirectUri, scope: scopes });
    const back = new URL(redirectUri);
    back.search = new URLSearchParams({ code, state: asked.get('state') ?? '', ...params }).toString();
    return back.href;
  }

  isApplication(authorization: string): boolean {
    const { client_id, client_secret } = this.application;
    return authorization === `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
  }

  findByAccess(token: string): Owner | undefined {
    const found = this.accessTokens.get(token);
    return found && found.expiresAt > Date.now() ? found.owner : undefined;
  }

  findByRefresh(token: string): Owner | undefined {
    return this.refreshTokens.get(token);
  }

  /** Lets all access tokens of an owner expire now. */
  expireAccess(owner: Owner): void {
    for (const [token, grant] of this.accessTokens)
      if (grant.owner === owner) this.accessTokens.delete(token);
  }

  /** Ends all access of the application, as a person can do at the vendor. */
  endAccess(owner: Owner): void {
    this.expireAccess(owner);
    for (const [token, other] of this.refreshTokens) if (other === owner) this.refreshTokens.delete(token);
  }

  answerToken(authorization: string, form: URLSearchParams): { status: number; result: object } {
    if (!this.isApplication(authorization)) return { status: 401, result: { error: 'invalid_client' } };
    const owner = this.useGrant(form);
    if (!owner) return { status: 400, result: { error: 'invalid_grant' } };
    const access_token = this.buildAccessToken(owner);
    const refresh_token = randomUUID();
    this.accessTokens.set(access_token, { owner, expiresAt: Date.now() + this.accessSeconds * 1000 });
    this.refreshTokens.set(refresh_token, owner);
    const result = { token_type: 'bearer', access_token, refresh_token, expires_in: this.accessSeconds };
    return { status: 200, result };
  }

  private useGrant(form: URLSearchParams): Owner | undefined {
    if (form.get('grant_type') === 'refresh_token') {
      const token = form.get('refresh_token') ?? '';
      const owner = this.refreshTokens.get(token);
      this.refreshTokens.delete(token);
      return owner;
    }
    const code = form.get('code') ?? '';
    const grant = this.codes.get(code);
    this.codes.delete(code);
    return grant?.redirectUri === form.get('redirect_uri') ? grant?.owner : undefined;
  }
}
