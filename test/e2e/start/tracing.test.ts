import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { TestClient } from '../../support/client.js';
import { createDatabase, createRedisUrl, getFreePort } from '../../support/stores.js';

interface ExportedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
}

interface ExportBody {
  resourceSpans: { scopeSpans: { spans: ExportedSpan[] }[] }[];
}

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('traces', () => {
  const spans: ExportedSpan[] = [];
  let collector: Server;
  let dataDir: string;

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'tow-trace-'));
    collector = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (request.url === '/v1/traces') {
          const body = JSON.parse(Buffer.concat(chunks).toString()) as ExportBody;
          spans.push(...body.resourceSpans.flatMap((r) => r.scopeSpans.flatMap((scope) => scope.spans)));
        }
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    collector.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('one trace leads from the request through the queue job to its SQL', async function () {
    this.timeout(180_000);
    const port = await getFreePort();
    const redisUrl = await createRedisUrl();
    const child = spawn(process.execPath, ['dist/bin/start.js'], {
      cwd: root,
      stdio: 'ignore',
      env: {
        PATH: process.env.PATH,
        PORT: `${port}`,
        DATA_DIR: dataDir,
        DATABASE_URL: await createDatabase(),
        ...(redisUrl ? { REDIS_URL: redisUrl } : {}),
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_BSP_SCHEDULE_DELAY: '200',
        OTEL_METRICS_EXPORTER: 'none',
        OTEL_LOGS_EXPORTER: 'none',
      },
    });
    const exited = new Promise((resolve) => child.once('exit', resolve));
    try {
      const { readFileSync } = await import('node:fs');
      await until(
        async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok === true,
      );
      const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as {
        tenants: { api_key: string }[];
      };
      const client = new TestClient(`http://127.0.0.1:${port}`, demo.tenants[0]?.api_key ?? '');
      const traceId = 'ab'.repeat(16);
      const created = await client.post(
        '/invoices',
        { invoice_number: 'TRACED-1' },
        {
          headers: { traceparent: `00-${traceId}-${'cd'.repeat(8)}-01` },
        },
      );
      expect(created.status).to.equal(201);
      // Each process exports its spans by itself, and a span only after it has ended.
      const find = (name: string) => spans.find((span) => span.name === name && span.traceId === traceId);
      const names = ['POST /invoices', 'writes batch', 'insert-invoices'];
      await until(async () => names.every((name) => find(name) !== undefined));
      const [request, batch, sql] = names.map(find);
      expect(batch?.parentSpanId).to.equal(request?.spanId);
      expect(sql?.parentSpanId).to.equal(batch?.spanId);
    } finally {
      child.kill('SIGTERM');
      await exited;
    }
  });
});

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await isDone())) {
    if (Date.now() > deadline) throw new Error('did not happen within 30 s');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
