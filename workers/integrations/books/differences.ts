import { createHash } from 'node:crypto';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { findDifferences } from '../../../shared/sync/difference-rows.js';
import { buildIssues, type Compared, type DescribedDifference } from '../differences/difference-issues.js';
import type { Step } from '../vendor/step.js';

/** Both sides of a record that is here and in the books. Equal sides are no difference. */
export interface ComparedRecord {
  kind: string;
  id: string;
  externalId: string;
  /** What people call the record, such as "Invoice 1042". */
  name: string;
  ours: Record<string, unknown>;
  theirs: Record<string, unknown>;
}

/** Builds the commands that open issues about differences, and close those that have gone. */
export async function buildDifferences(
  tx: Transaction,
  step: Step,
  { kind, records }: { kind: string; records: readonly ComparedRecord[] },
): Promise<Compared> {
  if (records.length === 0) return { commands: [], left: [] };
  const externalIds = records.map(({ externalId }) => externalId);
  const known = await findDifferences(tx, step.connection, { kind, externalIds });
  const { label } = step.vendor.manifest;
  const described = records.flatMap((record) => describe(record, label) ?? []);
  const differing = new Set(described.map(({ external_id }) => external_id));
  const isKnown = ({ external_id, digest }: DescribedDifference) =>
    known.some((one) => one.external_id === external_id && one.digest === digest);
  const open = known.filter(({ is_open }) => is_open);
  return buildIssues(tx, step, {
    news: described.filter((one) => !isKnown(one)),
    open,
    gone: open.filter(({ external_id }) => !differing.has(external_id)),
  });
}

function describe(
  { kind, id, externalId, name, ours, theirs }: ComparedRecord,
  vendor: string,
): DescribedDifference | undefined {
  const names = Object.keys(ours).filter((member) => ours[member] !== theirs[member]);
  if (names.length === 0) return undefined;
  const sides = { ours, theirs };
  const texts = names.map(
    (member) =>
      `${member.replace(/_cents$/, '')} ${show(member, ours[member])} here, ${show(member, theirs[member])} at ${vendor}`,
  );
  return {
    record_kind: kind,
    record_id: id,
    external_id: externalId,
    message: `${name} differs: ${texts.join('; ')}.`,
    ...sides,
    digest: createHash('sha256').update(JSON.stringify(sides)).digest('base64url').slice(0, 22),
  };
}

function show(member: string, value: unknown): string {
  return member.endsWith('_cents') ? `$${(Number(value) / 100).toFixed(2)}` : String(value ?? 'nothing');
}
