import type { Config } from '../../config/config.js';
import type { Command, CommandHandlers, CommandOutcome, Prompt } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { INTEGRATIONS_QUEUE } from '../../queues/integrations.js';
import { AccountQuota, type AccountQuotaRule } from '../../records/account-quota.js';
import { diffNewRecord, diffPatch } from '../../records/changes.js';
import { lockRecords } from '../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, refKey, toRecordRef } from '../../records/record-refs.js';
import { findExistingRecords } from '../../records/references.js';
import { insertNotices } from '../notices/store.js';
import { findPaymentsConnections } from '../payments/payments-connection.js';
import type { NamedCustomer, SavedMethodReport } from './commands.js';
import { buildSetupUrl } from './pretend-url.js';
import {
  findUsedMethods,
  insertMethodOperations,
  insertSavedMethods,
  type NewMethodRow,
  type SavedMethodRow,
  storeSavedMethods,
} from './store.js';

type CreateCommand = Command<NamedCustomer>;

/**
 * Limits the pages that one account may open at the vendor per day, and thus the rows in the table.
 */
const QUOTA: AccountQuotaRule = {
  table: 'saved_methods',
  countedRows: `t.status in ('opening', 'open') and t.created_at > now() - interval '1 day'`,
  maxRecords: 1000,
  refusalMessage: 'An account opens 1000 pages for payment methods a day at most. Use the open ones.',
};

const customerRef = ({ tenantId, input }: CreateCommand): RecordRef => ({
  tenant_id: tenantId,
  id: input.customer_id,
});

/** Opens pages where customers save a card or a bank account. */
async function createSavedMethods(
  tx: Transaction,
  commands: CreateCommand[],
  config: Config,
): Promise<CommandOutcome[]> {
  const quota = await AccountQuota.load(tx, commands, QUOTA);
  const [customers, connections] = await Promise.all([
    findExistingRecords(tx, 'customers', commands.map(customerRef)),
    findPaymentsConnections(
      tx,
      commands.map(({ tenantId }) => tenantId),
    ),
  ]);
  const rows: NewMethodRow[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    if (!customers.has(refKey(customerRef(command)))) return notFoundOutcome('customer');
    const connection = connections.get(command.tenantId);
    if (!connection && command.environment === 'live') return failNoConnection();
    const refusal = quota.reserve(command.tenantId);
    if (refusal) return refusal;
    const { customer_id } = command.input;
    const page = connection ? UNOPENED : openPretendPage(command, config);
    rows.push({ ...toRecordRef(command), customer_id, connection_id: connection?.id ?? null, ...page });
    const prompts = promptWorker(connection?.id ?? null);
    return { ok: true, changes: diffNewRecord({ customer_id }), events: [], prompts };
  });
  await insertSavedMethods(tx, rows);
  return outcomes;
}

const UNOPENED = { status: 'opening', url: null, expires_at: null } as const;
const PRETEND_PAGE_MS = 23 * 3_600_000;

/** A sandbox without a vendor gets a page of this service, which is open immediately. */
function openPretendPage({ tenantId, entityId: methodId }: CreateCommand, config: Config) {
  const expires_at = new Date(Date.now() + PRETEND_PAGE_MS).toISOString();
  return { status: 'open' as const, url: buildSetupUrl(config, { tenantId, methodId }), expires_at };
}

/** @param connectionId null if the sandbox pretends the payment method */
function promptWorker(connectionId: string | null): Prompt[] {
  return connectionId === null ? [] : [{ queue: INTEGRATIONS_QUEUE, id: connectionId }];
}

function failNoConnection(): CommandOutcome {
  return failedOutcome({
    code: 'conflict',
    message: 'No payments vendor is connected. Connect one first, for example Stripe: POST /connections.',
  });
}

/**
 * Removes payment methods, here and at the vendor. Refuses to remove a method that autopay uses.
 */
