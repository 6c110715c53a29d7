/** Runs the official MCP conformance suite and the MCP inspector against the product's server. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MODULES = 'test/mcp-tools/node_modules';
const CONFORMANCE = join(MODULES, '@modelcontextprotocol/conformance/dist/index.js');
const INSPECTOR = join(MODULES, '.bin/mcp-inspector');

/**
 * True if the tests must skip the conformance suite and the inspector because they are not
 * installed. The two are as large as the product's own dependencies, so a developer need not
 * install them. CI installs them and never skips.
 */
export const ARE_MCP_TOOLS_MISSING = !existsSync(CONFORMANCE) && process.env.CI !== 'true';

/**
 * A proxy that adds an agent key to each request and changes nothing else. The conformance suite
 * itself cannot send a key.
 */
export class KeyProxy {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(origin: string, key: string): Promise<KeyProxy> {
    const { hostname, port } = new URL(origin);
    const server = createServer((request, response) => {
      const { method, url: path, headers } = request;
      const forwarded = httpRequest(
        { hostname, port, method, path, headers: { ...headers, authorization: `Bearer ${key}` } },
        (upstreamResponse) => {
          response.writeHead(upstreamResponse.statusCode as number, upstreamResponse.headers);
          upstreamResponse.pipe(response);
        },
      );
      forwarded.on('error', (error) => response.destroy(error));
      request.pipe(forwarded);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new KeyProxy(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  errorMessage?: string;
}

/**
 * Runs all server scenarios of the conformance suite. Resolves with each scenario's problems, by
 * its name; an empty list means that the scenario passed.
 */
export async function runConformance(url: string): Promise<Map<string, string[]>> {
  const directory = await mkdtemp(join(tmpdir(), 'tow-conformance-'));
  try {
    await runProgram(process.execPath, [
      CONFORMANCE,
      'server',
      '--url',
      url,
      '--suite',
      'all',
      '-o',
      directory,
    ]);
    const problemsByScenario = new Map<string, string[]>();
    for (const name of (await readdir(directory)).sort()) {
      const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d{2}-\d{2}T.*$/, '');
      const checks = JSON.parse(await readFile(join(directory, name, 'checks.json'), 'utf8')) as Check[];
      const problems = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
      const messages = problems.map(
        ({ id, status, errorMessage }) => `${status} ${id}: ${errorMessage ?? 'not met'}`,
      );
      problemsByScenario.set(scenario, checks.length === 0 ? ['no check was made'] : messages);
    }
    return problemsByScenario;
  } finally {
    await rm(directory, { recursive: true });
  }
}

export interface ProgramResult {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs the inspector's command line against a server.
 * @param args further arguments
 */
export function inspectServer(url: string, key: string, args: string[]): Promise<ProgramResult> {
  const header = ['--header', `Authorization: Bearer ${key}`];
  return runProgram(INSPECTOR, [
    '--cli',
    url,
    '--transport',
    'http',
    ...header,
    '--format',
    'json',
    '-q',
    ...args,
  ]);
}

/**
 * Runs the inspector's command line with a configuration file like the one in README.md for desktop
 * agents.
 * @param path path of the configuration file
 */
export function inspectWithConfig(path: string, args: string[]): Promise<ProgramResult> {
  const server = ['--config', path, '--server', 'tow-dispatch'];
  return runProgram(INSPECTOR, ['--cli', ...server, '--format', 'json', '-q', ...args]);
}

function runProgram(file: string, args: string[]): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    execFile(file, args, { timeout: 120_000, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error ? error.code : 0;
      if (typeof code === 'number') resolve({ code, stdout, stderr });
      else reject(error);
    });
  });
}
