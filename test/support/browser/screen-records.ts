import type { TestClient } from '../client.js';
import { addClub, offerForAnHour } from '../clubs/clubs.js';
import { createCanaryRecords } from '../records/canary-records.js';
import { insertNotice } from '../records/notices.js';
import { storeLastingSuggestion } from '../records/suggestions.js';
import type { TestStack } from '../stack.js';
import { storeConnectionRows } from '../vendors/connection-rows.js';
import { makeWebhookRecords } from '../webhooks/webhook-rows.js';

/**
 * Creates every kind of record that a screen of the dashboard shows. All texts of the records
 * contain `text`. The stack must have the vendors in TEST_VENDORS.
 * @param account the account or its sandbox
 * @returns the id of one record of each kind
 */
export async function createScreenRecords(
  stack: TestStack,
  account: { tenantId: string; client: TestClient; isLive: boolean },
  text: string,
): Promise<Record<string, string>> {
  const { tenantId, client, isLive } = account;
  const ids = await createCanaryRecords(client, { canary: text, isLive });
  const { invoice = '', connection: connectionId = '' } = ids;
  await offerForAnHour(await addClub(stack, client, text), text);
  ids.suggestion = await storeLastingSuggestion(stack, tenantId, {
    entity_id: invoice,
    invoice_id: invoice,
    title: text,
    rationale: text,
  });
  await insertNotice(stack, tenantId, { title: text });
  Object.assign(ids, await storeConnectionRows(stack, { tenantId, connectionId, text }));
  const { body } = await client.get('/events?limit=1');
  const event = { eventId: body.data.items[0].id as string, canary: text };
  Object.assign(ids, await makeWebhookRecords({ stack, tenantId }, event));
  ids.audit_entry = (await client.get('/audit-log?limit=1')).body.data.items[0].id;
  return ids;
}
