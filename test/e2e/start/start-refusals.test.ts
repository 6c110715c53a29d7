/**
 * Starts processes that cannot run. Each must exit with code 1 and one line that names the remedy.
 */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { readProcfile, useProcesses } from '../../support/load/processes.js';
import {
  createDatabase,
  createEmptyDatabase,
  getFreePort,
  getStores,
  IS_SCALED,
} from '../../support/stores.js';

/**
 * Nothing listens at this address. A process must report a problem with PostgreSQL even without
 * Redis.
 */
const NO_REDIS = 'redis://127.0.0.1:1';
const SECRET_KEY = 'a secret key that is long enough for anybody';
const START = ['node', 'dist/bin/start.js'];

function replaceUrlParts(
  url: string,
  parts: Partial<Pick<URL, 'username' | 'password' | 'pathname'>>,
): string {
  return Object.assign(new URL(url), parts).href;
}

if (!IS_SCALED) {
  describe('a start that cannot succeed', function () {
    this.timeout(180_000);
    const processes = useProcesses();
    let dataDir: string;
    let databaseUrl: string;
    let commandLines: Record<string, string[]>;

    before(async () => {
      dataDir = await processes.createFolder();
      databaseUrl = await createDatabase();
      commandLines = await readProcfile();
    });

    /**
     * Runs a process. Asserts that it exits with 1 and prints a single line, and resolves with that
     * line.
     */
    async function expectRefusal(
      type: string,
      env: Record<string, string>,
      command = commandLines[type] ?? START,
    ): Promise<string> {
      const { code, output, stdout } = await processes.run({
        command,
        env: {
          DATA_DIR: dataDir,
          DATABASE_URL: databaseUrl,
          SECRET_KEY,
          LOG_LEVEL: 'error',
          ...(type === 'start' ? {} : { REDIS_URL: NO_REDIS }),
          PORT: `${await getFreePort()}`,
          ...env,
        },
      });
      expect(code, output).to.equal(1);
      expect(stdout).to.equal('');
      expect(output.trim().split('\n'), output).to.have.length(1);
      return output;
    }

    for (const type of ['web', 'writes', 'release', 'start'] as const) {
      it(`${type} names the user whose password PostgreSQL refuses`, async () => {
        const output = await expectRefusal(type, {
          DATABASE_URL: replaceUrlParts(databaseUrl, { password: 'wrong-secret' }),
        });
        expect(output).to.match(/PostgreSQL refuses the user "tow" of DATABASE_URL.*Fix .* password/);
        expect(output).to.not.include('wrong-secret');
      });

      it(`${type} says how to create a database that does not exist`, async () => {
        const output = await expectRefusal(type, {
          DATABASE_URL: replaceUrlParts(databaseUrl, { pathname: '/nowhere' }),
        });
        expect(output).to.match(
          /no database "nowhere"\. Create it \(`create database "nowhere" owner "tow"`\)/,
        );
      });
    }

    for (const type of ['web', 'mcp', 'writes', 'clock', 'webhooks', 'messages', 'exports'] as const) {
      it(`${type} says how to migrate a database that has no tables`, async () => {
        const output = await expectRefusal(type, { DATABASE_URL: await createEmptyDatabase() });
        expect(output).to.match(
          /^The database has no tables: run the migrations first\. .*dist\/bin\/release\.js/,
        );
      });
    }

    it('web names the missing application role of a database that was never released', async () => {
      const url = replaceUrlParts((await getStores()).superuserUrl, {
        pathname: new URL(databaseUrl).pathname,
      });
      expect(await expectRefusal('web', { DATABASE_URL: url })).to.match(
        /^The database has no role "postgres_app": run the migrations first\./,
      );
    });

    it('a second process with another SECRET_KEY is refused until `tow secret-key adopt` accepts the new key', async () => {
      const url = await createDatabase();
      const env = {
        DATA_DIR: dataDir,
        DATABASE_URL: url,
        SECRET_KEY,
        PORT: `${await getFreePort()}`,
        DEMO: 'false',
      };
      const first = processes.start({ command: START, env });
      await first.waitUntilReady(`http://127.0.0.1:${env.PORT}`);
      const another = 'another secret key, just as long as the first';
      const outputs = [
        await expectRefusal('web', { DATABASE_URL: url, SECRET_KEY: another }),
        await expectRefusal('webhooks', { DATABASE_URL: url, SECRET_KEY: another }),
      ];
      for (const output of outputs) {
        expect(output).to.match(
          /^SECRET_KEY is not the one .*Set the same SECRET_KEY.*`tow secret-key adopt`/,
        );
        expect(output).to.not.include(another);
      }
      expect((await first.stop()).code).to.equal(0);
      const tow = (...words: string[]) =>
        processes.run({
          command: ['node', 'dist/bin/tow.js', ...words],
          env: { ...env, SECRET_KEY: another },
        });
      expect((await tow('doctor')).output).to.match(
        /fail +secret_key +differs from that of the running processes/,
      );
      expect((await tow('secret-key', 'adopt')).output).to.match(/now the one that every process must have/);
      expect((await tow('doctor')).output).to.match(/ok +secret_key/);
      const next = processes.start({ command: START, env: { ...env, SECRET_KEY: another } });
      await next.waitUntilReady(`http://127.0.0.1:${env.PORT}`);
      expect((await next.stop()).code).to.equal(0);
      expect(await expectRefusal('start', { DATABASE_URL: url })).to.match(/^SECRET_KEY is not the one/);
    });

    it('web names a port that is taken', async () => {
      const blocker = createServer().listen(0, '127.0.0.1');
      await once(blocker, 'listening');
      const { port } = blocker.address() as AddressInfo;
      const output = await expectRefusal('web', { PORT: `${port}` }).finally(() => blocker.close());
      expect(output).to.match(new RegExp(`^The port ${port} .*taken.*PORT=${port + 1}`));
    });

    it('web names a HOST that is not an address of this machine', async () => {
      expect(await expectRefusal('web', { HOST: '192.0.2.1' })).to.match(
        /^This machine does not have the address 192\.0\.2\.1\. Set HOST/,
      );
    });

    it('npm start names a DATA_DIR that is a file', async () => {
      const file = join(dataDir, 'file');
      await writeFile(file, '');
      const output = await expectRefusal('start', { DATA_DIR: file, DATABASE_URL: '', SECRET_KEY: '' });
      expect(output).to.include(file).and.to.include('Check DATA_DIR');
    });
  });

  describe('a start with questionable settings', function () {
    this.timeout(180_000);
    const processes = useProcesses();

    it('npm start logs a misspelt setting and an unusable STORAGE_URL once each and continues', async () => {
      const dataDir = await processes.createFolder();
      const file = join(dataDir, 'file');
      await writeFile(file, '');
      const env = {
        DATA_DIR: dataDir,
        DATABASE_URL: await createDatabase(),
        SECRET_KEY,
        PORT: `${await getFreePort()}`,
        DEMO: 'false',
        STORAGE_URL: join(file, 'exports'),
        WRITES_CONCURENCY: '8',
      };
      const started = processes.start({ command: START, env });
      await started.waitUntilReady(`http://127.0.0.1:${env.PORT}`);
      await started.waitForOutput(
        /"level":40,[^\n]*WRITES_CONCURENCY is not a setting: did you mean WRITES_CONCURRENCY\?"/,
      );
      await started.waitForOutput(
        /"level":50,[^\n]*STORAGE_URL cannot be written \(ENOTDIR: [^\n]*Check that the folder/,
      );
      const doctor = await processes.run({ command: ['node', 'dist/bin/tow.js', 'doctor'], env });
      expect(doctor.output).to.match(/fail +storage +STORAGE_URL cannot be written/);
      expect(doctor.output).to.match(/fail +settings +WRITES_CONCURENCY is not a setting/);
      expect((await started.stop()).code).to.equal(0);
    });
  });
}
