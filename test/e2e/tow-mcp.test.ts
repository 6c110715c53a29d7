/** Runs `tow mcp` as a process, against a deployment. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'chai';
import { AGENT_SCOPES } from '../../shared/contracts/vocabulary.js';
import { mintKey } from '../../shared/resources/api-keys/credential.js';
import type { Json } from '../support/client.js';
import { Deployment, SECRET_KEY, type Tenant } from '../support/deployment.js';
import { issueKey } from '../support/keys.js';
import { eventually } from '../support/poll.js';
import { freePort } from '../support/stores.js';
import { Stdio, type StdioOptions, TOW } from './stdio-fixture.js';

const CLEAN = { code: 0, signal: null };

describe('tow mcp', function () {
  this.timeout(90_000);
  let deployment: Deployment;
  let tenant: Tenant;
  let key: string;
  let url: string;
  let folder: string;
  let running: Promise<void>;
  let release: () => void;

  before(async () => {
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await new Promise<void>((ready, failed) => {
      running = Deployment.run({ mcps: 1 }, async (started) => {
        deployment = await started.start();
        ready();
        await released;
      });
      running.catch(failed);
    });
    [tenant] = (await deployment.tenants(1)) as [Tenant];
    const db = await deployment.db();
    const options = { kind: 'agent', scopes: [...AGENT_SCOPES] } as const;
    key = await issueKey({ db, config: { secretKey: SECRET_KEY } }, tenant.id, {
      ...options,
      scopes: [...AGENT_SCOPES],
    });
    url = `${deployment.mcps[0]?.origin}/mcp`;
    folder = await deployment.processes.folder();
  });
  after(async () => {
    release();
    await running;
  });

  const settings = () => ({ TOW_AGENT_KEY: key, TOW_MCP_URL: url });
  const withStdio = <T>(work: (stdio: Stdio) => Promise<T>, options: StdioOptions = {}) =>
    Stdio.run({ cwd: folder, env: settings(), ...options }, work);

  const rows = async (text: string): Promise<Json[]> =>
    (await deployment.db()).transaction([tenant.id], (tx) => tx.query({ text }));

  /** Creates a work order that can be invoiced. */
  async function newJob(stdio: Stdio): Promise<string> {
    const { result } = await stdio.ask(
      'tools/call',
      { name: 'create_work_order', arguments: { service_type: 'tow' } },
      'job',
    );
    return result.structuredContent.id;
  }

  const draftOf = (work_order_id: string) => ({
    name: 'create_invoice_draft',
    arguments: {
      work_order_id,
      line_items: [
        {
          name: 'Hook-up',
          category: 'tow',
          quantity: 1,
          unit_type: 'each',
          unit_price_cents: 12_500,
          taxable: false,
        },
      ],
    },
  });

  it('tow mcp serves the official MCP client', async () => {
    const client = new Client({ name: 'desk', version: '1' });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [TOW, 'mcp'],
      env: settings(),
      cwd: folder,
      stderr: 'pipe',
    });
    await client.connect(transport);
    expect(client.getServerVersion()?.name).to.equal('tow-dispatch');
    expect((await client.listTools()).tools).to.have.length(10);
    const idempotency_key = '3f1c2d52-4f0b-4f9e-9d6f-0b8a7c6d5e4f';
    const call = { name: 'create_work_order', arguments: { service_type: 'winch', idempotency_key } };
    const made = await Promise.all(
      Array.from({ length: 20 }, () => client.callTool(call).then((result: Json) => result)),
    );
    const again: Json = await client.callTool(call);
    const ids = [...made, again].flatMap(({ structuredContent, isError }) =>
      isError ? [] : structuredContent.id,
    );
    expect(new Set(ids).size).to.equal(1);
    const board = await client.readResource({ uri: 'service://dispatch-board' });
    expect(JSON.parse(String((board.contents[0] as Json).text))).to.be.an('object');
    expect((await client.listPrompts()).prompts).to.not.deep.equal([]);
    await client.ping();
    const failed: Json = await client.callTool({ name: 'get_invoice', arguments: {} });
    expect(failed.isError).to.equal(true);
    await client.close();
    // The process needs no file of its working folder and leaves none there.
    expect(await readdir(folder)).to.deep.equal([]);
  });

  it('tow mcp passes on each response as it arrives, not in the sequence of the requests', () =>
    withStdio(async (stdio) => {
      const job = await newJob(stdio);
      await deployment.withoutCommits(async () => {
        stdio.say('tools/call', draftOf(job), 'slow');
        expect((await stdio.ask('ping', {}, 'fast')).result).to.deep.equal({});
      });
      const { result } = await stdio.answer('slow');
      expect(result.structuredContent.invoice_number).to.be.a('string');
      expect(stdio.answers.map(({ id }) => id)).to.deep.equal(['job', 'fast', 'slow']);
    }));

  it('tow mcp passes on progress notifications and then the response', () =>
    withStdio(async (stdio) => {
      const call = { ...draftOf(await newJob(stdio)), _meta: { progressToken: 'slow' } };
      await deployment.withoutCommits(async () => {
        stdio.say('tools/call', call, 'slow');
        await eventually('a progress notification', () => stdio.answers.length >= 2);
      });
      const { result } = await stdio.answer('slow');
      expect(result.structuredContent.invoice_number).to.be.a('string');
      const [, told] = stdio.answers;
      expect(told).to.deep.include({ method: 'notifications/progress' });
      expect(told.params).to.include({ progressToken: 'slow', progress: 1 });
      expect(stdio.answers.at(-1).id).to.equal('slow');
    }));

  for (const [how, stop] of Object.entries({
    'its input ends': (stdio: Stdio) => stdio.endInput(),
    'it gets SIGTERM': (stdio: Stdio) => stdio.child.kill('SIGTERM'),
    'it gets SIGINT': (stdio: Stdio) => stdio.child.kill('SIGINT'),
  })) {
    it(`tow mcp ends when ${how}, after it has responded`, () =>
      withStdio(async (stdio) => {
        const job = await newJob(stdio);
        await deployment.withoutCommits(async () => {
          stdio.say('tools/call', draftOf(job), 'slow');
          await stdio.ask('ping', {}, 'fast');
          stop(stdio);
        });
        expect(await stdio.ended()).to.deep.equal(CLEAN);
        const { result } = await stdio.answer('slow');
        expect(result.structuredContent.id).to.be.a('string');
        expect(stdio.stderr).to.equal('');
      }));
  }

  it('tow mcp sends no response to a cancelled request, and its started write completes', () =>
    withStdio(async (stdio) => {
      const job = await newJob(stdio);
      const drafts = () => rows(`select 1 from invoices where work_order_id = '${job}'`);
      await deployment.withoutCommits(async () => {
        stdio.say('tools/call', draftOf(job), 0);
        await stdio.ask('ping', {}, 'before');
        const waits = `select 1 from pg_locks where not granted and relation = 'invoices'::regclass`;
        await eventually('the draft waits for the lock', async () => (await rows(waits)).length > 0);
        stdio.say('notifications/cancelled', { requestId: 0, reason: 'changed my mind' });
        await stdio.ask('ping', {}, 'after');
      });
      await eventually('the draft is there', async () => (await drafts()).length === 1);
      stdio.endInput();
      expect(await stdio.ended()).to.deep.equal(CLEAN);
      expect(stdio.answers.map(({ id }) => id)).to.deep.equal(['job', 'before', 'after']);
    }));

  it('tow mcp ends when its client stops reading', () =>
    withStdio(async (stdio) => {
      await stdio.ask('ping');
      stdio.child.stdout.destroy();
      stdio.say('ping', {}, 2);
      expect(await stdio.ended()).to.deep.equal(CLEAN);
    }));

  it('tow mcp reports input that is not an MCP message on standard error and continues', () =>
    withStdio(async (stdio) => {
      for (const text of ['nonsense', '[]', '{"jsonrpc":"1.0"}']) stdio.line(text);
      expect((await stdio.ask('ping')).result).to.deep.equal({});
      expect(stdio.stderr.match(/not an MCP message/g)).to.have.length(3);
      expect((await stdio.ask('tools/none', {}, 2)).error.code).to.equal(-32601);
      const padding = 'x'.repeat(1024 * 1024);
      const { error } = await stdio.ask('ping', { padding }, 3);
      expect([error.code, error.data.code]).to.deep.equal([-32000, 'payload_too_large']);
      expect((await stdio.ask('ping', {}, 4)).result).to.deep.equal({});
    }));

  describe('tow mcp without a usable key', () => {
    /** Sends a ping. Returns the exit code and all output. */
    const refused = (env: Record<string, string>, args: string[] = []) =>
      withStdio(
        async (stdio) => {
          stdio.say('ping', {}, 1);
          const { code } = await stdio.ended();
          expect(`${stdio.stdout}${stdio.stderr}`).to.not.include(env.TOW_AGENT_KEY ?? 'tk_');
          return { code, answers: stdio.answers, stderr: stdio.stderr };
        },
        { env, args },
      );

    it('tow mcp responds with an error, says why the key is refused, and exits with 3', async () => {
      const unknown = mintKey('agent', 'live', Buffer.alloc(32)).key;
      const cases: [string, string, RegExp][] = [
        [unknown, 'unauthorized', /^tow: The server refuses the key: .*revoked/],
        [tenant.key, 'agent_key_required', /^tow: The server refuses the key: Agents need an agent key/],
      ];
      for (const [TOW_AGENT_KEY, code, why] of cases) {
        for (const args of [[], ['--json']]) {
          const run = await refused({ ...settings(), TOW_AGENT_KEY }, args);
          expect([run.code, run.answers.length]).to.deep.equal([3, 1]);
          expect(run.answers[0].error.data.code).to.equal(code);
          expect(run.stderr).to.match(why);
        }
      }
    });

    it('tow mcp does not start with a malformed key, URL or option, or without a key', async () => {
      const garbled = await refused({ ...settings(), TOW_AGENT_KEY: `${key}x` }, ['--json']);
      expect([garbled.code, garbled.answers]).to.deep.equal([3, []]);
      expect(garbled.stderr).to.match(/^tow: The key is malformed/);
      const none = await refused({ DATA_DIR: folder });
      expect([none.code, none.answers]).to.deep.equal([3, []]);
      expect(none.stderr).to.match(/Set TOW_AGENT_KEY and TOW_MCP_URL.*is not there/);
      const badUrl = await refused({ ...settings(), TOW_MCP_URL: 'ftp://127.0.0.1/mcp' });
      expect([badUrl.code, badUrl.answers]).to.deep.equal([3, []]);
      const badOption = await refused(settings(), ['--mcp-url', 'nowhere']);
      expect([badOption.code, badOption.answers]).to.deep.equal([2, []]);
    });
  });

  it("tow mcp uses the demo's key and address by default", async () => {
    const demo = join(folder, 'demo');
    await mkdir(demo);
    const sandbox = mintKey('agent', 'sandbox', Buffer.alloc(32)).key;
    const tenants = [{ agent_key: key, sandbox_agent_key: sandbox }];
    await writeFile(join(demo, 'demo.json'), JSON.stringify({ mcp_url: url, tenants }));
    const env = { DATA_DIR: demo };
    const tools = await withStdio((stdio) => stdio.ask('tools/list'), { env });
    expect(tools.result.tools).to.have.length(10);
    // This server does not have that key.
    const other = await withStdio((stdio) => stdio.ask('tools/list'), { env, args: ['--sandbox'] });
    expect(other.error.data.code).to.equal('unauthorized');
  });

  it('tow mcp returns an error for each request when the address is not an MCP server', async () => {
    const env = { ...settings(), TOW_MCP_URL: url.replace('/mcp', '/healthz') };
    const { error } = await withStdio((stdio) => stdio.ask('ping'), { env });
    expect([error.code, error.data.code]).to.deep.equal([-32000, 'no_mcp_server']);
  });

  it('tow mcp survives a restart of the server: requests meanwhile get an error, later ones a response', async () => {
    const nowhere = { ...settings(), TOW_MCP_URL: `http://127.0.0.1:${await freePort()}/mcp` };
    const { error } = await withStdio((stdio) => stdio.ask('initialize'), { env: nowhere });
    expect([error.code, error.data.code]).to.deep.equal([-32000, 'server_unreachable']);
    await withStdio(async (stdio) => {
      await stdio.ask('ping', {}, 1);
      await deployment.mcps[0]?.stop('SIGTERM');
      const away = await stdio.ask('ping', {}, 2);
      expect(away.error.data.code).to.equal('server_unreachable');
      expect(stdio.stderr).to.include('cannot be reached').and.to.not.include(key);
      await deployment.mcps[0]?.start();
      expect((await stdio.ask('ping', {}, 3)).result).to.deep.equal({});
      stdio.endInput();
      expect(await stdio.ended()).to.deep.equal(CLEAN);
    });
  });
});
