import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { findPackageRoot } from '../../shared/platform/files/package-root.js';
import type { ApiContext } from './context.js';

/** A built file in the form in which it is sent. */
export interface BuiltFile {
  contentType: string;
  /** Compressed with gzip, or undefined if compression does not help. */
  zipped: Buffer | undefined;
  plain: Buffer;
}

const CONTENT_TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const compress = promisify(gzip);

/**
 * The files that `npm run build` writes into a folder of dist/, such as dist/dashboard. Their names
 * are listed once, and each file is read and compressed at its first request. Requests can only
 * select a listed name, so no request can read another file.
 */
export class BuiltFiles {
  readonly #folder: string;
  #names: Promise<Set<string>> | undefined;
  readonly #files = new Map<string, Promise<BuiltFile>>();

  constructor(folder: string) {
    this.#folder = join(findPackageRoot(), 'dist', folder);
  }

  /**
   * Resolves with undefined if the build has no file with this name, such as `assets/main-x.js`.
   */
  async find(name: string): Promise<BuiltFile | undefined> {
    this.#names ??= this.#listNames();
    if (!(await this.#names).has(name)) return undefined;
    let file = this.#files.get(name);
    if (!file) {
      file = this.#read(name);
      this.#files.set(name, file);
      file.catch(() => this.#files.delete(name));
    }
    return file;
  }

  /** Resolves with an empty set if nothing was built. The next request then looks again. */
  async #listNames(): Promise<Set<string>> {
    try {
      const entries = await readdir(this.#folder, { recursive: true });
      return new Set(entries.filter((name) => extname(name) in CONTENT_TYPES));
    } catch {
      this.#names = undefined;
      return new Set();
    }
  }

  async #read(name: string): Promise<BuiltFile> {
    const plain = await readFile(join(this.#folder, name));
    const zipped = await compress(plain, { level: 9 });
    const contentType = CONTENT_TYPES[extname(name)] as string;
    return { contentType, plain, zipped: zipped.length < plain.length ? zipped : undefined };
  }
}

/** Sends a file. Compresses it if the client accepts gzip. */
export function sendBuiltFile(ctx: ApiContext, { contentType, zipped, plain }: BuiltFile): void {
  ctx.set('Vary', 'Accept-Encoding');
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.type = contentType;
  if (zipped && ctx.acceptsEncodings('gzip') === 'gzip') {
    ctx.set('Content-Encoding', 'gzip');
    ctx.body = zipped;
  } else {
    ctx.body = plain;
  }
}
