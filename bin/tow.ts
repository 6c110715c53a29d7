#!/usr/bin/env node
import { runCli } from './commands/cli.js';

// The command line program; `tow help` tells everything. Exit codes: bin/commands/exit-codes.ts.
process.exitCode = await runCli(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  isInteractive: process.stderr.isTTY === true,
});
