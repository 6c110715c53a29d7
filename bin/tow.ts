#!/usr/bin/env node
import { runCli } from './tow/cli.js';

// `tow help` lists the commands; bin/cli/exit-codes.ts has the exit codes.
process.exitCode = await runCli(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  isInteractive: process.stderr.isTTY === true,
});
