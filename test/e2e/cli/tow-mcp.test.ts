/** Runs `tow mcp` as a process, against a deployment. */
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'chai';
import { AGENT_SCOPES } from '../../../shared/contracts/vocabulary.js';
import { mintKey } from '../../../shared/resources/api-keys/credential.js';
import type { Json } from '../../support/client.js';
import { issueKey } from '../../support/keys.js';
import { type DeployedTenant, Deployment, SECRET_KEY } from '../../support/load/deployment.js';
import { eventually } from '../../support/poll.js';
import { createDatabase, getFreePort } from '../../support/stores.js';
import { type StdioOptions, StdioProcess, TOW_PATH } from './stdio-process.js';

const CLEAN = { code: 0, signal: null };

describe('tow mcp', function () {
  this.timeout(180_000);
  let deployment: Deployment;
  let tenant: DeployedTenant;
  let key: string;
  let url: string;
  let folder: string;
  let running: Promise<void>;
  let release: () => void;

  before(async () => {
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const databaseUrl = await createDatabase();
    await new Promise<void>((ready, failed) => {
      running = Deployment.run({ mcps: 1, databaseUrl }, async (started) => {
        deployment = await started.start();
        ready();
        await released;
      });
      running.catch(failed);
    });
    [tenant] = (await deployment.createTenants(1)) as [DeployedTenant];
    const db = await deployment.db();
    const options = { kind: 'agent', scopes: [...AGENT_SCOPES] } as const;
    key = await issueKey({ db, config: { secretKey: SECRET_KEY } }, tenant.id, {
      ...options,
      scopes: [...AGENT_SCOPES],
    });
    url = `${deployment.mcps[0]?.origin}/mcp`;
    folder = await deployment.processes.createFolder();
  });
  after(async () => {
    release();
    await running;
  });

  const settings = () => ({ TOW_AGENT_KEY: key, TOW_MCP_URL: url });
  const withStdio = <T>(work: (stdio: StdioProcess) => Promise<T>, options: StdioOptions = {}) =>
    StdioProcess.run({ cwd: folder, env: settings(), ...options }, work);

  const queryRows = async (text: string): Promise<Json[]> =>
    (await deployment.db()).transaction([tenant.id], (tx) => tx.query({ text }));

  /** Creates a work order that can be invoiced. */
  async function createWorkOrder(stdio: StdioProcess): Promise<string> {
    const { result } = await stdio.request(
      'tools/call',
      { name: 'create_work_order', arguments: { service_type: 'tow' } },
      'job',
    );
    return result.structuredContent.id;
  }

  const buildDraftCall = (work_order_id: string) => ({
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
      args: [TOW_PATH, 'mcp'],
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
    // The process leaves no file in its working folder.
    expect(await readdir(folder)).to.deep.equal([]);
  });

  it('tow mcp passes on each response as it arrives, not in the sequence of the requests', () =>
    withStdio(async (stdio) => {
      const workOrderId = await createWorkOrder(stdio);
      await deployment.withCommitsBlocked(async () => {
        stdio.sendMessage('tools/call', buildDraftCall(workOrderId), 'slow');
        expect((await stdio.request('ping', {}, 'fast')).result).to.deep.equal({});
      });
      const { result } = await stdio.waitForResponse('slow');
      expect(result.structuredContent.invoice_number).to.be.a('string');
      expect(stdio.messages.map(({ id }) => id)).to.deep.equal(['job', 'fast', 'slow']);
    }));

  it('tow mcp passes on progress notifications and then the response', () =>
    withStdio(async (stdio) => {
      const call = { ...buildDraftCall(await createWorkOrder(stdio)), _meta: { progressToken: 'slow' } };
      await deployment.withCommitsBlocked(async () => {
        stdio.sendMessage('tools/call', call, 'slow');
        await eventually('a progress notification', () => stdio.messages.length >= 2);
      });
      const { result } = await stdio.waitForResponse('slow');
      expect(result.structuredContent.invoice_number).to.be.a('string');
      const [, notification] = stdio.messages;
      expect(notification).to.deep.include({ method: 'notifications/progress' });
      expect(notification.params).to.include({ progressToken: 'slow', progress: 1 });
      expect(stdio.messages.at(-1).id).to.equal('slow');
    }));

  for (const [how, stop] of Object.entries({
    'its input ends': (stdio: StdioProcess) => stdio.endInput(),
    'it gets SIGTERM': (stdio: StdioProcess) => stdio.child.kill('SIGTERM'),
    'it gets SIGINT': (stdio: StdioProcess) => stdio.child.kill('SIGINT'),
  })) {
    it(`tow mcp ends when ${how}, after it has responded`, () =>
      withStdio(async (stdio) => {
        const workOrderId = await createWorkOrder(stdio);
        await deployment.withCommitsBlocked(async () => {
          stdio.sendMessage('tools/call', buildDraftCall(workOrderId), 'slow');
          await stdio.request('ping', {}, 'fast');
          stop(stdio);
        });
        expect(await stdio.waitForExit()).to.deep.equal(CLEAN);
        const { result } = await stdio.waitForResponse('slow');
        expect(result.structuredContent.id).to.be.a('string');
        expect(stdio.stderr).to.equal('');
      }));
  }

  it('tow mcp sends no response to a cancelled request, and its started write completes', () =>
    withStdio(async (stdio) => {
      const workOrderId = await createWorkOrder(stdio);
      const drafts = () => queryRows(`select 1 from invoices where work_order_id = '${workOrderId}'`);
      await deployment.withCommitsBlocked(async () => {
        stdio.sendMessage('tools/call', buildDraftCall(workOrderId), 0);
        await stdio.request('ping', {}, 'before');
        const waits = `select 1 from pg_locks where not granted and relation = 'invoices'::regclass`;
        await eventually('the draft waits for the lock', async () => (await queryRows(waits)).length > 0);
        stdio.sendMessage('notifications/cancelled', { requestId: 0, reason: 'changed my mind' });
        await stdio.request('ping', {}, 'after');
      });
      await eventually('the draft is there', async () => (await drafts()).length === 1);
      stdio.endInput();
      expect(await stdio.waitForExit()).to.deep.equal(CLEAN);
      expect(stdio.messages.map(({ id }) => id)).to.deep.equal(['job', 'before', 'after']);
    }));

  it('tow mcp ends when its client stops reading', () =>
    withStdio(async (stdio) => {
      await stdio.request('ping');
      stdio.child.stdout.destroy();
      stdio.sendMessage('ping', {}, 2);
      expect(await stdio.waitForExit()).to.deep.equal(CLEAN);
    }));

  it('tow mcp reports input that is not an MCP message on standard error and continues', () =>
    withStdio(async (stdio) => {
      for (const text of ['nonsense', '[]', '{"jsonrpc":"1.0"}']) stdio.writeLine(text);
      expect((await stdio.request('ping')).result).to.deep.equal({});
      expect(stdio.stderr.match(/not an MCP message/g)).to.have.length(3);
      expect((await stdio.request('tools/none', {}, 2)).error.code).to.equal(-32601);
      const padding = 'x'.repeat(1024 * 1024);
      const { error } = await stdio.request('ping', { padding }, 3);
      expect([error.code, error.data.code]).to.deep.equal([-32000, 'payload_too_large']);
      expect((await stdio.request('ping', {}, 4)).result).to.deep.equal({});
    }));

  describe('tow mcp without a usable key', () => {
    /**
     * Sends a ping and waits for the process to end. Asserts that no output contains the key.
     * Resolves with the exit code and all output.
     */
    const runRefused = (env: Record<string, string>, args: string[] = []) =>
      withStdio(
        async (stdio) => {
          stdio.sendMessage('ping', {}, 1);
          const { code } = await stdio.waitForExit();
          expect(`${stdio.stdout}${stdio.stderr}`).to.not.include(env.TOW_AGENT_KEY ?? 'tk_');
          return { code, messages: stdio.messages, stderr: stdio.stderr };
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
          const run = await runRefused({ ...settings(), TOW_AGENT_KEY }, args);
          expect([run.code, run.messages.length]).to.deep.equal([3, 1]);
          expect(run.messages[0].error.data.code).to.equal(code);
          expect(run.stderr).to.match(why);
        }
      }
    });

    it('tow mcp does not start with a malformed key, URL or option, or without a key', async () => {
      const garbled = await runRefused({ ...settings(), TOW_AGENT_KEY: `${key}x` }, ['--json']);
      expect([garbled.code, garbled.messages]).to.deep.equal([3, []]);
      expect(garbled.stderr).to.match(/^tow: The key is malformed/);
      const none = await runRefused({ DATA_DIR: folder });
      expect([none.code, none.messages]).to.deep.equal([3, []]);
      expect(none.stderr).to.match(/Set TOW_AGENT_KEY and TOW_MCP_URL.*is not there/);
      const badUrl = await runRefused({ ...settings(), TOW_MCP_URL: 'ftp://127.0.0.1/mcp' });
      expect([badUrl.code, badUrl.messages]).to.deep.equal([3, []]);
      const badOption = await runRefused(settings(), ['--mcp-url', 'nowhere']);
      expect([badOption.code, badOption.messages]).to.deep.equal([2, []]);
    });
  });

  it("tow mcp uses the demo's key and address by default", async () => {
    const demo = join(folder, 'demo');
    await mkdir(demo);
    const sandbox = mintKey('agent', 'sandbox', Buffer.alloc(32)).key;
    const tenants = [{ agent_key: key, sandbox_agent_key: sandbox }];
    await writeFile(join(demo, 'demo.json'), JSON.stringify({ mcp_url: url, tenants }));
    const env = { DATA_DIR: demo };
    const tools = await withStdio((stdio) => stdio.request('tools/list'), { env });
    expect(tools.result.tools).to.have.length(10);
    // With --sandbox, `tow mcp` uses the demo's sandbox key, which this server does not know.
    const other = await withStdio((stdio) => stdio.request('tools/list'), { env, args: ['--sandbox'] });
    expect(other.error.data.code).to.equal('unauthorized');
  });

  it('tow mcp returns an error for each request when the address is not an MCP server', async () => {
    const website = createServer((_request, response) => response.end('<!doctype html>'));
    await once(website.listen(0, '127.0.0.1'), 'listening');
    const { port } = website.address() as AddressInfo;
    const env = { ...settings(), TOW_MCP_URL: `http://127.0.0.1:${port}/` };
    const { error } = await withStdio((stdio) => stdio.request('ping'), { env });
    website.close();
    expect([error.code, error.data.code]).to.deep.equal([-32000, 'no_mcp_server']);
  });

  it('tow mcp survives a restart of the server: requests meanwhile get an error, later ones a response', async () => {
    const nowhere = { ...settings(), TOW_MCP_URL: `http://127.0.0.1:${await getFreePort()}/mcp` };
    const { error } = await withStdio((stdio) => stdio.request('initialize'), { env: nowhere });
    expect([error.code, error.data.code]).to.deep.equal([-32000, 'server_unreachable']);
    await withStdio(async (stdio) => {
      await stdio.request('ping', {}, 1);
      await deployment.mcps[0]?.stop('SIGTERM');
      const unreachable = await stdio.request('ping', {}, 2);
      expect(unreachable.error.data.code).to.equal('server_unreachable');
      expect(stdio.stderr).to.include('cannot be reached').and.to.not.include(key);
      await deployment.mcps[0]?.start();
      expect((await stdio.request('ping', {}, 3)).result).to.deep.equal({});
      stdio.endInput();
      expect(await stdio.waitForExit()).to.deep.equal(CLEAN);
    });
  });
});
