import { expect } from 'chai';
import { addDownloadLinks } from '../../../api/runtime/export-links.js';
import { AGENT_SCOPES } from '../../../shared/contracts/vocabulary.js';
import { newId } from '../../../shared/platform/ids.js';
import {
  EXPORT_FORMATS,
  EXPORT_RESOURCES,
  type ExportFormat,
  type ExportResource,
} from '../../../shared/resources/exports/request/export-request.js';
import { expectError, listValidationErrors } from '../../support/expect-error.js';
import { ExportAccount } from '../../support/exports/exports.js';
import { invoiceInput, UNKNOWN_ID } from '../../support/records/samples.js';
import { useStack } from '../../support/use-stack.js';

const DRY = { headers: { 'X-Service-Dry-Run': 'true' } };

describe('exports', () => {
  // Use a separate stack. Other test files leave tables with few rows and no statistics, which
  // would change the planner's estimates.
  const stack = useStack({}, 'query plans');

  const openAccount = async () => {
    const { id, client } = await stack.createTenant();
    return new ExportAccount(stack, id, client);
  };

  describe('POST /exports', () => {
    for (const resource of EXPORT_RESOURCES) {
      for (const format of EXPORT_FORMATS) {
        const isRefused = format === 'dump' && resource !== 'all';
        it(`POST /exports of ${resource} as ${format} is ${isRefused ? 'refused' : 'queued'}`, async () => {
          const { client } = await openAccount();
          const response = await client.post('/exports', { resource, format });
          if (isRefused) return expect(listValidationErrors(response)).to.deep.equal(['resource only']);
          expect(response.status, response.text).to.equal(202);
          expect(response.headers.location).to.equal(`/v1/exports/${response.body.id}`);
          expect(response.body).to.deep.include({
            resource,
            format,
            status: 'queued',
            filters: {},
            include: [],
          });
          expect(response.body).to.include({ compression: 'gzip', bom: false, decimals: false, error: null });
          expect(response.body).to.include({ download_url: null, sha256: null, bytes: null, attempts: 0 });
          return expect(response.body.progress).to.include({ rows: 0, bytes: 0, percent: 0 });
        });
      }
    }

    it('POST /exports accepts the filters of the REST list and passes them to the worker', async () => {
      const account = await openAccount();
      const exportRequests: [ExportResource, Record<string, unknown>][] = [
        [
          'invoices',
          { search: 'INV', status: 'paid', customer_id: newId(), since: '2026-01-01', date_field: 'paid_at' },
        ],
        ['customers', { search: 'x', company_type: 'motor_club', is_active: true }],
        ['work_orders', { status: 'new', service_type: 'tow', until: '2026-11-01T00:00:00Z' }],
        ['inspections', { kind: 'pre_trip', result: 'pass', truck_id: newId(), since: '2026-01-01' }],
      ];
      for (const [resource, filters] of exportRequests) {
        const created = await account.create({ resource, format: 'ndjson', filters });
        expect(created.filters).to.deep.equal(filters);
        const leased = await account.lease(created.id);
        expect(leased).to.deep.include({
          filters: Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, String(value)])),
        });
        await account.client.delete(`/exports/${created.id}`);
      }
    });

    const invalidBodies: [string, object, string[]][] = [
      [
        'invalid values in every field',
        { resource: 'trucks', format: 'xls', compression: 'zip', bom: 1, include: ['taxes'], filters: 'all' },
        ['bom base', 'compression only', 'filters base', 'format only', 'include[0] only', 'resource only'],
      ],
      ['missing fields', {}, ['format required', 'resource required']],
      [
        'filters of another list and invalid filter values',
        {
          resource: 'invoices',
          format: 'csv',
          filters: { kind: 'pre_trip', status: 'new', since: 'yesterday', date_field: 'completion_time' },
        },
        ['filters.date_field only', 'filters.kind unknown', 'filters.since dateTime', 'filters.status only'],
      ],
      [
        'date filters for customers, which have none',
        { resource: 'customers', format: 'json', filters: { since: '2026-01-01', status: 'paid' } },
        ['filters.since unknown', 'filters.status unknown'],
      ],
      [
        'filters for everything',
        { resource: 'all', format: 'json', filters: { since: '2026-01-01' }, include: ['payments'] },
        ['filters.since unknown', 'include not_applicable'],
      ],
      [
        'CSV options for JSON',
        { resource: 'customers', format: 'json', bom: true, decimals: true, include: ['line_items'] },
        ['bom not_applicable', 'decimals not_applicable', 'include not_applicable'],
      ],
      [
        'an uncompressed zip',
        { resource: 'invoices', format: 'csv', include: ['line_items'], compression: 'none' },
        ['compression not_applicable'],
      ],
      [
        'an uncompressed dump of one resource, with filters',
        {
          resource: 'invoices',
          format: 'dump',
          filters: { status: 'paid' },
          include: ['payments'],
          compression: 'none',
        },
        ['compression not_applicable', 'include not_applicable', 'resource only'],
      ],
    ];
    for (const [title, exportRequest, expected] of invalidBodies) {
      it(`POST /exports with ${title} is 400 and lists every problem`, async () => {
        const { client } = await openAccount();
        expect(listValidationErrors(await client.post('/exports', exportRequest))).to.deep.equal(expected);
        expect((await client.get('/exports')).body.data.items).to.deep.equal([]);
      });
    }

    it('POST /exports estimates the number of rows without reading them', async () => {
      const account = await openAccount();
      const fill = `insert into invoices (tenant_id, id, invoice_number, created_at)
        select $1, gen_random_uuid(), 'X-' || n, now() - n * interval '1 day' from generate_series(1, 1000) n`;
      // Insert 1000 invoices each for this account and for 40 others. PostgreSQL's own row estimate
      // for one of many accounts is far too low.
      for (const tenantId of [account.tenantId, ...Array.from({ length: 40 }, newId)])
        await stack.rows(tenantId, fill, [tenantId]);
      await stack.runAsOwner('analyze invoices');
      const whole = await account.create();
      expect(whole.progress.estimated_rows).to.be.within(500, 2000);
      const recent = await account.create({
        resource: 'invoices',
        format: 'csv',
        filters: { since: new Date(Date.now() - 100 * 86_400_000).toISOString() },
      });
      expect(recent.progress.estimated_rows).to.be.within(40, 300);
      const rest: [ExportResource, ExportFormat][] = [
        ['all', 'csv'],
        ['all', 'dump'],
      ];
      for (const [resource, format] of rest)
        expect((await account.create({ resource, format })).progress.estimated_rows).to.be.at.least(
          whole.progress.estimated_rows,
        );
    });

    it('POST /exports as a dry run stores nothing, and an Idempotency-Key creates only one export', async () => {
      const { client } = await openAccount();
      const exportRequest = { resource: 'invoices', format: 'csv' };
      const dry = await client.post('/exports', { ...exportRequest, colour: 'red' }, DRY);
      expect(dry.status, dry.text).to.equal(200);
      expect(dry.body.data).to.include({ status: 'queued', resource: 'invoices' });
      expect(JSON.stringify(dry.body.warnings)).to.include('colour');
      const headers = { 'Idempotency-Key': newId() };
      const [first, again] = [
        await client.post('/exports', exportRequest, { headers }),
        await client.post('/exports', exportRequest, { headers }),
      ];
      expect([first.status, again.status]).to.deep.equal([202, 202]);
      expect(again.headers).to.include({
        'x-idempotency-replay': 'true',
        location: `/v1/exports/${first.body.id}`,
      });
      expect(again.text).to.equal(first.text);
      const other = await client.post('/exports', { ...exportRequest, format: 'json' }, { headers });
      expectError(other, 422, 'idempotency_key_reused');
      expect((await client.get('/exports')).body.data.count).to.equal(1);
    });
  });

  it('GET /exports lists only exports of the account, newest first, by status and resource', async () => {
    const account = await openAccount();
    const otherAccount = await openAccount();
    const first = await account.create();
    const second = await account.create({ resource: 'customers', format: 'json' });
    await account.client.delete(`/exports/${first.id}`);
    const listIds = async (query: string, { client } = account) =>
      (await client.get(`/exports${query}`)).body.data.items.map(({ id }: { id: string }) => id);
    expect(await listIds('')).to.deep.equal([second.id, first.id]);
    expect(await listIds('?status=cancelled')).to.deep.equal([first.id]);
    expect(await listIds('?resource=customers')).to.deep.equal([second.id]);
    const page = await account.client.get('/exports?limit=1');
    expect(await listIds(`?limit=1&cursor=${page.body.data.cursor}`)).to.deep.equal([first.id]);
    expect(listValidationErrors(await account.client.get('/exports?status=lost'))).to.deep.equal([
      'status only',
    ]);
    expect(await listIds('', otherAccount)).to.deep.equal([]);
    for (const [method, path] of [
      ['GET', `/exports/${first.id}`],
      ['DELETE', `/exports/${first.id}`],
      ['POST', `/exports/${first.id}/retry`],
      ['GET', `/exports/${UNKNOWN_ID}`],
    ] as const)
      expectError(await otherAccount.client.call(method, path), 404, 'not_found');
    expect(await account.read(second.id)).to.deep.equal(second);
  });

  it('exports need the permission admin and refuse agents', async () => {
    const account = await openAccount();
    const { id } = await account.create();
    const writer = stack.createClient(
      await stack.createKey(account.tenantId, { permissions: ['read', 'write', 'approve'] }),
    );
    const agent = stack.createClient(
      await stack.createKey(account.tenantId, { kind: 'agent', scopes: [...AGENT_SCOPES] }),
    );
    const calls = [
      ['GET', '/exports'],
      ['POST', '/exports'],
      ['GET', `/exports/${id}`],
      ['DELETE', `/exports/${id}`],
      ['POST', `/exports/${id}/retry`],
    ] as const;
    for (const [method, path] of calls) {
      const body = method === 'POST' ? { body: { resource: 'all', format: 'csv' } } : {};
      expectError(await writer.call(method, path, body), 403, 'insufficient_scope');
      expectError(await agent.call(method, path, body), 403, 'forbidden');
    }
    expect((await account.read(id)).status).to.equal('queued');
  });

  it('DELETE /exports/{id} cancels an unfinished export, expires a completed one and leaves an ended one unchanged', async () => {
    const account = await openAccount();
    const cancel = async (id: string) => (await account.client.delete(`/exports/${id}`)).body;
    const queued = await account.create();
    const cancelled = await cancel(queued.id);
    expect(cancelled).to.deep.include({ ...queued, status: 'cancelled', updated_at: cancelled.updated_at });
    expect(await cancel(queued.id)).to.deep.equal(cancelled);

    const running = await account.create();
    const owner = newId();
    await account.leaseOrThrow(running.id, owner);
    expect((await cancel(running.id)).status).to.equal('cancelled');
    expect(await account.renew(running.id, owner)).to.equal(false);

    const { id } = await account.createCompleted();
    const expired = await cancel(id);
    expect(expired).to.include({ status: 'expired', sha256: 'a'.repeat(64) });
    expect(Date.parse(expired.expires_at)).to.be.at.most(Date.now());
    expect(await cancel(id)).to.deep.equal(expired);
  });

  it('POST /exports/{id}/retry restarts a failed, cancelled or expired export, and is 409 otherwise', async () => {
    const account = await openAccount();
    const retry = (id: string) => account.client.post(`/exports/${id}/retry`, {});
    const { id, ...completed } = await account.createCompleted();
    expectError(await retry(id), 409, 'invalid_status_transition');
    await account.client.delete(`/exports/${id}`);
    const again = await retry(id);
    expect(again.status, again.text).to.equal(200);
    expect(again.body).to.deep.include({
      id,
      status: 'queued',
      attempts: completed.attempts,
      files: [],
      bytes: null,
      sha256: null,
      file_name: null,
      started_at: null,
      completed_at: null,
      expires_at: null,
    });
    expect(again.body.progress).to.include({ rows: 0, bytes: 0, percent: 0 });
    expectError(await retry(id), 409, 'invalid_status_transition');
    const { attempts } = await account.leaseOrThrow(id);
    expect(attempts).to.equal(2);
    expectError(await retry(id), 409, 'invalid_status_transition');
    await account.submit(account.buildFailure(id, attempts));
    expect(await account.read(id)).to.deep.include({
      status: 'failed',
      error: { code: 'storage_full', message: 'There was no room for the file.' },
    });
    expect((await retry(id)).body).to.include({ status: 'queued', error: null });
  });

  it('an account has at most ten unfinished exports, including retried ones', async () => {
    const account = await openAccount();
    const cancelledExport = await account.create();
    await account.client.delete(`/exports/${cancelledExport.id}`);
    const ids: string[] = [];
    for (let count = 0; count < 10; count += 1) ids.push((await account.create()).id);
    const refused = await account.client.post('/exports', { resource: 'all', format: 'dump' });
    expectError(refused, 409, 'conflict');
    expect(refused.body.error.message).to.include('10 exports');
    expectError(await account.client.post(`/exports/${cancelledExport.id}/retry`, {}), 409, 'conflict');
    await account.leaseOrThrow(ids[0] as string);
    expectError(await account.client.post('/exports', { resource: 'all', format: 'dump' }), 409, 'conflict');
    await account.client.delete(`/exports/${ids[0]}`);
    await account.create();
  });

  it('a completed export has a download link, created by each read', async () => {
    const account = await openAccount();
    await account.client.post('/invoices', invoiceInput());
    const completed = await account.createCompleted();
    const queued = await account.create();
    const { text } = await account.client.get(`/exports/${completed.id}`);
    const requestedFiles: unknown[] = [];
    const makeExportLink = async (file: unknown) => {
      requestedFiles.push(file);
      return { url: 'https://example.com/file', expiresAt: '2026-11-22T10:00:00.000Z' };
    };
    const items = `${text},${JSON.stringify(queued)}`;
    const linked = JSON.parse(
      `[${await addDownloadLinks({ ...stack.runtime, makeExportLink }, items, { tenantId: account.tenantId, origin: stack.origin })}]`,
    );
    expect(linked[0]).to.deep.equal({
      ...completed,
      download_url: 'https://example.com/file',
      download_expires_at: '2026-11-22T10:00:00.000Z',
    });
    expect(linked[1]).to.deep.equal(queued);
    const { tenantId } = account;
    const { id: exportId, file_name: fileName, content_type: contentType, sha256 } = completed;
    const objectKey = `${tenantId}/${exportId}/1`;
    expect(requestedFiles).to.deep.equal([{ tenantId, exportId, objectKey, fileName, contentType, sha256 }]);
  });
});
