import { expect } from 'chai';
import { createSuperuserDatabase } from '../../support/stores.js';
import { compareWithExceptions } from '../../support/tenancy/exceptions.js';
import { describeRead, findUnnamedReads } from '../../support/tenancy/explain-queries.js';

const ROWS = 'json_to_recordset($1::json) as r(tenant_id uuid, id uuid)';
const NAMED = "any (string_to_array(current_setting('app.tenant_ids'), ',')::uuid[])";

const COMPLETE = {
  'a parameter': 'select from invoices where tenant_id = $1 and id = $2',
  'a list of tenants': `select from invoices where tenant_id = ${NAMED}`,
  'joins of tables': `select from invoices i join customers c on c.tenant_id = i.tenant_id and c.id = i.customer_id
    left join payments p on p.tenant_id = c.tenant_id and p.customer_id = c.id where i.tenant_id = $1`,
  'a join with rows of the query': `select from ${ROWS} join events e on e.tenant_id = r.tenant_id and e.id = r.id`,
  'subqueries of the selected columns and of an OR': `select exists (select from connections k where k.tenant_id = i.tenant_id and k.id = i.id)
    from invoices i where i.tenant_id = $1 and (i.id = $2
      or exists (select from events e where e.tenant_id = i.tenant_id and e.id = i.id))`,
  writes:
    'insert into mail_days (tenant_id, day, mails) values ($1, $2, 1) on conflict (tenant_id, day) do nothing',
  'no table of accounts': 'select from clock.schedule_runs',
};

const INCOMPLETE: Record<string, [text: string, ...tables: string[]]> = {
  'a lookup by id': ['select from invoices where id = $1', 'invoices'],
  'a lookup in weekly partitions': ['select from events where id = $1', 'events'],
  'a join by id alone': [
    'select from invoices i join customers c on c.id = i.customer_id where i.tenant_id = $1',
    'customers',
  ],
  'a join of two tables without a tenant': [
    'select from invoices i join customers c on c.tenant_id = i.tenant_id and c.id = i.customer_id',
    'invoices',
    'customers',
  ],
  'a tenant inside of an OR': ['select from invoices where tenant_id = $1 or id = $2', 'invoices'],
  'every tenant but one': ['select from invoices where tenant_id <> $1', 'invoices'],
  'a subquery': [
    'select from invoices i where i.tenant_id = $1 and exists (select from payments p where p.invoice_id = i.id)',
    'payments',
  ],
  'an alias that hides another one': [
    `select from ${ROWS} cross join lateral (select from rate_cards r where r.tenant_id = r.tenant_id limit 1) card`,
    'rate_cards',
  ],
  'an update': ['update invoices set notes = $1 where id = $2', 'invoices'],
  'a deletion by place': [
    'delete from sessions where ctid = any (array(select ctid from sessions where tenant_id = $1))',
    'sessions',
  ],
};

describe('the search for queries that name no tenant', () => {
  const find = async (texts: readonly string[]) =>
    (await findUnnamedReads(databaseUrl, new Map(texts.map((text) => [text, text])))).map(describeRead);
  let databaseUrl: string;

  before(async () => {
    databaseUrl = await createSuperuserDatabase();
  });

  it('accepts queries that restrict or join the tenant of each table', async () => {
    expect(await find(Object.values(COMPLETE))).to.deep.equal([]);
  });

  it('finds each table whose tenant a query does not restrict, whatever row-level security adds', async () => {
    const expected = Object.values(INCOMPLETE).flatMap(([text, ...tables]) =>
      tables.map((table) => `${text}: ${table}`),
    );
    expect(await find(Object.values(INCOMPLETE).map(([text]) => text))).to.have.members(expected);
  });

  it('fails for a query that PostgreSQL cannot plan', async () => {
    const failure = await find(['select nothing from invoices where']).catch(String);
    expect(failure).to.include('syntax error');
  });

  it('reports what docs/scaling.md does not list, and each exception that does not apply', () => {
    const found = ['schema_migrations', 'schema_migrations_lock', 'bullmq.job', 'public.forgotten'];
    const { unlisted, stale } = compareWithExceptions('table', found);
    expect(unlisted).to.deep.equal(['public.forgotten']);
    expect(stale).to.deep.equal(['clock.schedule_runs']);
  });
});
