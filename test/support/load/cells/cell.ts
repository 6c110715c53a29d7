/** Runs `tow` against a database of its own, without the product's processes. */
import { createDatabase } from '../../stores.js';
import { SECRET_KEY } from '../deployment.js';
import type { Processes } from '../processes.js';

export interface TowRun {
  code: number | null;
  data: Record<string, unknown>;
  error: { code: string; message: string } | undefined;
}

export class Cell {
  private constructor(
    private readonly processes: Processes,
    readonly databaseUrl: string,
    /** The DATA_DIR, in which the folder `exports` has the objects. */
    readonly dataDir: string,
  ) {}

  static async create(processes: Processes): Promise<Cell> {
    return new Cell(processes, await createDatabase(), await processes.createDataDir());
  }

  async run(args: string[], settings: Record<string, string> = {}): Promise<TowRun> {
    const { databaseUrl, dataDir } = this;
    const env = { NODE_ENV: 'test', DATABASE_URL: databaseUrl, DATA_DIR: dataDir, SECRET_KEY, ...settings };
    const command = ['node', 'dist/bin/tow.js', 'accounts', ...args, '--json'];
    const { code, stdout, output } = await this.processes.run({ command, env });
    try {
      return { code, ...JSON.parse(stdout) };
    } catch {
      throw new Error(`tow accounts ${args.join(' ')} ended with ${code}:\n${output}`);
    }
  }
}
