import { randomUUID } from 'node:crypto';
import { Grants } from '../../books/grants.js';
import type { XeroOrganisation } from './organisation.js';

/** The credentials of the operator's application, which the double accepts. */
export const XERO_APP = { client_id: 'XERODOUBLE', client_secret: 'xero-secret' } as const;

const ACCESS_SECONDS = 1800;

interface Reach {
  id: string;
  authEventId: string;
  organisation: XeroOrganisation;
  createdAt: Date;
  updatedAt: Date;
}

/** A person at Xero, and the organisations to which the person has given the application access. */
export class XeroPerson {
  readonly reached: Reach[] = [];
  /** The id of the person's last sign-in. */
  authEventId = randomUUID();
}

/** Stands in for Xero's sign-in: authorization codes, tokens that rotate, and connections. */
export class XeroSignIns {
  readonly grants = new Grants<XeroPerson>(XERO_APP, ACCESS_SECONDS, buildAccessToken);
  /** The ids of the organisations whose access the application has ended. */
  readonly ended: string[] = [];

  /** Lets a person allow the access, and returns the address to which Xero sends the person. */
  permit(authorizeUrl: string, organisation: XeroOrganisation, person: XeroPerson): string {
    const back = this.grants.permit(authorizeUrl, person, 'accounting.invoices');
    person.authEventId = randomUUID();
    const known = person.reached.find((one) => one.organisation === organisation);
    const now = new Date();
    if (known) Object.assign(known, { authEventId: person.authEventId, updatedAt: now });
    else
      person.reached.push({
        id: randomUUID(),
        authEventId: person.authEventId,
        organisation,
        createdAt: now,
        updatedAt: now,
      });
    return back;
  }

  listConnections({ reached }: XeroPerson): object[] {
    return reached.map(({ id, authEventId, organisation, createdAt, updatedAt }) => ({
      id,
      authEventId,
      tenantId: organisation.tenantId,
      tenantType: 'ORGANISATION',
      tenantName: organisation.name,
      createdDateUtc: createdAt.toISOString(),
      updatedDateUtc: updatedAt.toISOString(),
    }));
  }

  /** Ends the access to one organisation. Returns false if the person has given none. */
  deleteConnection({ reached }: XeroPerson, id: string): boolean {
    const index = reached.findIndex((one) => one.id === id);
    const [removed] = index < 0 ? [] : reached.splice(index, 1);
    if (removed) this.ended.push(removed.organisation.tenantId);
    return removed !== undefined;
  }
}

/** Builds a JSON Web Token with the claim that names the sign-in. Its signature is no signature. */
function buildAccessToken({ authEventId }: XeroPerson): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const claims = { authentication_event_id: authEventId, jti: randomUUID() };
  return `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}.double`;
}
