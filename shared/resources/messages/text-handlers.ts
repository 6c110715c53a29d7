import type { Config } from '../../config/config.js';
import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { diffNewRecord } from '../../records/changes.js';
import { failedOutcome } from '../../records/outcomes.js';
import { type RecordRef, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import { unknownReferenceOutcome } from '../../records/references.js';
import { insertInboundTexts } from '../planned-messages/store.js';
import { type PlannedText, storeTexts } from '../planned-messages/texts.js';
import { isPhoneNumber, phoneKeySql, toPhoneKey } from '../text-consents/phone-key.js';
import { storeConsents } from '../text-consents/store.js';
import type { NewText, ReceivedText } from './commands.js';
import { readOptOutWord } from './opt-out-words.js';

/** Sends texts that people wrote: to the contact phone of a work order, or to another number. */
export async function createMessages(
  tx: Transaction,
  commands: Command<NewText>[],
  config: Config,
): Promise<CommandOutcome[]> {
  const phones = await readContactPhones(tx, commands.flatMap(toWorkOrderRef));
  const texts: PlannedText[] = [];
  const planned = commands.map((command): CommandOutcome | undefined => {
    const { work_order_id = null, invoice_id = null, to, text } = command.input;
    const [ref] = toWorkOrderRef(command);
    if (ref && !phones.has(refKey(ref))) return unknownReferenceOutcome('work_order_id', 'work_order');
    const number = to ?? (ref && phones.get(refKey(ref))) ?? '';
    const refusal = checkNumber(number);
    if (refusal) return refusal;
    texts.push({ command, id: command.entityId, to: number, text, work_order_id, invoice_id });
    return undefined;
  });
  const prompts = await storeTexts(tx, texts, config);
  return commands.map(
    (command, index) =>
      planned[index] ?? {
        ok: true,
        changes: diffNewRecord({ ...command.input }),
        events: [],
        prompts: prompts.get(command.id) ?? [],
      },
  );
}

function toWorkOrderRef({ tenantId, input }: Command<NewText>): RecordRef[] {
  return input.work_order_id === undefined ? [] : [{ tenant_id: tenantId, id: input.work_order_id }];
}

/**
 * Returns the contact phone of each existing work order, or an empty text if the work order has
 * none.
 */
async function readContactPhones(tx: Transaction, refs: readonly RecordRef[]): Promise<Map<string, string>> {
  if (refs.length === 0) return new Map();
  const rows = await tx.query<RecordRef & { contact_phone: string | null }>({
    name: 'read-contact-phones',
    text: `select w.tenant_id, w.id, w.contact_phone from ${recordsetSql('tenant_id uuid, id uuid')}
           join work_orders w on w.tenant_id = r.tenant_id and w.id = r.id`,
    values: [JSON.stringify(refs)],
  });
  return new Map(rows.map((row) => [refKey(row), row.contact_phone ?? '']));
}

function checkNumber(number: string): CommandOutcome | undefined {
  if (isPhoneNumber(number)) return undefined;
  const message =
    number === '' ? 'to is required unless the work order has a contact_phone' : 'to must be a phone number';
  return failedOutcome({
    code: 'validation_error',
    message: `${message}.`,
    details: [{ field: 'to', code: number === '' ? 'required' : 'invalid', message }],
  });
}

type ReceiveCommand = Command<ReceivedText>;

/**
 * Stores texts that customers sent, with the work order of the sender. A text that is already
 * stored changes nothing. After STOP, the number gets no more texts; after START, it gets texts
 * again. Answers HELP, unless the vendor has already answered.
 */
export async function receiveTexts(
  tx: Transaction,
  commands: ReceiveCommand[],
  config: Config,
): Promise<CommandOutcome[]> {
  const jobs = await findJobsOfNumbers(tx, commands);
  const added = await insertInboundTexts(
    tx,
    commands.map((command) => {
      const { connection_id, from, to, text, external_id } = command.input;
      return {
        ...toRecordRef(command),
        work_order_id: jobs.get(command.id) ?? null,
        sender: from,
        recipient: to,
        body_text: text,
        provider: command.actor.name ?? '',
        connection_id,
        external_id,
      };
    }),
  );
  const fresh = commands.filter(({ entityId }) => added.has(entityId));
  await storeConsents(tx, fresh.flatMap(toConsent));
  const answers = await planAnswers(tx, fresh, jobs);
  const prompts = await storeTexts(tx, answers, config);
  return commands.map((command) =>
    added.has(command.entityId)
      ? {
          ok: true,
          changes: diffNewRecord({ sender: command.input.from }),
          events: [{ type: 'message.received' }],
          prompts: prompts.get(command.id) ?? [],
        }
      : { ok: true, changes: [], events: [] },
  );
}

function toConsent({ tenantId: tenant_id, input: { from, text, opt_out_type } }: ReceiveCommand) {
  const word = opt_out_type ?? readOptOutWord(text);
  if (word !== 'STOP' && word !== 'START') return [];
  const state = word === 'STOP' ? ('opted_out' as const) : ('opted_in' as const);
  return [{ tenant_id, number: from, state, source: 'text' as const }];
}

/**
 * Finds the work order of each sender: the newest open work order. Without an open one, finds the
 * newest work order of the last thirty days.
 * @returns the ids of the work orders, by the ids of the commands
 */
async function findJobsOfNumbers(
  tx: Transaction,
  commands: readonly ReceiveCommand[],
): Promise<Map<string, string>> {
  const rows = await tx.query<{ command_id: string; id: string }>({
    name: 'find-jobs-of-numbers',
    text: `select r.command_id, w.id from ${recordsetSql('tenant_id uuid, command_id uuid, phone_key text')}
           cross join lateral (
             select w.id from work_orders w
             where w.tenant_id = r.tenant_id and ${phoneKeySql('w.contact_phone')} = r.phone_key and w.contact_phone is not null
               and (w.status in ('pending', 'dispatched', 'in_progress') or w.created_at > now() - interval '30 days')
             order by w.status in ('pending', 'dispatched', 'in_progress') desc, w.id desc limit 1) w`,
    values: [
      JSON.stringify(
        commands.map(({ id: command_id, tenantId: tenant_id, input }) => ({
          tenant_id,
          command_id,
          phone_key: toPhoneKey(input.from),
        })),
      ),
    ],
  });
  return new Map(rows.map(({ command_id, id }) => [command_id, id]));
}

/** Plans the answers to HELP: the account's name and phone number. */
async function planAnswers(
  tx: Transaction,
  commands: readonly ReceiveCommand[],
  jobs: ReadonlyMap<string, string>,
): Promise<PlannedText[]> {
  const asked = commands.filter(
    ({ input }) => input.opt_out_type === null && readOptOutWord(input.text) === 'HELP',
  );
  if (asked.length === 0) return [];
  const rows = await tx.query<{ tenant_id: string; name: string; phone: string | null }>({
    name: 'read-names-for-help',
    text: `select tenant_id, coalesce(business_name, name) as name, phone from tenants where tenant_id = any($1::uuid[])`,
    values: [[...new Set(asked.map(({ tenantId }) => tenantId))]],
  });
  const accounts = new Map(rows.map((row) => [row.tenant_id, row]));
  return asked.map((command) => {
    const { name = '', phone = null } = accounts.get(command.tenantId) ?? {};
    const call = phone ? ` Call ${phone}.` : '';
    return {
      command,
      to: command.input.from,
      text: `${name} texts you about your tow and its bill.${call} Reply STOP to get no more texts.`,
      work_order_id: jobs.get(command.id) ?? null,
    };
  });
}
