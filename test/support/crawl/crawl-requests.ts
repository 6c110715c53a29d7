/**
 * Builds the requests of tests that call every documented operation. The ids in the requests are
 * those of records that the tests created.
 */
import { newId } from '../../../shared/platform/ids.js';
import type { CallOptions } from '../client.js';
import { createRedPng } from '../records/pictures.js';
import { findIdPaths, findRecordKind, setIdAt, withId } from '../text/id-paths.js';
import {
  type DocumentedOperation,
  listDocumentedOperations,
  type OpenApiNode,
} from '../text/openapi-walk.js';
import { connectionAccess } from '../vendors/connection-rows.js';

/** Ids by kind of record. */
type Ids = Record<string, string>;

export const LOGO: CallOptions = { raw: createRedPng(), headers: { 'content-type': 'image/png' } };

/** Lists the operations that the crawl of all operations calls. */
export const listCrawledOperations = () =>
  listDocumentedOperations().filter(
    (one) =>
      // Leave out /stream, because a stream never ends. test/integration/http/stream.test.ts tests
      // the isolation of streams.
      one.path !== '/stream' &&
      // Leave out the sign-in, because it needs no credential.
      // test/integration/access/sign-in.test.ts tests the isolation of sign-ins.
      one.name !== 'POST /session' &&
      // Leave out sessions and factors. test/integration/second-factors and
      // test/integration/access/my-sessions.test.ts test their isolation.
      !/^\/(me|session)\//.test(one.path) &&
      // Leave out the audit log. It contains every id that the account requested, even ids of other
      // tenants. test/integration/events/audit-log.test.ts tests that it shows no more than these
      // ids.
      !one.path.startsWith('/audit-log'),
  );

/** Returns the example body in openapi.json, with each of its ids replaced by one of `ids`. */
export function buildOwnBody(body: NonNullable<DocumentedOperation['body']>, ids: Ids): unknown {
  return findIdPaths(body.schema).reduce<unknown>((value, place) => {
    const kind = findRecordKind(place);
    const id = ids[kind];
    if (!id) throw new Error(`the crawl has no ${kind} for ${place.join('.')}: create one in fillAccount`);
    return setIdAt(value, place, id);
  }, body.example);
}

/**
 * Returns the path of a list. If the list belongs to a record, the path names a record whose list
 * has items.
 */
export function buildListPath({ path }: DocumentedOperation, ids: Ids): string {
  const [, parents = '', , items = ''] = path.split('/');
  const kinds: Ids = {
    invoices: 'paid_invoice',
    connections: 'connection',
    'customers/payment-methods': 'customer',
    payouts: 'payout',
    'trucks/positions': 'truck',
    'work-orders/steps': 'cancelled_work_order',
    'work-orders/photos': 'work_order',
  };
  const kind = kinds[parents] ?? kinds[`${parents}/${items}`];
  return withId(path, ids[kind ?? 'webhook_delivery'] as string);
}

/** Returns a body that the operation accepts. */
export function buildRequest({ body, path, name }: DocumentedOperation, ids: Ids): CallOptions {
  if (name === 'PUT /settings/logo' || name === 'POST /work-orders/{id}/photos') return LOGO;
  if (!body) return {};
  const own = buildOwnBody(body, ids) as OpenApiNode;
  // The example's vendor is not among the vendors of the tests. Replace the vendor, and therefore
  // its credentials and settings too.
  if (name === 'POST /connections')
    return { body: { vendor: 'parrot_keys', ...connectionAccess(newId(), true) } };
  if (name === 'PATCH /connections/{id}') return { body: connectionAccess(newId(), true) };
  // The example's event types are none of a motor club's endpoint.
  if (name === 'POST /webhook-endpoints') return { body: { ...own, event_types: ['club_offer.*'] } };
  if (!path.startsWith('/users')) return { body: own };
  // Leave out the password, because only a person may set one.
  const { password: _password, ...rest } = own;
  return { body: rest };
}
