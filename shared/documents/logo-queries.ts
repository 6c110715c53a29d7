import type { Database, SqlQuery } from '../platform/postgres/database.js';
import type { LogoType } from './logo-image.js';

export interface StoredLogo {
  content_type: LogoType;
  sha256: string;
  data: Buffer;
}

export async function readLogo(db: Database, tenantId: string): Promise<StoredLogo | undefined> {
  const sqlQuery: SqlQuery = {
    name: 'read-logo',
    text: 'select content_type, sha256, data from account_logos where tenant_id = $1',
    values: [tenantId],
  };
  const [logo] = await db.read<StoredLogo>(tenantId, sqlQuery);
  return logo;
}
