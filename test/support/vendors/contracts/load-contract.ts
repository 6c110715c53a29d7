import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A part of an OpenAPI 3.0 document, as far as the checks read it. */
export type Schema = { [name: string]: unknown } & {
  properties?: Record<string, Schema>;
  required?: string[];
  nullable?: boolean;
};

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}

export interface Operation {
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

export interface Contract {
  paths: Record<string, Record<string, Operation>>;
  schemas: Record<string, Schema>;
}

const FOLDER = resolve(
  process.env.VENDOR_CONTRACTS ?? join(import.meta.dirname, '../../../../../shared/vendors'),
);

/** True if the vendors' own contracts are on this machine. */
export function hasContracts(): boolean {
  return existsSync(FOLDER);
}

/**
 * Skips the tests of a `describe` where the vendors' contracts are absent.
 * @throws {Error} if they are absent and CI is set
 */
export function requireContracts(): void {
  before(function () {
    if (hasContracts()) return;
    const reason = `The vendors' contracts are not in ${FOLDER} (VENDOR_CONTRACTS).`;
    if (process.env.CI) throw new Error(reason);
    process.stderr.write(`${reason} These tests are skipped.\n`);
    this.skip();
  });
}

/** Reads the slices of a vendor's contract, and merges their paths and schemas. */
export function loadContract(vendor: string, files: readonly string[]): Contract | undefined {
  if (!hasContracts()) return undefined;
  const contract: Contract = { paths: {}, schemas: {} };
  for (const file of files) {
    const document = JSON.parse(readFileSync(join(FOLDER, vendor, file), 'utf8')) as {
      paths: Contract['paths'];
      components: { schemas: Contract['schemas'] };
    };
    Object.assign(contract.paths, document.paths);
    Object.assign(contract.schemas, document.components.schemas);
  }
  return contract;
}
