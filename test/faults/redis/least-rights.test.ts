/**
 * A Redis with the configuration and users of docs/deploy/redis: TLS, a private certificate
 * authority, and a user with few rights.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { TestClient } from '../../support/client.js';
import { createCertificates } from '../../support/deploy/certificates.js';
import { ADMIN_CLI, PASSWORDS, writeRedisConfig } from '../../support/deploy/redis-files.js';
import { readExport, requestExport } from '../../support/exports/exports.js';
import { Deployment } from '../../support/load/deployment.js';
import { readProcfile } from '../../support/load/processes.js';
import { eventually } from '../../support/poll.js';
import {
  findMissingProgram,
  killServer,
  type RedisServer,
  runRedisCli,
  startProgram,
} from '../../support/redis/programs.js';
import { getFreePort, IS_SCALED } from '../../support/stores.js';
import { createEndpoint } from '../../support/webhooks/webhook-endpoints.js';

const missing = findMissingProgram('redis-server', 'openssl');

class SecuredRedis {
  readonly folder = mkdtempSync(join(tmpdir(), 'tow-secured-redis-'));
  readonly #certificates = createCertificates(this.folder);
  readonly otherAuthority = createCertificates(this.folder, 'other').caFile;
  #port = 0;
  #server: RedisServer | undefined;

  async start(): Promise<this> {
    this.#port = await getFreePort();
    const { folder } = this;
    const file = writeRedisConfig({ port: this.#port, folder, certificates: this.#certificates });
    const cli = [...this.#certificates.cliArgs, ...ADMIN_CLI];
    this.#server = await startProgram('redis-server', { port: this.#port, args: [file], cli });
    return this;
  }

  get settings(): Record<string, string> {
    return {
      REDIS_URL: `rediss://tow:${encodeURIComponent(PASSWORDS.tow)}@localhost:${this.#port}/1`,
      REDIS_CA_FILE: this.#certificates.caFile,
    };
  }

  /** Runs a command as the user of the service. */
  runAsService(...command: string[]): Promise<string> {
    const login = ['--user', 'tow', '-a', PASSWORDS.tow, '-p', `${this.#port}`];
    return runRedisCli([...this.#certificates.cliArgs, ...login, ...command]);
  }

  runAsAdmin(...command: string[]): Promise<string> {
    return runRedisCli([...this.#certificates.cliArgs, ...ADMIN_CLI, '-p', `${this.#port}`, ...command]);
  }

  async stop(): Promise<void> {
    if (this.#server) await killServer(this.#server);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Starts a receiver of webhooks, and counts its requests. */
async function startReceiver(): Promise<{ url: string; count: () => number; server: Server }> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, count: () => requests, server };
}

async function useWritesWebhooksAndExports(client: TestClient): Promise<void> {
  const receiver = await startReceiver();
  try {
    await createEndpoint(client, { url: receiver.url, event_types: ['invoice.created'] });
    const created = await client.post('/invoices', { invoice_number: 'A-1', line_items: [] });
    expect(created.status, created.text).to.equal(201);
    await eventually('the webhook to arrive', () => receiver.count() > 0);
    const { id } = await requestExport(client, { resource: 'invoices', format: 'csv' });
    await eventually('the export', async () => (await readExport(client, id)).status === 'completed');
  } finally {
    receiver.server.close();
  }
}

if (IS_SCALED) {
  describe(`Redis with TLS and a user with few rights${missing ? ` (skipped: ${missing})` : ''}`, function () {
    this.timeout(180_000);

    before(function () {
      if (missing) this.skip();
    });

    it('the service runs with the configuration of docs/deploy, and refuses another authority and a wrong password', async () => {
      const redis = new SecuredRedis();
      const options = { webhooks: 1, exporters: 1, mcps: 1, startRedis: () => redis.start() };
      await Deployment.run(options, async (deployment) => {
        await deployment.start();
        const [tenant] = await deployment.createTenants(1);
        await useWritesWebhooksAndExports(new TestClient(deployment.web.origin, tenant?.key ?? ''));
        expect(await redis.runAsAdmin('-n', '1', 'keys', 'tow:limit:*')).to.not.equal('');
        expect(await redis.runAsAdmin('acl', 'log'), 'what Redis denied').to.equal('');

        expect(await redis.runAsService('config', 'get', 'masterauth')).to.match(/^NOPERM /);
        await redis.runAsAdmin('config', 'set', 'maxmemory-policy', 'allkeys-lru');
        const command = (await readProcfile()).web ?? [];
        const refuse = async (changed: Record<string, string>) => {
          const env = { ...deployment.web.env, PORT: `${await getFreePort()}`, ...changed };
          const { code, output } = await deployment.processes.run({ command, env });
          expect(code, output).to.equal(1);
          return output;
        };
        expect(await refuse({})).to.include('Redis has maxmemory-policy allkeys-lru');
        for (const REDIS_CA_FILE of [redis.otherAuthority, '']) {
          expect(await refuse({ REDIS_CA_FILE })).to.match(
            /^This process does not trust the certificate of Redis: .+ Set REDIS_CA_FILE to /m,
          );
        }
        const wrong = redis.settings.REDIS_URL?.replace(/tow:[^@]+/, 'tow:hunter2') ?? '';
        const output = await refuse({ REDIS_URL: wrong });
        expect(output)
          .to.match(/^Redis refuses REDIS_URL: WRONGPASS /m)
          .and.not.include('hunter2');
      });
    });
  });
}
