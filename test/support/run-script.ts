import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface ScriptEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunningScript {
  process: ChildProcess;
  /** What it has printed so far. */
  printed: { stdout: string; stderr: string };
  ended: Promise<ScriptEnd>;
  /** Resolves with the match once the pattern stands in the output. @throws when the process ends without */
  waitFor: (pattern: RegExp) => Promise<RegExpExecArray>;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What every child gets of our environment; nothing else, so that no setting of the developer's shell leaks in. */
const INHERITED = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => ['PATH', 'HOME', 'TMPDIR', 'USER'].includes(name)),
);

/** Runs a TypeScript file of the project, or (`-e`) a text as a module, in a Node process of its own. */
export function runScript(args: string[], environment: Record<string, string> = {}): RunningScript {
  const flags = args[0] === '-e' ? ['--input-type=module'] : [];
  const child = spawn(process.execPath, ['--import', 'tsx', ...flags, ...args], {
    cwd: ROOT,
    env: { ...INHERITED, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text));
  const ended = new Promise<ScriptEnd>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal, ...printed })),
  );
  return {
    process: child,
    printed,
    ended,
    waitFor: (pattern) => waitFor({ child, printed, ended }, pattern),
  };
}

async function waitFor(
  {
    child,
    printed,
    ended,
  }: { child: ChildProcess; printed: RunningScript['printed']; ended: Promise<ScriptEnd> },
  pattern: RegExp,
): Promise<RegExpExecArray> {
  const found = () => pattern.exec(printed.stdout) ?? pattern.exec(printed.stderr);
  const seen = new Promise<RegExpExecArray>((resolve) => {
    const look = () => {
      const match = found();
      if (match) resolve(match);
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    look();
  });
  const gone = ended.then((end) => {
    throw new Error(
      `the process ended (${end.code ?? end.signal}) before it printed ${pattern}:\n${end.stdout}${end.stderr}`,
    );
  });
  return Promise.race([seen, gone]);
}
