import { expect } from 'chai';
import fc from 'fast-check';
import type { Command } from '../../shared/contracts/command.js';
import { newId } from '../../shared/platform/ids.js';
import { groupByType, splitIntoWaves } from '../../workers/writes/waves.js';
import { commandOf } from '../support/commands.js';

const tenants = [newId(), newId()];
const entities = Array.from({ length: 4 }, newId);
const keys = Array.from({ length: 3 }, newId);
const numbers = ['INV-1', 'inv-1', 'INV-2', 'Inv-3'];

const someTenant = fc.constantFrom(...tenants);
const maybeKey = fc.option(fc.constantFrom(...keys), { nil: undefined, freq: 3 });
const claim = (key: string | undefined) => (key ? { idempotencyKey: key } : {});

const create = fc
  .record({ tenant: someTenant, number: fc.constantFrom(...numbers), key: maybeKey })
  .map(({ tenant, number, key }) =>
    commandOf('invoice.create', tenant, { invoice_number: number }, claim(key)),
  );
const patch = fc
  .record({
    tenant: someTenant,
    entityId: fc.constantFrom(...entities),
    key: maybeKey,
    type: fc.constantFrom('invoice.update', 'api_key.revoke'),
  })
  .map(({ tenant, entityId, key, type }) => commandOf(type, tenant, {}, { entityId, ...claim(key) }));
const roll = fc
  .record({ tenant: someTenant, from: fc.constantFrom(...entities), key: maybeKey })
  .map(({ tenant, from, key }) => commandOf('api_key.roll', tenant, { from_id: from }, claim(key)));
const batches = fc.array(fc.oneof(create, patch, roll), { maxLength: 40 });

/** Written down again, apart from the code: what two commands must not share at once. */
function claimsOf(command: Command): string[] {
  const input = command.input as { invoice_number?: string; from_id?: string };
  const own = [
    `record ${command.entityId}`,
    ...(input.from_id ? [`record ${input.from_id}`] : []),
    ...(input.invoice_number ? [`number ${input.invoice_number.toLowerCase()}`] : []),
    ...(command.idempotency ? [`key ${command.idempotency.key}`] : []),
  ];
  return own.map((name) => `${command.tenantId} ${name}`);
}

function conflict(a: Command, b: Command): boolean {
  const claims = new Set(claimsOf(a));
  return claimsOf(b).some((claimed) => claims.has(claimed));
}

describe('splitIntoWaves', () => {
  it('never puts two commands that share a record, number or key into one wave, and keeps their order', () => {
    const property = fc.property(batches, (commands) => {
      const waves = splitIntoWaves(commands);
      const waveOf = new Map(
        waves.flatMap((wave, index) => wave.map((command) => [command, index] as const)),
      );
      commands.forEach((first, index) => {
        for (const second of commands.slice(index + 1)) {
          if (!conflict(first, second)) continue;
          expect(waveOf.get(first)).to.be.lessThan(waveOf.get(second) as number);
        }
      });
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('loses no command and adds none, and leaves no wave empty', () => {
    const property = fc.property(batches, (commands) => {
      const waves = splitIntoWaves(commands);
      expect(waves.flat()).to.have.members(commands);
      for (const wave of waves) expect(wave).to.not.deep.equal([]);
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('makes a command wait only behind one it conflicts with', () => {
    const property = fc.property(batches, (commands) => {
      const waves = splitIntoWaves(commands);
      waves.slice(1).forEach((wave, index) => {
        for (const command of wave) {
          expect(
            (waves[index] ?? []).some((earlier) => conflict(earlier, command)),
            'waits for nobody',
          ).to.equal(true);
        }
      });
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('lets two tenants use the same number, record id and key side by side', () => {
    const twins = tenants.map((tenant) =>
      commandOf(
        'invoice.create',
        tenant,
        { invoice_number: 'INV-1' },
        { entityId: newId(), idempotencyKey: keys[0] as string },
      ),
    );
    expect(splitIntoWaves(twins)).to.deep.equal([twins]);
  });

  it('makes a revocation wait for the roll of the same key', () => {
    const [tenant] = tenants as [string];
    const [key] = entities as [string];
    const rolled = commandOf('api_key.roll', tenant, { from_id: key });
    const revoked = commandOf('api_key.revoke', tenant, {}, { entityId: key });
    expect(splitIntoWaves([rolled, revoked])).to.deep.equal([[rolled], [revoked]]);
  });
});

describe('groupByType', () => {
  it('gathers each type once, in order of arrival', () => {
    const [tenant] = tenants as [string];
    const [a, b, c] = ['invoice.create', 'customer.create', 'invoice.create'].map((type, index) =>
      commandOf(type, tenant, { invoice_number: `N-${index}` }),
    ) as [Command, Command, Command];
    expect([...groupByType([a, b, c])]).to.deep.equal([
      ['invoice.create', [a, c]],
      ['customer.create', [b]],
    ]);
  });
});
