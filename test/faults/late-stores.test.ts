/** Starts the processes of the Procfile while PostgreSQL or Redis is unreachable. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../bin/embedded-postgres/start.js';
import { migrate } from '../../migrations/migrate.js';
import { getAppRole } from '../../shared/platform/postgres/session.js';
import { DeployedService } from '../support/load/deployed-service.js';
import { fetchStatus, Processes, readProcfile } from '../support/load/processes.js';
import type { RedisServer } from '../support/redis/programs.js';
import { getFreePort, IS_SCALED, startRedis } from '../support/stores.js';

/** The process types that keep running, unlike `release`. */
const TYPES = ['web', 'mcp', 'writes', 'clock', 'webhooks', 'messages', 'exports'] as const;
/** A line of a stack trace, which an operator should not have to read. */
const STACK_LINE = /^ +at |\\n +at /m;
/** A process logs one of these texts if a signal could not end it cleanly. */
const BLOCKED_SHUTDOWN = /the start did not end|did not close in time|close failed/;
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

interface UnreachableStore {
  name: string;
  check: string;
  waiting: RegExp;
  start: () => Promise<void>;
}

if (IS_SCALED) {
  describe('the processes of the Procfile, started while a store is unreachable', function () {
    this.timeout(120_000);
    const processes = new Processes();
    let dataDir: string;
    let postgres: EmbeddedPostgres;
    let redis: RedisServer;
    let commandLines: Record<string, string[]>;
    let env: Record<string, string>;

    const startPostgres = async (port?: number): Promise<void> => {
      postgres = await startEmbeddedPostgres({ dataDir, logger: silent, ...(port ? { port } : {}) });
    };
    const stopRedis = async (): Promise<void> => {
      if (redis.process.exitCode !== null || redis.process.signalCode !== null) return;
      redis.process.kill('SIGKILL');
      await once(redis.process, 'exit');
    };

    before(async () => {
      commandLines = await readProcfile();
      dataDir = await processes.createDataDir();
      await startPostgres();
      redis = await startRedis();
      const { databaseUrl } = postgres;
      await migrate({ databaseUrl, appRole: getAppRole(databaseUrl), withQueue: false });
      env = {
        DATA_DIR: dataDir,
        DATABASE_URL: databaseUrl,
        REDIS_URL: `redis://127.0.0.1:${redis.port}`,
      };
    });
    after(async () => {
      await stopRedis();
      await processes.endAll(() => postgres.stop());
    });

    async function launch(
      types: readonly string[],
      changed: Record<string, string> = {},
    ): Promise<DeployedService[]> {
      const ports = await Promise.all(types.map(() => getFreePort()));
      const services = types.map(
        (type, nth) =>
          new DeployedService(processes, commandLines[type] ?? [], { ...env, ...changed }, ports[nth] ?? 0),
      );
      for (const service of services) service.launch();
      return services;
    }

    const outputOf = ({ process }: DeployedService): string => process?.output ?? '';

    /**
     * Waits for the log entry that names the missing store. Asserts that this entry is the only
     * warning or error and has no stack trace. Asserts that the process is alive but not ready.
     */
    async function expectToWait(
      service: DeployedService,
      { check, waiting }: UnreachableStore,
    ): Promise<void> {
      await service.process?.waitForOutput(waiting);
      expect(await fetchStatus(`${service.origin}/healthz`)).to.equal(200);
      const response = await fetch(`${service.origin}/readyz`);
      const body = (await response.json()) as { checks: Record<string, { ok: boolean; error: string }> };
      expect(response.status).to.equal(503);
      expect(body).to.include({ ok: false, starting: true });
      expect(body.checks[check]).to.deep.equal({ ok: false, error: 'cannot be reached (ECONNREFUSED)' });
      expect(outputOf(service).match(/"level":[456]0/g)).to.have.length(1);
      expect(outputOf(service)).to.not.match(STACK_LINE);
    }

    async function expectToEnd({ process }: DeployedService, code: number): Promise<void> {
      expect(await process?.stop('SIGTERM'), process?.output).to.deep.equal({ code, signal: null });
      expect(process?.output).to.not.match(STACK_LINE).and.not.match(BLOCKED_SHUTDOWN);
    }

    const unreachable = {
      PostgreSQL: {
        name: 'PostgreSQL',
        check: 'postgres',
        waiting:
          /Waiting for PostgreSQL at 127\.0\.0\.1:\d+: connection refused\. Check DATABASE_URL and that/,
        start: () => startPostgres(postgres.port),
      },
      Redis: {
        name: 'Redis',
        check: 'queue',
        waiting: /Waiting for Redis at 127\.0\.0\.1:\d+: connection refused\. Check REDIS_URL and that/,
        start: async () => {
          redis = await startRedis(redis.port);
        },
      },
    } satisfies Record<string, UnreachableStore>;

    for (const store of Object.values(unreachable)) {
      describe(`while ${store.name} is unreachable`, () => {
        let services: DeployedService[];

        before(async () => {
          if (store.name === 'Redis') await stopRedis();
          else await postgres.stop();
          services = await launch(TYPES);
        });

        for (const [nth, type] of TYPES.entries()) {
          it(`${type} serves /healthz and logs once that it waits for ${store.name} and what to check`, async () => {
            await expectToWait(services[nth] as DeployedService, store);
          });
        }

        it(`every process ends without delay on SIGTERM while it waits for ${store.name}`, async () => {
          for (const service of services) await expectToEnd(service, 0);
        });

        it(`every process becomes ready by itself when ${store.name} appears`, async () => {
          services = await launch(TYPES);
          for (const service of services) await expectToWait(service, store);
          await store.start();
          for (const service of services) await service.process?.waitUntilReady(service.origin);
          for (const service of services) await expectToEnd(service, 0);
        });
      });
    }

    it('npm start waits for the PostgreSQL of DATABASE_URL and for Redis, and ends on SIGTERM', async () => {
      await postgres.stop();
      await stopRedis();
      commandLines.start = ['node', 'dist/bin/start.js'];
      const [ended, waitingService] = await launch(['start', 'start'], { DEMO: 'false' });
      for (const service of [ended, waitingService])
        await expectToWait(service as DeployedService, unreachable.PostgreSQL);
      await expectToEnd(ended as DeployedService, 0);
      await unreachable.PostgreSQL.start();
      await waitingService?.process?.waitForOutput(unreachable.Redis.waiting);
      await unreachable.Redis.start();
      await waitingService?.process?.waitUntilReady(waitingService.origin);
      await expectToEnd(waitingService as DeployedService, 0);
    });

    it('release logs once that it waits for PostgreSQL, exits with 1 on SIGTERM, and continues when PostgreSQL appears', async () => {
      await postgres.stop();
      const [ended, waitingService] = await launch(['release', 'release'], { DEMO: 'false' });
      for (const service of [ended, waitingService])
        await service?.process?.waitForOutput(unreachable.PostgreSQL.waiting);
      await expectToEnd(ended as DeployedService, 1);
      await unreachable.PostgreSQL.start();
      expect(
        await waitingService?.process?.waitForExit(),
        outputOf(waitingService as DeployedService),
      ).to.include({ code: 0 });
    });

    it('release needs no Redis', async () => {
      await stopRedis();
      const [service] = await launch(['release']);
      expect(await service?.process?.waitForExit(), outputOf(service as DeployedService)).to.include({
        code: 0,
      });
      await unreachable.Redis.start();
    });

    it('writes waits for stores that accept connections and never respond, and ends on SIGTERM', async () => {
      const openSockets: Socket[] = [];
      const silentServer: Server = createServer((socket) => void openSockets.push(socket)).listen(
        0,
        '127.0.0.1',
      );
      await once(silentServer, 'listening');
      const { port } = silentServer.address() as AddressInfo;
      const settings = {
        DATABASE_URL: `postgres://tow:secret@127.0.0.1:${port}/tow`,
        REDIS_URL: `redis://127.0.0.1:${port}`,
      };
      const [service] = await launch(['writes'], settings);
      await service?.process?.waitForOutput(/Waiting for PostgreSQL at [^ ]+ no answer\. Check/);
      await service?.process?.waitForOutput(/Waiting for Redis at [^ ]+ no answer\. Check/);
      expect(await fetchStatus(`${service?.origin}/healthz`)).to.equal(200);
      await expectToEnd(service as DeployedService, 0);
      for (const socket of openSockets) socket.destroy();
      silentServer.close();
    });

    it('web and writes wait while the database lacks a migration of this version', async () => {
      const owner = new pg.Client({ connectionString: env.DATABASE_URL });
      await owner.connect();
      await owner.query(`create temp table newest as select * from schema_migrations order by id desc limit 1;
                         delete from schema_migrations where id in (select id from newest)`);
      const services = await launch(['web', 'writes']);
      for (const { process } of services)
        await process?.waitForOutput(
          /Waiting for the release of this version: the database is at \w+, not at \w+\. Run /,
        );
      await owner.query('insert into schema_migrations select * from newest').finally(() => owner.end());
      for (const service of services) await service.process?.waitUntilReady(service.origin);
      for (const service of services) await expectToEnd(service, 0);
    });

    it('web is ready on a database that a later version has migrated', async () => {
      const owner = new pg.Client({ connectionString: env.DATABASE_URL });
      await owner.connect();
      await owner.query(
        "insert into schema_migrations (name, batch, migration_time) values ('29990101000000_later', 99, now())",
      );
      const [service] = await launch(['web']);
      await service?.process?.waitUntilReady(service.origin);
      await owner
        .query("delete from schema_migrations where name = '29990101000000_later'")
        .finally(() => owner.end());
      await expectToEnd(service as DeployedService, 0);
    });

    it('web refuses a Redis whose password is missing from REDIS_URL, with a one-line error', async () => {
      const admin = new Redis(env.REDIS_URL ?? '');
      await admin.config('SET', 'requirepass', 'another');
      const [service] = await launch(['web']);
      const end = await service?.process?.waitForExit();
      await admin.config('SET', 'requirepass', '').finally(() => admin.disconnect());
      expect(end?.code).to.equal(1);
      expect(outputOf(service as DeployedService)).to.match(
        /^Redis refuses REDIS_URL: NOAUTH .*REDIS_URL\.$/m,
      );
      expect(outputOf(service as DeployedService)).to.not.match(STACK_LINE);
    });
  });
}
