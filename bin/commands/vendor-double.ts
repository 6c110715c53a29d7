import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findPackageRoot } from '../../shared/platform/files/package-root.js';
import type { RunCommand } from '../cli/command.js';
import { CliError, EXIT, usageError } from '../cli/exit-codes.js';

/**
 * `tow vendor-double VENDOR`: runs the double of a vendor until it is interrupted. The doubles are
 * part of the tests, so the command needs the repository.
 */
export const runVendorDouble: RunCommand = async ({ positionals, values }, { getInterruptSignal }) => {
  const script = findScript();
  const port = values.port === undefined ? [] : ['--port', String(values.port)];
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...positionals, ...port], {
    stdio: 'inherit',
  });
  getInterruptSignal().addEventListener('abort', () => child.kill('SIGTERM'));
  const code = await new Promise<number | null>((ended) => child.once('exit', ended));
  if (code) throw new CliError('failed', 'The double of the vendor did not start.', EXIT.failed);
  return { data: { vendor: positionals[0] }, text: 'The double has ended.' };
};

function findScript(): string {
  const script = join(findPackageRoot(), 'test/support/vendors/run-double.ts');
  if (existsSync(script)) return script;
  throw usageError('The doubles of vendors are part of the tests. Run this in a clone of the repository.');
}
