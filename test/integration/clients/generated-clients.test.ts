import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';
import { PROJECT, useProcesses } from '../../support/load/processes.js';
import { buildScriptCommand } from '../../support/network/run-script.js';

/** Returns the JSON body of the first request that README.md shows. */
function readmeBody(): string {
  const readme = readFileSync(join(PROJECT, 'README.md'), 'utf8');
  const [, body] = /-d '(\{"invoice_number":"README-1".*?\]\})'/s.exec(readme) ?? [];
  if (!body) throw new Error('the README has no first call');
  return body;
}

const OPENAPI_FETCH = `
import createClient from 'openapi-fetch';
import type { components, paths } from './openapi-typescript.js';

type Schemas = components['schemas'];
const client = createClient<paths>({ baseUrl: 'http://127.0.0.1:3000/v1' });
const { data, error } = await client.POST('/invoices', { body: README });
if (error) throw new Error(error.error.code === 'duplicate_invoice_number' ? 'taken' : error.error.message);
export const invoice: Schemas['Invoice'] = data;
export const isDraft = invoice.status === ('draft' satisfies Schemas['InvoiceStatus']);
export const previewed = (preview: Schemas['DryRunOfInvoice']): Schemas['Invoice'] => preview.data;

const { data: page } = await client.GET('/invoices', { params: { query: { status: 'overdue', limit: 10 } } });
export const items: Schemas['InvoiceListItem'][] = page?.data.items ?? [];

// @ts-expect-error No invoice has this status.
export const wrongStatus = invoice.status === 'lost';
export const isWrongCode = (body: Schemas['Error']) =>
  // @ts-expect-error No error has this code.
  body.error.code === 'teapot';
`;

const OAZAPFTS = `
import { createInvoice, updateInvoice, type Invoice, type InvoiceStatus } from './oazapfts.js';

const created = await createInvoice(README);
if (created.status !== 201) throw new Error(created.data.error.code);
export const invoice: Invoice = created.data;
export const status: InvoiceStatus = invoice.status;
const updated = await updateInvoice(invoice.id, { notes: 'Net 30', due_date: '2026-12-31' });
export const changed: Invoice | undefined = updated.status === 200 ? updated.data : undefined;

// @ts-expect-error A line item needs a price.
await createInvoice({ invoice_number: 'A', line_items: [{ name: 'Tow', category: 'tow', quantity: 1, unit_type: 'each' }] });
`;

describe('clients generated from docs/openapi.json', function () {
  this.timeout(120_000);
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tow-clients-'));
    symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  function generate(program: string, ...args: string[]): void {
    execFileSync(join(PROJECT, 'node_modules/.bin', program), args, { cwd: folder, stdio: 'pipe' });
  }

  function findTypeErrors(name: string, source: string): string[] {
    const file = join(folder, name);
    writeFileSync(file, source.replaceAll('README', readmeBody()));
    const program = ts.createProgram([file], {
      strict: true,
      noEmit: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      types: [],
      preserveSymlinks: true,
    });
    return ts
      .getPreEmitDiagnostics(program)
      .map(
        ({ file: at, messageText }) =>
          `${at?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
      );
  }

  it("openapi-typescript and openapi-fetch: the README's first call type-checks and returns an Invoice", () => {
    generate('openapi-typescript', join(PROJECT, 'docs/openapi.json'), '-o', 'openapi-typescript.d.ts');
    expect(findTypeErrors('openapi-fetch.ts', OPENAPI_FETCH)).to.deep.equal([]);
  });

  it("oazapfts: the README's first call type-checks and returns an Invoice", () => {
    generate('oazapfts', join(PROJECT, 'docs/openapi.json'), 'oazapfts.ts');
    expect(findTypeErrors('oazapfts-call.ts', OAZAPFTS)).to.deep.equal([]);
  });
});

describe('types generated from the schemas', () => {
  const processes = useProcesses();

  it('shared/contracts/generated.ts is up to date: `npm run generate` would not change it', async () => {
    const { code, output } = await processes.run({
      command: buildScriptCommand('bin/generate.ts', '--check'),
    });
    expect(code, output).to.equal(0);
  });
});
