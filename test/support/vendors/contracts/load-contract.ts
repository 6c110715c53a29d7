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

interface Document {
  /** Absent in a file that has schemas only. */
  paths?: Contract['paths'];
  components: { schemas: Contract['schemas'] } & Record<string, unknown>;
}

const PART = /^#\/components\/(parameters|responses|requestBodies)\/(.+)$/;

/** Puts shared parameters, bodies and responses in the place of the references to them. */
function resolveParts<T>(value: T, document: Document): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => resolveParts(one, document)) as T;
  const [, kind = '', name = ''] = PART.exec(String(Object(value).$ref)) ?? [];
  if (kind !== '') return Object(document.components[kind])[name] as T;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, resolveParts(member, document)]),
  ) as T;
}

/** Gives each operation of a path the parameters that the path has for all of them. */
function shareParameters({ parameters, ...operations }: Contract['paths'][string]) {
  const shared = (parameters ?? []) as unknown as Parameter[];
  return Object.fromEntries(
    Object.entries(operations).map(([method, operation]) => [
      method,
      { ...operation, parameters: [...shared, ...(operation.parameters ?? [])] },
    ]),
  );
}

/**
 * A file with a part of a contract: a name in the vendor's folder, or an absolute path. Its paths
 * are below the prefix, which is empty by default.
 */
export type ContractFile = string | { file: string; pathPrefix: string };

/**
 * Reads the slices of a vendor's contract, and merges their paths and schemas. A later file
 * replaces the schemas of the same name.
 */
export function loadContract(vendor: string, files: readonly ContractFile[]): Contract | undefined {
  if (!hasContracts()) return undefined;
  const contract: Contract = { paths: {}, schemas: {} };
  for (const one of files) {
    const { file, pathPrefix } = typeof one === 'string' ? { file: one, pathPrefix: '' } : one;
    const document = JSON.parse(readFileSync(resolve(FOLDER, vendor, file), 'utf8')) as Document;
    for (const [path, operations] of Object.entries(resolveParts(document.paths ?? {}, document)))
      contract.paths[`${pathPrefix}${path}`] = shareParameters(operations);
    Object.assign(contract.schemas, document.components.schemas);
  }
  return contract;
}
