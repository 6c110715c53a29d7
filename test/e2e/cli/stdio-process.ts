/** Starts `tow mcp` as a client on this machine does: as a separate process with pipes. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { expect } from 'chai';
import type { Json } from '../../support/client.js';
import { PROJECT, type ProcessEnd } from '../../support/load/processes.js';
import { eventually } from '../../support/poll.js';

export const TOW_PATH = `${PROJECT}/dist/bin/tow.js`;

export interface StdioOptions {
  args?: string[];
  env?: Record<string, string>;
  cwd?: string;
}

/** A process of `tow mcp`, to which the test writes line by line. */
export class StdioProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  stdout = '';
  stderr = '';
  #end: ProcessEnd | undefined;

  constructor({ args = [], env = {}, cwd = PROJECT }: StdioOptions) {
    this.child = spawn(process.execPath, [TOW_PATH, 'mcp', ...args], {
      cwd,
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.child.stdin.on('error', () => undefined);
    this.child.once('close', (code, signal) => {
      this.#end = { code, signal };
    });
  }

  static async run<T>(options: StdioOptions, work: (stdio: StdioProcess) => Promise<T>): Promise<T> {
    const stdio = new StdioProcess(options);
    try {
      return await work(stdio);
    } finally {
      stdio.child.kill('SIGKILL');
    }
  }

  writeLine(text: string): void {
    this.child.stdin.write(`${text}\n`);
  }

  sendMessage(method: string, params: object = {}, id?: string | number): void {
    this.writeLine(JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), method, params }));
  }

  /**
   * Returns all MCP messages on standard output. Fails the test if a line is not an MCP message.
   */
  get messages(): Json[] {
    const lines = this.stdout.split('\n');
    return lines.slice(0, -1).map((line) => {
      const message = JSON.parse(line);
      expect(message.jsonrpc, line).to.equal('2.0');
      return message;
    });
  }

  waitForResponse(id: string | number): Promise<Json> {
    return eventually(`a response to ${id}; standard error: ${this.stderr}`, () =>
      this.messages.find((message) => message.id === id),
    );
  }

  async request(method: string, params: object = {}, id: string | number = 1): Promise<Json> {
    this.sendMessage(method, params, id);
    return this.waitForResponse(id);
  }

  endInput(): void {
    this.child.stdin.end();
  }

  waitForExit(): Promise<ProcessEnd> {
    return eventually('its end', () => this.#end, 30_000);
  }
}
