import { Grants } from '../../books/grants.js';
import type { BooksCompany } from './company.js';

/** The credentials of the operator's application, which the double accepts. */
export const BOOKS_APP = { client_id: 'ABdouble', client_secret: 'books-secret' } as const;

const ACCESS_SECONDS = 3600;

/** Stands in for Intuit's sign-in: authorization codes, and tokens that rotate. */
export class BooksSignIns {
  private readonly grants = new Grants<BooksCompany>(BOOKS_APP, ACCESS_SECONDS);
  readonly revoked: string[] = [];

  /** Lets a person allow the access, and returns the address to which Intuit sends the person. */
  permit(authorizeUrl: string, company: BooksCompany): string {
    return this.grants.permit(authorizeUrl, company, 'accounting', { realmId: company.realmId });
  }

  findCompany(accessToken: string): BooksCompany | undefined {
    return this.grants.findByAccess(accessToken);
  }

  /** Lets all access tokens of a company expire now. */
  expireAccess(company: BooksCompany): void {
    this.grants.expireAccess(company);
  }

  /** Ends the access of the application, as a person can do at Intuit. */
  endAccess(company: BooksCompany): void {
    this.grants.endAccess(company);
  }

  answerToken(authorization: string, form: URLSearchParams): { status: number; result: object } {
    const { status, result } = this.grants.answerToken(authorization, form);
    return { status, result: status === 200 ? { ...result, x_refresh_token_expires_in: 8_726_400 } : result };
  }

  answerRevocation(authorization: string, body: string): { status: number; result: object } {
    if (!this.grants.isApplication(authorization))
      return { status: 401, result: { error: 'invalid_client' } };
    const { token } = JSON.parse(body) as { token: string };
    const company = this.grants.findByRefresh(token);
    if (!company) return { status: 400, result: { error: 'invalid_request' } };
    this.endAccess(company);
    this.revoked.push(company.realmId);
    return { status: 200, result: {} };
  }
}
