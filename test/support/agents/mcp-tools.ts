/** Runs the official conformance suite and the inspector against the MCP server. */
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
 * Tests skip these tools if they are missing, because they are as
 * large as the product's own dependencies. CI installs them.
 */
export const ARE_MCP_TOOLS_MISSING = !existsSync(CONFORMANCE) && process.env.CI !== 'true';

/** Adds the key to requests, because the conformance suite sends none, and changes nothing else. */
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

/** Runs every scenario for servers. A scenario without problems has passed. */
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
      // A scenario without a check has not passed.
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

/** @param args besides the server's address and the key */
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

/** Runs the inspector with a configuration file for desktop agents, as in README.md. */
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
