import type { Config } from '../../config/config.js';
import type { Transaction } from '../../platform/postgres/database.js';

export type DeliveryChannel = 'email' | 'sms';

/** This provider sends nothing. It only stores its messages, which the API shows. */
export const OUTBOX_PROVIDER = 'outbox';

/** The provider of a message, and the connection if the provider is a vendor. */
export interface ChosenProvider {
  provider: string;
  connectionId: string | null;
}

/** The connection through which an account sends texts. */
export interface TextConnection {
  tenant_id: string;
  id: string;
  vendor: string;
}

/** The connections through which accounts send texts, by tenant id. */
export type TextConnections = ReadonlyMap<string, TextConnection>;

/**
 * Finds the connection through which each account sends texts. It is the oldest connection that is
 * not revoked and has an `external_account`. The `external_account` is stored once the credentials
 * have worked. While the connection is paused, texts wait.
 */
export async function findTextConnections(
  tx: Transaction,
  tenantIds: readonly string[],
): Promise<TextConnections> {
  const rows = await tx.query<TextConnection>({
    name: 'find-text-connections',
    text: `select distinct on (c.tenant_id) c.tenant_id, c.id, c.vendor from connections c
           where c.tenant_id = any($1::uuid[]) and c.kind = 'messaging' and c.status <> 'revoked' and c.external_account is not null
           order by c.tenant_id, c.created_at, c.id`,
    values: [[...new Set(tenantIds)]],
  });
  return new Map(rows.map((row) => [row.tenant_id, row]));
}

/**
 * Returns the provider for a channel. Texts stay in the outbox if the account has no connection for
 * texts. Mails stay in the outbox if there is no mail server. In a sandbox, all messages stay in
 * the outbox (docs/decisions.md §6).
 */
export function providerFor(
  config: Config,
  { channel, environment }: { channel: DeliveryChannel; environment: 'live' | 'sandbox' },
  connection: TextConnection | undefined,
): ChosenProvider {
  const outbox = { provider: OUTBOX_PROVIDER, connectionId: null };
  if (environment !== 'live') return outbox;
  if (channel === 'sms')
    return connection ? { provider: connection.vendor, connectionId: connection.id } : outbox;
  return config.smtpUrl ? { provider: 'smtp', connectionId: null } : outbox;
}
