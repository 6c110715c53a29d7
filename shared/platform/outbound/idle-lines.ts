import type { Line } from './line.js';

/** So many sockets wait for their next request at most; a TLS one holds some 50 kB. */
const MAX_IDLE = 1000;

/** Lines that wait for their next request. Whatever the number of origins, it holds no more than the sockets that are open. */
export class IdleLines {
  /** The longest waiting first. */
  readonly #all = new Set<Line>();
  readonly #byOrigin = new Map<string, Line[]>();

  /** The one used last, which is the least likely to be closed by the other side. */
  take(origin: string): Line | undefined {
    for (;;) {
      const line = this.#byOrigin.get(origin)?.at(-1);
      if (!line) return undefined;
      this.remove(line);
      if (line.isFit) return line;
      line.destroy();
    }
  }

  put(line: Line): void {
    this.#all.add(line);
    const others = this.#byOrigin.get(line.origin);
    if (others) others.push(line);
    else this.#byOrigin.set(line.origin, [line]);
    const [longestWaiting] = this.#all;
    if (this.#all.size > MAX_IDLE && longestWaiting) this.#end(longestWaiting);
  }

  /** @returns whether it was waiting */
  remove(line: Line): boolean {
    if (!this.#all.delete(line)) return false;
    const lines = this.#byOrigin.get(line.origin) ?? [];
    lines.splice(lines.lastIndexOf(line), 1);
    if (lines.length === 0) this.#byOrigin.delete(line.origin);
    return true;
  }

  endAll(): void {
    for (const line of [...this.#all]) this.#end(line);
  }

  #end(line: Line): void {
    this.remove(line);
    line.destroy();
  }
}
