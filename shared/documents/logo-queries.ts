import type { Database, SqlQuery } from '../platform/postgres/database.js';
import type { LogoType } from './logo-image.js';

export interface StoredLogo {
  content_type: LogoType;
  sha256: string;
  data: Buffer;
}

/**
 * Returns SQL for the JSON of a {@link LogoRef}: an account's logo without its bytes. `alias` names
 * a row of that account.
 */
export function selectLogoRef(alias: string): string {
  return `(select json_build_object('sha256', g.sha256, 'content_type', g.content_type, 'width', g.width, 'height', g.height)
   from account_logos g where g.tenant_id = ${alias}.tenant_id)`;
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
