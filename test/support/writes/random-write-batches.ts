/** Generates random batches of write commands. write-model.ts predicts their results. */
import fc from 'fast-check';
import type { Command } from '../../../shared/contracts/command.js';
import { newId } from '../../../shared/platform/ids.js';
import { buildCommand } from './commands.js';
import { REFUSED_TEXT } from './write-model.js';

const RESOURCES = ['invoice', 'customer', 'work_order'] as const;

interface CommandSpec {
  do: 'create' | 'patch';
  resource: (typeof RESOURCES)[number];
  tenant: number;
  number: number;
  amount: number;
  /**
   * The customer that the body names: none, one of the command's tenant, one of another tenant, or
   * an unknown id.
   */
  customer: 'none' | 'own' | 'foreign' | 'unknown';
  /**
   * The record that a patch changes: one from before the batch (`seed`), one of another tenant, an
   * unknown id, or one that this batch created earlier (`made`).
   */
  target: 'seed' | 'foreign' | 'unknown' | 'made';
  text: string;
  key: number | undefined;
}

/**
 * An earlier command that is added to the batch again. `repeat`: the same command runs twice, as if
 * its job ran twice. `resend`: the client sends the same request again, which makes a new command.
 */
interface AgainSpec {
  do: 'repeat' | 'resend';
  of: number;
}

type WriteSpec = CommandSpec | AgainSpec;

const commandSpec: fc.Arbitrary<CommandSpec> = fc.record({
  do: fc.constantFrom('create', 'create', 'patch'),
  resource: fc.constantFrom(...RESOURCES),
  tenant: fc.nat(2),
  number: fc.nat(5),
  amount: fc.integer({ min: 1, max: 99_999 }),
  customer: fc.constantFrom('none', 'own', 'own', 'foreign', 'unknown'),
  target: fc.constantFrom('seed', 'seed', 'made', 'made', 'foreign', 'unknown'),
  text: fc.oneof(
    { weight: 6, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 8 }) },
    fc.constant(REFUSED_TEXT),
  ),
  key: fc.option(fc.nat(2), { nil: undefined, freq: 2 }),
});
const againSpec: fc.Arbitrary<AgainSpec> = fc.record({
  do: fc.constantFrom('repeat', 'resend'),
  of: fc.nat(100),
});

/**
 * Describes random batches of 1 to 32 commands. {@link buildBatch} builds the commands from a
 * description.
 */
export const batchSpecs = fc.array(fc.oneof({ weight: 6, arbitrary: commandSpec }, againSpec), {
  minLength: 1,
  maxLength: 32,
});

/** The tenants that a batch writes for, and the records that its commands refer to. */
export interface BatchTargets {
  tenants: string[];
  /** For each tenant, the id of one existing record of each resource. */
  seeds: Record<string, string>[];
  keys: string[];
}

export function buildBatch(specs: WriteSpec[], targets: BatchTargets): Command[] {
  const commands: Command[] = [];
  for (const spec of specs) {
    if (!('of' in spec)) {
      commands.push(toCommand(spec, commands, targets));
    } else {
      const earlier = commands[spec.of % Math.max(commands.length, 1)];
      if (earlier) commands.push(spec.do === 'repeat' ? earlier : resend(earlier));
    }
  }
  return commands;
}

/**
 * Returns the command that the API process would make if the client sent the request again. This
 * command has a new id and, if it creates a record, a new record id.
 */
function resend(earlier: Command): Command {
  const id = newId();
  return {
    ...earlier,
    id,
    requestId: id,
    ...(earlier.type.endsWith('.create') ? { entityId: newId() } : {}),
  };
}

function toCommand(spec: CommandSpec, earlier: Command[], { tenants, seeds, keys }: BatchTargets): Command {
  const { resource } = spec;
  const tenant = tenants[spec.tenant] as string;
  const other = (spec.tenant + 1) % tenants.length;
  const created = earlier.filter(
    (command) => command.type === `${resource}.create` && command.tenantId === tenant,
  );
  const entityIds = {
    seed: seeds[spec.tenant]?.[resource],
    foreign: seeds[other]?.[resource],
    unknown: newId(),
    made: created[spec.number % Math.max(created.length, 1)]?.entityId,
  };
  const entityId = spec.do === 'patch' ? (entityIds[spec.target] ?? newId()) : newId();
  const idempotency = spec.key === undefined ? {} : { idempotencyKey: keys[spec.key] as string };
  const customers = {
    none: undefined,
    own: seeds[spec.tenant]?.customer,
    foreign: seeds[other]?.customer,
    unknown: newId(),
  };
  const input = buildInput(spec, customers[spec.customer]);
  return buildCommand(`${resource}.${spec.do === 'create' ? 'create' : 'update'}`, tenant, input, {
    entityId,
    ...idempotency,
  });
}

function buildInput(spec: CommandSpec, customerId: string | undefined): Record<string, unknown> {
  const { resource, text, number, amount } = spec;
  const creates = spec.do === 'create';
  const customer = customerId ? { customer_id: customerId } : {};
  if (resource === 'customer')
    return { ...(creates ? { company_name: `Club ${number}` } : {}), address: text };
  if (resource === 'work_order')
    return { ...(creates ? { service_type: 'tow' } : {}), notes: text, ...customer };
  const lineItems = Array.from({ length: number % 3 }, (_, index) => ({
    name: 'Tow',
    category: 'tow',
    quantity: index + 1,
    unit_type: 'each',
    unit_price_cents: amount,
    total_cents: (index + 1) * amount,
    taxable: index === 0,
  }));
  const line_items = number < 3 ? {} : { line_items: lineItems };
  if (!creates) return { notes: text, po_number: `PO-${number}`, ...line_items };
  return {
    invoice_number: number % 2 ? `INV-${number}` : `inv-${number + 1}`,
    notes: text,
    ...customer,
    ...line_items,
  };
}
