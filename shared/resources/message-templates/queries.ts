import { deriveUuid } from '../../platform/crypto.js';
import type { Database } from '../../platform/postgres/database.js';
import { messageTemplateFields } from './fields.js';
import { DEFAULT_TEXTS, TEMPLATE_KEYS, type TemplateKey } from './vocabulary.js';

/**
 * Returns the id of an account's template. The row itself is stored only when the template is
 * changed.
 */
export function templateId(tenantId: string, key: TemplateKey): string {
  return deriveUuid([tenantId, 'message template', key]);
}

/** Reads the account's templates. Unchanged templates contain the product's standard text. */
export async function readMessageTemplates(
  db: Database,
  tenantId: string,
): Promise<{ key: TemplateKey; body: string }[]> {
  const rows = await db.read<{ key: TemplateKey; body: string }>(tenantId, {
    name: 'read-message-templates',
    text: `select t.key, (${messageTemplateFields.representation('t')})::text as body from message_templates t where t.tenant_id = $1`,
    values: [tenantId],
  });
  const stored = new Map(rows.map(({ key, body }) => [key, body]));
  return TEMPLATE_KEYS.map((key) => ({ key, body: stored.get(key) ?? renderDefault(key) }));
}

/** Unchanged templates are not stored and have no times, so the response shows a fixed time. */
function renderDefault(key: TemplateKey): string {
  const at = '2026-11-27T00:00:00.000Z';
  return JSON.stringify({ key, text: DEFAULT_TEXTS[key], enabled: false, created_at: at, updated_at: at });
}
