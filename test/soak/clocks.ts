import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeployedService } from '../support/load/deployed-service.js';

const LIBRARIES = '/usr/lib';
/** The seconds for which libfaketime uses what it has read from its file. */
const CACHE_SECONDS = 1;
const RIGHT_TIME = '+0';

/** Finds libfaketime, which Debian's package `faketime` installs for each architecture. */
export function findFakeTime(): string | undefined {
  const files = readdirSync(LIBRARIES).map((name) => join(LIBRARIES, name, 'faketime', 'libfaketimeMT.so.1'));
  return files.find((file) => existsSync(file));
}

/** The system clock of each process, as libfaketime shows it. Timers keep their pace. */
export class Clocks {
  private readonly folder = mkdtempSync(join(tmpdir(), 'tow-clocks-'));

  constructor(private readonly library: string) {}

  /** Returns what a process at a port must be started with, so that its clock can be set. */
  buildSettings(port: number): Record<string, string> {
    this.write(port, RIGHT_TIME);
    return {
      LD_PRELOAD: this.library,
      FAKETIME_TIMESTAMP_FILE: this.getFile(port),
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_CACHE_DURATION: `${CACHE_SECONDS}`,
    };
  }

  /** Sets the clock of a process fast, or slow by a negative number of seconds. */
  set({ port }: DeployedService, seconds: number): void {
    this.write(port, seconds < 0 ? `${seconds}` : `+${seconds}`);
  }

  setRight({ port }: DeployedService): void {
    this.write(port, RIGHT_TIME);
  }

  stop(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private getFile(port: number): string {
    return join(this.folder, `${port}`);
  }

  private write(port: number, time: string): void {
    // The process must never read a file that is half written.
    const partial = `${this.getFile(port)}.partial`;
    writeFileSync(partial, time);
    renameSync(partial, this.getFile(port));
  }
}
