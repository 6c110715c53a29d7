/** Starts a PostgreSQL server for tests of the command line, and runs entry files as processes. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../bin/embedded-postgres/start.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { type Database, openDatabase } from '../../../shared/platform/postgres/database.js';
import { resolveClusterDir } from '../../support/load/embedded-postgres-fixture.js';

const PROJECT = resolve(import.meta.dirname, '../../..');
const logger = createLogger({ level: 'silent', pretty: false, name: 'test' });

export interface CliRun {
  code: number;
  out: string;
  err: string;
}

/** Members of the commands' `data` that tests read. Each command returns some of them. */
interface CommandData {
  email: string;
  password: string;
  version: string;
  head: string;
  applied: unknown[];
  id: string;
  sandbox_id: string;
  key: string;
  revoked_at: string;
  status: string;
  items: ({ id: string } & Record<string, unknown>)[];
  checks: { name: string; status: string }[];
}

export interface CliJsonRun {
  code: number;
  ok: boolean;
  data: CommandData;
  error: { code: string; message: string };
}

/**
 * Runs commands against a separate PostgreSQL server. Tests get an instance from {@link useCli}.
 */
export class Cli {
  /** A temporary folder, removed at the end. DATA_DIR is the folder `data` in it. */
  folder = '';
  #server: EmbeddedPostgres | undefined;
  #db: Database | undefined;

  async start(): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'tow-cli-test-'));
    this.#server = await startEmbeddedPostgres({ dataDir: this.dataDir, logger });
    this.#db = this.openDatabase('cli test');
  }

  async stop(): Promise<void> {
    await this.#db?.close();
    await this.#server?.stop();
    // If root runs the tests, the cluster is outside DATA_DIR and must be removed separately.
    await rm(await resolveClusterDir(this.dataDir), { recursive: true, force: true });
    await rm(this.folder, { recursive: true, force: true });
  }

  get dataDir(): string {
    return join(this.folder, 'data');
  }

  get databaseUrl(): string {
    if (!this.#server) throw new Error('not started');
    return this.#server.databaseUrl;
  }

  get db(): Database {
    if (!this.#db) throw new Error('not started');
    return this.#db;
  }

  openDatabase(applicationName: string): Database {
    return openDatabase({ databaseUrl: this.databaseUrl, poolSize: 2, applicationName, logger });
  }

  /**
   * Runs a file of the built product with this server and DATA_DIR. `settings` adds or replaces
   * environment variables; the value '' counts as absent.
   */
  run(file: string, args: string[] = [], settings: Record<string, string> = {}): Promise<CliRun> {
    const own = { DATA_DIR: this.dataDir, DATABASE_URL: this.databaseUrl };
    const env = { PATH: process.env.PATH ?? '', ...own, ...settings };
    return new Promise((done) => {
      execFile(process.execPath, [`dist/${file}`, ...args], { cwd: PROJECT, env }, (error, out, err) =>
        done({ code: error ? Number(error.code) : 0, out, err }),
      );
    });
  }

  /**
   * Runs `tow … --json`. Asserts that standard output is one JSON document, even after a failure.
   */
  async tow(args: string[], settings: Record<string, string> = {}): Promise<CliJsonRun> {
    const { code, out } = await this.run('bin/tow.js', [...args, '--json'], settings);
    expect(out.trim().split('\n')).to.have.length(1);
    return { code, ...(JSON.parse(out) as Omit<CliJsonRun, 'code'>) };
  }
}

/**
 * Starts a PostgreSQL server before the tests of the surrounding `describe`, and removes all its
 * files after them.
 */
export function useCli(): Cli {
  const cli = new Cli();
  before(() => cli.start());
  after(() => cli.stop());
  return cli;
}
