import { type ParseArgsConfig, parseArgs } from 'node:util';
import { pino } from 'pino';
import { type Config, ConfigError, loadConfig } from '../../shared/config/config.js';
import { readPackageVersion } from '../../shared/platform/files/package-version.js';
import { Lifecycle } from '../../shared/platform/lifecycle.js';
import { type Logger, redactText } from '../../shared/platform/logger.js';
import type { CommandArgs, CommandContext } from '../cli/command.js';
import { CliError, describeReason, EXIT, type ExitCode, toCliError, usageError } from '../cli/exit-codes.js';
import { Interruption } from '../cli/interruption.js';
import { type CommandOutput, printEntry, printError, printOutput, type Terminal } from '../cli/output.js';
import { renderHelp } from './help.js';
import { COMMANDS, type CommandEntry } from './registry.js';

const CLOSE_DEADLINE_MS = 20_000;

/**
 * Runs one command and resolves with its exit code (see {@link EXIT}). Never rejects.
 * @param argv arguments without the program's name
 */
export async function runCli(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const json = argv.includes('--json') && !ownsStdout(argv);
  const logger = createStderrLogger();
  const lifecycle = new Lifecycle(logger);
  const interruption = new Interruption(() => lifecycle.close(CLOSE_DEADLINE_MS));
  interruption.listen();
  try {
    const output = await runCommand(argv, {
      logger,
      lifecycle,
      printEntry: (line) => printEntry(terminal, line, json),
      printStatus: (text) => terminal.err(`${text}\n`),
      replaceStatus: (text) => terminal.isInteractive && terminal.err(`\r${text}\u001b[K`),
      getInterruptSignal: () => interruption.getSignal(),
    });
    printOutput(terminal, output, json);
    return output.failure?.exit ?? EXIT.ok;
  } catch (error) {
    const failure = toCliError(error);
    printError(terminal, failure, json);
    return failure.exit;
  } finally {
    await lifecycle.close(CLOSE_DEADLINE_MS);
  }
}

/**
 * True for a command such as `tow mcp`, which writes its protocol to standard output. Such a
 * command must not write errors as JSON to standard output.
 */
function ownsStdout(argv: readonly string[]): boolean {
  const [word] = argv.filter((one) => one !== '--json');
  return COMMANDS.some(({ name, ownsStdout }) => ownsStdout && name === word);
}

/** Logs go to standard error, because standard output may contain only the command's result. */
function createStderrLogger(): Logger {
  return pino(
    { level: 'warn', name: 'tow', hooks: { streamWrite: redactText } },
    pino.destination({ dest: 2, sync: true }),
  );
}

/** The part of the CommandContext that exists before the settings are read. */
type CliFoundation = Omit<CommandContext, 'config' | 'store'>;

async function runCommand(argv: readonly string[], foundation: CliFoundation): Promise<CommandOutput> {
  const words = argv.filter((word) => word !== '--json');
  if (words.length === 1 && words[0] === '--version') {
    const version = readPackageVersion();
    return { data: { version }, text: version };
  }
  if (words[0] === 'help' || words.includes('--help') || words.includes('-h')) return help();
  const { entry, rest } = findCommand(words);
  const args = parse(entry, rest);
  const run = await entry.load();
  return run(args, createContext(foundation));
}

function help(): CommandOutput {
  const commands = COMMANDS.map(({ name, usage, summary }) => ({
    name,
    usage: `tow ${name} ${usage}`.trim(),
    summary,
  }));
  return { data: { commands, exit_codes: EXIT }, text: renderHelp() };
}

function findCommand(words: string[]): { entry: CommandEntry; rest: string[] } {
  const entry = COMMANDS.find(({ name }) => {
    const parts = name.split(' ');
    return parts.every((part, index) => words[index] === part);
  });
  if (entry) return { entry, rest: words.slice(entry.name.split(' ').length) };
  const problem =
    words.length === 0 ? 'Name a command' : `There is no command "${words.slice(0, 2).join(' ')}"`;
  throw usageError(`${problem}. \`tow help\` lists the commands.`);
}

function parse(entry: CommandEntry, rest: string[]): CommandArgs {
  const options: ParseArgsConfig['options'] = entry.options;
  const explain = (message: string) =>
    usageError(`${message} Usage: tow ${entry.name} ${entry.usage}`.trim());
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args: rest, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw explain(`${describeReason(error).split('. To specify')[0]}.`);
  }
  const { positionals } = parsed;
  const values = parsed.values as CommandArgs['values'];
  const missing = entry.required.find((name) => values[name] === undefined);
  if (missing) throw explain(`--${missing} is missing.`);
  if (positionals.length !== entry.positionals) {
    throw explain(
      positionals.length > entry.positionals
        ? `Unexpected argument "${positionals.at(-1)}".`
        : 'An argument is missing.',
    );
  }
  return { values, positionals };
}

function createContext(cli: CliFoundation): CommandContext {
  const { logger, lifecycle } = cli;
  const config = (): Config => {
    try {
      return loadConfig('cli');
    } catch (error) {
      if (error instanceof ConfigError) throw toCliError(error);
      // A DATA_DIR that cannot be written to is a wrong setting too.
      throw new CliError('configuration', describeReason(error), EXIT.configuration, { cause: error });
    }
  };
  return {
    ...cli,
    config,
    store: async () => {
      const { findDatabaseUrl, openStore } = await import('../cli/store.js');
      const foundation = { config: config(), logger, lifecycle, startBlockers: new Map() };
      const databaseUrl = await findDatabaseUrl(foundation);
      return { databaseUrl, db: openStore(foundation, databaseUrl, 'cli') };
    },
  };
}