async function removeSavedMethods(
  tx: Transaction,
  commands: Command<NamedCustomer>[],
): Promise<CommandOutcome[]> {
  const refs = commands.map(toRecordRef);
  const rows = await lockRecords<SavedMethodRow>(tx, 'saved_methods', refs);
  const used = await findUsedMethods(tx, refs);
  const removed: SavedMethodRow[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (row?.customer_id !== command.input.customer_id) return notFoundOutcome('payment method');
    if (row.status === 'removed') return { ok: true, changes: [], events: [] };
    if (used.has(refKey(row))) return failUsed();
    removed.push({ ...row, status: 'removed' });
    const prompts = promptWorker(row.connection_id);
    return { ok: true, changes: diffPatch(row, { status: 'removed' }), events: [], prompts };
  });
  await storeSavedMethods(tx, removed);
  await insertMethodOperations(tx, removed, 'remove');
  return outcomes;
}

function failUsed(): CommandOutcome {
  return failedOutcome({
    code: 'conflict',
    message:
      'The autopay of the customer, or of a recurring invoice, uses this payment method. Choose another there first, or set autopay to null.',
  });
}

/**
 * Stores vendors' reports. Ignores a report that is older (`observed_at`) than the stored report.
 */
async function recordSavedMethods(
  tx: Transaction,
  commands: Command<SavedMethodReport>[],
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<SavedMethodRow>(tx, 'saved_methods', commands.map(toRecordRef));
  const unwanted: SavedMethodRow[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const key = refKey(toRecordRef(command));
    const row = rows.get(key);
    if (!row) return notFoundOutcome('payment method');
    const patch = planReport(row, command.input);
    rows.set(key, { ...row, ...patch });
    // If the customer has saved the method after it was removed here, remove it at the vendor too.
    if (row.status === 'removed' && command.input.status === 'active') unwanted.push(row);
    return { ok: true, changes: diffPatch(row, patch), events: [] };
  });
  await storeSavedMethods(tx, [...rows.values()]);
  await insertMethodOperations(tx, unwanted, 'remove');
  return outcomes;
}

function planReport(row: SavedMethodRow, report: SavedMethodReport): Partial<SavedMethodRow> {
  const isOld = row.observed_at !== null && Date.parse(row.observed_at) > Date.parse(report.observed_at);
  if (isOld) return {};
  if (row.status === 'removed') {
    const { provider_method_id = row.provider_method_id } = report;
    return { provider_method_id };
  }
  return { ...report, status: findStatus(row, report) };
}

function findStatus(
  { status: stored, provider_method_id: known }: SavedMethodRow,
  { status }: SavedMethodReport,
): SavedMethodRow['status'] {
  // The vendor opens the page before the customer enters anything. A late report `open` must not
  // undo a later status.
  if (status === 'open') return stored === 'opening' ? 'open' : stored;
  if (status === 'attached') return stored;
  // While a bank account is being verified, it is not attached to a customer, and the vendor may
  // report it as removed. Ignore such a report.
  if (status === 'removed') return stored === 'active' || known === null ? 'removed' : stored;
  return status === 'verifying' && stored === 'active' ? stored : status;
}

/** Announces expiring cards, once per card and month of expiry. */
async function announceExpiries(
  tx: Transaction,
  commands: Command[],
  config: Config,
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<SavedMethodRow>(tx, 'saved_methods', commands.map(toRecordRef));
  const announced = commands.flatMap((command) => {
    const row = rows.get(refKey(toRecordRef(command)));
    const month = row && formatExpiry(row);
    return row && row.announced_expiry !== month ? [{ command, row, month }] : [];
  });
  await storeSavedMethods(
    tx,
    announced.map(({ row, month }) => ({ ...row, announced_expiry: month })),
  );
  await insertNotices(
    tx,
    announced.map(({ command, row, month }) => ({
      command,
      notice: {
        kind: 'card_expiring' as const,
        title: `A card that pays automatically expires: ${row.brand} ${row.last4}`,
        text: `It expires at the end of ${month}. Send the customer a new set-up link: POST /customers/${row.customer_id}/payment-methods.`,
        entity_type: 'saved_method',
        entity_id: row.id,
      },
    })),
    config,
  );
  return commands.map(() => ({ ok: true, changes: [], events: [] }));
}

function formatExpiry({ exp_year: year, exp_month: month }: SavedMethodRow): string {
  return `${year}-${String(month).padStart(2, '0')}`;
}

export const savedMethodHandlers: CommandHandlers = {
  'saved_method.create': createSavedMethods,
  'saved_method.remove': removeSavedMethods,
  'saved_method.record': recordSavedMethods,
  'saved_method.announce_expiry': announceExpiries,
};
