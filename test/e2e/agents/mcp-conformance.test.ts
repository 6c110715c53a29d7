import { expect } from 'chai';
import { AGENT_SCOPES } from '../../../shared/contracts/vocabulary.js';
import { createConformanceOffer } from '../../support/agents/conformance-offer.js';
import {
  ARE_MCP_TOOLS_MISSING,
  inspectServer,
  KeyProxy,
  runConformance,
} from '../../support/agents/mcp-tools.js';
import { issueKey } from '../../support/keys.js';
import { Deployment, SECRET_KEY } from '../../support/load/deployment.js';
import { TestStack } from '../../support/stack.js';

/** Scenarios for capabilities that every server has. */
const BASIC_SCENARIOS = [
  'dns-rebinding-protection',
  'ping',
  'prompts-list',
  'resources-list',
  'server-initialize',
  'tools-list',
];

/** Scenarios that need the suite's own tools, resources and prompts. */
const FIXTURE_SCENARIOS = [
  'json-schema-2020-12',
  'prompts-get-embedded-resource',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-with-image',
  'resources-read-binary',
  'resources-read-text',
  'resources-templates-read',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-error',
  'tools-call-image',
  'tools-call-mixed-content',
  'tools-call-simple-text',
  'tools-call-with-progress',
];

/**
 * Scenarios for optional capabilities that this server does not advertise: completions, log levels,
 * subscriptions, and requests to the client.
 */
const OPTIONAL_SCENARIOS = [
  'completion-complete',
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
  'logging-set-level',
  'resources-subscribe',
  'resources-unsubscribe',
  'tools-call-elicitation',
  'tools-call-sampling',
  'tools-call-with-logging',
];

/**
 * Scenarios that resume a stream by GET, for which they need a session id. This server has no
 * sessions and responds to GET with 405, as MCP allows. The suite scores both scenarios as warnings
 * ("did not provide session ID"), never as failures.
 */
const UNSUPPORTED_SCENARIOS = ['server-sse-multiple-streams', 'server-sse-polling'];

async function expectPassed(origin: string, key: string, scenarios: string[]): Promise<void> {
  const proxy = await KeyProxy.start(origin, key);
  const problemsByScenario = await runConformance(proxy.url).finally(() => proxy.stop());
  expect([...problemsByScenario.keys()].sort()).to.deep.equal(
    [...BASIC_SCENARIOS, ...FIXTURE_SCENARIOS, ...OPTIONAL_SCENARIOS, ...UNSUPPORTED_SCENARIOS].sort(),
  );
  const passed = [...problemsByScenario]
    .filter(([, problems]) => problems.length === 0)
    .map(([name]) => name);
  const report = JSON.stringify(Object.fromEntries(problemsByScenario), null, 1);
  expect(passed.sort(), report).to.deep.equal([...scenarios].sort());
  for (const name of UNSUPPORTED_SCENARIOS)
    expect(problemsByScenario.get(name)).to.satisfy((problems: string[]) =>
      problems.every((one) => one.startsWith('WARNING')),
    );
}

describe('the MCP server, judged by the official conformance suite and inspector', function () {
  this.timeout(300_000);

  before(function () {
    if (ARE_MCP_TOOLS_MISSING) this.skip();
  });

  it('the deployed MCP server passes the conformance scenarios for every server, and the inspector', () =>
    Deployment.run({ mcps: 1 }, async (deployment) => {
      await deployment.start();
      const [tenant] = await deployment.createTenants(1);
      const store = { db: await deployment.db(), config: { secretKey: SECRET_KEY } };
      const key = await issueKey(store, tenant?.id as string, { kind: 'agent', scopes: [...AGENT_SCOPES] });
      const origin = deployment.mcps[0]?.origin as string;
      await expectPassed(origin, key, BASIC_SCENARIOS);
      for (const era of ['modern', 'legacy']) await expectInspected(`${origin}/mcp`, key, era);
      expect((await inspectServer(`${origin}/mcp`, `${key}x`, ['--method', 'tools/list'])).code).to.equal(3);
    }));

  it("the MCP server passes every scenario that it supports when it serves the suite's fixtures", async () => {
    const stack = await TestStack.start({ createOffer: createConformanceOffer });
    try {
      const { id } = await stack.createTenant();
      const key = await stack.createKey(id, { kind: 'agent', scopes: [...AGENT_SCOPES] });
      await expectPassed(stack.origin, key, [...BASIC_SCENARIOS, ...FIXTURE_SCENARIOS]);
    } finally {
      await stack.stop();
    }
  });

  async function expectInspected(url: string, key: string, era: string): Promise<void> {
    const runInspector = (...args: string[]) => inspectServer(url, key, ['--protocol-era', era, ...args]);
    const list = await runInspector('--method', 'tools/list', '--strict');
    expect(list.code, list.stderr).to.equal(0);
    expect(JSON.parse(list.stdout).result.tools).to.have.length(10);
    const call = (name: string, args: object) =>
      runInspector('--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args));
    const read = await call('list_invoices', { limit: 5 });
    expect(read.code, read.stderr).to.equal(0);
    expect(JSON.parse(read.stdout).result.structuredContent).to.deep.include({ count: 0, cursor: null });
    const written = await call('create_work_order', { service_type: 'tow' });
    expect(written.code, written.stderr).to.equal(0);
    expect(JSON.parse(written.stdout).result.structuredContent).to.include({ status: 'new' });
    const refused = await call('list_invoices', { limit: 0 });
    expect([refused.code, refused.stdout], refused.stderr).to.satisfy(
      ([code, stdout]: [number, string]) => code === 5 && stdout.includes('validation_error'),
    );
    expect((await call('no_such_tool', {})).code).to.equal(5);
  }
});
