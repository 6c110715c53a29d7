import { expect } from 'chai';
import { AGENT_SCOPES } from '../../shared/contracts/vocabulary.js';
import { conformanceOffer } from '../support/conformance-offer.js';
import { Deployment, SECRET_KEY } from '../support/deployment.js';
import { issueKey } from '../support/keys.js';
import { ARE_TOOLS_ABSENT, inspect, KeyProxy, runConformance } from '../support/mcp-tools.js';
import { TestStack } from '../support/stack.js';

/** Scenarios that need nothing but what every server has. */
const OF_ANY_SERVER = [
  'dns-rebinding-protection',
  'ping',
  'prompts-list',
  'resources-list',
  'server-initialize',
  'tools-list',
];

/** Scenarios that need tools, resources and prompts of the suite's own. */
const WITH_FIXTURES = [
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
];

const NO_REQUESTS_TO_CLIENTS =
  'the server asks a client nothing: any replica takes any message, and a decision of a person is kept as an approval';
const NO_NOTIFICATIONS =
  'one POST has one JSON answer; nothing an agent can start here lasts long enough to tell of in between';
const NO_PUSH = 'nothing is pushed, so nothing is promised: no subscribe, no listChanged';
const NO_LOGGING = 'there is no stream to log to, and the protocol has given logging up with 2026-07-28';
const NO_SESSIONS = 'there are no sessions and no streams; the suite gives up without a session id';

/** Scenarios for what this server does not offer, and why. A server that says so at `initialize` conforms; the suite asks all the same. */
const NOT_OFFERED: Record<string, string> = {
  'completion-complete': 'arguments are ids out of lists and words out of the schemas; no completions',
  'elicitation-sep1034-defaults': NO_REQUESTS_TO_CLIENTS,
  'elicitation-sep1330-enums': NO_REQUESTS_TO_CLIENTS,
  'logging-set-level': NO_LOGGING,
  'resources-subscribe': NO_PUSH,
  'resources-unsubscribe': NO_PUSH,
  'server-sse-multiple-streams': NO_SESSIONS,
  'server-sse-polling': NO_SESSIONS,
  'tools-call-elicitation': NO_REQUESTS_TO_CLIENTS,
  'tools-call-sampling': NO_REQUESTS_TO_CLIENTS,
  'tools-call-with-logging': NO_LOGGING,
  'tools-call-with-progress': NO_NOTIFICATIONS,
};

async function expectPassed(origin: string, key: string, scenarios: string[]): Promise<void> {
  const proxy = await KeyProxy.start(origin, key);
  const found = await runConformance(proxy.url).finally(() => proxy.stop());
  expect([...found.keys()].sort()).to.deep.equal(
    [...OF_ANY_SERVER, ...WITH_FIXTURES, ...Object.keys(NOT_OFFERED)].sort(),
  );
  const passed = [...found].filter(([, faults]) => faults.length === 0).map(([name]) => name);
  const told = JSON.stringify(Object.fromEntries(found), null, 1);
  expect(passed.sort(), told).to.deep.equal([...scenarios].sort());
}

describe("the agents' server as others judge it", function () {
  this.timeout(300_000);

  before(function () {
    if (ARE_TOOLS_ABSENT) this.skip();
  });

  it('passes the conformance scenarios for any server, and the inspector, as it is deployed', () =>
    Deployment.run({ mcps: 1 }, async (deployment) => {
      await deployment.start();
      const [tenant] = await deployment.tenants(1);
      const store = { db: await deployment.db(), config: { secretKey: SECRET_KEY } };
      const key = await issueKey(store, tenant?.id as string, { kind: 'agent', scopes: [...AGENT_SCOPES] });
      const origin = deployment.mcps[0]?.origin as string;
      await expectPassed(origin, key, OF_ANY_SERVER);
      for (const era of ['modern', 'legacy']) await expectInspected(`${origin}/mcp`, key, era);
      expect((await inspect(`${origin}/mcp`, `${key}x`, ['--method', 'tools/list'])).code).to.equal(3);
    }));

  it("passes every scenario for what it offers once the suite's fixtures are mounted", async () => {
    const stack = await TestStack.start({ offerOf: conformanceOffer });
    try {
      const { id } = await stack.createTenant();
      const key = await stack.createKey(id, { kind: 'agent', scopes: [...AGENT_SCOPES] });
      await expectPassed(stack.origin, key, [...OF_ANY_SERVER, ...WITH_FIXTURES]);
    } finally {
      await stack.stop();
    }
  });

  async function expectInspected(url: string, key: string, era: string): Promise<void> {
    const ask = (...args: string[]) => inspect(url, key, ['--protocol-era', era, ...args]);
    const list = await ask('--method', 'tools/list', '--strict');
    expect(list.code, list.stderr).to.equal(0);
    expect(JSON.parse(list.stdout).result.tools).to.have.length(10);
    const call = (name: string, args: object) =>
      ask('--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args));
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
