import { expect } from 'chai';
import { storeOperation } from '../../../shared/operations/store.js';
import { newId } from '../../../shared/platform/ids.js';
import type { TestClient } from '../client.js';
import { addClub, type Club, offerForAnHour } from '../clubs/clubs.js';
import { createCanaryRecords } from '../records/canary-records.js';
import { insertNotice } from '../records/notices.js';
import { addPhoto } from '../records/pictures.js';
import { storeSuggestion } from '../records/suggestions.js';
import type { TestStack } from '../stack.js';
import { findPathRecordKind, withId } from '../text/id-paths.js';
import { storeConnectionRows } from '../vendors/connection-rows.js';
import { storePaymentRows } from '../vendors/payment-rows.js';
import { makeWebhookRecords } from '../webhooks/webhook-rows.js';
import { buildCommand } from '../writes/commands.js';
import { LOGO, listCrawledOperations } from './crawl-requests.js';

/** A tenant with a record of each kind. Every text of these records contains the canary. */
export interface Account {
  name: string;
  tenantId: string;
  client: TestClient;
  /** A motor club of the account, which made its offers. */
  club: Club;
  canary: string;
  /** Maps each kind of record to the id of one such record. */
  ids: Record<string, string>;
  /** Maps the path of each record to the text that GET returned after the record was created. */
  textByPath: Map<string, string>;
}

/** Creates the records of an {@link Account}. */
export async function fillAccount(
  stack: TestStack,
  name: string,
  tenantId: string,
  client: TestClient,
): Promise<Account> {
  const canary = `canary-${name.replace(' ', '-')}-${newId().slice(-12)}`;
  const ids = await createCanaryRecords(client, { canary, isLive: !name.includes('sandbox') });
  for (const _round of [1, 2])
    ids.suggestion = await storeSuggestion(stack, tenantId, { entity_id: newId(), title: canary });
  for (const _round of [1, 2]) ids.notice = await insertNotice(stack, tenantId, { title: canary });
  for (const width of [40, 41])
    ids.work_order_photo = await addPhoto(client, ids.work_order as string, width);
  // No request can set a text of a photo, so write the canary by SQL.
  const named = 'update work_order_photos set uploaded_by = $2 where tenant_id = $1';
  await stack.rows(tenantId, named, [tenantId, canary]);
  ids.event = (await client.get('/events?limit=1')).body.data.items[0].id;
  const connection = { tenantId, connectionId: ids.connection as string, text: canary, truckId: ids.truck };
  const payments = { invoice: ids.invoice as string, payment: ids.payment as string, text: canary };
  for (const _round of [1, 2])
    Object.assign(
      ids,
      await storeConnectionRows(stack, { ...connection, hasPartner: true }),
      await storePaymentRows(stack, tenantId, payments),
    );
  const club = await addClub(stack, client, canary);
  for (const _round of [1, 2]) ids.club_offer = await offerForAnHour(club, canary);
  ids.club = club.clubId;
  const webhooks = { stack, tenantId };
  for (const _round of [1, 2])
    Object.assign(ids, await makeWebhookRecords(webhooks, { eventId: ids.event as string, canary }));
  const command = buildCommand('customer.create', tenantId, { company_name: canary });
  await storeOperation(stack.runtime.db, command, 3600);
  expect((await client.call('PUT', '/settings/logo', LOGO)).status).to.equal(200);
  const account: Account = {
    name,
    tenantId,
    client,
    club,
    canary,
    ids: { ...ids, operation: command.id },
    textByPath: new Map(),
  };
  for (const { path } of listCrawledOperations().filter(
    (one) => one.method === 'GET' && one.path.includes('{id}'),
  )) {
    // These contain the current time, so their text changes with every request.
    if (/\/(statement|booking-preview)$/.test(path)) continue;
    const kind = findPathRecordKind(path);
    if (!account.ids[kind]) continue;
    const own = withId(path, account.ids[kind]);
    account.textByPath.set(own, (await client.get(own)).text);
  }
  return account;
}
