import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { stopChild } from './product.js';
import { type BenchStores, findFreePort, waitFor } from './stores.js';

export interface Baseline {
  origin: string;
  pids: number[];
  stop: () => Promise<void>;
}

/**
 * Creates the bare server's table in a schema of its own. The product refuses to start if a table
 * in the schema public has no row-level security.
 */
const BARE_TABLE = `
  create schema if not exists bench;
  create table if not exists bench.bare_invoices (
    id uuid primary key, tenant_id uuid not null, invoice_number text not null, status text not null default 'draft',
    customer_id uuid, billing_email text, po_number text, notes text, line_items jsonb, total_cents bigint not null,
    due_date timestamptz, service_date timestamptz, subtotal_cents bigint, tax_cents bigint, paid_cents bigint default 0,
    balance_due_cents bigint, work_order_id uuid, vehicle_description text, sent_at timestamptz, delivery jsonb, allowed_actions jsonb default '[]',
    created_at timestamptz not null default now(), updated_at timestamptz not null default now());
  create index if not exists bare_invoices_list on bench.bare_invoices (tenant_id, created_at desc, id desc)`;

export async function runSql(databaseUrl: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

/** Starts the bare server in a separate process, on the same PostgreSQL. */
export async function startBaseline(stores: BenchStores): Promise<Baseline> {
  await runSql(stores.databaseUrl, BARE_TABLE);
  return startServer('baseline-server.ts', (port) => ['pg', port, stores.databaseUrl]);
}

/**
 * Starts the server that stores the same data as the product, but without a queue. It runs in a
 * separate process, on the same PostgreSQL.
 */
export function startDirectBaseline(stores: BenchStores): Promise<Baseline> {
  const url = new URL(stores.superuserUrl);
  url.pathname = new URL(stores.databaseUrl).pathname;
  return startServer('direct-server.ts', (port) => [port, url.href]);
}

async function startServer(file: string, listArguments: (port: string) => string[]): Promise<Baseline> {
  const port = await findFreePort();
  const script = fileURLToPath(new URL(`./${file}`, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...listArguments(`${port}`)], {
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'production' },
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const origin = `http://127.0.0.1:${port}`;
  await waitFor(() =>
    fetch(origin).then(
      (response) => response.ok,
      () => false,
    ),
  );
  return { origin, pids: [child.pid as number], stop: () => stopChild(child) };
}
