import { expect } from 'chai';
import { AGENT_SCOPES } from '../../../../shared/contracts/vocabulary.js';
import { RawMcp } from '../../../support/agents/raw-mcp.js';
import { eventually } from '../../../support/poll.js';
import { useSharedAccount } from '../../../support/records/accounts.js';
import type { TestStack, TestTenant } from '../../../support/stack.js';
import { MAX_BAD_CREDENTIALS, PROXIED_STACK } from '../../../support/use-stack.js';

/**
 * Builds the header as the service receives it. The client made up the first address, and the
 * trusted proxy appended the second.
 */
const forwardedFor = (address: string) => ({ 'x-forwarded-for': `203.0.113.77, ${address}` });

describe('clients of /mcp', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let mcp: RawMcp;

  useSharedAccount(async (account) => {
    ({ stack, tenant } = account);
    const scopes = [...AGENT_SCOPES];
    mcp = new RawMcp(stack.origin, await stack.createKey(tenant.id, { kind: 'agent', scopes }));
  }, PROXIED_STACK);

  it('the audit entry of an MCP call has the address that the proxy saw and the user agent', async () => {
    const headers = { ...forwardedFor('192.0.2.1'), 'user-agent': 'desk/1.0', 'x-request-id': 'req-callers' };
    await mcp.call('list_invoices', {}, { headers });
    await mcp.call('create_work_order', { service_type: 'tow' }, { headers });
    const entries = await stack.rows<Record<string, string>>(
      tenant.id,
      "select tool, host(ip::inet) as ip, user_agent from audit_entries where request_id = 'req-callers' order by tool",
    );
    const seen = { ip: '192.0.2.1', user_agent: 'desk/1.0' };
    expect(entries).to.deep.equal([
      { tool: 'create_work_order', ...seen },
      { tool: 'list_invoices', ...seen },
    ]);
  });

  it('wrong keys are rate limited by address, and a valid key from the same address is not', async () => {
    const statuses: number[] = [];
    for (let nth = 0; nth < MAX_BAD_CREDENTIALS + 2; nth += 1)
      statuses.push(
        (await mcp.request('ping', {}, { key: `tk_agent_${nth}`, headers: forwardedFor('192.0.2.2') }))
          .status,
      );
    expect(statuses).to.deep.equal([...Array(MAX_BAD_CREDENTIALS).fill(401), 429, 429]);
    expect((await mcp.request('ping', {}, { headers: forwardedFor('192.0.2.2') })).status).to.equal(200);
    expect(
      (await mcp.request('ping', {}, { key: 'tk_agent_0', headers: forwardedFor('192.0.2.3') })).status,
    ).to.equal(401);
  });

  it('MCP responses have RateLimit headers for both windows, and none without a key', async () => {
    const { headers } = await mcp.request('ping');
    expect(headers['ratelimit-policy']).to.match(/^"minute";q=\d+;w=60, "hour";q=\d+;w=3600$/);
    expect(headers.ratelimit).to.match(/^"minute";r=\d+;t=\d+, "hour";r=\d+;t=\d+$/);
    expect((await mcp.request('ping', {}, { key: null })).headers).to.not.have.property('ratelimit');
  });

  it('an MCP call sets last_used_at of its key', async () => {
    const body = { name: 'Used', scopes: ['read_invoices'] };
    const { id, key } = (await tenant.client.post('/agent-keys', body)).body;
    const readLastUsed = async () => (await tenant.client.get(`/agent-keys/${id}`)).body.last_used_at;
    expect(await readLastUsed()).to.equal(null);
    await mcp.request('ping', {}, { key });
    await eventually('last_used_at is set', async () => (await readLastUsed()) ?? undefined);
  });
});
