/** Runs two processes of each type in the Procfile on one PostgreSQL and one Redis. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { DemoFile } from '../../bin/demo/demo-file.js';
import { MIGRATION_HEAD } from '../../migrations/index.js';
import { SCHEDULES } from '../../workers/clock/processor.js';
import { TestClient } from '../support/client.js';
import { DeployedService } from '../support/load/deployed-service.js';
import { fetchMetrics } from '../support/load/load-invariants.js';
import { fetchStatus, NO_RATE_LIMITS, readProcfile, useProcesses } from '../support/load/processes.js';
import { eventually } from '../support/poll.js';
import {
  createEmptyDatabase,
  createRedisUrl,
  getFreePort,
  getStores,
  IS_SCALED,
  startRedis,
} from '../support/stores.js';

/** The process types that these tests start. They keep running, unlike `release`. */
const TYPES = ['web', 'mcp', 'writes', 'clock', 'messages'] as const;
const COPIES = 2;

if (IS_SCALED) {
  describe('the processes of the Procfile, scaled out', function () {
    this.timeout(180_000);
    const processes = useProcesses();
    const services = new Map<string, DeployedService[]>();
    let commandLines: Record<string, string[]>;
    let settings: Record<string, string>;
    let demo: DemoFile;

    before(async () => {
      commandLines = await readProcfile();
      settings = {
        DATA_DIR: await processes.createFolder(),
        LOG_LEVEL: 'warn',
        DATABASE_URL: await createEmptyDatabase(),
        REDIS_URL: (await createRedisUrl()) ?? '',
        ...NO_RATE_LIMITS,
      };
    });

    /** Runs a process that must refuse to start, and resolves with its output. */
    async function expectRefusal(type: string, changed: Record<string, string>): Promise<string> {
      const env = { ...settings, PORT: `${await getFreePort()}`, ...changed };
      const { code, output } = await processes.run({ command: commandLines[type] ?? [], env });
      expect(code, output).to.equal(1);
      return output;
    }

    const findServices = (type: string): DeployedService[] => services.get(type) ?? [];
    const all = (): DeployedService[] => [...services.values()].flat();
    const client = (nth: number, key = demo.tenants[0]?.api_key ?? ''): TestClient =>
      new TestClient(findServices('web')[nth]?.origin ?? '', key);

    it('the Procfile has a release and every process type that these tests start', () => {
      expect(Object.keys(commandLines)).to.include.members(['release', ...TYPES]);
    });

    for (const type of TYPES) {
      it(`${type} refuses a database that was never released`, async () => {
        expect(await expectRefusal(type, {})).to.include('run the migrations first');
      });

      it(`${type} refuses to run without Redis and says why`, async () => {
        expect(await expectRefusal(type, { REDIS_URL: '' })).to.match(/"REDIS_URL" is required.*npm start/);
      });
    }

    it('release fills an empty database with the demo, and a second release changes nothing', async () => {
      const release = async () => {
        const env = { ...settings, DEMO: 'true', PORT: '3456' };
        const { code, output } = await processes.run({ command: commandLines.release ?? [], env });
        expect(code, output).to.equal(0);
        return JSON.parse(await readFile(join(settings.DATA_DIR ?? '', 'demo.json'), 'utf8')) as DemoFile;
      };
      demo = await release();
      expect(demo.api_url).to.equal('http://127.0.0.1:3456/v1');
      expect(await release()).to.deep.equal(demo);
    });

    it('two processes of each type start, and each reports its health on its own port', async () => {
      for (const type of TYPES) {
        const env = { ...settings, ...(type === 'clock' ? { LOG_LEVEL: 'debug' } : {}) };
        const copies = Array.from({ length: COPIES }, () => getFreePort());
        const ports = await Promise.all(copies);
        services.set(
          type,
          ports.map((port) => new DeployedService(processes, commandLines[type] ?? [], env, port)),
        );
      }
      await Promise.all(all().map((service) => service.start()));
      for (const { origin } of all()) {
        expect(await fetchStatus(`${origin}/healthz`)).to.equal(200);
        expect(await fetchStatus(`${origin}/readyz`)).to.equal(200);
        expect((await fetchMetrics(origin)).get('process_start_time_seconds')).to.be.above(0);
      }
    });

    it('a write through either web process is readable through the other', async () => {
      for (const nth of [0, 1]) {
        const created = await client(nth).post('/invoices', { invoice_number: `P-${nth}`, line_items: [] });
        expect(created.status, created.text).to.equal(201);
        const read = await client(1 - nth).get(`/invoices/${created.body.id}`);
        expect([read.status, read.text]).to.deep.equal([200, created.text]);
      }
    });

    it('both writers commit a share of the writes', async () => {
      const countWrites = async () =>
        Promise.all(
          findServices('writes').map(async ({ origin }) =>
            (await fetchMetrics(origin)).get('tow_commands_total{type="customer.create",outcome="ok"}'),
          ),
        );
      let nth = 0;
      await eventually('a write in each writer', async () => {
        nth += 1;
        const body = { company_name: `Customer ${nth}` };
        await Promise.all([client(0).post('/customers', body), client(1).post('/customers', body)]);
        return (await countWrites()).every((count) => (count ?? 0) > 0);
      });
    });

    it('every web process refuses a revoked key, not only the one that revoked it', async () => {
      const createdKey = await client(0).post('/api-keys', { name: 'short-lived' });
      const statuses = () =>
        Promise.all([0, 1].map(async (nth) => (await client(nth, createdKey.body.key).get('/me')).status));
      expect(await statuses()).to.deep.equal([200, 200]);
      expect((await client(0).delete(`/api-keys/${createdKey.body.id}`)).status).to.be.oneOf([200, 204]);
      await eventually(
        '401 from both',
        async () => (await statuses()).every((status) => status === 401),
        6000,
      );
    });

    it('each schedule fires once although two clocks run', async () => {
      const { name, everyMs } = [...SCHEDULES].sort((a, b) => a.everyMs - b.everyMs)[0]!;
      const jobIdPattern = new RegExp(`"jobId":"repeat:${name}:(\\d+)"`, 'g');
      const slots = await eventually(
        'three runs',
        () => {
          const printed = findServices('clock').map(({ process }) => process?.output ?? '');
          const found = printed.flatMap((text) =>
            [...text.matchAll(jobIdPattern)].map(([, at]) => Number(at)),
          );
          return found.length >= 3 && found.sort((a, b) => a - b);
        },
        60_000,
      );
      const gaps = slots.slice(1).map((slot, nth) => slot - (slots[nth] ?? 0));
      expect(gaps.filter((gap) => gap < everyMs)).to.deep.equal([]);
      const redis = new Redis(settings.REDIS_URL ?? '');
      const schedules = await redis.zcard('{tow}:clock:repeat').finally(() => redis.disconnect());
      expect(schedules).to.equal(SCHEDULES.length);
    });

    it('no process is ready while the database is behind the running version', async () => {
      const statuses = () => Promise.all(all().map(({ origin }) => fetchStatus(`${origin}/readyz`)));
      const owner = new pg.Client({ connectionString: settings.DATABASE_URL });
      await owner.connect();
      await owner.query(`create temp table newest as select * from schema_migrations where name = '${MIGRATION_HEAD}';
                         delete from schema_migrations where name = '${MIGRATION_HEAD}'`);
      const behind = await statuses();
      await owner.query('insert into schema_migrations select * from newest').finally(() => owner.end());
      expect(behind).to.deep.equal(all().map(() => 503));
      expect(await statuses()).to.deep.equal(all().map(() => 200));
    });

    it('every process ends cleanly on SIGTERM', async () => {
      for (const { process } of all()) {
        expect(await process?.stop('SIGTERM'), process?.output).to.deep.equal({ code: 0, signal: null });
      }
      expect(await processes.listSurvivors()).to.deep.equal([]);
    });

    describe('with stores that a process must not trust', () => {
      const OWNER = 'tow_untrusted';

      const asSuperuser = async (text: string): Promise<void> => {
        const admin = new pg.Client({ connectionString: (await getStores()).superuserUrl });
        await admin.connect();
        await admin.query(text).finally(() => admin.end());
      };

      /** Builds a URL of the test's database for another user, by default for the superuser. */
      const buildUrlAs = async (user?: string): Promise<string> => {
        const url = new URL((await getStores()).superuserUrl);
        url.pathname = new URL(settings.DATABASE_URL ?? '').pathname;
        if (user) [url.username, url.password] = [user, user];
        return url.href;
      };

      before(() =>
        asSuperuser(
          `create role ${OWNER} login password '${OWNER}'; create role ${OWNER}_app nologin; grant ${OWNER}_app to ${OWNER}`,
        ),
      );
      after(() => asSuperuser(`drop role ${OWNER}, ${OWNER}_app`));

      for (const type of TYPES) {
        it(`${type} refuses a database user whose application role was never created`, async () => {
          const output = await expectRefusal(type, { DATABASE_URL: await buildUrlAs() });
          expect(output).to.include('postgres_app');
        });

        for (const right of ['superuser', 'bypassrls']) {
          it(`${type} refuses an application role that has ${right}`, async () => {
            await asSuperuser(`alter role ${OWNER}_app ${right}`);
            const output = await expectRefusal(type, { DATABASE_URL: await buildUrlAs(OWNER) }).finally(() =>
              asSuperuser(`alter role ${OWNER}_app no${right}`),
            );
            expect(output).to.match(right === 'superuser' ? /is a superuser/ : /bypasses row-level security/);
          });
        }
      }

      it('every process refuses a Redis that may evict keys', async () => {
        const redis = await startRedis();
        const url = `redis://127.0.0.1:${redis.port}`;
        const admin = new Redis(url);
        await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
        const outputs = await Promise.all(
          TYPES.map((type) => expectRefusal(type, { REDIS_URL: url })),
        ).finally(() => {
          admin.disconnect();
          redis.process.kill('SIGKILL');
        });
        for (const output of outputs) expect(output).to.include('allkeys-lru').and.to.include('noeviction');
      });
    });
  });
}
