import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import type { SqlQuery, Transaction } from '../../../shared/platform/postgres/database.js';
import { findCandidates } from '../../../shared/resources/remittance-lines/candidates.js';
import { applyRemittance, createRemittance } from '../../../shared/resources/remittances/commands.js';
import { remittanceHandlers } from '../../../shared/resources/remittances/handlers/index.js';
import { runIsolated } from '../../../workers/writes/isolate-commands.js';
import { expectError } from '../../support/expect-error.js';
import { createClaimAfter } from '../../support/records/lifecycle-records.js';
import { remittanceInput } from '../../support/records/samples.js';
import { useOwnStack, useTenant } from '../../support/use-stack.js';
import { createBatchContext } from '../../support/writes/batch-context.js';
import { buildCommand } from '../../support/writes/commands.js';
import { explainRun, type RunNode } from '../../support/writes/explain.js';

const CLAIMS = 3000;
const LINES = 500;

/** Inserts submitted claims with the POs P-1, P-2 and so on. Every claim expects $1.00. */
const INSERT = `with made as (
    insert into invoices (tenant_id, id, invoice_number, po_number, status, released_at, released_as, subtotal_cents, tax_cents, total_cents)
    select $1, gen_random_uuid(), 'N-' || n, 'P-' || n, 'sent_to_roadsync', now(), 'sent_to_roadsync', 100, 0, 100
    from generate_series(1, ${CLAIMS}) n returning id, po_number)
  insert into claims (tenant_id, id, invoice_id, club, po_number, status, attempt, submitted_at, submit_by, expected_cents)
  select $1, gen_random_uuid(), id, 'Club', po_number, 'submitted', 1, now(), now() + interval '60 days', 100 from made`;

describe('a remittance of 500 lines', () => {
  const stack = useOwnStack();
  const tenant = useTenant(stack);

  before(async () => {
    await stack.rows(tenant.id, INSERT, [tenant.id]);
    await stack.runAsOwner('analyze claims, invoices');
  });

  const buildLines = (from: number, count: number) =>
    Array.from({ length: count }, (_, nth) => ({ po_number: `P-${from + nth}`, amount_cents: 100 }));

  /** Runs the handler of a command in a transaction, and returns how many queries it has sent. */
  const countQueries = (type: string, entityId: string, input: Record<string, unknown>): Promise<number> =>
    stack.runtime.db.transaction([tenant.id], async (tx) => {
      let count = 0;
      const counting = new Proxy(tx, {
        get: (target, name) => {
          if (name !== 'query') return Reflect.get(target, name);
          return (query: SqlQuery) => {
            count += 1;
            return target.query(query);
          };
        },
      }) as Transaction;
      const command = { ...buildCommand(type, tenant.id, input), entityId };
      const handler = remittanceHandlers[type] as (...args: unknown[]) => Promise<{ ok: boolean }[]>;
      const [outcome] = await handler(counting, [command], stack.runtime.config);
      expect(outcome?.ok).to.equal(true);
      return count;
    });

  it('is imported and applied with as many queries as one of 2 lines, and pays each claim', async () => {
    const counts: number[][] = [];
    for (const [from, lines] of [
      [1, 2],
      [1001, LINES],
    ] as const) {
      const id = newId();
      const input = remittanceInput({ lines: buildLines(from, lines), total_cents: lines * 100 });
      counts.push([
        await countQueries(createRemittance.type, id, input),
        await countQueries(applyRemittance.type, id, {}),
      ]);
      const { body } = await tenant.client.get(`/remittances/${id}`);
      expect(body).to.include({ status: 'applied', applied_cents: lines * 100, applied_count: lines });
    }
    expect(counts[1]).to.deep.equal(counts[0]);
    const [paid] = await stack.rows<{ count: number }>(
      tenant.id,
      `select count(*)::int as count from invoices where status = 'paid'`,
    );
    expect(paid?.count).to.equal(LINES + 2);
  });

  it('is refused with one line more', async () => {
    const refused = await tenant.client.post(
      '/remittances',
      remittanceInput({ lines: buildLines(1, LINES + 1) }),
    );
    expectError(refused, 400, 'validation_error');
  });

  it('is matched by index, so it reads only the claims of its POs', async () => {
    const sent: SqlQuery[] = [];
    const query = async (one: SqlQuery) => {
      sent.push(one);
      return [];
    };
    const tx = { query } as never;
    await findCandidates(tx, tenant.id, {
      pos: ['P-1', 'P-2', 'P-3'],
      numbers: ['N-1', 'N-2'],
      claimIds: [newId()],
    });
    expect(sent).to.have.length(3);
    for (const { text, values = [] } of sent) {
      const literals = values.map((value) => (Array.isArray(value) ? `{${value.join(',')}}` : value));
      const nodes = await explainRun(stack.runtime.db, tenant.id, { text, values: literals });
      const scans = nodes.filter((node) => ['claims', 'invoices'].includes(node['Relation Name'] ?? ''));
      expect(scans).to.not.deep.equal([]);
      for (const scan of scans) expect(countRows(scan), text).to.be.at.most(6);
    }
  });

  const countRows = ({
    'Actual Rows': rows,
    'Actual Loops': loops,
    'Rows Removed by Filter': removed = 0,
  }: RunNode) => (rows + removed) * loops;

  it('reads at most ten claims of a PO that all claims have, and the open ones first', async () => {
    const po_number = 'N/A';
    const open = await createClaimAfter(tenant.client, ['submit'], { invoice: { po_number } });
    for (let nth = 0; nth < 12; nth += 1)
      await createClaimAfter(tenant.client, [], { invoice: { po_number } });
    const input = remittanceInput({ lines: [{ po_number, amount_cents: 10_000 }] });
    const { body } = await tenant.client.post('/remittances', input);
    const { data } = (await tenant.client.get(`/remittance-lines?remittance_id=${body.id}`)).body;
    expect(data.items[0]).to.include({ outcome: 'matched', claim_id: open.id });
  });

  it('a worker that dies before the commit has recorded nothing, and the repetition pays once', async () => {
    const claim = await createClaimAfter(tenant.client, ['submit'], { invoice: { po_number: 'DIES' } });
    const input = remittanceInput({
      lines: [{ po_number: 'DIES', amount_cents: 10_000 }],
      total_cents: 10_000,
    });
    const { body } = await tenant.client.post('/remittances', input);
    const command = { ...buildCommand(applyRemittance.type, tenant.id, {}), entityId: body.id };
    const context = createBatchContext(stack.runtime);
    const dying = {
      ...context,
      beforeCommit: () => {
        throw Object.assign(new Error('the connection broke'), { code: '57P01' });
      },
    };
    const failed = await runIsolated(dying, [command]).catch((error: Error) => error.message);
    expect(failed).to.equal('the connection broke');
    expect((await tenant.client.get(`/claims/${claim.id}`)).body.status).to.equal('submitted');
    // The queue runs the same command again, also after it was committed.
    for (const _run of [1, 2]) await runIsolated(context, [command]);
    const payments = (await tenant.client.get(`/invoices/${claim.invoice_id}/payments`)).body.data.items;
    expect(payments).to.have.length(1);
  });
});
