import { expect } from 'chai';
import fc from 'fast-check';
import type { Command } from '../../../shared/contracts/command.js';
import { newId } from '../../../shared/platform/ids.js';
import { groupByType, splitIntoWaves } from '../../../workers/writes/waves.js';
import { countRuns } from '../../support/count-runs.js';
import { buildCommand } from '../../support/writes/commands.js';

const tenants = [newId(), newId()];
const entities = Array.from({ length: 4 }, newId);
const keys = Array.from({ length: 3 }, newId);
const numbers = ['INV-1', 'inv-1', 'INV-2', 'Inv-3'];

const anyTenant = fc.constantFrom(...tenants);
const maybeKey = fc.option(fc.constantFrom(...keys), { nil: undefined, freq: 3 });
const withIdempotencyKey = (idempotencyKey: string | undefined) => (idempotencyKey ? { idempotencyKey } : {});

const create = fc
  .record({ tenant: anyTenant, number: fc.constantFrom(...numbers), key: maybeKey })
  .map(({ tenant, number, key }) =>
    buildCommand('invoice.create', tenant, { invoice_number: number }, withIdempotencyKey(key)),
  );
const patch = fc
  .record({
    tenant: anyTenant,
    entityId: fc.constantFrom(...entities),
    key: maybeKey,
    type: fc.constantFrom('invoice.update', 'api_key.revoke'),
  })
  .map(({ tenant, entityId, key, type }) =>
    buildCommand(type, tenant, {}, { entityId, ...withIdempotencyKey(key) }),
  );
const roll = fc
  .record({ tenant: anyTenant, from: fc.constantFrom(...entities), key: maybeKey })
  .map(({ tenant, from, key }) =>
    buildCommand('api_key.roll', tenant, { from_id: from }, withIdempotencyKey(key)),
  );
const batches = fc.array(fc.oneof(create, patch, roll), { maxLength: 40 });

/**
 * Lists the records and keys that a command needs exclusively, such as `record …` or `key …`.
 * Concurrent commands must not have any of these in common. The list is independent of the tested
 * code.
 */
function listSharedNames(command: Command): string[] {
  const input = command.input as { invoice_number?: string; from_id?: string };
  const own = [
    `record ${command.entityId}`,
    ...(input.from_id ? [`record ${input.from_id}`] : []),
    ...(input.invoice_number ? [`number ${input.invoice_number.toLowerCase()}`] : []),
    ...(command.idempotency ? [`key ${command.idempotency.key}`] : []),
  ];
  return own.map((name) => `${command.tenantId} ${name}`);
}

function isConflict(a: Command, b: Command): boolean {
  const names = new Set(listSharedNames(a));
  return listSharedNames(b).some((name) => names.has(name));
}

describe('splitIntoWaves', () => {
  it('commands that share a record, number or key are in separate waves, in their sequence', () => {
    const property = fc.property(batches, (commands) => {
      const waves = splitIntoWaves(commands);
      const waveOf = new Map(
        waves.flatMap((wave, index) => wave.map((command) => [command, index] as const)),
      );
      commands.forEach((first, index) => {
        for (const second of commands.slice(index + 1)) {
          if (!isConflict(first, second)) continue;
          expect(waveOf.get(first)).to.be.lessThan(waveOf.get(second) as number);
        }
      });
    });
    fc.assert(property, { numRuns: countRuns(300) });
  });

  it('webhooks for one connection are in one wave, and a change of the connection waits for none', () => {
    const [tenant = ''] = tenants;
    const [entityId = ''] = entities;
    const receive = () => buildCommand('connection.receive', tenant, { notices: [] }, { entityId });
    const update = () => buildCommand('connection.update', tenant, {}, { entityId });
    const [first, second, change, later] = [receive(), receive(), update(), update()];
    expect(splitIntoWaves([first, second, change, later])).to.deep.equal([[first, second, change], [later]]);
  });

  it('the waves contain every command once, and no wave is empty', () => {
    const property = fc.property(batches, (commands) => {
      const waves = splitIntoWaves(commands);
      expect(waves.flat()).to.have.members(commands);
      for (const wave of waves) expect(wave).to.not.deep.equal([]);
    });
    fc.assert(property, { numRuns: countRuns(300) });
  });

  it('a command waits only behind a conflicting command', () => {
    const property = fc.property(batches, (commands) => {
      const waves = splitIntoWaves(commands);
      waves.slice(1).forEach((wave, index) => {
        for (const command of wave) {
          expect(
            (waves[index] ?? []).some((earlier) => isConflict(earlier, command)),
            'waits without a conflict',
          ).to.equal(true);
        }
      });
    });
    fc.assert(property, { numRuns: countRuns(300) });
  });

  it('two tenants can use the same number, record id and key in one wave', () => {
    const twins = tenants.map((tenant) =>
      buildCommand(
        'invoice.create',
        tenant,
        { invoice_number: 'INV-1' },
        { entityId: newId(), idempotencyKey: keys[0] as string },
      ),
    );
    expect(splitIntoWaves(twins)).to.deep.equal([twins]);
  });

  it('a revocation waits for the roll of the same key', () => {
    const [tenant] = tenants as [string];
    const [key] = entities as [string];
    const rolled = buildCommand('api_key.roll', tenant, { from_id: key });
    const revoked = buildCommand('api_key.revoke', tenant, {}, { entityId: key });
    expect(splitIntoWaves([rolled, revoked])).to.deep.equal([[rolled], [revoked]]);
  });
});

describe('groupByType', () => {
  it('groupByType groups commands by type, in sequence of arrival', () => {
    const [tenant] = tenants as [string];
    const [a, b, c] = ['invoice.create', 'customer.create', 'invoice.create'].map((type, index) =>
      buildCommand(type, tenant, { invoice_number: `N-${index}` }),
    ) as [Command, Command, Command];
    expect([...groupByType([a, b, c])]).to.deep.equal([
      ['invoice.create', [a, c]],
      ['customer.create', [b]],
    ]);
  });
});
