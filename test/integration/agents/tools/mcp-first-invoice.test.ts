import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { DemoCredentials } from '../../../../bin/demo/credentials.js';
import { DEMO_PROFILES } from '../../../../bin/demo/records/tenants.js';
import { seedDemo } from '../../../../bin/demo/seed-demo.js';
import { fillReadmeAgentJson } from '../../../support/agents/readme-agent.js';
import { PROJECT } from '../../../support/load/processes.js';
import { buildScriptCommand } from '../../../support/network/run-script.js';
import { createSessionClient, readCookie, requestSession } from '../../../support/records/sign-in.js';
import { useStack } from '../../../support/use-stack.js';

const run = promisify(execFile);

/** Runs docs/agents/first-invoice.ts with the agent.json that docs/agents/README.md describes. */
describe('first invoice of an agent that is set up by the README', function () {
  this.timeout(60_000);
  const stack = useStack();
  let demo: DemoCredentials;
  const tenant = (DEMO_PROFILES[0] as (typeof DEMO_PROFILES)[number]).pair.live;
  let listCallCount: number;
  /** The printed line of each tool call, except calls of `list_work_orders`. */
  let steps: string[];
  let summary: Record<string, string | number | boolean>;

  before(async () => {
    const { db, config } = stack.runtime;
    const logger = { info: () => undefined, warn: () => undefined };
    [demo] = (await seedDemo(db, { secretKey: config.secretKey, logger })) as [DemoCredentials];
    const path = join(await mkdtemp(join(tmpdir(), 'tow-agent-')), 'agent.json');
    await writeFile(path, await fillReadmeAgentJson('url', { origin: stack.origin, key: demo.agent_key }));
    const [program = '', ...args] = buildScriptCommand('docs/agents/first-invoice.ts', path);
    const { stdout } = await run(program, args, { cwd: PROJECT });
    const outputLines = stdout.trim().split('\n');
    summary = JSON.parse(outputLines.at(-1) ?? '{}');
    const isList = (line: string) => line.startsWith('list_work_orders: ');
    listCallCount = outputLines.filter(isList).length;
    steps = outputLines.slice(0, -1).filter((line) => !isList(line));
  });

  it('the agent lists work orders, drafts once, reaches the approval threshold, proposes, and gets each outcome in words', () => {
    expect(listCallCount).to.be.at.least(1);
    expect(steps.map((line) => line.split(':', 1)[0])).to.deep.equal([
      'get_work_order',
      ...Array(4).fill('create_invoice_draft'),
      'propose_invoice_approval',
    ]);
    expect(steps[1]).to.match(/^create_invoice_draft: Dry run, nothing was stored/);
    expect(steps[3]).to.include('done before');
    expect(steps[4]).to.match(/^create_invoice_draft: Held for a person: \$1[89]\d\d\.\d\d/);
    expect(summary).to.include({ pending_approval: true });
  });

  it("the agent leaves one draft with the work order's customer, two pending approvals, and no invoice of the held draft", async () => {
    const invoices = await stack.rows<Record<string, unknown>>(
      tenant,
      `select i.id, i.status, i.subtotal_cents::int, i.total_cents::int, i.customer_id = w.customer_id as of_customer, w.job_number, i.sent_at
       from invoices i join work_orders w on w.id = i.work_order_id and w.tenant_id = i.tenant_id
       where i.created_at > now() - interval '10 minutes' and i.id = any(
         select entity_id from audit_entries where source = 'mcp' and tool is not null and outcome = 'ok')
         and i.status = 'draft'`,
    );
    expect(invoices).to.deep.equal([
      {
        id: summary.invoice_id,
        status: 'draft',
        subtotal_cents: 20_000,
        total_cents: summary.total_cents,
        of_customer: true,
        job_number: summary.job_number,
        sent_at: null,
      },
    ]);
    const approvals = await stack.rows(
      tenant,
      'select kind, status, amount_cents >= 180000 as is_large, invoice_id from approvals where id = any($1) order by kind',
      [[summary.held_approval_id, summary.proposal_id]],
    );
    expect(approvals).to.deep.equal([
      { kind: 'agent_write', status: 'pending', is_large: true, invoice_id: null },
      { kind: 'invoice_approval', status: 'pending', is_large: false, invoice_id: summary.invoice_id },
    ]);
  });

  it('the audit log has every call of the agent: reads, dry run, draft, replay, held write and proposal', async () => {
    const entries = await stack.rows<Record<string, string | null>>(
      tenant,
      `select tool, action, outcome, actor_name from audit_entries
       where source = 'mcp' and actor_type = 'agent' and user_agent is not null and id > $1 order by id`,
      [await findLastDemoEntryId()],
    );
    expect(entries.map(({ tool, action, outcome }) => `${tool} ${action} ${outcome}`).sort()).to.deep.equal(
      [
        ...Array(listCallCount).fill('list_work_orders work_order.listed ok'),
        'get_work_order work_order.read ok',
        'create_invoice_draft invoice.created dry_run',
        'create_invoice_draft invoice.created ok',
        'create_invoice_draft invoice.created ok',
        'create_invoice_draft invoice.created held',
        'propose_invoice_approval approval.proposed ok',
      ].sort(),
    );
    expect(new Set(entries.map(({ actor_name }) => actor_name))).to.deep.equal(new Set(['Demo agent']));
  });

  it('the held draft becomes an invoice only when a signed-in person approves it', async () => {
    const { email, password } = demo;
    const person = createSessionClient(
      stack.origin,
      readCookie(await requestSession(stack.origin, { email, password })),
    );
    const decided = await person.post(`/approvals/${summary.held_approval_id}/approve`, {});
    expect(decided.body, decided.text).to.include({ status: 'approved' });
    const invoice = await person.get(`/invoices/${decided.body.invoice_id}`);
    expect(invoice.body, invoice.text).to.include({ status: 'draft', subtotal_cents: 180_000 });
    await person.post(`/approvals/${summary.proposal_id}/approve`, {});
    const proposed = await person.get(`/invoices/${summary.invoice_id}`);
    expect(proposed.body).to.include({ status: 'approved' });
  });

  /** Returns the id of the demo data's last audit entry. The agent's entries have later ids. */
  async function findLastDemoEntryId(): Promise<string> {
    const [row] = await stack.rows<{ id: string }>(
      tenant,
      "select id from audit_entries where source <> 'mcp' and action like 'user.%' order by id desc limit 1",
    );
    return row?.id ?? '';
  }
});
