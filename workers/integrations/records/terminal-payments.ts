import type { OpenConnection } from '../../../shared/integrations/contract/connection.js';
import type { ReaderPayment, Terminal } from '../../../shared/integrations/contract/terminal.js';
import { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import {
  recordTerminalPayment,
  type TerminalOutcome,
} from '../../../shared/resources/terminal-payments/commands.js';
import {
  readTerminalPaymentFacts,
  type TerminalPaymentFacts,
} from '../../../shared/resources/terminal-payments/queries.js';
import { insertInboundNotices } from '../../../shared/sync/notice-rows.js';
import type { StartedOperation } from '../../../shared/sync/operation-rows.js';
import { makeStreamsDue } from '../../../shared/sync/stream-rows.js';
import type { Step } from '../vendor/step.js';
import { getPayments } from './pay-links.js';
import type { RecordKind, WriteOutcome } from './record-kind.js';
import { toAttempt } from './to-attempt.js';

/**
 * Interval at which the worker checks a reader that waits for a card. Webhooks are usually faster.
 */
const CHECK_MS = 5_000;
const NOBODY = 'Nobody presented a card in time.';

type Outcome = Promise<WriteOutcome<TerminalOutcome>>;
type Facts = TerminalPaymentFacts;

const NO_STREAM = {
  storeAcceptance: () => undefined,
  pull: () => Promise.reject(new Error('payments on readers have no stream')),
  buildChanges: () => [],
};

/** The record kind `terminal_payment`. Its writes start and cancel a payment on a card reader. */
export const terminalPaymentRecords: RecordKind<TerminalOutcome> = {
  ...NO_STREAM,
  write: (step, operation) => (operation.verb === 'start' ? start(step, operation) : cancel(step, operation)),
  buildSuccess: buildOutcome,
  buildFailure: (operation, { reason }) =>
    operation.verb === 'start' ? [buildFailed(operation, reason)] : [],
};

/**
 * The record kind `terminal_check`. Its write checks a reader repeatedly until the payment has
 * ended.
 */
export const terminalCheckRecords: RecordKind<TerminalOutcome> = {
  ...NO_STREAM,
  write: check,
  buildSuccess: buildOutcome,
  buildFailure: (operation, { reason }) => [buildFailed(operation, reason)],
};

function buildOutcome({ local_id: entityId }: StartedOperation, { state }: { state?: TerminalOutcome }) {
  return state ? [{ type: recordTerminalPayment.type, entityId, input: state }] : [];
}

function buildFailed({ local_id: entityId }: StartedOperation, reason: string) {
  const input: TerminalOutcome = { status: 'failed', failure_reason: reason };
  return { type: recordTerminalPayment.type, entityId, input };
}

const isOpen = ({ status }: Facts): boolean => status === 'waiting' || status === 'processing';
const isUnwanted = (facts: Facts): boolean =>
  facts.status !== 'waiting' || facts.is_cancel_requested || facts.is_expired;

async function start(step: Step, operation: StartedOperation): Outcome {
  const facts = await readFacts(step, operation);
  // If an earlier attempt may have reached the vendor, continue: only the response contains the
  // vendor's id. The record kind `terminal_check` needs this id to cancel the payment.
  if (isUnwanted(facts) && !operation.may_have_arrived)
    return {
      cancelled: facts.is_cancel_requested ? 'A person cancelled it.' : NOBODY,
      mayHaveArrived: false,
    };
  const connection = await step.open();
  const order = {
    terminalPaymentId: operation.local_id,
    invoiceId: facts.invoice_id,
    title: `Invoice ${facts.invoice_number} of ${facts.business_name}`,
    amountCents: facts.amount_cents,
  };
  const attempt = toAttempt(operation);
  try {
    const written = await getTerminal(step).prepare(connection, order, attempt);
    const payment = { readerId: facts.reader_external_id, externalId: written.externalId };
    const refusal = isUnwanted(facts) ? undefined : await show(step, operation, { connection, payment });
    return refusal ?? { written };
  } catch (error) {
    if (isRefusal(error)) return { cancelled: error.message, mayHaveArrived: false };
    throw error;
  }
}

interface ShownPayment {
  connection: OpenConnection;
  payment: ReaderPayment;
}

/**
 * Shows the payment on its reader. If the reader refuses, cancels the payment and returns the
 * reason. Returns undefined if the cancellation fails, because a card may already have been read.
 */
async function show(
  step: Step,
  operation: StartedOperation,
  { connection, payment }: ShownPayment,
): Promise<WriteOutcome<TerminalOutcome> | undefined> {
  const terminal = getTerminal(step);
  try {
    await terminal.show(connection, payment, toAttempt(operation));
    return undefined;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const isCancelled = await terminal.cancel(connection, payment);
    await step.db.transaction([operation.tenant_id], (tx) =>
      makeStreamsDue(tx, [
        { tenant_id: operation.tenant_id, id: operation.connection_id, stream: 'readers' },
      ]),
    );
    return isCancelled ? { cancelled: error.message, mayHaveArrived: false } : undefined;
  }
}

async function cancel(step: Step, operation: StartedOperation): Outcome {
  const facts = await readFacts(step, operation);
  const { external_id: externalId } = facts;
  if (!isOpen(facts) || externalId === null)
    return { cancelled: 'The payment had ended before.', mayHaveArrived: false };
  return end(step, operation, { facts, externalId, reason: 'A person cancelled it.' });
}

async function check(step: Step, operation: StartedOperation): Outcome {
  const facts = await readFacts(step, operation);
  const { external_id: externalId, reader_external_id: readerId } = facts;
  const later: WriteOutcome<TerminalOutcome> = {
    postponedMs: CHECK_MS,
    reason: 'The reader waits for a card.',
  };
  if (externalId === null)
    return isOpen(facts) ? later : { cancelled: 'The payment ended unseen.', mayHaveArrived: false };
  const payment = { readerId, externalId };
  const connection = await step.open();
  const written = { externalId, version: null };
  if (!isOpen(facts)) {
    // The vendor still allows another try after a declined card. In this service the payment has
    // ended, so cancel it at the vendor too.
    if (facts.status === 'failed') await getTerminal(step).cancel(connection, payment);
    return { written };
  }
  const found = await getTerminal(step).read(connection, payment);
  if (found.state === 'tried') {
    await readPaymentSoon(step, operation, externalId);
    return later;
  }
  if (found.state === 'ended') return end(step, operation, { facts, externalId, reason: found.reason });
  if (facts.is_expired || facts.is_cancel_requested)
    return end(step, operation, {
      facts,
      externalId,
      reason: facts.is_expired ? NOBODY : 'A person cancelled it.',
    });
  return later;
}

/**
 * Cancels a payment at the vendor. If the reader has already read a card, the payment cannot be
 * cancelled any more. The worker then reads how the payment ended.
 */
async function end(
  step: Step,
  operation: StartedOperation,
  { facts, externalId, reason }: { facts: Facts; externalId: string; reason: string },
): Outcome {
  const payment = { readerId: facts.reader_external_id, externalId };
  const isCancelled = await getTerminal(step).cancel(await step.open(), payment);
  const written = { externalId, version: null };
  if (isCancelled) return { written, state: { status: 'failed', failure_reason: reason } };
  await readPaymentSoon(step, operation, externalId);
  return operation.verb === 'check' ? { postponedMs: CHECK_MS, reason: 'The card was read.' } : { written };
}

/** Makes the worker read the payment, as if a webhook had named it. */
async function readPaymentSoon(
  step: Step,
  { tenant_id, connection_id, local_id, attempts }: StartedOperation,
  hint: string,
): Promise<void> {
  const dedupe_id = `reader/${local_id}/${attempts}/${Date.now()}`;
  await step.db.transaction([tenant_id], (tx) =>
    insertInboundNotices(tx, [{ tenant_id, connection_id, dedupe_id, stream: 'payments', hint }]),
  );
}

function isRefusal(error: unknown): error is VendorError {
  return error instanceof VendorError && (error.kind === 'refused' || error.kind === 'gone');
}

function getTerminal(step: Step): Terminal {
  const { terminal } = getPayments(step);
  if (!terminal) throw new Error(`${step.vendor.manifest.vendor} drives no card readers`);
  return terminal;
}

async function readFacts(step: Step, operation: StartedOperation): Promise<Facts> {
  const { tenant_id, local_id: id, connection_id } = operation;
  const facts = await readTerminalPaymentFacts(step.db, { tenant_id, id, connection_id });
  if (!facts) throw new Error('the terminal payment of an operation does not exist');
  return facts;
}
